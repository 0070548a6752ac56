// The objects that a store has already: found by identity, or, where there is none, by their contents. So restoring the same
// archive twice changes nothing the second time.

import CoreData
import Foundation

/// The stored objects of an entity that have no identity, by a hash of their attributes.
struct ContentIndex {
    var ids: [UInt64: [NSManagedObjectID]] = [:]

    /// Adds an object, unless its own attributes identify it.
    fileprivate mutating func add(
        _ object: NSManagedObject, _ entity: ArchiveModelMatch.Entity, _ description: GraphSchema.Entity
    ) throws {
        if try object.isIdentified(by: description) { return }
        let isTold = entity.tells(description.relatedIdentity, of: description)
        let identity = try isTold && object.isIdentifiedWithOwner(by: description) ? description.relatedIdentity : nil
        var hash = IdentityHash()
        for case let number? in entity.attributes where identity?.contains(number) ?? true {
            hash.combine(try object.archivedValue(number, description.properties[number]).archiveKey)
        }
        ids[hash.value, default: []].append(object.objectID)
    }
}

/// Stored objects that may stand for records: all have the same hash of what counts of their attributes.
private struct ContentCandidates {
    /// In the order of the index.
    private let ids: [NSManagedObjectID]
    /// The same by what their to-one relationships lead to.
    private let byEnds: [[NSManagedObjectID?]: [NSManagedObjectID]]
    /// How many of each list are taken, at its beginning: so that many equal objects are gone through once.
    private var starts: [[NSManagedObjectID?]: Int] = [:]
    private var start = 0

    init(_ ids: [NSManagedObjectID], ends: (NSManagedObjectID) -> [NSManagedObjectID?]) {
        self.ids = ids
        byEnds = Dictionary(grouping: ids, by: ends)
    }

    /// Those that aren't taken, with the ends given; nil for any.
    mutating func free(
        _ ends: [NSManagedObjectID?]?, _ taken: Set<NSManagedObjectID>
    ) -> ArraySlice<NSManagedObjectID> {
        guard let ends else {
            start = ids[start...].firstIndex { !taken.contains($0) } ?? ids.count
            return ids[start...]
        }
        let some = byEnds[ends] ?? []
        let first = some[starts[ends, default: 0]...].firstIndex { !taken.contains($0) } ?? some.count
        starts[ends] = first
        return some[first...]
    }
}

/// Which candidates a record has.
private struct ContentKey: Hashable {
    let entity: Int
    let hash: UInt64
    /// Whether its owner is a part of its identity, so that not all it has counts.
    let isIdentified: Bool
}

/// What a record's to-one relationship leads to.
private enum ArchivedEnd {
    case nothing
    case object(NSManagedObjectID)
    /// A new object, to which nothing that the store has leads.
    case new
    /// An object that the model has no place for.
    case dropped
    /// A record that comes later.
    case later
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
        guard options.unidentifiedObjects == .matchContents else { return }
        try findByContents(try findOwned(others, records), records)
    }

    func isMatched(_ object: NSManagedObject, _ number: Int) {
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
        var others: [(identity: [ExactValue], object: NSManagedObject, entity: Int)] = []
        let request = known.request(space, where: parts, includesUnsaved: hasUnsavedObjects)
        for object in try known.fetch(request) where !taken.contains(object.objectID) {
            let identity = try description.identity.map {
                ExactValue(try object.graphValue($0, description.properties[$0]))
            }
            guard let waiting = indexes[identity], let number = known.number(of: object) else { continue }
            // Of several objects with one identity, each one of the archive gets one of the store, of its own entity.
            guard let place = waiting.lastIndex(where: { match.entities[records[$0].entity]?.number == number }) else {
                others.append((identity, object, number))
                continue
            }
            isMatched(object, records[waiting[place]].number)
            indexes[identity]?.remove(at: place)
        }
        for (identity, object, number) in others {
            // Siblings may share an identity.
            let record = indexes[identity]?.lazy.map { records[$0] }.first { record in
                match.entities[record.entity].map { schema.isEntity($0.number, relatedTo: number) } ?? true
            }
            guard let record else { continue }
            let values = identity.map { "\($0.value)" }.joined(separator: ", ")
            throw GraftError(
                .other(
                    finding: "\(values) is one of '\(match.archived[record.entity].name)' in the archive, one of "
                        + "'\(object.entity.name ?? "")' in the store",
                    remedy: "Import the archive, which keeps the store's entity, or delete the store's object first."),
                at: .init(entity: match.archived[record.entity].name))
        }
    }

    // MARK: By contents

    private func findByContents(_ indexes: [Int], _ records: [ArchiveRecord]) throws {
        var keys: [Int: ContentKey] = [:]
        var wanted: [ContentKey: [NSManagedObjectID]] = [:]
        for index in indexes {
            guard let entity = match.entities[records[index].entity] else { continue }
            let identity = identity(of: records[index], entity)
            var hash = IdentityHash()
            for (column, number) in entity.attributes.enumerated() {
                guard let number, identity?.contains(number) ?? true else { continue }
                hash.combine(records[index].values[column].archiveKey)
            }
            let key = ContentKey(entity: entity.number, hash: hash.value, isIdentified: identity != nil)
            if wanted[key] == nil {
                wanted[key] = try contentIndex(entity).ids[hash.value]?.filter { !taken.contains($0) } ?? []
            }
            if wanted[key]?.isEmpty == false { keys[index] = key }
        }
        let objects = try fetch(wanted)
        var candidates: [ContentKey: ContentCandidates] = [:]
        var batch = ArchiveBatch(records, undecided: indexes)
        let ordered = batch.ownersFirst(indexes)
        for index in ordered {
            if let key = keys[index] {
                var found =
                    candidates.removeValue(forKey: key) ?? candidatesFor(records[index], wanted[key] ?? [], objects)
                try match(records[index], among: &found, objects, batch)
                candidates[key] = found
            }
            batch.decide(index)
        }
        try dropMatchesOfCircles(ordered, records, batch)
    }

    private func candidatesFor(
        _ record: ArchiveRecord, _ ids: [NSManagedObjectID], _ objects: [NSManagedObjectID: NSManagedObject]
    ) -> ContentCandidates {
        let ends = destinations(record)
        return ContentCandidates(ids) { objects[$0].map(ends) ?? [] }
    }

    /// Gives a record the first free object that has its contents.
    private func match(
        _ record: ArchiveRecord, among candidates: inout ContentCandidates,
        _ objects: [NSManagedObjectID: NSManagedObject], _ batch: ArchiveBatch
    ) throws {
        var ends: [NSManagedObjectID?]? = []
        for (column, _) in toOnes(of: record) {
            switch end(record.destinations[column], batch) {
            case .nothing: ends?.append(nil)
            case .object(let id): ends?.append(id)
            case .new: return
            case .dropped, .later: ends = nil
            }
        }
        for id in candidates.free(ends, taken) where !taken.contains(id) {
            guard let object = objects[id], try hasContents(of: record, object, batch) else { continue }
            return isMatched(object, record.number)
        }
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

    private func fetch(_ wanted: [ContentKey: [NSManagedObjectID]]) throws -> [NSManagedObjectID: NSManagedObject] {
        var objects: [NSManagedObjectID: NSManagedObject] = [:]
        for (entity, keys) in Dictionary(grouping: wanted.keys, by: \.entity).sorted(by: { $0.key < $1.key }) {
            let ids = Set(keys.flatMap { wanted[$0] ?? [] })
            for object in try known.fetch(ids, of: entity, includesUnsaved: hasUnsavedObjects) {
                objects[object.objectID] = object
            }
        }
        return objects
    }

    /// What identifies a record where its owner is a part of that; nil for one that only its contents tell.
    private func identity(of record: ArchiveRecord, _ entity: ArchiveModelMatch.Entity) -> Set<Int>? {
        let description = schema.entities[entity.number]
        let parts = description.relatedIdentity
        guard entity.tells(parts, of: description) else { return nil }
        let values = zip(entity.attributes, record.values).filter { !$1.isNull }.map(\.0)
        let ends = zip(entity.toOnes, record.destinations).filter { $1 != ArchiveRecord.none }.map(\.0)
        let known = Set((values + ends).compactMap(\.self))
        return description.properties.identify(by: parts) { number, _ in !known.contains(number) } ? Set(parts) : nil
    }

    /// Whether what a store has of an entity can be told only when all of an archive's records are there: where nothing but contents and
    /// owners identify it, and the owners may come later.
    var needsAllRecords: Bool {
        guard options.unidentifiedObjects == .matchContents else { return false }
        return match.archived.indices.contains { index in
            guard let entity = match.entities[index], entity.identityColumns.isEmpty, !wasEmpty[entity.number] else {
                return false
            }
            if isToldByOwners(entity) { return true }
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
            if try !object.holdsArchived(record.values[column], number, properties[number]) { return false }
        }
        for (column, number) in toOnes(of: record) {
            let held = object.destinationID(number, properties[number])
            switch end(record.destinations[column], batch) {
            case .nothing: if held != nil { return false }
            case .object(let id): if held != id { return false }
            case .new: return false
            // Of what the model has no place for, nothing counts; but an owner by whom an object is told is missing.
            case .dropped: if identity != nil { return false }
            case .later: break
            }
        }
        return true
    }

    /// The to-one relationships that count where a record is told by its contents: columns of the archive, and properties.
    private func toOnes(of record: ArchiveRecord) -> [(column: Int, number: Int)] {
        guard let entity = match.entities[record.entity] else { return [] }
        let identity = identity(of: record, entity)
        return entity.toOnes.enumerated().compactMap { column, number in
            number.flatMap { identity?.contains($0) ?? true ? (column, $0) : nil }
        }
    }

    /// What the relationships that count of a record lead to from an object.
    private func destinations(_ record: ArchiveRecord) -> (NSManagedObject) -> [NSManagedObjectID?] {
        guard let entity = match.entities[record.entity] else { return { _ in [] } }
        let properties = schema.entities[entity.number].properties
        let numbers = toOnes(of: record).map(\.number)
        return { object in numbers.map { object.destinationID($0, properties[$0]) } }
    }

    private func end(_ destination: Int, _ batch: ArchiveBatch) -> ArchivedEnd {
        if destination == ArchiveRecord.none { return .nothing }
        if let known = live[destination]?.objectID ?? (savesBatches ? ids[destination] : nil) { return .object(known) }
        if let other = batch.decided(destination) { return match.entities[other.entity] == nil ? .dropped : .new }
        return dropped.contains(destination) ? .dropped : .later
    }

    /// The objects of an entity that are there: stored ones, read once, in a context of their own that lets go of them, and those that
    /// a caller's context hasn't saved.
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
        let pending = Set(unsaved.map(\.objectID))
        var index = try reading.performAndWait {
            var index = ContentIndex()
            let request = NSFetchRequest<NSManagedObject>(entityName: description.name)
            request.includesSubentities = false
            let batches = ObjectBatches(
                context: reading, request: request, batchSize: batchSize, relationships: [], releasesObjects: true)
            try batches.forEach { objects in
                for object in objects where !pending.contains(object.objectID) {
                    try index.add(object, entity, description)
                }
            }
            return index
        }
        for object in unsaved where !object.isDeleted && known.number(of: object) == entity.number {
            try index.add(object, entity, description)
        }
        contents[entity.number] = index
        return index
    }
}
