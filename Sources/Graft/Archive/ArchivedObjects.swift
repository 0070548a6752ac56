// Which objects go into an archive, in which order, and the numbers and names by which they refer to each other. What is
// kept in memory is an ID, a number and, for JSON, a name of each object; the objects themselves come and go in batches.

import CoreData
import Foundation

/// The objects of an archive.
struct ArchivedObjects {
    private(set) var plan: ArchivePlan
    let model: NSManagedObjectModel
    let context: NSManagedObjectContext
    private let batchSize: Int
    /// Whether the context forgets each batch. Only for contexts that nobody else uses.
    private let releasesObjects: Bool
    /// From Core Data's entities to those of the plan.
    private let entityNumbers: [ObjectIdentifier: Int]

    /// By entity of the plan: the IDs in the order of the archive.
    private(set) var ids: [[NSManagedObjectID]]
    private var numbers: [ObjectIDKey: Int32] = [:]
    /// By entity of the plan: behind its last number.
    private var ends: [Int] = []
    /// The one-to-one relationships with links that the store has at one end alone, and the objects at that end.
    private(set) var oneSidedLinks: [(relationship: ArchivePlan.OneToOne, owners: [NSManagedObjectID])] = []
    /// Objects of a context that others use: they are to stay while the archive is written.
    private var retained: [NSManagedObject] = []

    /// - Parameters:
    ///   - schema: What identifies objects; nil for what the model says.
    ///   - hasRows: Whether the numbers of their rows are written, too.
    init(
        _ context: NSManagedObjectContext, _ schema: GraphSchema? = nil, hasRows: Bool = false, batchSize: Int,
        releasesObjects: Bool
    ) throws {
        let model = try context.requiredModel()
        self.model = model
        self.context = context
        plan = ArchivePlan(try schema ?? GraphSchema(model), hasRows: hasRows)
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

    /// The ID of a record's object.
    func id(of record: ArchiveRecord) -> NSManagedObjectID {
        ids[record.entity][record.number - ends[record.entity] + ids[record.entity].count]
    }

    static func changedMeanwhile() -> GraftError {
        GraftError(
            .conflict(
                reason: "an object has vanished since the archive began (or the store is damaged: graft check tells)")
        )
    }

    // MARK: Choosing

    /// Takes all objects of the context's stores, and those that aren't saved yet.
    ///
    /// - Parameter damage: Is told of what is no object, and of objects that can't be read.
    mutating func addAll(_ damage: GraphDamage) throws {
        try damage.noteStrayRows()
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
            damage.passOverStrayRows(all)
            ids[index] = try context.fetch(all)
            if damage.isLeavingOut { try leaveOutUnreadable(of: index, damage) }
        }
    }

    /// Leaves out the objects of which something can't be read, before anything refers to them.
    private mutating func leaveOutUnreadable(of index: Int, _ damage: GraphDamage) throws {
        let entity = plan.entities[index]
        let properties = plan.schema.entities[entity.number].properties
        var readable: [NSManagedObjectID] = []
        for batch in ids[index].batches(of: batchSize) {
            readable += try damage.readable(batch) { ids in
                let objects = try context.readStored(ids, entity.archived.name, prefetching: [])
                for number in entity.properties where properties[number].isToMany {
                    try context.readMemberIDs(number, properties[number], of: objects)
                }
            }
            try context.resetInSameState()
        }
        ids[index] = readable
    }

    /// Takes some objects and everything that their relationships lead to.
    mutating func add(reachedFrom roots: [NSManagedObject]) throws {
        var seen: Set<NSManagedObjectID> = []
        var pending: [NSManagedObject] = []
        func meet(_ object: NSManagedObject, _ contents: inout ArchivedObjects) throws {
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
        ends = []
        for list in ids {
            for id in list {
                numbers[id.lookupKey] = next
                next += 1
            }
            ends.append(Int(next))
        }
    }

    /// The entity in the schema of an object with a number that isn't one that a relationship can lead to; nil where it is one.
    func wrongEntity(ofNumber number: Int, destination: Int) -> Int? {
        // The ends are ascending.
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > number { high = middle } else { low = middle + 1 }
        }
        guard plan.entities.indices.contains(low) else { return nil }
        let entity = plan.entities[low].number
        return plan.schema.isEntity(entity, kindOf: destination) ? nil : entity
    }

    /// Puts the objects in the order of their identities; those without one follow as they are.
    ///
    /// - Parameter body: Is called with each object in the new order, the number of its entity in the plan, and its identity, empty
    ///   where it isn't complete.
    mutating func sortByIdentity(
        _ body: (NSManagedObjectID, _ entity: Int, ArraySlice<GraphValue>) throws -> Void
    ) throws {
        for index in plan.entities.indices {
            let width = plan.schema.entities[plan.entities[index].number].identity.count
            // One after the other, all null where one of them is: an array for each object would take three times as much.
            var values: [GraphValue] = []
            values.reserveCapacity(ids[index].count * width)
            if width > 0 {
                try forEachIdentity(of: index) { _, identity in
                    values += identity.contains(where: \.isNull) ? identity.map { _ in .null } : identity
                }
            }
            ids[index] = try values.identityOrder(width: width, count: ids[index].count).map { position in
                let identity = values[(position * width)..<(position + 1) * width]
                try body(ids[index][position], index, identity.first?.isNull ?? true ? [] : identity)
                return ids[index][position]
            }
        }
    }

    // MARK: One to one

    /// Lets both relationships of a pair be written that are one to one, where the store has a link at one end alone. So nothing is
    /// lost, and restored rows are what they were.
    mutating func writeBothEnds(_ damage: GraphDamage) throws {
        var told: [ArchivePlan.OneToOne] = []
        for (written, other) in plan.oneToOnes where written != other {
            let found = [
                (written, try ownersOfOneSidedLinks(written, back: other, damage)),
                (other, try ownersOfOneSidedLinks(other, back: written, damage)),
            ].filter { !$0.1.isEmpty }
            oneSidedLinks += found
            if !found.isEmpty { told.append(other) }
        }
        if !told.isEmpty { plan = ArchivePlan(plan.schema, also: told, hasRows: plan.hasRows) }
    }

    /// The objects that a relationship leads on from to objects that don't lead back.
    private func ownersOfOneSidedLinks(
        _ relationship: ArchivePlan.OneToOne, back: ArchivePlan.OneToOne, _ damage: GraphDamage
    ) throws -> [NSManagedObjectID] {
        let entity = plan.schema.entities[relationship.entity]
        let name = entity.properties[relationship.property].name
        let path = "\(name).\(plan.schema.entities[back.entity].properties[back.property].name)"
        // IDs alone: what can't be read of an object is left out, and that it has such a link as well.
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.name)
        request.resultType = .managedObjectIDResultType
        request.predicate = NSPredicate(
            format: "%K != nil AND (%K == nil OR %K != SELF)", argumentArray: [name, path, path])
        damage.passOverStrayRows(request)
        return try context.fetch(request).filter { number($0) != nil }
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
            for object in ids[index].map(context.object) {
                body(object.objectID, try entity.identity.map { try object.graphValue($0, entity.properties[$0]) })
            }
            return
        }
        for wanted in ids[index].batches(of: batchSize) {
            let found = try context.readValues(entity.identity, entity, of: wanted).inOrder(of: wanted, \.id)
            guard found.count == wanted.count else { throw Self.changedMeanwhile() }
            for (id, values) in found { body(id, values) }
        }
    }

    /// Some objects, with all that their records tell: those of a context that others use, or what a store has of them.
    enum Batch {
        case objects([NSManagedObject])
        case rows([StoredObject])

        var count: Int {
            switch self {
            case .objects(let objects): objects.count
            case .rows(let rows): rows.count
            }
        }
    }

    /// Calls the closure with the objects of an entity, in their order, some at a time. While it works on some, another thread reads
    /// the next ones' rows.
    ///
    /// - Throws: ``GraftError`` with `conflict` where one isn't there any more; what can't be read; what the closure throws.
    func forEachBatch(of index: Int, _ body: (Batch) throws -> Void) throws {
        let entity = plan.entities[index]
        let properties = plan.schema.entities[entity.number].properties
        let lists = entity.properties.filter { properties[$0].isToMany }
        guard releasesObjects else {
            if ids[index].isEmpty { return }
            let objects = ids[index].map(context.object)
            // A store that can't be read throws here, where a fault would stop the process.
            for number in lists { try context.readMemberIDs(number, properties[number], of: objects) }
            return try body(.objects(objects))
        }
        var batches = ids[index].batches(of: batchSize).makeIterator()
        var next = batches.next()
        while let batch = next {
            let rows = try context.storedRows(batch, entity.archived.name).inOrder(of: batch, \.objectID)
            guard rows.count == batch.count else { throw Self.changedMeanwhile() }
            let objects = try context.storedObjects(rows, lists, properties)
            next = batches.next()
            if let next { context.readAhead(next, members: lists.map { properties[$0].name }) }
            try body(.rows(objects))
            try context.resetInSameState()
        }
    }

    private func request(_ entity: ArchivePlan.Entity) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.archived.name)
        request.includesSubentities = false
        return request
    }
}

extension [GraphValue] {
    /// The order of identities that stand one after the other; those without one, all null, come last, as they are.
    func identityOrder(width: Int, count: Int) -> [Int] {
        if width == 0 { return Array<Int>(0..<count) }
        return (0..<count).sorted { one, other in
            let isFirst = self[(one * width)..<(one + 1) * width].isOrdered(
                before: self[(other * width)..<(other + 1) * width])
            return isFirst ?? (one < other)
        }
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
