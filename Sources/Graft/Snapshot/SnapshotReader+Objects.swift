// The contents of one object: from its keys to the columns of its row.

extension SnapshotReader {
    /// Reads an object whose brace has just been read, and returns the row that stands for it.
    ///
    /// - Parameters:
    ///   - offset: Where the brace stands.
    ///   - first: The token after the brace, where that has been read already.
    mutating func readObject(of entity: Int, offset: Int, first: JSONToken? = nil) throws -> RowReference {
        guard nesting < Self.maximumNesting else { throw reader.error(.tooDeep(limit: Self.maximumNesting)) }
        guard snapshot.tables[entity].count < RowReference.maximumRow else {
            throw reader.error(.tooLarge(what: "the number of objects in a batch", limit: RowReference.maximumRow))
        }
        nesting &+= 1
        defer { nesting &-= 1 }
        if isArchive { return try readArchiveObject(of: entity, offset: offset, first: first ?? reader.next()) }
        if let transformers = plans[entity].entityTransformers {
            return try readTransformed(by: transformers, of: entity, offset: offset, first: first)
        }
        return try readPlainObject(of: entity, offset: offset, first: first)
    }

    /// Reads an object whose keys are those of its entity.
    mutating func readPlainObject(of entity: Int, offset: Int, first: JSONToken? = nil) throws -> RowReference {
        let row = snapshot.tables[entity].appendRow(offset: copyOffset ?? offset)
        let plan = plans[entity]
        try readMembers(plan.keys, of: plan, row: row, first: first)
        return snapshot.settle(
            RowReference(entity: entity, row: row), identity: plan.identityColumns, space: plan.identitySpace)
    }

    /// Reads the members of an object up to its closing brace.
    mutating func readMembers(_ keys: KeyTree, of plan: EntityPlan, row: Int, first: JSONToken? = nil) throws {
        var token = try first ?? reader.next()
        var expected = 0
        var previous = -1
        while case .key(let text) = token {
            if let key = reader.index(of: text, in: keys.table, expected: expected) {
                if key != expected, previous >= 0 { successors[previous] = key }
                previous = keys.firstKeyNumber &+ key
                expected = successors[previous]
                if failures == nil {
                    try readTarget(keys.targets[key], of: plan, row: row)
                } else {
                    try readNotingFailure(keys.targets[key], of: plan, row: row)
                }
            } else {
                try reader.skipValue()
            }
            token = try reader.next()
        }
    }

    /// Reads the value of a key.
    mutating func readTarget(_ target: KeyTree.Target, of plan: EntityPlan, row: Int) throws {
        guard target.others.isEmpty else { return try readShared(target, of: plan, row: row) }
        switch target.role {
        case .attribute: try readAttribute(target.property, of: plan, row: row)
        case .toOne: try readToOne(target.property, of: plan, row: row)
        case .toMany: try readToMany(target.property, of: plan, row: row)
        case .step: try readStep(target.subtree, of: plan, row: row)
        }
    }

    private mutating func readAttribute(_ property: Int, of plan: EntityPlan, row: Int) throws {
        let value: GraphValue
        do {
            let token = try reader.next()
            if let transformer = plan.transformers?[property] {
                value = try transformed(token, by: transformer, plan.converters[property])
            } else {
                value = try plan.converters[property].value(of: token, in: &reader)
            }
        } catch let error as GraftError {
            throw error.located(in: .init(entity: plan.name, property: plan.names[property]))
        }
        snapshot.tables[plan.number].setValue(value, plan.columns[property], row: row)
        snapshot.tables[plan.number].markPresent(property, row: row)
    }

    /// The value that a transformer makes of a token. Null stays null, without asking it.
    func transformedValue(_ json: JSONValue, by transformer: NamedTransformer, _ converter: AttributeConverter) throws
        -> GraphValue
    {
        guard let object = transformer.value(for: json) else { return .null }
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
        let json = try reader.value()
        return try transformedValue(json, by: transformer, converter)
    }

    /// Reads an object on the way to further keys. A null there is a null at the end of each path.
    private mutating func readStep(_ keys: KeyTree?, of plan: EntityPlan, row: Int) throws {
        guard let keys else { return }
        let token = try reader.next()
        switch token {
        case .beginObject: try readMembers(keys, of: plan, row: row)
        case .null: clear(keys.properties, of: plan, row: row)
        default:
            throw reader.error(
                .wrongType(
                    found: AttributeConverter.words(for: token, reader),
                    expected: "an object with '\(keys.table.keys.joined(separator: "', '"))'"),
                entity: plan.name)
        }
    }

    /// Sets properties to null.
    private mutating func clear(_ properties: [Int], of plan: EntityPlan, row: Int) {
        for property in properties {
            let column = plan.columns[property]
            switch mapping.schema.entities[plan.number].properties[property].kind {
            case .attribute: snapshot.tables[plan.number].setValue(.null, column, row: row)
            case .toOne: snapshot.tables[plan.number].setToOne(.none, column, row: row)
            case .toMany: snapshot.tables[plan.number].setToMany(.empty, column, row: row)
            }
            snapshot.tables[plan.number].markPresent(property, row: row)
        }
    }

    /// Reads a value that fills several properties: once for each, from a copy in memory.
    private mutating func readShared(_ target: KeyTree.Target, of plan: EntityPlan, row: Int) throws {
        let origin = CopyOrigin(offset: reader.tokenOffset, path: reader.path)
        _ = try reader.next()
        let value = try reader.value()
        var single = target
        single.others = []
        for each in [single] + target.others {
            try readCopy(of: value, from: origin) { try $0.readTarget(each, of: plan, row: row) }
        }
    }
}
