// Taking an import back from a context: what the import did and nothing else. Where there were no other changes, that is
// a rollback; otherwise each old value is put back, the last one first.

import CoreData

/// What an import changed in its context.
final class ImportUndo {
    private enum Step {
        case attribute(NSManagedObject, Int, GraphSchema.Property, GraphValue)
        case toOne(NSManagedObject, Int, GraphSchema.Property, NSManagedObject?)
        case toMany(NSManagedObject, Int, GraphSchema.Property, [NSManagedObject])
    }

    private let context: NSManagedObjectContext
    /// The objects that had changes before the import. Empty where a rollback does it all.
    private let changedBefore: Set<NSManagedObject>
    /// Whether steps have to be kept.
    let isRecording: Bool
    private var steps: [Step] = []
    private var made: [NSManagedObject] = []

    init(_ context: NSManagedObjectContext) {
        self.context = context
        isRecording = context.hasChanges
        changedBefore =
            isRecording
            ? context.insertedObjects.union(context.updatedObjects).union(context.deletedObjects) : []
    }

    func willSet(_ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject) throws {
        guard isRecording else { return }
        steps.append(.attribute(object, number, property, try object.graphValue(number, property)))
    }

    /// Remembers a relationship before its change, and those on the other side that the change displaces: the previous
    /// owners of objects that can have only one, and the places in ordered relationships.
    func willConnect(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, to others: [NSManagedObject],
        _ schema: GraphSchema
    ) {
        guard isRecording else { return }
        let old = remember(number, property, of: object)
        guard let inverse = property.inverse, let destination = property.destination else { return }
        let back = schema.entities[destination].properties[inverse]
        for other in others where !back.isToMany {
            guard let owner = other.destination(inverse, back), owner !== object else { continue }
            _ = remember(number, property, of: owner)
        }
        if back.isOrdered { for other in old { _ = remember(inverse, back, of: other) } }
    }

    private func remember(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject
    ) -> [NSManagedObject] {
        if property.isToMany {
            let members = object.members(number, property)
            steps.append(.toMany(object, number, property, members))
            return members
        }
        let destination = object.destination(number, property)
        steps.append(.toOne(object, number, property, destination))
        return destination.map { [$0] } ?? []
    }

    func didMake(_ object: NSManagedObject) {
        if isRecording { made.append(object) }
    }

    /// Puts the context back into the state before the import.
    func undo() throws {
        guard isRecording else { return context.rollback() }
        for step in steps.reversed() {
            switch step {
            case .attribute(let object, let number, let property, let value):
                try object.assign(value, number, property)
            case .toOne(let object, let number, let property, let destination):
                object.assign(destination, number, property)
            case .toMany(let object, let number, let property, let members):
                object.assign(members, number, property)
            }
        }
        for object in made.reversed() { context.delete(object) }
        context.processPendingChanges()
        context.forgetChanges(of: context.updatedObjects.filter { !changedBefore.contains($0) })
        steps.removeAll()
        made.removeAll()
    }
}

extension NSManagedObjectContext {
    /// Refreshes objects that had no changes before.
    func forgetChanges(of objects: some Collection<NSManagedObject>) {
        for object in objects where !object.isInserted && !object.isDeleted { refresh(object, mergeChanges: false) }
    }
}
