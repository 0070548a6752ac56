// What ``ImportOptions/guessesKeys`` comes to: an attribute of the right name identifies objects of which the model doesn't say what
// does, where neither the store nor the data speak against it. The data are read once for that, before anything is looked up, and
// once more where they speak against an attribute and there is another one.

import CoreData

extension ImportOptions {
    /// Enters the identities that the store and the data suggest.
    ///
    /// - Parameter sources: The texts; they will be read again.
    /// - Returns: What was guessed; nothing where a text can't be read.
    /// - Throws: ``GraftError`` for names that the model doesn't have; the errors of fetches.
    mutating func guessKeys(
        of sources: [ImportSource], _ entityName: String?, for context: NSManagedObjectContext,
        _ model: NSManagedObjectModel
    ) throws -> GraphDiff.Identification {
        let plain = try GraphMapping(model, mapping)
        let store = try StoreEvidence(context, plain.schema)
        var refuted: [Int: Set<Int>] = [:]
        var before: [Int: Int] = [:]
        var keys = try Self.candidates(plain, store, said: mapping)
        while !keys.isEmpty {
            let data = ImportEvidence(plain.schema, keys)
            var isReadable = true
            do {
                try read(sources, entityName, model, data)
            } catch _ as GraftError {
                // The import itself will meet it, and may go on; unless what is tried now is the cause.
                if before.isEmpty { return GraphDiff.Identification() }
                isReadable = false
            }
            let wrong = keys.filter { isReadable ? !data.isUnique($1, of: $0) : before[$0] != $1 }
            for (entity, attribute) in wrong { refuted[entity, default: []].insert(attribute) }
            // What the data say of one attribute isn't known of the next.
            let next = wrong.isEmpty ? keys : try Self.candidates(plain, store, said: mapping, except: refuted)
            if isReadable, next.allSatisfy({ keys[$0] == $1 }) { return try guess(plain.schema, [store, data]) }
            before = keys
            keys = next
        }
        return GraphDiff.Identification()
    }

    /// Reads what the texts say of attributes as if those were the identities.
    private func read(
        _ sources: [ImportSource], _ entityName: String?, _ model: NSManagedObjectModel, _ data: ImportEvidence
    ) throws {
        var tried = self
        for (entity, attribute) in data.keys {
            let description = data.schema.entities[entity]
            tried.mapping[description.name].identity = [description.properties[attribute].name]
        }
        for source in sources {
            // The objects of an archive or a store don't refer to each other by their identities.
            try data.read(source, entityName, model, source.kind() == .json ? tried : self)
        }
    }

    private mutating func guess(
        _ schema: GraphSchema, _ evidence: [any IdentityEvidence]
    ) throws -> GraphDiff.Identification {
        let said = mapping.entities.compactMapValues(\.identity)
        let decision = try IdentityDecision(schema, DiffOptions(keys: said, guessesKeys: true), evidence)
        var guessed = GraphDiff.Identification()
        for case (let entity, .guessed(let names)) in decision.identification.rules {
            mapping[entity].identity = names
            guessed.rules[entity] = .guessed(names)
        }
        return guessed
    }

    /// The attributes that may identify, by entity: one for each, by its name, where the store has no value of it twice, or none.
    private static func candidates(
        _ mapping: GraphMapping, _ store: StoreEvidence, said: MappingOptions, except refuted: [Int: Set<Int>] = [:]
    ) throws -> [Int: Int] {
        var keys: [Int: Int] = [:]
        for (number, entity) in mapping.schema.entities.enumerated() where !entity.hasIdentity {
            if said.entities[entity.name]?.identity != nil { continue }
            if let parent = entity.parent, let inherited = keys[parent] {
                keys[number] = inherited
                continue
            }
            keys[number] = try IdentityDecision.candidates(of: entity).first { attribute in
                try mapping.entities[number].properties[attribute] != nil
                    && refuted[number]?.contains(attribute) != true && store.isUnique(attribute, of: number)
            }
        }
        return keys
    }
}

/// What data say of attributes that may identify their objects. Grows with the number of objects.
private final class ImportEvidence: IdentityEvidence {
    /// What was said of an object so far.
    private struct Said {
        var isRecord: Bool
        /// The hashes of its attributes; nil for those that weren't said.
        var values: [UInt64?]
    }

    let lineage: GraphSnapshot.Lineage? = nil
    let schema: GraphSchema
    /// The attributes by entity.
    let keys: [Int: Int]
    private var counts: [Int]
    /// By the topmost entity with the attribute, and its values.
    private var seen: [Int: [ExactValue: Said]] = [:]
    /// The topmost entities whose attribute doesn't identify.
    private var refuted: Set<Int> = []

    init(_ schema: GraphSchema, _ keys: [Int: Int]) {
        self.schema = schema
        self.keys = keys
        counts = schema.entities.map { _ in 0 }
    }

    func count(of entity: Int) -> Int { counts[entity] }

    func hasRows(_ entity: Int, orIsUnsaved: Bool) -> Bool { false }

    func isUnique(_ attribute: Int, of entity: Int) -> Bool {
        keys[entity] == attribute && !refuted.contains(top(of: entity))
    }

    private func refute(_ top: Int) {
        refuted.insert(top)
        seen[top] = nil
    }

    /// Whether nothing that may come can change anything.
    private var isDecided: Bool { keys.keys.allSatisfy { refuted.contains(top(of: $0)) } }

    /// Reads a text. Lists of what is gone say nothing of what there is.
    func read(
        _ source: ImportSource, _ entityName: String?, _ model: NSManagedObjectModel, _ options: ImportOptions
    ) throws {
        guard source.deletions == .none else { return }
        var reader = try JSONSnapshotReader(
            source, model, GraphMapping(model, options.mapping), entityName: source.entity ?? entityName, options,
            isForImport: true)
        reader.snapshot.keepsRepeatedRows = true
        var hasMore = true
        while hasMore {
            reader.startBatch()
            hasMore = try reader.readBatch(rowLimit: max(1, options.batchSize))
            note(reader.snapshot)
            // The counts of objects matter only where there is something to guess.
            if isDecided { return }
        }
    }

    private func note(_ snapshot: borrowing GraphSnapshot) {
        for (entity, key) in keys {
            let top = top(of: entity)
            for row in snapshot.liveRows(of: entity) {
                counts[entity] += 1
                note(RowReference(entity: entity, row: row), key, top, snapshot)
            }
        }
    }

    private func note(_ row: RowReference, _ key: Int, _ top: Int, _ snapshot: borrowing GraphSnapshot) {
        if refuted.contains(top) { return }
        let properties = schema.entities[row.entity].properties
        let value = snapshot.tables[row.entity].value(properties[key].column, row: row.row)
        let isRecord = snapshot.tables[row.entity].flags[row.row].contains(.root)
        let values = properties.indices.map { number -> UInt64? in
            guard properties[number].isAttribute, snapshot.tables[row.entity].hasValue(number, row: row.row) else {
                return nil
            }
            var hash = IdentityHash()
            hash.combine(snapshot.tables[row.entity].value(properties[number].column, row: row.row))
            return hash.value
        }
        guard let before = seen[top]?[ExactValue(value)] else {
            if value.isNull { return refute(top) }
            seen[top, default: [:]][ExactValue(value)] = Said(isRecord: isRecord, values: values)
            return
        }
        // Nested objects may occur in many places, and each may say a part; two of them that differ are two objects.
        let differs = zip(before.values, values).contains { old, new in old != nil && new != nil && old != new }
        if differs || before.isRecord && isRecord { return refute(top) }
        let all = zip(before.values, values).map { $0 ?? $1 }
        seen[top]?[ExactValue(value)] = Said(isRecord: isRecord || before.isRecord, values: all)
    }

    /// The topmost entity that a key comes from.
    private func top(of entity: Int) -> Int {
        var entity = entity
        while let parent = schema.entities[entity].parent, keys[parent] != nil, keys[parent] == keys[entity] {
            entity = parent
        }
        return entity
    }
}
