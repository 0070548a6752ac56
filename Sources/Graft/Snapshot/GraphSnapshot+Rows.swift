// Looking at a snapshot: rows by entity, by identity and by reference, and their values by name.

extension GraphSnapshot {
    /// One object of a snapshot.
    public struct Row: Sendable {
        let snapshot: GraphSnapshot
        /// Where the object stands in the snapshot.
        package let reference: RowReference
    }

    /// The names of the entities that have rows, super-entities before sub-entities, else by name.
    public var entityNames: [String] {
        schema.entities.indices.filter { count(of: $0) > 0 }.map { schema.entities[$0].name }
    }

    /// The rows of an entity, without those of its sub-entities, in the order in which they appeared.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    public func rows(of entity: String) -> [Row] {
        guard let number = schema.number(ofEntity: entity) else { return [] }
        return liveRows(of: number).map { self[RowReference(entity: number, row: $0)] }
    }

    /// The objects that the text was about, in its order; one that occurred twice is here twice.
    public var rootRows: [Row] { roots.map { self[$0] } }

    /// The object that a reference leads to. The reference has to be one of this snapshot.
    package subscript(_ reference: RowReference) -> Row { Row(snapshot: self, reference: resolved(reference)) }

    /// The object of an entity or one of its sub-entities that has an identity; nil where there is none.
    ///
    /// - Parameters:
    ///   - entity: The entity's name.
    ///   - identity: The values of the identifying attributes, in the order of their declaration.
    /// - Complexity: O(1)
    public func row(of entity: String, identity: [GraphValue]) -> Row? {
        schema.number(ofEntity: entity).flatMap { row(of: $0, identity: identity) }.map { self[$0] }
    }

    /// Takes a row out. Nothing leads there any more.
    mutating func remove(_ row: RowReference) {
        let entity = schema.entities[row.entity]
        if let hash = identityHash(entity: row.entity, row: row.row, columns: entity.identityColumns) {
            indexes[entity.identitySpace].remove(row, hash: hash)
        }
        tables[row.entity].flags[row.row] = .dead
    }

    /// The numbers of the rows of an entity that stand for objects.
    func liveRows(of entity: Int) -> [Int] {
        (0..<tables[entity].count).filter { !tables[entity].flags[$0].contains(.dead) }
    }
}

extension GraphSnapshot.Row {
    /// The name of the entity.
    public var entityName: String { entity.name }

    /// The values of the identifying attributes; null where one is missing.
    public var identity: [GraphValue] { snapshot.identity(of: reference) }

    /// The value of an attribute: nil where the data says nothing of it, `.null` where it says that there is none.
    public subscript(_ attribute: String) -> GraphValue? {
        guard let number = number(of: attribute), case .attribute = entity.properties[number].kind else { return nil }
        return table.value(entity.properties[number].column, row: reference.row)
    }

    /// Whether the data says anything of a property, and be it null.
    public func has(_ property: String) -> Bool { number(of: property) != nil }

    /// The object at the other end of a to-one relationship; nil where there is none or the data says nothing of it.
    public func destination(of relationship: String) -> GraphSnapshot.Row? {
        guard let number = number(of: relationship), case .toOne = entity.properties[number].kind else { return nil }
        let end = table.toOne(entity.properties[number].column, row: reference.row)
        return end.isNone ? nil : snapshot[end]
    }

    /// The members of a to-many relationship in the order of the data; nil where the data says nothing of it.
    public func members(of relationship: String) -> [GraphSnapshot.Row]? {
        guard let number = number(of: relationship), case .toMany = entity.properties[number].kind else { return nil }
        let range = table.toMany(entity.properties[number].column, row: reference.row)
        return range.indices.map { snapshot[snapshot.members[$0]] }
    }

    private var entity: GraphSchema.Entity { snapshot.schema.entities[reference.entity] }
    private var table: SnapshotTable { snapshot.tables[reference.entity] }

    /// The number of a property of which the data says something.
    private func number(of property: String) -> Int? {
        entity.number(ofProperty: property).flatMap { table.hasValue($0, row: reference.row) ? $0 : nil }
    }
}
