// Taking back what was decoded of an object that turned out to be wrong further on. ImportUndo does the same for an import,
// and first takes stock of the whole context, which would cost too much for each object.

import CoreData

/// What the decoding of one object changed.
final class DecodingUndo {
    private enum Step {
        case made(NSManagedObject)
        case attribute(NSManagedObject, Int, GraphSchema.Property, GraphValue)
        case toOne(NSManagedObject, Int, GraphSchema.Property, NSManagedObject?)
        case toMany(NSManagedObject, Int, GraphSchema.Property, [NSManagedObject])
    }

    private let context: NSManagedObjectContext
    private var steps: [Step] = []
    /// Objects that had no changes before.
    private var clean: [NSManagedObject] = []

    init(_ context: NSManagedObjectContext) { self.context = context }

    func didMake(_ object: NSManagedObject) { steps.append(.made(object)) }

    func willSet(_ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject) throws {
        note(object)
        steps.append(.attribute(object, number, property, try object.graphValue(number, property)))
    }

    /// Remembers a relationship before its change, and what the change displaces on the other side.
    func willConnect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to others: [NSManagedObject],
        _ schema: GraphSchema
    ) {
        let old = remember(number, property, of: object)
        guard let inverse = property.inverse, let destination = property.destination else { return }
        let back = schema.entities[destination].properties[inverse]
        for other in others {
            note(other)
            guard !back.isToMany, let owner = other.destination(inverse, back), owner !== object else { continue }
            _ = remember(number, property, of: owner)
        }
        for other in old {
            note(other)
            if back.isOrdered { _ = remember(inverse, back, of: other) }
        }
    }

    /// Remembers what connecting an object that was made here displaces. Its own relationships go with it.
    func willConnectNew(
        _ number: Int, _ property: GraphSchema.Property, to other: NSManagedObject, _ schema: GraphSchema
    ) {
        note(other)
        guard let inverse = property.inverse, let destination = property.destination else { return }
        let back = schema.entities[destination].properties[inverse]
        if !back.isToMany, let owner = other.destination(inverse, back) { _ = remember(number, property, of: owner) }
    }

    private func note(_ object: NSManagedObject) {
        if !object.hasChanges { clean.append(object) }
    }

    private func remember(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) -> [NSManagedObject] {
        note(object)
        if property.isToMany {
            let members = object.members(number, property)
            steps.append(.toMany(object, number, property, members))
            return members
        }
        let destination = object.destination(number, property)
        steps.append(.toOne(object, number, property, destination))
        return destination.map { [$0] } ?? []
    }

    /// Puts everything back, the last change first.
    func undo() throws {
        for step in steps.reversed() {
            switch step {
            case .made(let object): context.delete(object)
            case .attribute(let object, let number, let property, let value):
                try object.assign(value, number, property)
            case .toOne(let object, let number, let property, let destination):
                object.assign(destination, number, property)
            case .toMany(let object, let number, let property, let members):
                object.assign(members, number, property)
            }
        }
        context.processPendingChanges()
        for object in clean where !object.isInserted && !object.isDeleted {
            context.refresh(object, mergeChanges: false)
        }
        steps.removeAll()
    }
}
