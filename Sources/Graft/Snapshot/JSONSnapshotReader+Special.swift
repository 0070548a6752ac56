// Objects and values that take more than looking at each key once: properties with several places, policies for null and
// absence, values from the surroundings, types that a key tells. Entities without any of these never come here.

extension JSONSnapshotReader {
    /// Reads an object of an entity with specials.
    ///
    /// - Parameter first: The token after the brace.
    mutating func readSpecialObject(
        of base: Int, offset: Int, first: JSONToken, keys check: KeyCheck
    ) throws -> RowReference {
        let (index, key) = (elementIndex, elementKey)
        (elementIndex, elementKey) = (-1, nil)
        guard let entity = try chosenEntity(of: base, first) else {
            try skipObject(first)
            snapshot.skippedCounts[base, default: 0] += 1
            return .none
        }
        if try isGone(entity, first) { return try readGone(of: entity, offset: offset, first: first) }
        if mapping.usesAncestors { ancestors.append(try captured(first)) }
        defer { if mapping.usesAncestors { ancestors.removeLast() } }
        let plan = plans[entity]
        let row = snapshot.tables[entity].appendRow(offset: copyOffset ?? offset)
        let outer = firstRank
        firstRank = ranks.count
        ranks.append(contentsOf: repeatElement(.max, count: plan.columns.count))
        defer {
            ranks.removeSubrange(firstRank...)
            firstRank = outer
        }
        try readRecordMembers(of: plan, row: row, offset: offset, first: first, check)
        // A nested object that has nothing but its identity is a reference, which says nothing of the others.
        let isReference =
            nesting > 1 && !plan.identityColumns.isEmpty
            && !snapshot.saysMoreThanIdentity(RowReference(entity: entity, row: row))
        try readSurroundings(index: index, key: key, of: plan, row: row)
        if !isReference {
            for property in plan.specials?.missing ?? [] where !snapshot.tables[entity].hasValue(property, row: row) {
                // The object around may be the owner that identifies this one.
                if nesting > 1, isOwner(property, of: plan) { continue }
                setMissing(property, of: plan, row: row)
            }
        }
        return snapshot.settle(
            RowReference(entity: entity, row: row), identity: plan.identityColumns, space: plan.identitySpace,
            saysMore: nesting == 1 && !isReadingGone)
    }

    /// Reads the value of a key that isn't plain.
    mutating func readSpecial(_ target: KeyTree.Target, of plan: JSONEntityPlan, row: Int) throws {
        guard target.others.isEmpty else { return try readShared(target, of: plan, row: row) }
        if target.role == .step { return try readStep(target.subtree, of: plan, row: row) }
        if target.role == .ignored { return try reader.skipValue() }
        let property = target.property
        guard isFirstPlace(property, rank: target.rank, of: plan) else { return try reader.skipValue() }
        let token = try reader.next()
        if token == .null { return setNull(property, rank: target.rank, of: plan, row: row) }
        switch target.role {
        case .attribute: try readAttribute(property, of: plan, row: row, first: token)
        case .toOne: try readToOne(property, of: plan, row: row, first: token)
        case .toMany: try readToMany(property, of: plan, row: row, first: token)
        case .step, .ignored: break
        }
        noteRank(target.rank, of: property, plan)
    }

    /// Reads a value that fills several properties: once for each.
    private mutating func readShared(_ target: KeyTree.Target, of plan: JSONEntityPlan, row: Int) throws {
        var single = target.alone
        // The policies of the property are looked at in any case.
        single.isPlain = false
        let isCounting = unknownKeys.isCounting
        unknownKeys.isCounting = false
        defer { unknownKeys.isCounting = isCounting }
        for other in target.others {
            let mark = reader.mark()
            do {
                try readTarget(other, of: plan, row: row)
            } catch {
                reader.release(mark)
                throw error
            }
            reader.rewind(to: mark)
        }
        unknownKeys.isCounting = isCounting
        try readTarget(single, of: plan, row: row)
    }

    // MARK: Several places

    /// Whether a property's value hasn't been found in a place that is tried earlier.
    func isFirstPlace(_ property: Int, rank: UInt8, of plan: JSONEntityPlan) -> Bool {
        guard plan.specials?.hasAlternatives ?? false else { return true }
        return rank <= ranks[firstRank &+ property]
    }

    private mutating func noteRank(_ rank: UInt8, of property: Int, _ plan: JSONEntityPlan) {
        if plan.specials?.hasAlternatives ?? false { ranks[firstRank &+ property] = rank }
    }

    // MARK: Null and absent

    /// Does what the policy for null says. Null that is ignored isn't a find: a place that is tried later may have more.
    mutating func setNull(_ property: Int, rank: UInt8, of plan: JSONEntityPlan, row: Int) {
        let mapping = plan.mappings[property]
        let policy = mapping?.nullPolicy ?? .clear
        if policy == .ignore { return }
        set(property, to: policy == .default ? mapping?.defaultValue ?? .null : .null, of: plan, row: row)
        noteRank(rank, of: property, plan)
    }

    /// Does what the policy for absent values says.
    private mutating func setMissing(_ property: Int, of plan: JSONEntityPlan, row: Int) {
        guard let mapping = plan.mappings[property] else { return }
        switch mapping.missingPolicy {
        case .keep: break
        case .clear: set(property, to: .null, of: plan, row: row)
        case .default:
            if mapping.converter != nil { set(property, to: mapping.defaultValue, of: plan, row: row) }
        }
    }

    /// Whether a property is a relationship that takes part in the identity.
    private func isOwner(_ property: Int, of plan: JSONEntityPlan) -> Bool {
        let entity = mapping.schema.entities[plan.number]
        return entity.relatedIdentity.contains(property) && !entity.properties[property].isAttribute
    }

    /// Settles the rows whose identity includes an owner. What is neither said nor follows from where the object stands is absent.
    mutating func settleRelatedRows() {
        snapshot.takeOwnersFromNesting()
        for plan in plans where snapshot.tables[plan.number].count > 0 {
            for property in plan.specials?.missing ?? [] where isOwner(property, of: plan) {
                for row in 0..<snapshot.tables[plan.number].count
                where snapshot.unsaidOwners(of: RowReference(entity: plan.number, row: row)).contains(property) {
                    setMissing(property, of: plan, row: row)
                }
            }
        }
        snapshot.settleRelatedRows()
    }

    /// Sets an attribute to a value, or a relationship to nothing.
    private mutating func set(_ property: Int, to value: GraphValue, of plan: JSONEntityPlan, row: Int) {
        let description = mapping.schema.entities[plan.number].properties[property]
        if description.isAttribute {
            snapshot.tables[plan.number].setValue(value, description.column, row: row)
        } else {
            snapshot.tables[plan.number].clear(description, row: row)
        }
        snapshot.tables[plan.number].markPresent(property, row: row)
    }

    // MARK: Surroundings

    /// Reads what an object's surroundings say of it, after its own keys.
    private mutating func readSurroundings(index: Int, key: String?, of plan: JSONEntityPlan, row: Int) throws {
        for (property, rank, source) in plan.specials?.surroundings ?? [] {
            guard isFirstPlace(property, rank: rank, of: plan) else { continue }
            let value: JSONValue? =
                switch source.origin {
                case .object: nil
                case .index: index < 0 ? nil : .number(JSONValue.Number(index))
                case .key: key.map(JSONValue.string)
                case .parent: ancestors.count > 1 ? ancestors[ancestors.count - 2][source.keys] : nil
                case .root: ancestors.first?[source.keys]
                }
            if let value { try read(value, property, rank: rank, of: plan, row: row) }
        }
        if let key, let property = plan.keyAttribute, !snapshot.tables[plan.number].hasValue(property, row: row) {
            try read(.string(key), property, rank: 0, of: plan, row: row)
        }
    }

    /// Reads a property from a value in memory.
    private mutating func read(
        _ value: JSONValue, _ property: Int, rank: UInt8, of plan: JSONEntityPlan, row: Int
    ) throws {
        let role = mapping.schema.entities[plan.number].properties[property].role
        let target = KeyTree.Target(role: role, property: property, rank: rank, isPlain: false)
        // The value stands elsewhere; the object that it is for is the place to look at.
        try readCopy(of: value, from: CopyOrigin(offset: reader.tokenOffset, path: reader.path)) {
            try $0.readSpecial(target, of: plan, row: row)
        }
    }

    /// What nested objects may read of the object that begins, without reading on.
    private mutating func captured(_ first: JSONToken) throws -> [[String]: JSONValue] {
        let paths = ancestors.isEmpty ? mapping.parentPaths.union(mapping.rootPaths) : mapping.parentPaths
        let mark = reader.mark()
        var found: [[String]: JSONValue] = [:]
        var token = first
        while case .key(let text) = token {
            let key = reader.string(of: text)
            let wanted = paths.filter { $0[0] == key }
            if wanted.isEmpty {
                try reader.skipValue()
            } else {
                let value = try reader.value()
                for path in wanted {
                    found[path] = path.dropFirst().reduce(value as JSONValue?) { $0?[$1] }
                }
            }
            token = try reader.next()
        }
        reader.rewind(to: mark)
        return found
    }
}
