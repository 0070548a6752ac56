// Two stores with the same random graph, of which one was changed: values, links, deletions, new objects.

import CoreData
import Foundation

enum ChangedStores {
    /// The graph of a seed, before and after.
    ///
    /// - Parameter isRenumbered: Whether the rows have other numbers after.
    static func pair(
        _ seed: Int, _ kind: StoreKind = .inMemory, isRenumbered: Bool = false
    ) throws -> (old: TestStack, new: TestStack) {
        (try stack(seed, kind, isChanged: false), try stack(seed, kind, isChanged: true, isRenumbered))
    }

    /// A store with a random graph, and some of it changed.
    private static func stack(
        _ seed: Int, _ kind: StoreKind, isChanged: Bool, _ isRenumbered: Bool = false
    ) throws -> TestStack {
        var graph = RandomGraph(seed: seed)
        let stack = try TestStack(graph.model, kind)
        try stack.perform { context in
            graph.fill(context, count: 25)
            var random = SeededGenerator(seed: seed)
            let objects = context.insertedObjects.sorted { suffix($0) < suffix($1) }
            identify(objects, from: 1000)
            if isRenumbered {
                for (index, object) in objects.enumerated() { context.want(row: Int64(60 - 2 * index), for: object) }
            }
            try context.save()
            guard isChanged else { return }
            for object in objects where random.chance(10) { context.delete(object) }
            context.processPendingChanges()
            let rest = objects.filter { !$0.isDeleted }
            for object in rest { object.letGoOfDeleted() }
            for object in rest where random.chance(30) { change(object, rest, &random) }
            graph.fill(context, count: 2)
            identify(context.insertedObjects.sorted { suffix($0) < suffix($1) }, from: 2000)
            try context.save()
        }
        return stack
    }

    /// Gives objects an identity that have none, or one that others have.
    private static func identify(_ objects: [NSManagedObject], from start: Int) {
        for (index, object) in objects.enumerated() {
            if object.value(forKey: "key") == nil || start == 2000 {
                object.setValue(NSNumber(value: start + index), forKey: "key")
            }
            if object.value(forKey: "part") == nil { object.setValue("p", forKey: "part") }
        }
    }

    /// What grows in the IDs of unsaved objects, in the order of their making.
    private static func suffix(_ object: NSManagedObject) -> Substring {
        object.objectID.uriRepresentation().absoluteString.suffix(12)
    }

    private static func change(_ object: NSManagedObject, _ objects: [NSManagedObject], _ random: inout SeededGenerator)
    {
        for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
            guard name != "key", name != "part", random.chance(30) else { continue }
            object.setValue(attribute.attributeType == .stringAttributeType ? "changed" : nil, forKey: name)
        }
        for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
            guard random.chance(40), let destination = relationship.destinationEntity else { continue }
            let candidates = objects.filter { $0.entity.isKindOf(entity: destination) }
            let ends =
                candidates.isEmpty ? [] : (0..<random.below(4)).map { _ in candidates[random.below(candidates.count)] }
            if relationship.isToMany {
                object.setValue(relationship.isOrdered ? NSOrderedSet(array: ends) : NSSet(array: ends), forKey: name)
            } else {
                object.setValue(ends.first, forKey: name)
            }
        }
    }
}
