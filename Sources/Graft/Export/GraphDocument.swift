// A whole graph as one JSON object, so that importing it gives an equal graph:
//
//     {"Country": [{"id": 1, "name": "Afghanistan", "capital": 7}],
//      "City": [{"id": 7, "name": "Kabul"}],
//      "Note": [{"$id": 1, "text": "...", "country": 1, "next": {"$ref": 2}}, {"$id": 2, "text": "...", "country": 1, "next": null}]}
//
// Each object stands once, under its own entity, in the order of ArchivePlan; of two relationships that are each other's inverse, one
// mostly says it all, as in an archive. References are identities. What has none has a number, as in dictionaries (DictionaryKey).
// Keys are those of the mapping, those that it leaves out included, and transformers take no part (GraphMapping.isDocument). A property
// that would stand under `$id`, `$ref` or `$entity` stands under `$$id` and so on; one whose place another one has, or that is on the way
// to one, under `$` and its name.
//
// Written from records, and so from stores, contexts and snapshots alike. Snapshot/JSONSnapshotReader+Document.swift reads it.

import CoreData
import Foundation

/// What the objects of a document are referred to by.
struct DocumentNames {
    private let schema: GraphSchema
    /// By entity of the plan: its number in the schema, and the number of its first object.
    private var entities: [Int] = []
    private var starts: [Int] = []
    /// By entity of the plan: the numbers of objects without identity, 0 for one that has one.
    private var ids: [[Int32]]
    /// By entity of the plan: the identities, one after the other.
    private var identities: [[GraphValue]]
    /// By the hash of an identity: the entity of the object that has it.
    private var taken: [[UInt64: Int]]
    /// The entities of the others that have it, too.
    private var sharing: [[UInt64: [Int]]]
    private var count = 0
    private var lastID: Int32 = 0

    init(_ plan: ArchivePlan) {
        schema = plan.schema
        entities = plan.entities.map(\.number)
        ids = entities.map { _ in [] }
        identities = ids.map { _ in [] }
        taken = schema.entities.map { _ in [:] }
        sharing = schema.entities.map { _ in [:] }
    }

    /// Adds the next object, entity by entity.
    ///
    /// - Parameters:
    ///   - index: The number of its entity in the plan.
    ///   - identity: Its identity; empty where it has no complete one.
    /// - Returns: Whether no other object that an import would take for this one has the identity.
    mutating func add(_ index: Int, identity: ArraySlice<GraphValue>) -> Bool {
        while starts.count <= index { starts.append(count) }
        count += 1
        let entity = entities[index]
        let width = schema.entities[entity].identity.count
        var isUnique = true
        if !identity.isEmpty {
            var hash = IdentityHash()
            for value in identity { hash.combine(value) }
            let space = schema.entities[entity].identitySpace
            guard let other = taken[space][hash.value] else {
                taken[space][hash.value] = entity
                ids[index].append(0)
                identities[index] += identity
                return true
            }
            let others = [other] + sharing[space][hash.value, default: []]
            isUnique = !others.contains { schema.isEntity(entity, relatedTo: $0) }
            if !others.contains(entity) { sharing[space][hash.value, default: []].append(entity) }
        }
        lastID += 1
        ids[index].append(lastID)
        identities[index] += [GraphValue](repeating: .null, count: width)
        return isUnique
    }

    /// What stands for the object with a number: its number in the document, or its identity.
    func name(of number: Int) -> (index: Int, id: Int32, identity: ArraySlice<GraphValue>) {
        var range = starts.indices
        while range.count > 1 {
            let middle = range.lowerBound + range.count / 2
            range = starts[middle] <= number ? middle..<range.upperBound : range.lowerBound..<middle
        }
        // Of several entities with the same start, only the last one has objects.
        let index = range.lowerBound
        let position = number - starts[index]
        let width = schema.entities[entities[index]].identity.count
        return (index, ids[index][position], identities[index][(position * width)..<(position + 1) * width])
    }
}

/// Writes the document of a graph.
struct DocumentWriter {
    private let plan: ArchivePlan
    private let schema: GraphSchema
    private let names: DocumentNames
    /// By entity of the plan: what is written of its objects.
    private let plans: [ExportPlan]
    /// By entity of the plan and property of the schema: where a record has it.
    private let columns: [[Int?]]
    /// By entity of the plan: whether its objects are written.
    private let isWritten: [Bool]
    /// The number of the entity whose array was opened last, and whether it still is.
    private var latest = -1
    private var isOpen = false
    /// How many objects have been written.
    private(set) var count = 0

    private static let numberKey = JSONKey(DictionaryKey.number)
    private static let referenceKey = JSONKey(DictionaryKey.reference)
    private static let entityKey = JSONKey(DictionaryKey.entity)

    /// - Parameters:
    ///   - mapping: That of documents.
    ///   - plan: What the records have.
    ///   - isWritten: By entity of the plan.
    init(_ mapping: GraphMapping, _ plan: ArchivePlan, _ names: DocumentNames, sortsKeys: Bool, isWritten: [Bool])
        throws
    {
        self.plan = plan
        self.names = names
        self.isWritten = isWritten
        schema = mapping.schema
        columns = plan.entities.map { entity in
            var columns = [Int?](repeating: nil, count: mapping.schema.entities[entity.number].properties.count)
            for (item, number) in zip(entity.archived.items, entity.properties) { columns[number] = item.column }
            return columns
        }
        plans = try plan.entities.map { entity in
            let written = Set(entity.properties)
            return try ExportPlan(entity.number, in: mapping, sortsKeys: sortsKeys) { property, _ in
                written.contains(property) ? .identifier : .none
            }
        }
    }

    func begin(_ writer: inout JSONWriter) throws { try writer.beginObject() }

    /// Writes the next object.
    mutating func write(_ record: ArchiveRecord, to writer: inout JSONWriter) throws {
        let plan = plans[record.entity]
        try open(record.entity, &writer)
        try writer.beginObject()
        let id = names.name(of: record.number).id
        if id > 0 {
            try writer.key(Self.numberKey)
            try writer.integer(Int64(id))
        }
        do {
            try write(plan.items, of: record, plan, to: &writer)
        } catch let error as GraftError {
            throw error.located(in: .init(entity: plan.name))
        }
        try writer.endObject()
        count += 1
    }

    mutating func end(_ writer: inout JSONWriter) throws {
        try open(plans.count - 1, &writer)
        if isOpen { try writer.endArray() }
        try writer.endObject()
    }

    /// Opens the array of an entity; those before it without objects are empty.
    private mutating func open(_ index: Int, _ writer: inout JSONWriter) throws {
        while latest < index {
            if isOpen { try writer.endArray() }
            latest += 1
            isOpen = isWritten[latest] && !schema.entities[plans[latest].number].isAbstract
            guard isOpen else { continue }
            try writer.key(plans[latest].name)
            try writer.beginArray()
        }
    }

    private func write(
        _ items: [ExportPlan.Item], of record: ArchiveRecord, _ plan: ExportPlan, to writer: inout JSONWriter
    ) throws {
        for item in items {
            if case .step(let inner) = item.content {
                try writer.key(item.key)
                try writer.beginObject()
                try write(inner, of: record, plan, to: &writer)
                try writer.endObject()
                continue
            }
            guard let number = item.content.property, let column = columns[record.entity][number] else { continue }
            switch item.content {
            case .attribute(_, let converter):
                try writer.key(item.key)
                try plan.write(record.values[column], number, converter, to: &writer)
            case .toOne:
                let end = record.destinations[column]
                // Where both ends are written, each of them says what it has, and no more.
                if end == ArchiveRecord.none, self.plan.saysBothEnds(number, of: plan.number) { continue }
                try writer.key(item.key)
                if end == ArchiveRecord.none {
                    try writer.null()
                } else {
                    try writeReference(to: end, number, of: plan, &writer)
                }
            case .toMany:
                try writer.key(item.key)
                try writer.beginArray()
                for end in record.members[column] { try writeReference(to: end, number, of: plan, &writer) }
                try writer.endArray()
            case .transformed, .constant, .stableIdentifier, .step: continue
            }
        }
    }

    // MARK: References

    private func writeReference(
        to number: Int, _ property: Int, of owner: ExportPlan, _ writer: inout JSONWriter
    ) throws {
        let (index, id, identity) = names.name(of: number)
        if id > 0 {
            guard isWritten[index] else {
                throw GraftError(
                    .other(
                        finding:
                            "a link leads to an object of '\(plans[index].name)' without identity, which isn't exported",
                        remedy: "Export '\(plans[index].name)', too."),
                    at: .init(entity: owner.name, property: owner.properties[property].name))
            }
            try writer.beginObject()
            try writer.key(Self.referenceKey)
            try writer.integer(Int64(id))
            return try writer.endObject()
        }
        let plan = plans[index]
        let destination = owner.properties[property].destination ?? plan.number
        let isTold = plan.number == destination || isWritten[index] && isFound(plan.number, as: destination)
        if isTold, let value = identity.first, plan.isBare(value) {
            return try plan.write(bareIdentifier: value, to: &writer)
        }
        try writer.beginObject()
        if !isTold {
            try writer.key(Self.entityKey)
            try writer.string(plan.name)
        }
        try writeIdentity(plan.identityItems, identity, plan, to: &writer)
        try writer.endObject()
    }

    /// Whether the identity of an object leads to it where one of a super-entity is expected.
    private func isFound(_ entity: Int, as destination: Int) -> Bool {
        schema.entities[entity].identitySpace == schema.entities[destination].identitySpace
    }

    private func writeIdentity(
        _ items: [ExportPlan.Item], _ identity: ArraySlice<GraphValue>, _ plan: ExportPlan, to writer: inout JSONWriter
    ) throws {
        for item in items {
            try writer.key(item.key)
            switch item.content {
            case .attribute(let number, let converter):
                let place = plan.identity.firstIndex(of: number) ?? 0
                try plan.write(identity[identity.startIndex + place], number, converter, to: &writer)
            case .step(let inner):
                try writer.beginObject()
                try writeIdentity(inner, identity, plan, to: &writer)
                try writer.endObject()
            default: try writer.null()
            }
        }
    }
}
