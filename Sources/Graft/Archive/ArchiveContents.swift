// Which objects go into an archive, in which order, and the numbers and names by which they refer to each other. What is
// kept in memory is an ID, a number and, for JSON, a name of each object; the objects themselves come and go in batches.

import CoreData
import Foundation

/// The objects of an archive.
struct ArchiveContents {
    let plan: ArchivePlan
    private let context: NSManagedObjectContext
    private let batchSize: Int
    /// Whether the context forgets each batch. Only for contexts that nobody else uses.
    private let releasesObjects: Bool
    /// From Core Data's entities to those of the plan.
    private let entityNumbers: [ObjectIdentifier: Int]

    /// By entity of the plan: the IDs in the order of the archive.
    private(set) var ids: [[NSManagedObjectID]]
    /// The objects' names by number; none where they aren't wanted.
    private(set) var names: [String] = []
    private var numbers: [ObjectIDKey: Int32] = [:]
    /// Objects of a context that others use: they are to stay while the archive is written.
    private var retained: [NSManagedObject] = []

    init(
        _ plan: ArchivePlan, _ model: NSManagedObjectModel, _ context: NSManagedObjectContext, batchSize: Int,
        releasesObjects: Bool
    ) {
        self.plan = plan
        self.context = context
        self.batchSize = max(1, batchSize)
        self.releasesObjects = releasesObjects
        let descriptions = model.entitiesByName
        var entityNumbers: [ObjectIdentifier: Int] = [:]
        for (index, entity) in plan.entities.enumerated() {
            if let description = descriptions[entity.archived.name] {
                entityNumbers[ObjectIdentifier(description)] = index
            }
        }
        self.entityNumbers = entityNumbers
        ids = plan.entities.map { _ in [] }
    }

    /// How many objects there are.
    var count: Int { ids.reduce(0) { $0 + $1.count } }

    /// The number of an object in the archive; nil for one that isn't in the store.
    @inline(__always)
    func number(_ id: NSManagedObjectID) -> Int? { numbers[id.lookupKey].map(Int.init) }

    static func changedMeanwhile() -> GraftError {
        GraftError(
            .conflict(
                reason: "an object has vanished since the archive began")
        )
    }

    // MARK: Choosing

    /// Takes all objects of the context's stores, and those that aren't saved yet.
    mutating func addAll() throws {
        for (index, entity) in plan.entities.enumerated() where !plan.schema.entities[entity.number].isAbstract {
            guard releasesObjects else {
                let objects = try context.fetch(request(entity))
                retained += objects
                ids[index] = objects.map(\.objectID)
                continue
            }
            let all = NSFetchRequest<NSManagedObjectID>(entityName: entity.archived.name)
            all.resultType = .managedObjectIDResultType
            all.includesSubentities = false
            ids[index] = try context.fetch(all)
        }
    }

    /// Takes some objects and everything that their relationships lead to.
    mutating func add(reachedFrom roots: [NSManagedObject]) throws {
        var seen: Set<NSManagedObjectID> = []
        var pending: [NSManagedObject] = []
        func meet(_ object: NSManagedObject, _ contents: inout ArchiveContents) throws {
            guard seen.insert(object.objectID).inserted else { return }
            guard let entity = contents.entityNumbers[ObjectIdentifier(object.entity)] else {
                throw GraftError(.unknownEntity(object.entity.name ?? "", closest: nil))
            }
            contents.ids[entity].append(object.objectID)
            contents.retained.append(object)
            pending.append(object)
        }
        for root in roots { try meet(root, &self) }
        var next = 0
        // In the order in which they are met, and not recursively: a chain may be as long as the store is large.
        while next < pending.count {
            let object = pending[next]
            next += 1
            guard let entity = entityNumbers[ObjectIdentifier(object.entity)] else { continue }
            let properties = plan.schema.entities[plan.entities[entity].number].properties
            for (number, property) in properties.enumerated() where !property.isAttribute && !property.isTransient {
                if property.isToMany {
                    for member in object.members(number, property) { try meet(member, &self) }
                } else if let destination = object.destination(number, property) {
                    try meet(destination, &self)
                }
            }
        }
    }

    // MARK: Numbering

    /// Numbers the objects through, entity by entity.
    mutating func number() {
        numbers.reserveCapacity(count)
        var next: Int32 = 0
        for list in ids {
            for id in list {
                numbers[id.lookupKey] = next
                next += 1
            }
        }
    }

    /// Names the objects and puts them in the order of their identities; those without one follow as they are.
    mutating func nameAndSort() throws {
        var namer = ArchiveNames()
        for (index, entity) in plan.entities.enumerated() {
            let description = plan.schema.entities[entity.number]
            namer.beginEntity()
            let width = description.identity.count
            if width == 0 {
                names += ids[index].map { namer.name($0, description.name, identity: []) }
                continue
            }
            // One after the other, all null where one of them is: an array for each object would take three times as much.
            var values: [GraphValue] = []
            values.reserveCapacity(ids[index].count * width)
            var unsorted: [String] = []
            unsorted.reserveCapacity(ids[index].count)
            try forEachIdentity(of: index) { id, identity in
                let isComplete = !identity.contains(where: \.isNull)
                values += isComplete ? identity : [GraphValue](repeating: .null, count: width)
                unsorted.append(namer.name(id, description.name, identity: isComplete ? identity : []))
            }
            let order = ids[index].indices.sorted { one, other in
                let isFirst = values[(one * width)..<(one + 1) * width]
                    .isOrdered(before: values[(other * width)..<(other + 1) * width])
                return isFirst ?? (one < other)
            }
            ids[index] = order.map { ids[index][$0] }
            names += order.map { unsorted[$0] }
        }
    }

    // MARK: Reading

    /// Calls the closure with the objects of an entity that has an identity, and the values of that. Makes no objects where
    /// they would be let go again.
    ///
    /// - Throws: As ``forEachBatch(of:_:)``.
    private func forEachIdentity(
        of index: Int, _ body: (NSManagedObjectID, [GraphValue]) -> Void
    ) throws {
        let entity = plan.schema.entities[plan.entities[index].number]
        guard releasesObjects else {
            return try forEachBatch(of: index) { objects in
                for object in objects {
                    body(
                        object.objectID,
                        try entity.identity.map { try object.graphValue($0, entity.properties[$0]) })
                }
            }
        }
        for wanted in ids[index].batches(of: batchSize) {
            let found = try context.readValues(entity.identity, entity, of: wanted).inOrder(of: wanted, \.id)
            guard found.count == wanted.count else { throw Self.changedMeanwhile() }
            for (id, values) in found { body(id, values) }
        }
    }

    /// Calls the closure with the objects of an entity, in their order, some at a time.
    ///
    /// - Throws: ``GraftError`` with `conflict` where one isn't there any more; what the closure throws.
    func forEachBatch(of index: Int, _ body: ([NSManagedObject]) throws -> Void) throws {
        let entity = plan.entities[index]
        guard releasesObjects else {
            if !ids[index].isEmpty { try body(ids[index].map { context.object(with: $0) }) }
            return
        }
        let reader = ObjectBatches(
            context: context, request: request(entity), batchSize: batchSize, relationships: prefetched(entity),
            releasesObjects: true)
        for wanted in ids[index].batches(of: batchSize) {
            let objects = try reader.objects(wanted)
            guard objects.count == wanted.count else { throw Self.changedMeanwhile() }
            try body(objects)
            try context.resetInSameState()
        }
    }

    private func request(_ entity: ArchivePlan.Entity) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.archived.name)
        request.includesSubentities = false
        return request
    }

    /// The relationships that are worth fetching with the objects: where there is no batch faulting.
    private func prefetched(_ entity: ArchivePlan.Entity) -> [String] {
        #if canImport(Darwin)
            return entity.archived.items.compactMap { item in
                if case .toMany = item.form { item.name } else { nil }
            }
        #else
            return []
        #endif
    }
}

extension ArraySlice<GraphValue> {
    /// Whether an identity comes before another one: numbers by value, everything else by its bytes, null last. Nil for equal
    /// ones.
    fileprivate func isOrdered(before other: ArraySlice<GraphValue>) -> Bool? {
        if let one = first?.isNull, let other = other.first?.isNull, one != other { return other }
        for (one, other) in zip(self, other) {
            switch (one, other) {
            case (.integer(let one), .integer(let other)): if one != other { return one < other }
            case (.double(let one), .double(let other)), (.date(let one), .date(let other)):
                if one != other { return one < other }
            case (.decimal(let one), .decimal(let other)): if one != other { return one < other }
            case (.string(let one), .string(let other)):
                if !one.hasSameBytes(as: other) { return one.utf8.lexicographicallyPrecedes(other.utf8) }
            default:
                let (one, other) = (one.description, other.description)
                if one != other { return one.utf8.lexicographicallyPrecedes(other.utf8) }
            }
        }
        return nil
    }
}
