// JSON to rows, in one pass: each object becomes a row of its entity as its keys go by, in whichever order they come.
//
// Records are here, batches of them in +Batches, the objects' contents in +Objects, references between them in +References, whole
// graphs in +Document.

import Foundation

/// Reads JSON into a snapshot, some records at a time.
struct JSONSnapshotReader: ~Copyable {
    /// What has been read since ``startBatch()``.
    var snapshot: GraphSnapshot
    /// An empty snapshot for what is read aside; nil until there is one.
    var spareSnapshot: GraphSnapshot?
    var reader: JSONReader
    let mapping: GraphMapping
    let plans: [JSONEntityPlan]
    /// The entity of the records, where somebody named it.
    private let entityName: String?
    private var rootEntity: Int?

    /// For each key of each tree, which key came after it last time.
    var successors: [Int]
    /// By entity.
    var memos: [NestedObjectMemo]
    /// How many objects nested in others have been read.
    var nestedObjectCount = 0
    /// The members of to-many relationships that aren't complete yet.
    var openMembers: [RowReference] = []
    /// How deep the current object is nested in others.
    var nesting = 0
    private(set) var batchNumber: UInt32 = 0
    /// How many records have been read, in all batches.
    var recordCount = 0
    /// Where the reader is in the document of a whole graph; nil for records of one entity.
    var document: DocumentState?
    /// While a copy in memory is read: where in the text it comes from.
    var copyOffset: Int?
    /// What of the text is a list of objects that are gone; nil where objects that say so themselves are like any other.
    private(set) var deletions: ImportSource.Deletions?
    /// Whether the object that is read is known to be gone.
    var isReadingGone = false
    /// The objects of the batch of which their entity's mapper couldn't tell the entity.
    var unmapped: [UnmappedObject] = []
    /// What couldn't be read; nil where that is thrown at once.
    var failures: FailureLog?
    /// The keys that no property maps to.
    var unknownKeys = UnknownKeys()
    /// What becomes of them.
    var unknownKeyPolicy = ImportOptions.UnknownKeys.report
    /// How many objects have no key at all.
    var emptyObjectCount = 0
    /// What becomes what a store keeps of it, and how many values have lost digits by that, by entity and property.
    var rounding: Rounding = []
    var roundedCounts: [GraphSnapshot.Column: Int] = [:]
    /// The graph of a source that isn't JSON, until it is handed over.
    var graph: GraphSnapshot?
    /// How many links that graph doesn't have because it is a part of another one.
    var leftOutLinks: [GraphSnapshot.Column: Int] = [:]
    /// How many links count for nothing, because they contradict the object around.
    var overruledLinks: [GraphSnapshot.Column: Int] = [:]
    /// The numbers of records that are passed over.
    var skippedRecords: Set<Int> = []
    /// Where the objects are in a text that has more around them.
    var envelope: Envelope?
    /// The place of the next object in its array; -1 for one that is in none.
    var elementIndex = -1
    /// The key of the next object in a keyed collection.
    var elementKey: String?
    /// For each property of the objects that are being read, as far as they are special: the rank of the place where its
    /// value was found.
    var ranks: [UInt8] = []
    /// Where those of the current object begin.
    var firstRank = 0
    /// What objects nested in the current one, and in those around it, may read of them.
    var ancestors: [[[String]: JSONValue]] = []

    /// How deep related objects may be nested; each level takes stack.
    static let maximumNesting = 512

    /// - Parameters:
    ///   - mapping: The mapping. That of documents is for these alone.
    ///   - entityName: The entity of the records; nil if the model leaves no doubt, or for documents.
    init(_ reader: consuming JSONReader, mapping: GraphMapping, entityName: String?) {
        self.reader = reader
        self.mapping = mapping
        self.entityName = entityName
        document = mapping.isDocument ? DocumentState() : nil
        snapshot = Self.emptySnapshot(mapping)
        memos = mapping.schema.entities.map { _ in NestedObjectMemo() }
        plans = mapping.schema.entities.indices.map { JSONEntityPlan($0, in: mapping) }
        successors = [Int](repeating: 0, count: mapping.keyCount)
    }

    /// Makes a reader that hands over a graph that has been read already, as one batch.
    init(_ graph: GraphSnapshot, mapping: GraphMapping) {
        self.init(JSONReader([UInt8]()), mapping: mapping, entityName: nil)
        self.graph = graph
        self.graph?.hasWholeLists = true
    }

    /// Heeds what the source says of objects that are gone.
    mutating func readsDeletions(of source: ImportSource) { deletions = source.deletions }

    /// Whether reading calls transformers.
    var runsCodeOfOthers: Bool { plans.contains { $0.transformers != nil || $0.entityTransformers != nil } }

    /// Whether the records are objects that are gone.
    var listsDeletions: Bool { deletions == .all || deletions == .listed }

    /// Forgets the rows read so far, to make room for the next ones.
    mutating func startBatch() {
        snapshot.removeAll()
        unmapped.removeAll()
        batchNumber &+= 1
    }

    /// Hands over what has been read since ``startBatch()``.
    mutating func takeBatch() -> GraphSnapshot {
        let batch = snapshot
        snapshot = Self.emptySnapshot(mapping)
        return batch
    }

    static func emptySnapshot(_ mapping: GraphMapping) -> GraphSnapshot {
        var snapshot = GraphSnapshot(mapping.schema)
        snapshot.absence = .unknown
        if mapping.entities.contains(where: { $0.version != nil }) {
            snapshot.versions = mapping.entities.map(\.version)
        }
        if mapping.entities.contains(where: { $0.discriminator != nil }) {
            snapshot.kinds = mapping.entities.map {
                .init(areTold: $0.discriminator != nil, change: $0.entityChangePolicy)
            }
        }
        snapshot.hasWholeLists = mapping.isDocument
        if mapping.isDocument { return snapshot }
        for (entity, description) in mapping.entities.enumerated() {
            for (property, mapped) in description.properties.enumerated() where mapped?.membersPolicy == .add {
                snapshot.addingLists.insert(.init(entity: entity, property: property))
            }
        }
        return snapshot
    }

    /// Reads the next record; returns false where there is none.
    mutating func readRecord() throws -> Bool {
        if isDocument {
            guard try readDocumentRecord() else { return false }
            recordCount += 1
            return true
        }
        guard let token = try nextRecord() else { return false }
        unknownKeys.log.removeAll(keepingCapacity: true)
        if !skippedRecords.isEmpty, skippedRecords.contains(recordCount) {
            try reader.skipValue()
            recordCount += 1
            return true
        }
        if token == .beginObject {
            let offset = reader.tokenOffset
            let first = try reader.next()
            let entity = try entity()
            try readNotingFailure(at: offset) {
                $0.addRoot(
                    $0.listsDeletions
                        ? try $0.readGone(of: entity, offset: offset, first: first)
                        : try $0.readObject(of: entity, offset: offset, first: first))
            }
        } else {
            _ = try entity()
            try readNotingFailure(at: reader.tokenOffset) { try $0.readBareRecord(token) }
        }
        recordCount += 1
        return true
    }

    /// A record that is only the identifier of an object, or null, which is passed over.
    private mutating func readBareRecord(_ token: JSONToken) throws {
        let entity = try entity()
        guard isInArray, token != .beginArray else {
            throw reader.unexpected(token, "an object or an array of objects", entity: plans[entity].name)
        }
        if token == .null { return }
        let reference = try readIdentifier(token, of: entity)
        if listsDeletions { try markGone(reference) }
        addRoot(reference, isBare: true)
    }

    /// The entity of the records.
    mutating func entity() throws -> Int {
        if let rootEntity { return rootEntity }
        do {
            let entity = try mapping.entity(named: entityName)
            rootEntity = entity
            return entity
        } catch let error as GraftError {
            throw error.located(in: .init(source: reader.sourceName))
        }
    }

    /// Enters a row among those that the payload is about.
    ///
    /// - Parameter isBare: Whether the record is an identifier alone. Where another one is an object, that counts.
    mutating func addRoot(_ reference: RowReference, isBare: Bool = false) {
        // An object that was passed over.
        if reference.isNone { return }
        if !isBare {
            snapshot.tables[reference.entity].flags[reference.row].remove(.bare)
        } else if !snapshot.tables[reference.entity].flags[reference.row].contains(.root) {
            snapshot.tables[reference.entity].flags[reference.row].insert(.bare)
        }
        snapshot.tables[reference.entity].flags[reference.row].insert(.root)
        snapshot.roots.append(reference)
    }
}

extension JSONReader {
    /// The error for a token where something else is expected.
    func unexpected(_ token: JSONToken, _ expected: String, entity: String?, property: String? = nil) -> GraftError {
        error(
            .wrongType(found: AttributeConverter.words(for: token, self), expected: expected), entity: entity,
            property: property)
    }

    /// The error for something behind the object that a text consists of.
    func trailing(_ token: JSONToken) -> GraftError {
        error(
            .invalidJSON(
                found: AttributeConverter.words(for: token, self), expected: "the end of the text after its object"))
    }

    /// An error at the latest token, with the entity and the property that it concerns.
    func error(_ problem: GraftError.Problem, entity: String?, property: String? = nil) -> GraftError {
        error(problem).located(in: .init(entity: entity, property: property))
    }
}
