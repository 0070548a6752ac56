// The members of to-many relationships, for many owners at once.

#if PostgreSQL

    import CoreData
    import Foundation

    extension PostgreSQLStoreBackend {
        func members(
            of relationship: NSRelationshipDescription, owners: [NSManagedObjectID]
        ) throws -> [[NSManagedObjectID]] {
            guard let first = owners.first else { return [] }
            guard case .toMany(let toMany)? = try sqlEntity(first.entity).property(named: relationship.name) else {
                throw CoreDataError.make(
                    .persistentStoreOperation,
                    "'\(relationship.name)' of entity '\(first.entity.name ?? "")' is no stored to-many relationship.")
            }
            let space = space(of: toMany.destination)
            let fitting = Set(toMany.memberNumbers(schema))
            let statement = Self.statement(toMany)
            let found = try reading { connection in
                var found: [Int64: [NSManagedObjectID]] = [:]
                let result = try connection.execute(statement, [.integers(Set(owners.map(\.number)).sorted())])
                for row in 0..<result.rowCount {
                    guard let owner = try result.integer(row, 0), let key = try result.integer(row, 1) else { continue }
                    guard let entity = try result.text(row, 2).flatMap({ schema.entity(named: $0) }),
                        fitting.contains(Int64(entity.number))
                    else { continue }
                    found[owner, default: []].append(
                        NSManagedObjectID(entity: entity.description, space: space, number: key))
                }
                return found
            }
            return owners.map { found[$0.number] ?? [] }
        }

        /// Owner, member and the member's entity, in the members' order.
        private static func statement(_ relationship: SQLToMany) -> String {
            switch relationship.storage {
            case .foreignKey(let key):
                let order = key.orderColumn.map { "\($0) NULLS FIRST, " } ?? ""
                return "SELECT \(key.column), _id, _entity FROM \(key.table) WHERE \(key.column) = ANY ($1) "
                    + "ORDER BY \(key.column), \(order)_id"
            case .joinTable(let join):
                let columns = [(join.ownerColumn, join.memberColumn), (join.memberColumn, join.ownerColumn)]
                // A pair of a reflexive relationship stands in the table once, in either direction.
                let pairs = columns.prefix(join.isReflexive ? 2 : 1).map { owner, member in
                    "SELECT \(owner) AS owner, \(member) AS member, \(join.orderColumn ?? "0") AS position "
                        + "FROM \(join.table) WHERE \(owner) = ANY ($1)"
                }
                return "SELECT p.owner, p.member, t._entity FROM (\(pairs.joined(separator: " UNION "))) AS p "
                    + "JOIN \(relationship.destination.table) AS t ON t._id = p.member "
                    + "ORDER BY p.owner, p.position NULLS FIRST, p.member"
            }
        }
    }

#endif
