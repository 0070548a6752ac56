// Keys that no property maps to. One among others is counted, or is an error of a strict import. An object that has nothing else
// is none of the entity's: a misspelt envelope, an error message of a server. It would make an empty object each time. A key that
// an object has again is counted in the same way: the last value stays, as RFC 8259 (section 4) says that most readers do. Where it
// leads to objects, those of the values before would be there for nobody, each time: that is an error.

extension JSONSnapshotReader {
    /// What unknown keys of an object mean.
    enum KeyCheck {
        /// Each counts, and an object of which no key is known is refused.
        case all
        /// Only that an object of which no key is known is refused.
        case refusal
        /// Nothing: somebody else has read the object, too.
        case none
    }

    /// Reads the members of an object that stands for one of its entity.
    mutating func readRecordMembers(
        of plan: JSONEntityPlan, row: Int, offset: Int, first: JSONToken?, _ check: KeyCheck
    ) throws {
        let start = unknownKeys.log.count
        let knownCount = try readMembers(plan.keys, of: plan, row: row, first: first, check)
        snapshot.tables[plan.number].ends[row] = reader.tokenOffset
        if knownCount == 0, !plan.keys.table.keys.isEmpty {
            try noteNoKeys(of: plan, offset: offset, firstUnknown: start, check)
        }
    }

    /// Counts an object without keys; refuses one of which no key is known.
    private mutating func noteNoKeys(
        of plan: JSONEntityPlan, offset: Int, firstUnknown start: Int, _ check: KeyCheck
    ) throws {
        if unknownKeys.log.count == start {
            if unknownKeys.isCounting { emptyObjectCount += 1 }
            return
        }
        // In a strict import, each of the keys has been refused already.
        guard check != .none, unknownKeyPolicy == .report || check == .refusal && unknownKeyPolicy == .fail else {
            return
        }
        let keys = unknownKeys.names(from: start)
        let known = plan.keys.table.keys
        var closest: [String] = []
        for key in keys {
            if let name = NameSuggestion.closest(to: key, among: known), !closest.contains(name) {
                closest.append(name)
            }
        }
        throw GraftError(
            .unknownKeys(keys, closest: closest, known: known, areAll: true),
            at: reader.place(offset: offset, path: reader.path)
        ).located(in: .init(entity: plan.name))
    }

    /// Takes note of a key that isn't in the mapping.
    ///
    /// - Returns: Whether somebody knows it nevertheless.
    mutating func noteUnknown(
        _ text: JSONText, in keys: KeyTree, of plan: JSONEntityPlan, _ check: KeyCheck
    ) throws -> Bool {
        // An entity without a mapped key says nothing of its data.
        if plan.keys.table.keys.isEmpty { return false }
        if !plan.surroundingKeys.isEmpty, keys.path.isEmpty, plan.surroundingKeys.contains(reader.string(of: text)) {
            return true
        }
        note(text, in: keys, of: plan, check)
        guard unknownKeyPolicy == .fail, check == .all else { return false }
        let key = reader.string(of: text)
        let closest = NameSuggestion.closest(to: key, among: keys.table.keys)
        let error = reader.error(
            .unknownKeys([key], closest: closest.map { [$0] } ?? [], known: keys.table.keys, areAll: false),
            entity: plan.name)
        guard failures != nil else { throw error }
        try failures?.note(error, record: recordCount)
        return false
    }

    /// Passes over the value of a key that nobody knows.
    mutating func passOver(
        _ text: JSONText, in keys: KeyTree, of plan: JSONEntityPlan, row: Int, _ check: KeyCheck
    ) throws {
        guard check == .all, snapshot.passedOver != nil else { return try reader.skipValue() }
        let path = keys.path + [reader.string(of: text)]
        let value = try reader.value()
        snapshot.passedOver?[RowReference(entity: plan.number, row: row), default: [:]][path] = value
    }

    /// Takes note of a key that the object has had already.
    ///
    /// - Throws: ``GraftError`` where something else than an attribute is below it, and for one that tells what the object is.
    mutating func noteRepeated(
        _ text: JSONText, _ target: KeyTree.Target, in keys: KeyTree, of plan: JSONEntityPlan, _ check: KeyCheck
    ) throws {
        note(text, isRepeated: true, in: keys, of: plan, check)
        let key = reader.string(of: text), path = keys.path + [key]
        let problem: GraftError.Problem
        switch target.role {
        case .attribute, .ignored:
            let entity = mapping.entities[plan.number]
            let signs = [entity.entityKeyPath, entity.tombstone?.path]
            guard signs.contains(path) else { return }
            problem = .repeatedSign(path.joined(separator: "."))
        case .toOne, .toMany, .step: problem = .repeatedKey(key)
        }
        let error = reader.error(problem, entity: plan.name)
        guard failures != nil else { throw error }
        try failures?.note(error, record: recordCount)
    }

    /// Counts the keys that were passed over in an attribute's tree.
    mutating func notePassedOver(in property: Int, of plan: JSONEntityPlan) {
        for key in reader.passedOver {
            unknownKeys.noteRepeated(path: [plan.names[property], key], of: plan.number)
        }
        reader.passedOver = []
    }

    /// Counts a key that isn't in the mapping, or that the object has had already.
    mutating func note(
        _ text: JSONText, isRepeated: Bool = false, in keys: KeyTree, of plan: JSONEntityPlan, _ check: KeyCheck
    ) {
        let isCounting = unknownKeys.isCounting
        if check != .all { unknownKeys.isCounting = false }
        unknownKeys.note(text, isRepeated: isRepeated, in: keys, of: plan.number, reader)
        unknownKeys.isCounting = isCounting
    }
}

extension GraftError.Problem {
    /// A key that an object has twice, where objects are below it.
    static func repeatedKey(_ key: String) -> Self {
        .other(
            finding: "the object has the key '\(DiffRendering.visible(key))' twice, and objects below it",
            remedy: "Leave one of the two, or make one of both.")
    }

    /// A key that an object has twice, and that tells which entity it is of, or that it is gone.
    static func repeatedSign(_ key: String) -> Self {
        .other(
            finding: "the object has the key '\(DiffRendering.visible(key))' twice, which tells what it is",
            remedy: "Leave one of the two.")
    }
}

/// The numbers of the keys that an object has had.
struct MetKeys {
    private var first: UInt64 = 0
    private var others: Set<Int> = []

    /// Takes note of a key, and says whether it is the first time.
    mutating func insert(_ key: Int) -> Bool {
        guard key < UInt64.bitWidth else { return others.insert(key).inserted }
        let bit = UInt64(1) << UInt64(key)
        defer { first |= bit }
        return first & bit == 0
    }
}
