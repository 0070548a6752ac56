// What identifies a row of a snapshot: the values of attributes, and, where to-one relationships belong to the identity, the rows
// that these lead to. The index finds such rows; those that attributes alone identify are in the snapshot's own.

extension GraphSnapshot {
    /// Whether a row has all that identifies it.
    func isIdentified(_ reference: RowReference) -> Bool {
        let entity = schema.entities[reference.entity]
        if !entity.relatedIdentity.isEmpty { return isIdentifiedWithOwners(reference, 0) }
        if entity.isByRow == true { return !tables[reference.entity].rowName(reference.row).isNull }
        for number in entity.identity
        where tables[reference.entity].value(entity.properties[number].column, row: reference.row).isNull {
            return false
        }
        return !entity.identity.isEmpty
    }

    private func isIdentifiedWithOwners(_ reference: RowReference, _ depth: Int) -> Bool {
        let entity = schema.entities[reference.entity]
        if entity.relatedIdentity.isEmpty { return isIdentified(reference) }
        guard depth < GraphSchema.maximumOwnerDepth else { return false }
        var hasPart = false
        for part in entity.relatedIdentity {
            let property = entity.properties[part]
            if property.isAttribute {
                if tables[reference.entity].value(property.column, row: reference.row).isNull { return false }
                hasPart = true
            } else if let owner = owner(of: reference, property) {
                guard isIdentifiedWithOwners(owner, depth + 1) else { return false }
                hasPart = true
            }
        }
        return hasPart
    }

    /// The values of a row's identifying attributes.
    func identity(of reference: RowReference) -> [GraphValue] {
        let entity = schema.entities[reference.entity]
        if entity.isByRow == true { return [tables[reference.entity].rowName(reference.row)] }
        return entity.identityAttributes.map {
            tables[reference.entity].value(entity.properties[$0].column, row: reference.row)
        }
    }

    /// The key of a row by its identity; nil for one that has none.
    func identityKey(of reference: RowReference) -> ObjectKey? {
        isIdentified(reference) ? knownIdentityKey(of: reference) : nil
    }

    /// The key of a row that has all that identifies it.
    private func knownIdentityKey(of reference: RowReference) -> ObjectKey {
        let entity = schema.entities[reference.entity]
        var key = ObjectKey(entity.name, identity(of: reference))
        key.isRow = entity.isByRow == true
        for part in entity.relatedIdentity where !entity.properties[part].isAttribute {
            key.owners.append(owner(of: reference, entity.properties[part]).map { knownIdentityKey(of: $0) })
        }
        return key
    }

    private func owner(of reference: RowReference, _ property: GraphSchema.Property) -> RowReference? {
        let owner = tables[reference.entity].toOne(property.column, row: reference.row)
        return owner.isNone ? nil : resolved(owner)
    }

    /// The rows that a relationship leads to, in its order.
    func destinations(of reference: RowReference, _ property: GraphSchema.Property) -> [RowReference] {
        guard property.isToMany else { return owner(of: reference, property).map { [$0] } ?? [] }
        let range = tables[reference.entity].toMany(property.column, row: reference.row)
        return range.indices.map { resolved(members[$0]) }
    }

    /// The same rows, each in its first place.
    func uniqueDestinations(of reference: RowReference, _ property: GraphSchema.Property) -> [RowReference] {
        MembersComparison.unique(destinations(of: reference, property))
    }

    /// Some rows and all that they own.
    func owned(by rows: [RowReference]) -> Set<RowReference> {
        var open = rows
        var owned = Set(rows)
        while let row = open.popLast() {
            for property in schema.entities[row.entity].properties where property.isOwning {
                for end in destinations(of: row, property) where owned.insert(end).inserted { open.append(end) }
            }
        }
        return owned
    }

    /// The value of an attribute of a row.
    func value(_ property: GraphSchema.Property, of reference: RowReference) -> GraphValue {
        tables[reference.entity].value(property.column, row: reference.row)
    }

    /// The rows of all objects.
    var allRows: [RowReference] {
        tables.indices.flatMap { entity in liveRows(of: entity).map { RowReference(entity: entity, row: $0) } }
    }

    /// The rows of the objects that the snapshot is about.
    var rootReferences: [RowReference] { roots.map(resolved) }

    /// The rows whose identity includes relationships and is there, each after those that it hangs on.
    func rowsIdentifiedByOwners() -> [RowReference] {
        guard schema.hasRelatedIdentities else { return [] }
        var levels: [[RowReference]] = []
        for entity in schema.entities.indices where !schema.entities[entity].relatedIdentity.isEmpty {
            for row in liveRows(of: entity) {
                let reference = RowReference(entity: entity, row: row)
                guard isIdentified(reference) else { continue }
                let level = ownerLevel(of: reference)
                while levels.count <= level { levels.append([]) }
                levels[level].append(reference)
            }
        }
        return Array(levels.joined())
    }

    private func ownerLevel(of reference: RowReference) -> Int {
        let entity = schema.entities[reference.entity]
        let owners = entity.relatedIdentity.compactMap { part in
            entity.properties[part].isAttribute ? nil : owner(of: reference, entity.properties[part])
        }
        return (owners.map { ownerLevel(of: $0) }.max() ?? -1) + 1
    }
}

extension [GraphSchema.Property] {
    /// Whether an object has all that identifies it: each attribute, and anything at all. That there is no owner identifies the others,
    /// as the root of a tree by its name.
    @inline(__always)
    func identify(by parts: [Int], isNull: (Int, GraphSchema.Property) throws -> Bool) rethrows -> Bool {
        var hasPart = false
        for part in parts {
            if try !isNull(part, self[part]) {
                hasPart = true
            } else if self[part].isAttribute {
                return false
            }
        }
        return hasPart
    }
}

extension GraphSchema {
    /// How many owners may stand above each other in identities. An object that hangs on itself has none.
    static let maximumOwnerDepth = 64

    /// Whether the owners in identities of an entity's objects may go on without end, as where one hangs on itself.
    ///
    /// - Complexity: O(*n*) in the entities and their owners, for each entity.
    func ownersMayLeadRound(from entity: Int) -> Bool {
        var level: Set<Int> = [entity]
        // A way that is longer than there are entities comes to one of them again.
        for _ in entities {
            if level.isEmpty { return false }
            level = level.reduce(into: []) { next, number in
                for part in entities[number].identityRelationships {
                    guard let destination = entities[number].properties[part].destination else { continue }
                    next.formUnion(destination..<entities[destination].end)
                }
            }
        }
        return !level.isEmpty
    }
}

extension GraphSchema.Entity {
    /// Whether anything identifies objects.
    var hasIdentity: Bool { !identity.isEmpty || !relatedIdentity.isEmpty || isByRow == true }

    /// The numbers of all properties that identify an object.
    var identityParts: [Int] { identity + relatedIdentity }

    /// The numbers of the attributes that identify an object, alone or with an owner.
    var identityAttributes: [Int] {
        relatedIdentity.isEmpty ? identity : relatedIdentity.filter { properties[$0].isAttribute }
    }

    /// The numbers of the to-one relationships that identify an object.
    var identityRelationships: [Int] { relatedIdentity.filter { !properties[$0].isAttribute } }

    /// The names of all properties that identify an object.
    var identityNames: [String] { identityParts.map { properties[$0].name } }
}

/// The rows of a snapshot by identities that include relationships.
struct RelatedIndex {
    private var rows: [GraphSnapshot.RelatedKey: [RowReference]] = [:]

    /// - Complexity: O(*n*) in the rows of entities with such identities; nothing for models without them.
    init(_ snapshot: GraphSnapshot) {
        for row in snapshot.rowsIdentifiedByOwners() { insert(row, snapshot) }
    }

    /// Enters a row.
    mutating func insert(_ row: RowReference, _ snapshot: GraphSnapshot) {
        guard !snapshot.schema.entities[row.entity].relatedIdentity.isEmpty, let key = snapshot.relatedKey(of: row)
        else {
            return
        }
        rows[key, default: []].append(row)
    }

    /// The rows with an identity, in the order in which they were entered.
    subscript(_ key: GraphSnapshot.RelatedKey) -> [RowReference] { rows[key] ?? [] }

    /// The row of an object of an entity or one of its sub-entities; nil where there is none, and for keys with a position.
    func row(of key: ObjectKey, in snapshot: GraphSnapshot) -> RowReference? {
        row(of: key, in: snapshot) { row(of: $0, in: snapshot) }
    }

    /// The row of an object whose owners someone else finds.
    func row(
        of key: ObjectKey, in snapshot: GraphSnapshot, owner: (ObjectKey) -> RowReference?
    ) -> RowReference? {
        guard key.position == nil, let number = snapshot.schema.number(ofEntity: key.entity) else { return nil }
        let entity = snapshot.schema.entities[number]
        if entity.relatedIdentity.isEmpty { return snapshot.row(of: key) }
        guard key.identity.count == entity.identityAttributes.count,
            key.owners.count == entity.identityRelationships.count
        else { return nil }
        var wanted = GraphSnapshot.RelatedKey(space: entity.identitySpace)
        wanted.values = key.identity.map { ExactValue($0) }
        for end in key.owners {
            guard let end else {
                wanted.owners.append(.none)
                continue
            }
            guard let row = owner(end) else { return nil }
            wanted.owners.append(row)
        }
        let found = self[wanted].map(snapshot.resolved)
        return found.first { $0.entity == number }
            ?? found.first { snapshot.schema.isEntity($0.entity, kindOf: number) }
    }
}
