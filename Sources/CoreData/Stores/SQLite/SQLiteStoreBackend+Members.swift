// The members of to-many relationships, for many owners at once.

import Foundation
import GRDB

extension SQLiteStoreBackend {
    func members(
        of relationship: NSRelationshipDescription, owners: [NSManagedObjectID]
    ) throws -> [[NSManagedObjectID]] {
        guard let first = owners.first else { return [] }
        guard case .toMany(let toMany)? = try sqlEntity(first.entity).property(named: relationship.name) else {
            throw CoreDataError.make(
                .persistentStoreOperation,
                "'\(relationship.name)' of entity '\(first.entity.name ?? "")' is no stored to-many relationship.")
        }
        var positions: [Int64: Int] = [:]
        for (position, owner) in owners.enumerated() where positions[owner.number] == nil {
            positions[owner.number] = position
        }
        var members = [[NSManagedObjectID]](repeating: [], count: owners.count)
        let sql = MembersSQL(toMany, isWholeTable: toMany.destination.isOnlyEntityOfTable)
        try reading { db in
            members = members.map { _ in [] }
            var kinds = KindLookup(self, table: toMany.destination)
            let fitting = Set(toMany.memberNumbers(schema))
            // The rows of an owner follow each other.
            var last: (key: Int64, position: Int)?
            for chunk in KeyChunks(positions.keys.sorted()) {
                let statement = try RowStatement(db, sql.text(owners: chunk.test))
                try chunk.bind(to: statement)
                while try statement.step() {
                    let key = statement.integer(at: 0)
                    if last?.key != key { last = positions[key].map { (key, $0) } }
                    guard let position = last?.position else { continue }
                    func place(_ what: String) -> String {
                        let owner = "\(owners[position].entity.name ?? "")/p\(key)"
                        return "\(what) of a member of '\(relationship.name)' of \(owner)"
                    }
                    let number = try statement.integer(at: 1, of: place("the key"))
                    guard
                        let kind = try memberKind(statement, toMany, &kinds, fitting, place: { place("Z_ENT") })
                    else { continue }
                    // A table without a primary key may have a pair twice.
                    if members[position].last?.number == number { continue }
                    members[position].append(NSManagedObjectID(kind, number: number))
                }
            }
        }
        try requireEachOnce(members, toMany)
        for (position, owner) in owners.enumerated() {
            if let first = positions[owner.number], first != position { members[position] = members[first] }
        }
        return members
    }
}

extension SQLiteStoreBackend {
    /// What the member is that a statement stands on; nil for a row that is nobody's member.
    ///
    /// - Throws: ``RowError`` for a row that can't be a member.
    private func memberKind(
        _ statement: RowStatement, _ relationship: SQLToMany, _ kinds: inout KindLookup, _ fitting: Set<Int64>,
        place: () -> String
    ) throws -> ObjectKind? {
        // A member that isn't there has no entity: whoever reads it finds out.
        if statement.storage(at: 2) == .null { return kinds.kind(ofEntity: Int64(relationship.destination.number)) }
        let number = try statement.integer(at: 2, of: place())
        let kind = kinds.kind(ofEntity: number)
        if let kind, fitting.contains(number) { return kind }
        // A row of an entity that the store's configuration doesn't have is nobody's here.
        if relationship.destination.otherEntityNumbers.contains(number) { return nil }
        // Nor is one that has something in a column that its entity doesn't have.
        if kind != nil, case .foreignKey = relationship.storage { return nil }
        throw RowError(
            place: place(), found: "\(number)\(kind.map { " ('\($0.entity.name ?? "")')" } ?? "")",
            expected: "'\(relationship.destination.name)' or a sub-entity")
    }

    /// - Throws: `CocoaError` for an order that has a member in two places, which a join table without a primary key may say.
    private func requireEachOnce(_ members: [[NSManagedObjectID]], _ relationship: SQLToMany) throws {
        guard case .joinTable(let join) = relationship.storage, let order = join.orderColumn else { return }
        for list in members where list.count > 2 {
            var seen: Set<Int64> = []
            guard let twice = list.first(where: { !seen.insert($0.number).inserted }) else { continue }
            throw errors.translated(
                RowError(
                    place: "\(join.table).\(order)",
                    found: "row \(twice.number) in several places of '\(relationship.description.name)'",
                    expected: "each member once"), .reading)
        }
    }
}

extension SQLToMany {
    /// The entity numbers of what can be a member.
    package func memberNumbers(_ schema: SQLSchema) -> [Int64] {
        // The members of an inherited relationship are those that have its inverse.
        let inverse = description.inverseRelationship.flatMap { schema.entity(for: $0.entity) }
        let others = inverse?.rootNumber == destination.rootNumber ? inverse?.hierarchyNumbers ?? [] : []
        return (destination.hierarchyNumbers + others).map(Int64.init)
    }
}

/// The SELECT for a relationship: owner, member and the member's entity number, in the members' order.
private struct MembersSQL {
    private let storage: SQLToMany.Storage
    private let destination: SQLEntity
    /// Every row of the members' table is of the destination entity, so that the table itself needn't be asked.
    private let isWholeTable: Bool

    init(_ relationship: SQLToMany, isWholeTable: Bool) {
        storage = relationship.storage
        destination = relationship.destination
        self.isWholeTable = isWholeTable
    }

    /// - Parameter owners: What the owner's key is compared with.
    func text(owners: String) -> String {
        switch storage {
        case .foreignKey(let key):
            let order = key.orderColumn.map { "\($0), " } ?? ""
            return "SELECT \(key.column), Z_PK, Z_ENT FROM \(key.table) WHERE \(key.column) \(owners) "
                + "ORDER BY \(key.column), \(order)Z_PK"
        case .joinTable(let join):
            return join.isReflexive ? reflexive(join, owners) : direct(join, owners)
        }
    }

    private func direct(_ join: SQLJoin, _ owners: String) -> String {
        let order = join.orderColumn.map { "j.\($0), " } ?? ""
        let (number, table) = entityNumber(ofKey: "j.\(join.memberColumn)")
        return "SELECT j.\(join.ownerColumn), j.\(join.memberColumn), \(number) FROM \(join.table) AS j\(table) "
            + "WHERE j.\(join.ownerColumn) \(owners) "
            + "ORDER BY j.\(join.ownerColumn), \(order)j.\(join.memberColumn)"
    }

    /// A pair stands in the table once, in either direction.
    private func reflexive(_ join: SQLJoin, _ owners: String) -> String {
        let order = join.orderColumn ?? "0"
        let (number, table) = entityNumber(ofKey: "p.member")
        let pairs = [(join.ownerColumn, join.memberColumn), (join.memberColumn, join.ownerColumn)].map {
            "SELECT \($0.0) AS owner, \($0.1) AS member, \(order) AS position FROM \(join.table) "
                + "WHERE \($0.0) \(owners)"
        }
        return "SELECT p.owner, p.member, \(number) FROM (\(pairs.joined(separator: " UNION "))) AS p\(table) "
            + "ORDER BY p.owner, p.position, p.member"
    }

    private func entityNumber(ofKey key: String) -> (number: String, join: String) {
        if isWholeTable { return ("\(destination.number)", "") }
        return ("t.Z_ENT", " LEFT JOIN \(destination.table) AS t ON t.Z_PK = \(key)")
    }
}

extension SQLEntity {
    /// Whether the table has rows of this entity alone.
    fileprivate var isOnlyEntityOfTable: Bool { isRoot && !hasSubentities && !tableHasOtherEntities }
}
