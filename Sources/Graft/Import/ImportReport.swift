// What an import did, per entity; the report of everything that turns data into objects.

/// How many objects a call inserted, updated and left as they were, and what it didn't take: an import, restoring an archive,
/// reading dictionaries and setting values safely.
public struct ImportReport: Sendable, Hashable, Codable {
    /// The numbers of one entity. Each object counts once, in however many batches it occurs.
    public struct Counts: Sendable, Hashable, Codable {
        /// Objects that are new.
        public var inserted = 0
        /// Objects that were there and have got at least one other value.
        public var updated = 0
        /// Objects that were there and had all values already.
        public var unchanged = 0
        /// Objects that are new and have nothing but their identity, because the data only refers to them.
        public var stubs = 0
        /// Objects that were deleted: those without identity that their owner has no more, and those that a policy gives up.
        public var deleted = 0
        /// Objects that were passed over: records that couldn't be taken, objects whose type has no entity, and those of which
        /// the stored version is later.
        public var skipped = 0

        /// All zero.
        public init() {}

        /// Whether all are zero.
        public var isEmpty: Bool { self == Counts() }

        static func += (sum: inout Counts, counts: Counts) {
            sum.inserted += counts.inserted
            sum.updated += counts.updated
            sum.unchanged += counts.unchanged
            sum.stubs += counts.stubs
            sum.deleted += counts.deleted
            sum.skipped += counts.skipped
        }
    }

    /// The numbers of one entity, with its name.
    public struct Entity: Sendable, Hashable, Codable {
        /// The entity that the objects themselves are of, not a super-entity.
        public var name: String
        /// Its numbers.
        public var counts: Counts
    }

    /// A key in the data that no property maps to.
    public struct UnknownKey: Sendable, Hashable, Codable {
        /// The entity of the object that has it.
        public var entity: String
        /// The key, with those that lead to it from the object: `appearance.colour`.
        public var key: String
        /// How many times it occurs.
        public var count: Int
    }

    /// A key that objects of the data have more than once; the last value counts.
    public struct RepeatedKey: Sendable, Hashable, Codable {
        /// The entity of the objects.
        public var entity: String
        /// The key, with those that lead to it from the object.
        public var key: String
        /// How many values before the last ones were passed over.
        public var count: Int
    }

    /// Decimals that a SQLite store can't keep exactly, since it has 15 digits for what is no integer, dates that are finer than the
    /// microseconds of a PostgreSQL store, and whole numbers that a Double or Float can't hold.
    public struct RoundedValues: Sendable, Hashable, Codable {
        /// The entity of the objects.
        public var entity: String
        /// The attribute.
        public var property: String
        /// How many values lost digits.
        public var count: Int
    }

    /// Values that objects can't have, because they are stored as ones of another entity than the data says; and links from a part of
    /// an archive or a store to what isn't in it and can't be found.
    public struct LeftOutValues: Sendable, Hashable, Codable {
        /// The entity that the objects are of.
        public var entity: String
        /// The entity that the data says; the same for links from a part.
        public var dataEntity: String
        /// The property of that entity.
        public var property: String
        /// How many values weren't taken.
        public var count: Int
    }

    /// Links that stored objects have lost, because the data gives what they led to, and what only one object can have, to others; or links of
    /// the data that contradict the object around.
    public struct LostLinks: Sendable, Hashable, Codable {
        /// The entity of the objects that lost something.
        public var entity: String
        /// The relationship.
        public var property: String
        /// How many links were lost.
        public var count: Int
    }

    /// Stored objects that the data may mean, and that were passed over, because another one has the same identity.
    public struct SharedIdentities: Sendable, Hashable, Codable {
        /// The entity of the objects.
        public var entity: String
        /// How many objects were passed over.
        public var count: Int
    }

    /// The entities with which something happened, by name.
    public internal(set) var entities: [Entity] = []
    /// How many records the input had: elements of its arrays, or objects that followed each other.
    public internal(set) var recordCount = 0
    /// How many batches they were taken in.
    public internal(set) var batchCount = 0
    /// How many fetches it took to find the objects that were there: at most two for each entity in a batch.
    public internal(set) var fetchCount = 0
    /// The references to objects that were neither in the data nor in the store, in the order of the data. Keep them, and
    /// give them to a later import (``ImportOptions/unresolvedReferences``).
    public internal(set) var unresolvedReferences: [ImportReport.UnresolvedReference] = []
    /// Whether nothing was kept.
    public internal(set) var isDryRun = false

    /// What couldn't be taken, in the order of the data; empty unless the import skips or collects failures
    /// (``ImportOptions/failurePolicy``).
    public internal(set) var failures: [ImportReport.Failure] = []

    /// The links that copies of dictionaries didn't get, because they would have taken an object from another one
    /// (``PopulateOptions/makesCopies``).
    public internal(set) var keptLinks: [Failure] = []

    /// The keys that no property maps to, by entity and key (``ImportOptions/unknownKeys``).
    public internal(set) var unknownKeys: [UnknownKey] = []
    /// The keys that objects have more than once, by entity and key. The last value counts.
    public internal(set) var repeatedKeys: [RepeatedKey] = []
    /// How many objects of the data have no key at all: `{}`.
    public internal(set) var emptyObjects = 0

    /// The decimals and dates that lost digits in the store, by entity and attribute.
    public internal(set) var roundedValues: [RoundedValues] = []

    /// The values that weren't taken because objects are of another entity than the data says, and stay so (`JSONEntityChange`), and
    /// the links that weren't because the data is a part of an archive or a store.
    public internal(set) var leftOutValues: [LeftOutValues] = []

    /// The links that objects lost to others, by entity and relationship; what the data says of an object itself isn't among them. The
    /// objects count as updated.
    public internal(set) var lostLinks: [LostLinks] = []
    /// The links of nested objects to other owners than the object around, where nothing identifies these: the nesting counts.
    public internal(set) var overruledLinks: [LostLinks] = []

    /// The stored objects that were passed over, because another one with the identity was found first, by entity. The store, or the
    /// key that was named for this import, doesn't tell them apart.
    public internal(set) var sharedIdentities: [SharedIdentities] = []

    /// What of an archive the model has no place for, and what wasn't restored because of that, a phrase each
    /// (``GraphArchive/ModelFit/partial``).
    public internal(set) var misfits: [String] = []

    /// What a dry run would delete beyond a limit, so that the import itself would fail: a sentence for each entity.
    public internal(set) var exceededLimits: [String] = []

    /// What told objects apart where the model declares nothing: a guess (``ImportOptions/guessesKeys``), or contents, where records
    /// were new beside stored objects of their entity. Among those may be the ones that they are new versions of.
    public internal(set) var identification = GraphDiff.Identification()

    enum CodingKeys: String, CodingKey, CaseIterable {
        case entities, recordCount, batchCount, fetchCount, unresolvedReferences, isDryRun, failures, keptLinks,
            unknownKeys, repeatedKeys, emptyObjects, roundedValues, leftOutValues, lostLinks, overruledLinks,
            sharedIdentities, misfits, exceededLimits, identification
    }

    /// An empty report.
    public init() {}

    /// Decodes a report. What reports of earlier versions don't have is empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entities = try container.decode([Entity].self, forKey: .entities)
        recordCount = try container.decode(Int.self, forKey: .recordCount)
        batchCount = try container.decode(Int.self, forKey: .batchCount)
        fetchCount = try container.decode(Int.self, forKey: .fetchCount)
        unresolvedReferences = try container.decode(
            [ImportReport.UnresolvedReference].self, forKey: .unresolvedReferences)
        isDryRun = try container.decode(Bool.self, forKey: .isDryRun)
        failures = try container.decode([ImportReport.Failure].self, forKey: .failures)
        keptLinks = try container.decodeIfPresent([Failure].self, forKey: .keptLinks) ?? []
        unknownKeys = try container.decodeIfPresent([UnknownKey].self, forKey: .unknownKeys) ?? []
        repeatedKeys = try container.decodeIfPresent([RepeatedKey].self, forKey: .repeatedKeys) ?? []
        emptyObjects = try container.decodeIfPresent(Int.self, forKey: .emptyObjects) ?? 0
        roundedValues = try container.decodeIfPresent([RoundedValues].self, forKey: .roundedValues) ?? []
        leftOutValues = try container.decodeIfPresent([LeftOutValues].self, forKey: .leftOutValues) ?? []
        lostLinks = try container.decodeIfPresent([LostLinks].self, forKey: .lostLinks) ?? []
        overruledLinks = try container.decodeIfPresent([LostLinks].self, forKey: .overruledLinks) ?? []
        sharedIdentities = try container.decodeIfPresent([SharedIdentities].self, forKey: .sharedIdentities) ?? []
        misfits = try container.decodeIfPresent([String].self, forKey: .misfits) ?? []
        exceededLimits = try container.decodeIfPresent([String].self, forKey: .exceededLimits) ?? []
        identification =
            try container.decodeIfPresent(GraphDiff.Identification.self, forKey: .identification) ?? .init()
    }

    /// The report of an import that has failed with one error.
    public init(failure: GraftError) { failures = [ImportReport.Failure(failure, record: nil)] }

    /// The numbers of an entity; zeros where nothing happened.
    public subscript(entity: String) -> Counts { entities.first { $0.name == entity }?.counts ?? Counts() }

    /// The numbers of all entities together.
    public var total: Counts { entities.reduce(into: Counts()) { $0 += $1.counts } }

    /// Whether the import changed anything, or would have.
    public var hasChanges: Bool {
        let total = total
        return total.inserted + total.updated + total.stubs + total.deleted > 0
    }
}

extension ImportReport {
    /// Enters which links were lost.
    mutating func enter(_ losses: LinkLosses, _ schema: GraphSchema) {
        lostLinks = losses.counts.map { column, count in
            let entity = schema.entities[column.entity]
            return LostLinks(entity: entity.name, property: entity.properties[column.property].name, count: count)
        }.sorted { ($0.entity, $0.property) < ($1.entity, $1.property) }
    }

    /// Enters how many values were left out.
    mutating func enter(_ leftOut: [ImportTally.LeftOut: Int], _ schema: GraphSchema) {
        for (key, count) in leftOut {
            addLeftOut(key.property, of: schema.entities[key.dataEntity], as: schema.entities[key.entity], count: count)
        }
    }

    /// Counts values of a property that objects of an entity didn't get.
    private mutating func addLeftOut(
        _ property: Int, of dataEntity: GraphSchema.Entity, as entity: GraphSchema.Entity, count: Int
    ) {
        let name = dataEntity.properties[property].name
        let entry = LeftOutValues(entity: entity.name, dataEntity: dataEntity.name, property: name, count: count)
        leftOutValues.add(entry, \.count) { ($0.dataEntity, $0.property, $0.entity) }
    }

    /// Enters the numbers of objects that an importer has counted, which are by the entities of a schema.
    mutating func enter(_ counts: [Counts], _ schema: GraphSchema) {
        entities = zip(schema.entities, counts).filter { !$1.isEmpty }.map { Entity(name: $0.name, counts: $1) }
            .sorted { $0.name < $1.name }
    }

    /// Does with a key that nothing is read from what a policy says.
    ///
    /// - Throws: ``GraftError`` with `unknownProperty`.
    mutating func take(
        unknownKey key: String, of entity: GraphSchema.Entity, _ policy: ImportOptions.UnknownKeys,
        _ place: GraftError.Place
    ) throws {
        switch policy {
        case .ignore: break
        case .report: addUnknownKey(key, of: entity.name)
        case .fail:
            throw GraftError.unknownProperty(key, among: entity.properties.map(\.name).sorted(), at: place)
        }
    }

    /// Counts a key that objects have again.
    mutating func addRepeatedKey(_ key: String, of entity: String, count: Int = 1) {
        repeatedKeys.add(RepeatedKey(entity: entity, key: key, count: count), \.count) { ($0.entity, $0.key, "") }
    }

    /// Counts a key that no property maps to.
    mutating func addUnknownKey(_ key: String, of entity: String, count: Int = 1) {
        unknownKeys.add(UnknownKey(entity: entity, key: key, count: count), \.count) { ($0.entity, $0.key, "") }
    }

    /// Throws what was collected, where that is asked for.
    func throwFailures(_ policy: ImportOptions.FailurePolicy) throws {
        if policy == .collect, !failures.isEmpty { throw ImportFailures(report: self) }
    }

    /// Adds what a reader has met: keys that nobody knows, empty objects, decimals that the store rounds.
    mutating func add(_ reader: borrowing JSONSnapshotReader) {
        let schema = reader.mapping.schema
        for entry in reader.unknownKeys.entries where entry.count > 0 {
            let (key, entity) = (entry.path.joined(separator: "."), schema.entities[entry.entity].name)
            if entry.isRepeated {
                addRepeatedKey(key, of: entity, count: entry.count)
            } else {
                addUnknownKey(key, of: entity, count: entry.count)
            }
        }
        emptyObjects += reader.emptyObjectCount
        for (column, count) in reader.leftOutLinks {
            let entity = schema.entities[column.entity]
            addLeftOut(column.property, of: entity, as: entity, count: count)
        }
        addRounded(reader.roundedCounts, schema)
        for (column, count) in reader.overruledLinks { addOverruled(column, schema, count: count) }
    }

    /// Counts links that contradict the object around.
    mutating func addOverruled(_ column: GraphSnapshot.Column, _ schema: GraphSchema, count: Int = 1) {
        let entity = schema.entities[column.entity]
        let name = entity.properties[column.property].name
        overruledLinks.add(LostLinks(entity: entity.name, property: name, count: count), \.count) {
            ($0.entity, $0.property, "")
        }
    }

    /// Counts values that lost digits, by attribute.
    mutating func addRounded(_ counts: [GraphSnapshot.Column: Int], _ schema: GraphSchema) {
        for (column, count) in counts {
            let entity = schema.entities[column.entity]
            addRounded(entity.properties[column.property].name, of: entity.name, count: count)
        }
    }

    /// Counts values of an attribute that lost digits.
    mutating func addRounded(_ property: String, of entity: String, count: Int = 1) {
        roundedValues.add(RoundedValues(entity: entity, property: property, count: count), \.count) {
            ($0.entity, $0.property, "")
        }
    }
}

extension Array {
    /// Adds the count of an entry to that of the entry about the same thing, or enters it at its place.
    fileprivate mutating func add(
        _ entry: Element, _ count: WritableKeyPath<Element, Int>, by name: (Element) -> (String, String, String)
    ) {
        if let index = firstIndex(where: { name($0) == name(entry) }) {
            self[index][keyPath: count] += entry[keyPath: count]
        } else {
            append(entry)
            sort { name($0) < name($1) }
        }
    }
}
