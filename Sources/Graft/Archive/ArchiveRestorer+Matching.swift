// The objects that a store has already: found by identity, or, where there is none, by their contents. So restoring the same
// archive twice changes nothing the second time.

import CoreData
import Foundation

/// The stored objects of an entity that have no identity, by a hash of their attributes.
struct ContentIndex {
    var ids: [UInt64: [NSManagedObjectID]] = [:]
}

/// The records of a batch, with those of which it isn't known yet whether the store has them.
private struct ArchiveBatch {
    private let records: [ArchiveRecord]
    /// By number of the archive: the places in the batch.
    private let places: [Int: Int]
    private var undecided: Set<Int>
    /// Whether some records were decided before those that they refer to.
    private(set) var hasCircles = false

    init(_ records: [ArchiveRecord], undecided: [Int]) {
        self.records = records
        self.undecided = Set(undecided)
        places = Dictionary(records.enumerated().map { ($1.number, $0) }) { first, _ in first }
    }

    /// The record with a number, where it is one of the batch and decided.
    func decided(_ number: Int) -> ArchiveRecord? {
        places[number].flatMap { undecided.contains($0) ? nil : records[$0] }
    }

    mutating func decide(_ index: Int) { undecided.remove(index) }

    /// Some records in an order in which they follow those that they refer to, as far as there are no circles.
    mutating func ownersFirst(_ indexes: [Int]) -> [Int] {
        var order: [Int] = []
        var isOpen: Set<Int> = []
        var isDone: Set<Int> = []
        for index in indexes {
            var stack = [index]
            while let top = stack.last {
                if isDone.contains(top) {
                    stack.removeLast()
                    continue
                }
                if isOpen.insert(top).inserted {
                    for case let end? in records[top].destinations.map({ places[$0] }) where undecided.contains(end) {
                        if isOpen.contains(end), !isDone.contains(end) { hasCircles = true }
                        if !isOpen.contains(end) { stack.append(end) }
                    }
                } else {
                    isDone.insert(top)
                    order.append(top)
                    stack.removeLast()
                }
            }
        }
        return order
    }
}

extension ArchiveRestorer {
    /// Whether unsaved objects count: those that a caller's context had before.
    private var hasUnsavedObjects: Bool { editor.isRecording }

    /// The largest number of values that one fetch compares with.
    private static let fetchLimit = 20_000

    /// Gives each record its object, where the store has it.
    func findObjects(_ records: [ArchiveRecord]) throws {
        var identified: [Int: [(index: Int, identity: [ExactValue])]] = [:]
        var others: [Int] = []
        for (index, record) in records.enumerated() {
            guard let entity = match.entities[record.entity] else { continue }
            let space = schema.entities[entity.number].identitySpace
            let identity = entity.identityColumns.map { ExactValue(record.values[$0]) }
            if identity.isEmpty || identity.contains(where: \.value.isNull) {
                if !wasEmpty[entity.number] { others.append(index) }
            } else if !wasEmpty[space] {
                identified[space, default: []].append((index, identity))
            }
        }
        for (space, wanted) in identified.sorted(by: { $0.key < $1.key }) {
            for batch in wanted.batches(of: Self.fetchLimit) { try find(batch, space, records) }
        }
        if options.unidentifiedObjects == .matchContents { try findByContents(others, records) }
    }

    private func isMatched(_ object: NSManagedObject, _ number: Int) {
        enter(object, number)
        matched.insert(number)
        taken.insert(object.objectID)
    }

    // MARK: By identity

    private func find(
        _ wanted: [(index: Int, identity: [ExactValue])], _ space: Int, _ records: [ArchiveRecord]
    ) throws {
        let description = schema.entities[space]
        let parts = description.identity.enumerated().map { position, number in
            let values = wanted.compactMap { $0.identity[position].value.object }
            return NSPredicate.isOne(description.properties[number].name, of: values)
        }
        var indexes: [[ExactValue]: [Int]] = [:]
        for (index, identity) in wanted.reversed() { indexes[identity, default: []].append(index) }
        let request = known.request(space, where: parts, includesUnsaved: hasUnsavedObjects)
        for object in try known.fetch(request) where !taken.contains(object.objectID) {
            let identity = try description.identity.map {
                ExactValue(try object.graphValue($0, description.properties[$0]))
            }
            // Of several objects with one identity, each one of the archive gets one of the store.
            guard let index = indexes[identity]?.popLast() else { continue }
            let record = records[index]
            guard let entity = match.entities[record.entity]?.number, entity == known.number(of: object) else {
                let values = identity.map { "\($0.value)" }.joined(separator: ", ")
                throw GraftError(
                    .duplicateIdentity(
                        "\(values): one of '\(match.archived[record.entity].name)' in the archive, one of "
                            + "'\(object.entity.name ?? "")' in the store"),
                    at: .init(entity: match.archived[record.entity].name))
            }
            isMatched(object, record.number)
        }
    }

    // MARK: By contents

    private func findByContents(_ indexes: [Int], _ records: [ArchiveRecord]) throws {
        var candidates: [Int: [NSManagedObjectID]] = [:]
        var wanted: [Int: Set<NSManagedObjectID>] = [:]
        for index in indexes {
            guard let entity = match.entities[records[index].entity] else { continue }
            let identity = identity(of: records[index], entity)
            var hash = IdentityHash()
            for (column, number) in entity.attributes.enumerated() {
                if let number, identity?.contains(number) ?? true { hash.combine(records[index].values[column]) }
            }
            let free = try contentIndex(entity).ids[hash.value]?.filter { !taken.contains($0) } ?? []
            if free.isEmpty { continue }
            candidates[index] = free
            wanted[entity.number, default: []].formUnion(free)
        }
        let objects = try fetch(wanted)
        var batch = ArchiveBatch(records, undecided: indexes)
        let ordered = batch.ownersFirst(indexes)
        for index in ordered {
            for id in candidates[index] ?? [] where !taken.contains(id) {
                guard let object = objects[id], try hasContents(of: records[index], object, batch) else { continue }
                isMatched(object, records[index].number)
                break
            }
            batch.decide(index)
        }
        try dropMatchesOfCircles(ordered, records, batch)
    }

    /// Takes back matches that were made before the ends of their relationships were known, where these are other ones.
    ///
    /// - Parameter indexes: Those of the records, owners first, so that a chain falls in one pass.
    private func dropMatchesOfCircles(_ indexes: [Int], _ records: [ArchiveRecord], _ batch: ArchiveBatch) throws {
        var hasChanged = batch.hasCircles
        while hasChanged {
            hasChanged = false
            for index in indexes where matched.contains(records[index].number) {
                let number = records[index].number
                guard let object = live[number], try !hasContents(of: records[index], object, batch) else { continue }
                live[number] = nil
                matched.remove(number)
                taken.remove(object.objectID)
                hasChanged = true
            }
        }
    }

    private func fetch(_ wanted: [Int: Set<NSManagedObjectID>]) throws -> [NSManagedObjectID: NSManagedObject] {
        var objects: [NSManagedObjectID: NSManagedObject] = [:]
        for (entity, ids) in wanted.sorted(by: { $0.key < $1.key }) {
            for object in try known.fetch(ids, of: entity, includesUnsaved: hasUnsavedObjects) {
                objects[object.objectID] = object
            }
        }
        return objects
    }

    /// What identifies a record where its owner is a part of that; nil for one that only its contents tell.
    private func identity(of record: ArchiveRecord, _ entity: ArchiveModelMatch.Entity) -> Set<Int>? {
        let parts = Set(schema.entities[entity.number].relatedIdentity)
        if parts.isEmpty { return nil }
        let values = zip(entity.attributes, record.values).filter { !$1.isNull }.map(\.0)
        let ends = zip(entity.toOnes, record.destinations).filter { $1 != ArchiveRecord.none }.map(\.0)
        return parts.isSubset(of: (values + ends).compactMap(\.self)) ? parts : nil
    }

    /// Whether what a store has of an entity can be told only when all of an archive's records are there: where nothing but contents and
    /// owners identify it, and the owners may come later.
    var needsAllRecords: Bool {
        guard options.unidentifiedObjects == .matchContents else { return false }
        return match.archived.indices.contains { index in
            guard let entity = match.entities[index], entity.identityColumns.isEmpty, !wasEmpty[entity.number] else {
                return false
            }
            let properties = schema.entities[entity.number].properties
            return entity.toOnes.contains { number in
                guard let destination = number.flatMap({ properties[$0].destination }) else { return false }
                return match.entities[index...].contains { later in
                    later.map { schema.isEntity($0.number, kindOf: destination) } ?? false
                }
            }
        }
    }

    /// Whether an object has what identifies a record, or its attributes and its to-one relationships. Where these lead to objects that
    /// come later in the archive, that can't be told yet.
    private func hasContents(
        of record: ArchiveRecord, _ object: NSManagedObject, _ batch: ArchiveBatch
    ) throws -> Bool {
        guard let entity = match.entities[record.entity] else { return false }
        let properties = schema.entities[entity.number].properties
        let identity = identity(of: record, entity)
        for (column, number) in entity.attributes.enumerated() {
            guard let number, identity?.contains(number) ?? true else { continue }
            let value = try object.archivedValue(number, properties[number])
            if !value.isExactly(record.values[column]) { return false }
        }
        for (column, number) in entity.toOnes.enumerated() {
            guard let number, identity?.contains(number) ?? true else { continue }
            let destination = record.destinations[column]
            let held = object.destinationID(number, properties[number])
            if destination == ArchiveRecord.none {
                if held != nil { return false }
            } else if let known = live[destination]?.objectID ?? (savesBatches ? ids[destination] : nil) {
                if held != known { return false }
            } else if let other = batch.decided(destination), match.entities[other.entity] != nil {
                // It is a new one, to which nothing leads yet.
                return false
            }
        }
        return true
    }

    /// The stored objects of an entity, read once, in a context of their own that lets go of them.
    private func contentIndex(_ entity: ArchiveModelMatch.Entity) throws -> ContentIndex {
        if let known = contents[entity.number] { return known }
        let description = schema.entities[entity.number]
        let reading = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        // What a parent hasn't saved yet is there for its children.
        if let parent = context.parent {
            reading.parent = parent
        } else {
            reading.persistentStoreCoordinator = context.persistentStoreCoordinator
        }
        let batchSize = options.batchSize
        let parts = Set(description.relatedIdentity)
        let index = try reading.performAndWait {
            var index = ContentIndex()
            let request = NSFetchRequest<NSManagedObject>(entityName: description.name)
            request.includesSubentities = false
            let batches = ObjectBatches(
                context: reading, request: request, batchSize: batchSize, relationships: [], releasesObjects: true)
            try batches.forEach { objects in
                for object in objects {
                    if try object.isIdentified(by: description) { continue }
                    let identity = try object.isIdentifiedWithOwner(by: description) ? parts : nil
                    var hash = IdentityHash()
                    for case let number? in entity.attributes where identity?.contains(number) ?? true {
                        hash.combine(try object.archivedValue(number, description.properties[number]))
                    }
                    index.ids[hash.value, default: []].append(object.objectID)
                }
            }
            return index
        }
        contents[entity.number] = index
        return index
    }
}
