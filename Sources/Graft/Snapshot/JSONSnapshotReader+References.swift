// Relationships: nested objects, bare identifiers, and lists of both.

extension JSONSnapshotReader {
    /// Reads the value of a to-one relationship.
    ///
    /// - Parameter first: The value's first token, where that has been read already.
    mutating func readToOne(_ property: Int, of plan: JSONEntityPlan, row: Int, first: JSONToken? = nil) throws {
        let token = try first ?? reader.next()
        if token == .beginArray { throw misfit(token, property, of: plan, expected: "an object or an identifier") }
        elementIndex = -1
        let reference = try readReference(token, property, of: plan)
        // An object that was passed over says nothing.
        if reference.isNone, token == .beginObject { return }
        setToOne(reference, property, of: plan, row: row)
    }

    private mutating func setToOne(_ reference: RowReference, _ property: Int, of plan: JSONEntityPlan, row: Int) {
        if !reference.isNone, let back = wayBack(property, of: plan) {
            leaveOutOtherOwner(of: reference, back, of: plan, row: row)
        }
        snapshot.tables[plan.number].setToOne(reference, plan.columns[property], row: row)
        snapshot.tables[plan.number].markPresent(property, row: row)
    }

    /// Reads the value of a to-many relationship. Nulls in the list are passed over.
    ///
    /// - Parameter opening: The value's first token, where that has been read already.
    mutating func readToMany(_ property: Int, of plan: JSONEntityPlan, row: Int, first opening: JSONToken? = nil) throws
    {
        let token = try opening ?? reader.next()
        let first = openMembers.count
        switch token {
        case .beginArray: try readElements(property, of: plan)
        case .null: break
        default: try readUnlisted(token, property, of: plan, row: row)
        }
        setToMany(from: first, property, of: plan, row: row)
    }

    /// Sets the members from a place on.
    private mutating func setToMany(from first: Int, _ property: Int, of plan: JSONEntityPlan, row: Int) {
        if first < openMembers.count, let back = wayBack(property, of: plan) {
            for index in first..<openMembers.count {
                leaveOutOtherOwner(of: openMembers[index], back, of: plan, row: row)
            }
        }
        let range = closeMembers(from: first)
        snapshot.tables[plan.number].setToMany(range, plan.columns[property], row: row)
        snapshot.tables[plan.number].markPresent(property, row: row)
    }

    /// The inverse of a relationship whose members can have one owner alone, as a property of theirs; nil for others.
    private func wayBack(_ number: Int, of plan: JSONEntityPlan) -> GraphSnapshot.Column? {
        let property = mapping.schema.entities[plan.number].properties[number]
        guard mapping.schema.isExclusive(property), let entity = property.destination, let inverse = property.inverse
        else { return nil }
        return GraphSnapshot.Column(entity: entity, property: inverse)
    }

    /// Leaves out the owner that an object says it has, where that is another one than the object around, and nothing identifies it: the
    /// nesting counts, and what the object says would be there for nobody, once more with each import.
    private mutating func leaveOutOtherOwner(
        of member: RowReference, _ back: GraphSnapshot.Column, of plan: JSONEntityPlan, row: Int
    ) {
        let (schema, inverse) = (mapping.schema, back.property)
        let member = snapshot.resolved(member)
        // What a reference of a document leads to may be something else, which is refused later.
        guard schema.isEntity(member.entity, kindOf: back.entity) else { return }
        let column = schema.entities[member.entity].properties[inverse].column
        let end = snapshot.tables[member.entity].toOne(column, row: member.row)
        guard !end.isNone, end != RowReference(entity: plan.number, row: row), snapshot.isKnownByContents(end),
            !snapshot.hasRelatedIdentity(end),
            // Not another record's.
            snapshot.tables[end.entity].offsets[end.row] >= snapshot.tables[plan.number].offsets[row]
        else { return }
        snapshot.tables[member.entity].setToOne(.none, column, row: member.row)
        snapshot.tables[member.entity].markAbsent(inverse, row: member.row)
        snapshot.times[.init(row: member, property: inverse)] = nil
        snapshot.hasOverruledRows = true
        let entity = schema.declaringEntity(of: inverse, member.entity)
        overruledLinks[.init(entity: entity, property: inverse), default: 0] += 1
    }

    /// Reads the elements of an array whose bracket has been read, and adds them to the open members.
    ///
    /// - Parameter first: The first element's first token, where that has been read already.
    mutating func readElements(_ property: Int, of plan: JSONEntityPlan, first: JSONToken? = nil) throws {
        var index = 0
        var next = first
        while true {
            let element = try next.take() ?? reader.next()
            if element == .endArray { break }
            if element == .beginArray {
                throw misfit(element, property, of: plan, expected: "an object or an identifier")
            }
            elementIndex = index
            index &+= 1
            let reference = try readReference(element, property, of: plan)
            if !reference.isNone { openMembers.append(reference) }
        }
    }

    /// Moves the open members from a position on to the snapshot's list.
    mutating func closeMembers(from first: Int) -> MemberRange {
        let count = openMembers.count &- first
        if count == 0 { return .empty }
        let start = snapshot.members.count
        for index in first..<openMembers.count { snapshot.members.append(openMembers[index]) }
        openMembers.removeLast(count)
        return MemberRange(start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: count))
    }

    /// Reads one object of a relationship, whole or as its identifier; none for null.
    @inline(__always)
    mutating func readReference(
        _ token: JSONToken, _ property: Int, of plan: JSONEntityPlan
    ) throws -> RowReference {
        if token == .beginObject { return try readNestedObject(of: plan.destinations[property]) }
        if token == .null { return .none }
        do {
            return try readIdentifier(token, of: plan.destinations[property])
        } catch let error as GraftError {
            throw error.located(in: .init(entity: plan.name, property: plan.names[property]))
        }
    }

    func misfit(_ token: JSONToken, _ property: Int, of plan: JSONEntityPlan, expected: String) -> GraftError {
        let entity = plans[plan.destinations[property]].name
        return reader.unexpected(
            token, "\(expected) for the relationship to \(entity)", entity: plan.name,
            property: plan.names[property])
    }

    // MARK: Identifiers

    /// The row of the object with an identifier; one that isn't known gets a row that has nothing else.
    mutating func readIdentifier(_ token: JSONToken, of entity: Int) throws -> RowReference {
        let plan = plans[entity]
        guard plan.identity.count == 1 else { throw noIdentifier(token, plan) }
        let offset = reader.tokenOffset
        let property = plan.identity[0]
        let value = try value(of: token, property, plan).kept(rounding)
        if value.isNull { return .none }
        return snapshot.row(
            withIdentity: value, property: property, column: plan.identityColumns[0], entity: entity,
            space: plan.identitySpace, offset: offset)
    }

    private func noIdentifier(_ token: JSONToken, _ plan: JSONEntityPlan) -> GraftError {
        let names = mapping.schema.entities[plan.number].identityNames
        let expected =
            names.isEmpty
            ? "an object, because \(plan.name) declares no identity by which it could be found"
            : "an object with '\(names.joined(separator: "', '"))', which together identify a \(plan.name)"
        return reader.unexpected(token, expected, entity: plan.name)
    }

    // MARK: Nested objects

    /// Reads an object of a relationship whose brace has just been read; one that was read before, and has no other in it,
    /// is skipped.
    private mutating func readNestedObject(of entity: Int) throws -> RowReference {
        let offset = reader.tokenOffset
        nestedObjectCount &+= 1
        guard memos[entity].isWorthwhile, !isDocument, !plans[entity].identity.isEmpty, plans[entity].isPlain,
            elementKey == nil
        else {
            return try readObject(of: entity, offset: offset)
        }
        // Each level of nesting takes the stack of this call: what has more to keep is apart.
        var entry: Int?
        let hash = lookUp(entity, offset, &entry)
        if let entry, let known = try skip(entry, of: entity) { return known }
        let countBefore = nestedObjectCount
        let firstUnknown = unknownKeys.log.count
        let reference = try readObject(of: entity, offset: offset)
        // What is nested in it would have to be said again, too.
        if nestedObjectCount == countBefore {
            remember(reference, read: entity, offset, hash, entry, firstUnknown: firstUnknown)
        }
        return reference
    }

    /// Looks an object up by its bytes, and returns their hash.
    ///
    /// - Parameter entry: Becomes the number of the one that has the same.
    private mutating func lookUp(_ entity: Int, _ offset: Int, _ entry: inout Int?) -> UInt64 {
        let (hash, found) = Self.look(in: &memos[entity], for: reader.input, at: offset &- reader.input.windowOffset)
        entry = found
        return hash
    }

    /// Passes over an object that was read before; nil where it has to be read again, because its row was merged with others
    /// since.
    private mutating func skip(_ entry: Int, of entity: Int) throws -> RowReference? {
        let match = memos[entity][entry]
        // Rows of other batches aren't there any more.
        guard match.stamp.batch == batchNumber, match.stamp == stamp(of: match.reference) else { return nil }
        try reader.skipKnownObject(length: match.length)
        for number in match.unknownKeys { unknownKeys.met(number) }
        for property in match.links {
            snapshot.times[GraphSnapshot.Cell(row: match.reference, property: property)] = reader.tokenOffset
        }
        return match.reference
    }

    private mutating func remember(
        _ reference: RowReference, read entity: Int, _ offset: Int, _ hash: UInt64, _ entry: Int?, firstUnknown: Int
    ) {
        guard isIdentified(reference) else { return }
        let stamp = stamp(of: reference)
        let links = snapshot.links(of: reference, saidAt: reader.tokenOffset)
        if let entry {
            memos[entity].update(entry, reference, stamp, links: links)
        } else if offset >= reader.input.windowOffset {
            let start = offset &- reader.input.windowOffset
            let end = reader.tokenOffset &+ 1 &- reader.input.windowOffset
            Self.remember(
                reference, stamp, links, Array(unknownKeys.log[firstUnknown...]), in: &memos[entity], reader.input,
                start..<end, hash: hash)
        }
    }

    /// Looks an object up by the bytes at an offset of the window. Static, so that memo and reader don't get in each
    /// other's way.
    @inline(__always)
    private static func look(
        in memo: inout NestedObjectMemo, for input: borrowing JSONInput, at start: Int
    ) -> (hash: UInt64, entry: Int?) {
        input.withWindow { window in
            let hash = NestedObjectMemo.hash(of: window, at: start)
            return (hash, memo.match(in: window, at: start, hash: hash))
        }
    }

    private static func remember(
        _ reference: RowReference, _ stamp: NestedObjectMemo.Stamp, _ links: [Int], _ unknownKeys: [Int],
        in memo: inout NestedObjectMemo, _ input: borrowing JSONInput, _ range: Range<Int>, hash: UInt64
    ) {
        input.withWindow {
            memo.insert(
                reference, stamp, links: links, unknownKeys: unknownKeys, bytes: $0.extracting(range), hash: hash)
        }
    }

    @inline(__always)
    private func stamp(of reference: RowReference) -> NestedObjectMemo.Stamp {
        NestedObjectMemo.Stamp(batch: batchNumber, merges: snapshot.tables[reference.entity].stamps[reference.row])
    }

    /// Whether a row has a complete identity: only such an object is the same one when it occurs again.
    private func isIdentified(_ reference: RowReference) -> Bool {
        plans[reference.entity].identityColumns.allSatisfy {
            !snapshot.tables[reference.entity].value($0, row: reference.row).isNull
        }
    }
}

extension JSONReader {
    /// Goes on to the closing brace of an object whose opening one has just been read, and whose text is known to be that
    /// of an object read before.
    ///
    /// - Parameter length: The number of bytes from brace to brace. They are in the window.
    mutating func skipKnownObject(length: Int) throws {
        lexer.position = lexer.tokenOffset &- lexer.windowOffset &+ length &- 1
        _ = try next()
    }
}
