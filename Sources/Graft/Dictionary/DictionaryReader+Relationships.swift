// What dictionaries have in relationships: nested dictionaries, references by number, and the identities of objects alone.

import CoreData

extension DictionaryReader {
    mutating func readRelationship(
        _ value: Any, _ number: Int, _ property: GraphSchema.Property, _ node: Int, isExact: Bool = false
    ) throws {
        if !property.isToMany {
            let isNull = DictionaryValue.isNull(value)
            let member = isNull ? nil : try readMember(value, number, property, node, index: nil, isNew: isExact)
            nodes[node].hasLinks = true
            toOnes.append(ToOne(owner: node, property: number, member: member, isExact: isExact))
            return
        }
        try readLink(value, number, property, node, .standard)
    }

    /// Reads members of a to-many relationship.
    mutating func readLink(
        _ value: Any, _ number: Int, _ property: GraphSchema.Property, _ node: Int, _ mode: Link.Mode
    ) throws {
        var link = Link(owner: node, property: number, members: [], mode: mode)
        if let elements = DictionaryValue.elements(value) {
            for (index, element) in elements.enumerated() where !DictionaryValue.isNull(element) {
                link.members.append(
                    try readMember(element, number, property, node, index: index, isNew: mode == .exact))
            }
        } else if DictionaryValue.isNull(value) {
            link.mode = .clear
        } else {
            throw misfit(value, "a collection of objects", to: property, place(of: node, number))
        }
        // Who led here by the inverse is a member, although the dictionary leaves it out.
        if mode == .standard, nodes[node].inverse == number { link.members.append(.node(nodes[node].parent)) }
        nodes[node].hasLinks = true
        links.append(link)
    }

    private mutating func readMember(
        _ value: Any, _ number: Int, _ property: GraphSchema.Property, _ node: Int, index: Int?, isNew: Bool
    ) throws -> Member {
        let destination = property.destination ?? 0
        guard let dictionary = value as? [String: Any] else {
            if let row = try readIdentifier(value, of: destination, number, node, index) { return .row(row) }
            throw misfit(value, "an object", to: property, place(of: node, number, index: index))
        }
        if let reference = Self.number(dictionary[DictionaryKey.reference]) { return .reference(reference) }
        nodes.append(
            Node(
                dictionary: dictionary, entity: destination, parent: node, root: nodes[node].root, isNew: isNew,
                key: property.name, index: index, inverse: property.inverse))
        return .node(nodes.count - 1)
    }

    /// The row of an object that is named by its identity; nil where that can't be.
    private mutating func readIdentifier(
        _ value: Any, of entity: Int, _ property: Int, _ node: Int, _ index: Int?
    ) throws -> RowReference? {
        let plan = schema.entities[entity]
        guard findsObjects, plan.identity.count == 1, DictionaryValue.elements(value) == nil
        else {
            return nil
        }
        do {
            let identity = try self.value(of: value, entity, plan.identity[0])
            return snapshot.row(
                withIdentity: identity, property: plan.identity[0], column: plan.identityColumns[0], entity: entity,
                space: plan.identitySpace, offset: node)
        } catch let error as GraftError {
            throw error.located(in: place(of: node, property, index: index))
        }
    }

    func misfit(
        _ value: Any, _ expected: String, to property: GraphSchema.Property, _ place: GraftError.Place
    ) -> GraftError {
        let destination = schema.entities[property.destination ?? 0].name
        return misfit(value, "\(expected) for the relationship to \(destination)", place)
    }

    /// The row that a member of a relationship stands for.
    ///
    /// - Throws: ``GraftError`` with `unresolvedReference` for a number that no object has.
    func row(of member: Member, _ owner: Int, _ property: Int) throws -> RowReference {
        switch member {
        case .node(let number): return snapshot.resolved(rows[number])
        case .row(let row): return snapshot.resolved(row)
        case .reference(let number):
            let destination = schema.entities[nodes[owner].entity].properties[property].destination
            return try self.row(numbered: number, nodes[owner].root, entity: destination, place(of: owner, property))
        }
    }

    /// The members of all lists, which the snapshot doesn't have, and what stands in those in which all is new.
    ///
    /// - Throws: As ``row(of:_:_:)``.
    func memberRows() throws -> Set<RowReference> {
        var found: Set<RowReference> = []
        for (node, row) in zip(nodes, rows) where node.isNew { found.insert(snapshot.resolved(row)) }
        for link in links {
            for member in link.members { found.insert(try row(of: member, link.owner, link.property)) }
        }
        return found
    }

    /// The row of the object with a number: in the same dictionary at the top, or in the only other one that has it.
    ///
    /// - Parameter entity: What it has to be an object of; nil for any.
    func row(
        numbered number: Int, _ root: Int, entity: Int?, _ place: @autoclosure () -> GraftError.Place
    ) throws -> RowReference {
        var name: String { entity.map { schema.entities[$0].name } ?? "an object" }
        guard let node = numbered[root]?[number] ?? onlyNode(numbered: number) else {
            throw GraftError(
                .unresolvedReference(entity: name, identity: "\(DictionaryKey.reference) \(number)"), at: place())
        }
        let row = snapshot.resolved(rows[node])
        guard let entity, !schema.isEntity(row.entity, kindOf: entity) else { return row }
        throw GraftError(
            .wrongType(found: "an object of \(schema.entities[row.entity].name)", expected: "one of \(name)"),
            at: place())
    }

    /// The node with a number; nil where several dictionaries at the top have it.
    private func onlyNode(numbered number: Int) -> Int? {
        guard let nodes = numberedAnywhere[number], nodes.count == 1 else { return nil }
        return nodes[0]
    }

    /// Forgets what was read of a property of a row.
    mutating func leaveOut(_ number: Int, of row: RowReference) {
        let property = schema.entities[row.entity].properties[number]
        if property.isAttribute { snapshot.tables[row.entity].setValue(.null, property.column, row: row.row) }
        snapshot.tables[row.entity].markAbsent(number, row: row.row)
    }
}
