// Taking back what was decoded of an object that turned out to be wrong further on. ImportUndo does the same for an import,
// and first takes stock of the whole context, which would cost too much for each object.

import CoreData

/// What the decoding of one object changed.
final class DecodingUndo {
    // Nearly all steps are objects that were made: the other ones don't make the list longer than it is for those.
    private enum Step {
        case made(NSManagedObject)
        indirect case attribute(NSManagedObject, Int, GraphSchema.Property, GraphValue)
        indirect case toOne(NSManagedObject, CodingPlan.Relationship, NSManagedObject?)
        indirect case toMany(NSManagedObject, CodingPlan.Relationship, [NSManagedObject])
    }

    private var steps: [Step] = []
    /// Objects that had no changes before.
    private var clean: [NSManagedObject] = []

    /// Keeps a copy and forgets it all, or just forgets: the object is decoded.
    func end(_ log: DecodingLog?) {
        if let log {
            let copy = DecodingUndo()
            (copy.steps, copy.clean) = (steps, clean)
            log.steps.append(copy)
        }
        steps.removeAll(keepingCapacity: steps.count < 1000)
        clean.removeAll(keepingCapacity: clean.count < 1000)
    }

    func didMake(_ object: NSManagedObject) { steps.append(.made(object)) }

    func willSet(_ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject) throws {
        note(object)
        steps.append(.attribute(object, number, property, try object.graphValue(number, property)))
    }

    /// Remembers a relationship before its change, and what the change displaces on the other side.
    func willConnect(
        _ relationship: CodingPlan.Relationship, of object: NSManagedObject, to others: [NSManagedObject]
    ) {
        let old = remember(relationship, of: object)
        guard let back = relationship.inverse else { return }
        for other in others {
            note(other)
            guard !back.isToMany, let owner = other.destination(back.number, back.property), owner !== object else {
                continue
            }
            _ = remember(relationship, of: owner)
        }
        for other in old {
            note(other)
            if back.property.isOrdered { _ = remember(back, of: other) }
        }
    }

    /// Remembers what connecting an object that was made here displaces. Its own relationships go with it.
    func willConnectNew(_ relationship: CodingPlan.Relationship, to other: NSManagedObject) {
        note(other)
        guard let back = relationship.inverse, !back.isToMany else { return }
        if let owner = other.destination(back.number, back.property) { _ = remember(relationship, of: owner) }
    }

    private func note(_ object: NSManagedObject) {
        if !object.hasChanges { clean.append(object) }
    }

    private func remember(_ relationship: CodingPlan.Relationship, of object: NSManagedObject) -> [NSManagedObject] {
        note(object)
        if relationship.isToMany {
            let members = object.members(relationship.number, relationship.property)
            steps.append(.toMany(object, relationship, members))
            return members
        }
        let destination = object.destination(relationship.number, relationship.property)
        steps.append(.toOne(object, relationship, destination))
        return destination.map { [$0] } ?? []
    }

    /// Puts everything back, the last change first.
    ///
    /// - Parameter context: The context of all the objects.
    func undo(in context: NSManagedObjectContext) throws {
        for step in steps.reversed() {
            switch step {
            case .made(let object): context.delete(object)
            case .attribute(let object, let number, let property, let value):
                try object.assign(value, number, property)
            case .toOne(let object, let relationship, let destination):
                object.assign(destination, relationship.number, relationship.property)
            case .toMany(let object, let relationship, let members):
                object.assign(members, relationship.number, relationship.property)
            }
        }
        context.processPendingChanges()
        context.forgetChanges(of: clean)
        steps.removeAll()
        clean.removeAll()
    }
}
