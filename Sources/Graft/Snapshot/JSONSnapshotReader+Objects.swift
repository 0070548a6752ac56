// The contents of one object: from its keys to the columns of its row.

import Foundation

extension JSONSnapshotReader {
    /// Reads an object whose brace has just been read, and returns the row that stands for it.
    ///
    /// - Parameters:
    ///   - offset: Where the brace stands.
    ///   - first: The token after the brace, where that has been read already.
    mutating func readObject(of entity: Int, offset: Int, first: JSONToken? = nil) throws -> RowReference {
        try requireRoom(for: entity)
        nesting &+= 1
        defer { nesting &-= 1 }
        if isDocument { return try readDocumentObject(of: entity, offset: offset, first: first ?? reader.next()) }
        if let transformers = plans[entity].entityTransformers {
            return try readTransformed(by: transformers, of: entity, offset: offset, first: first)
        }
        return try readPlainObject(of: entity, offset: offset, first: first)
    }

    // What follows is called in turn for each level of nesting, and takes stack: what isn't nested is in functions of its own.

    /// - Throws: ``GraftError`` with `tooDeep` or `tooLarge` where no object can be read any more.
    private func requireRoom(for entity: Int) throws {
        guard nesting < Self.maximumNesting else { throw reader.error(.tooDeep(limit: Self.maximumNesting)) }
        guard snapshot.tables[entity].count < RowReference.maximumRow else {
            throw reader.error(.tooLarge(what: "the number of objects in a batch", limit: RowReference.maximumRow))
        }
    }

    /// Reads an object whose keys are those of its entity.
    mutating func readPlainObject(
        of entity: Int, offset: Int, first: JSONToken? = nil, keys check: KeyCheck = .all
    ) throws -> RowReference {
        let plan = plans[entity]
        if !plan.isPlain || elementKey != nil {
            return try readSpecialObject(of: entity, offset: offset, first: first ?? reader.next(), keys: check)
        }
        let row = snapshot.tables[entity].appendRow(offset: copyOffset ?? offset)
        try readRecordMembers(of: plan, row: row, offset: offset, first: first, check)
        return snapshot.settle(
            RowReference(entity: entity, row: row), identity: plan.identityColumns, space: plan.identitySpace)
    }

    /// Reads the members of an object up to its closing brace.
    ///
    /// - Parameter check: Whether keys that no property maps to count.
    /// - Returns: How many of its keys are known.
    @discardableResult
    mutating func readMembers(
        _ keys: KeyTree, of plan: JSONEntityPlan, row: Int, first: JSONToken? = nil, _ check: KeyCheck = .all
    ) throws -> Int {
        var knownCount = 0
        var met = MetKeys()
        var token = try first ?? reader.next()
        var expected = 0
        var previous = -1
        while case .key(let text) = token {
            if let key = reader.index(of: text, in: keys.table, expected: expected) {
                if !met.insert(key) { try noteRepeated(text, keys.targets[key], in: keys, of: plan, check) }
                if key != expected, previous >= 0 { successors[previous] = key }
                knownCount &+= 1
                previous = keys.firstKeyNumber &+ key
                expected = successors[previous]
                if failures == nil {
                    try readTarget(keys.targets[key], of: plan, row: row)
                } else {
                    try readNotingFailure(keys.targets[key], of: plan, row: row)
                }
            } else if try !isDocument || !keys.path.isEmpty || !readLateKey(text, of: plan, row: row) {
                if try noteUnknown(text, in: keys, of: plan, check) {
                    knownCount &+= 1
                    try reader.skipValue()
                } else {
                    try passOver(text, in: keys, of: plan, row: row, check)
                }
            }
            token = try reader.next()
        }
        return knownCount
    }

    /// Reads the value of a key.
    mutating func readTarget(_ target: KeyTree.Target, of plan: JSONEntityPlan, row: Int) throws {
        guard target.isPlain else { return try readSpecial(target, of: plan, row: row) }
        switch target.role {
        case .attribute: try readAttribute(target.property, of: plan, row: row)
        case .toOne: try readToOne(target.property, of: plan, row: row)
        case .toMany: try readToMany(target.property, of: plan, row: row)
        case .step: try readStep(target.subtree, of: plan, row: row)
        case .ignored: try reader.skipValue()
        }
    }

    /// Reads an attribute's value.
    ///
    /// - Parameter first: The value's first token, where that has been read already.
    @inline(__always)
    mutating func readAttribute(_ property: Int, of plan: JSONEntityPlan, row: Int, first: JSONToken? = nil) throws {
        var value = try value(of: first, property, plan)
        switch value {
        case .decimal where rounding.contains(.decimals), .date where rounding.contains(.dates):
            value = kept(value, property, of: plan)
        case .double(let closest) where abs(closest) >= 16_777_216: noteRounding(closest, property, of: plan)
        case .json where !reader.passedOver.isEmpty: notePassedOver(in: property, of: plan)
        default: break
        }
        snapshot.tables[plan.number].setValue(value, plan.columns[property], row: row)
        snapshot.tables[plan.number].markPresent(property, row: row)
    }

    /// What an attribute makes of a value; of the next one, where its first token hasn't been read.
    @inline(__always)
    mutating func value(of first: JSONToken?, _ property: Int, _ plan: JSONEntityPlan) throws -> GraphValue {
        do {
            let token = try first ?? reader.next()
            let value: GraphValue
            if let transformer = plan.transformers?[property] {
                value = try transformed(token, by: transformer, plan.converters[property])
            } else {
                value = try plan.converters[property].value(of: token, in: &reader)
            }
            if rounding.contains(.dates), let refusal = value.refusalByPostgreSQL { throw reader.error(refusal) }
            return value
        } catch let error as GraftError {
            throw error.located(in: .init(entity: plan.name, property: plan.names[property]))
        }
    }

    /// What the store will keep of a value. So it is compared with what the store has, and importing it again changes nothing.
    private mutating func kept(_ exact: GraphValue, _ property: Int, of plan: JSONEntityPlan) -> GraphValue {
        let kept = exact.kept(rounding)
        if !kept.isSameValue(as: exact) { countRounded(property, of: plan) }
        return kept
    }

    /// Counts a whole number that a Double or Float can't hold: two identities may have become one. The shortest text of what it
    /// holds, such as exports write, has lost nothing.
    private mutating func noteRounding(_ closest: Double, _ property: Int, of plan: JSONEntityPlan) {
        guard plan.transformers?[property] == nil else { return }
        switch reader.latest {
        case .number(let text), .string(let text):
            var isExact = reader.int64(of: text).map { Int64(exactly: closest) == $0 }
            if isExact == nil, abs(closest) >= 0x1p63 {
                isExact = Int128(reader.string(of: text)).map { Int128(exactly: closest) == $0 }
            }
            guard isExact == false else { return }
            let isFloat = plan.converters[property].kind == .float
            let shortest = isFloat ? Float(closest).description : closest.description
            if Self.decimal(shortest) != Self.decimal(reader.string(of: text)) { countRounded(property, of: plan) }
        default: return
        }
    }

    private static func decimal(_ text: String) -> Decimal? { text.withUTF8Span { NumberText.decimal($0) } }

    private mutating func countRounded(_ property: Int, of plan: JSONEntityPlan) {
        guard unknownKeys.isCounting else { return }
        roundedCounts[GraphSnapshot.Column(entity: plan.number, property: property), default: 0] += 1
    }

    /// The value that a transformer makes of a token. Null stays null, without asking it.
    func transformedValue(_ json: JSONValue, by transformer: NamedTransformer, _ converter: AttributeConverter) throws
        -> GraphValue
    {
        guard let object = transformer.value(for: json) else {
            throw reader.error(transformer.refusal(of: json.description))
        }
        if let value = GraphValue(object: object, kind: converter.kind) { return value }
        throw reader.error(
            .wrongType(
                found: "the \(type(of: object)) '\(object)' from the transformer '\(transformer.name)'",
                expected: "\(converter.kind)"))
    }

    mutating func transformed(
        _ token: JSONToken, by transformer: NamedTransformer, _ converter: AttributeConverter
    ) throws -> GraphValue {
        if token == .null { return .null }
        let json = try reader.heldValue()
        return try transformedValue(json, by: transformer, converter)
    }

    /// Reads an object on the way to further keys. A null there is a null at the end of each path.
    mutating func readStep(_ keys: KeyTree?, of plan: JSONEntityPlan, row: Int) throws {
        guard let keys else { return }
        let token = try reader.next()
        switch token {
        case .beginObject: try readMembers(keys, of: plan, row: row)
        case .null: clear(keys.leaves, of: plan, row: row)
        default:
            let names = keys.table.keys.joined(separator: "', '")
            throw reader.unexpected(token, "an object with '\(names)'", entity: plan.name)
        }
    }

    /// Sets the properties below a null on the way to null, or does with each what its policy for null says.
    private mutating func clear(_ leaves: [KeyTree.Leaf], of plan: JSONEntityPlan, row: Int) {
        for leaf in leaves where isFirstPlace(leaf.property, rank: leaf.rank, of: plan) {
            setNull(leaf.property, rank: leaf.rank, of: plan, row: row)
        }
    }
}
