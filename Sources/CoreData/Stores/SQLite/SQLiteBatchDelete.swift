// A batch deletion: first everything that cascade rules take along is found, then the rows go, then what pointed at them is
// cleared. What mustn't be cleared, and what denies the deletion, shows by what is left.

import Foundation
import GRDB

struct SQLiteBatchDelete {
    private let batch: SQLiteBatch
    private var store: SQLiteStoreBackend { batch.store }

    init(batch: SQLiteBatch) { self.batch = batch }

    /// The rows to delete of one entity.
    private struct Group {
        let plan: EntityPlan
        var keys: [Int64] = []
    }

    func run(_ ids: [NSManagedObjectID]) throws -> SQLiteBatch.Done {
        let groups = try closure(of: ids)
        let denied = try deniedDestinations(groups)
        var deletions: [HistoryWriter.Change] = []
        for group in groups {
            let kept = try batch.history?.tombstones(of: group.plan, keys: group.keys) ?? []
            deletions.append(
                HistoryWriter.Change(
                    kind: .deletion, entityNumber: group.plan.entity.number, keys: group.keys, details: kept))
            try deleteRows(group)
        }
        try checkDenied(denied)
        var cleared: [NSManagedObjectID: Set<String>] = [:]
        for group in groups { try clearReferences(to: group, &cleared) }
        return SQLiteBatch.Done(ids: ids, history: batch.updates(cleared) + deletions)
    }

    // MARK: What goes

    /// The rows and all that cascade rules add to them, by entity number.
    private func closure(of ids: [NSManagedObjectID]) throws -> [Group] {
        var groups: [Int: Group] = [:]
        var seen: Set<RowKey> = []
        var next = ids
        while !next.isEmpty {
            let new = Dictionary(grouping: next.filter { seen.insert($0.key).inserted }) { ObjectIdentifier($0.entity) }
            next = []
            for members in new.values {
                guard let first = members.first else { continue }
                let plan = try store.plan(of: first.entity)
                let keys = members.map(\.number)
                groups[plan.entity.number, default: Group(plan: plan)].keys += keys
                for relationship in plan.relationships where relationship.description.deleteRule == .cascadeDeleteRule {
                    next += try destinations(of: relationship, keys, plan)
                }
            }
        }
        return groups.keys.sorted().compactMap { groups[$0].map { Group(plan: $0.plan, keys: $0.keys.sorted()) } }
    }

    private func destinations(
        of relationship: EntityPlan.Relationship, _ keys: [Int64], _ plan: EntityPlan
    ) throws -> [NSManagedObjectID] {
        let space = store.space(of: relationship.destination)
        var ids: [NSManagedObjectID] = []
        for chunk in KeyChunks(keys) {
            let statement = try RowStatement(
                batch.db, relationship.destinations(of: plan.entity, marks: chunk.marks))
            try chunk.bind(to: statement)
            while try statement.step() {
                // A row of an entity that the store's configuration doesn't have is nobody's here.
                guard let entity = store.schema.entity(numbered: Int(statement.integer(at: 1))) else { continue }
                ids.append(
                    NSManagedObjectID(entity: entity.description, space: space, number: statement.integer(at: 0)))
            }
        }
        return ids
    }

    private func deleteRows(_ group: Group) throws {
        try batch.release(group.plan, group.plan.fields, keys: group.keys)
        for chunk in KeyChunks(group.keys) {
            try run("DELETE FROM \(group.plan.entity.table) WHERE Z_PK IN (\(chunk.marks))", chunk)
        }
    }

    private func run(_ sql: String, _ chunk: KeyChunks.Chunk) throws {
        let statement = try RowStatement(batch.db, sql)
        try chunk.bind(to: statement)
        try statement.run()
    }

    // MARK: What denies

    private typealias Denial = (relationship: NSRelationshipDescription, destinations: [NSManagedObjectID])

    private func deniedDestinations(_ groups: [Group]) throws -> [Denial] {
        var denials: [Denial] = []
        for group in groups {
            for relationship in group.plan.relationships where relationship.description.deleteRule == .denyDeleteRule {
                denials.append(
                    (relationship.description, try destinations(of: relationship, group.keys, group.plan)))
            }
        }
        return denials
    }

    /// A rule denies as long as something at the other end is left.
    private func checkDenied(_ denials: [Denial]) throws {
        for (relationship, destinations) in denials {
            guard let left = try store.rows(withIDs: destinations, batch.db).first else { continue }
            throw CoreDataError.make(
                .validationRelationshipDeniedDelete,
                "A batch deletion is denied by '\(relationship.name)' of entity '\(relationship.entity.name ?? "")': "
                    + "\(left.objectID) is still there. Nothing has been deleted. Delete the destinations first.",
                userInfo: [NSValidationKeyErrorKey: relationship.name])
        }
    }

    // MARK: What pointed there

    /// Clears what pointed at deleted rows, and adds the rows that did, with the names of their relationships.
    private func clearReferences(to group: Group, _ cleared: inout [NSManagedObjectID: Set<String>]) throws {
        for relationship in group.plan.relationships {
            switch relationship.storage {
            case .toMany(let toMany):
                switch toMany.storage {
                case .joinTable(let join): try deletePairs(join, group.keys)
                case .foreignKey(let key):
                    try clear(
                        relationship, group.keys, table: key.table, column: key.column,
                        others: [key.entityColumn, key.orderColumn], &cleared)
                }
            case .toOne:
                // The inverse of a one-to-one has a column of its own; that of a one-to-many has none.
                guard let inverse = relationship.description.inverseRelationship,
                    case .toOne(let column)? = relationship.destination.property(named: inverse.name)
                else { continue }
                try clear(
                    relationship, group.keys, table: relationship.destination.table, column: column.column,
                    others: [column.entityColumn], &cleared)
            }
        }
    }

    private func deletePairs(_ join: SQLJoin, _ keys: [Int64]) throws {
        for chunk in KeyChunks(keys) {
            try run("DELETE FROM \(join.table) WHERE \(join.ownerColumn) IN (\(chunk.marks))", chunk)
            if join.isReflexive {
                try run("DELETE FROM \(join.table) WHERE \(join.memberColumn) IN (\(chunk.marks))", chunk)
            }
        }
    }

    private func clear(
        _ relationship: EntityPlan.Relationship, _ keys: [Int64], table: String, column: String, others: [String?],
        _ cleared: inout [NSManagedObjectID: Set<String>]
    ) throws {
        guard relationship.description.deleteRule != .noActionDeleteRule else { return }
        let inverse = relationship.description.inverseRelationship
        let space = store.space(of: relationship.destination)
        var entities = EntityLookup(schema: store.schema)
        let emptied = ([column] + others.compactMap { $0 }).map { "\($0) = NULL" }.joined(separator: ", ")
        var ids: [NSManagedObjectID] = []
        for chunk in KeyChunks(keys) {
            let statement = try RowStatement(
                batch.db,
                "UPDATE \(table) SET \(emptied), \(RowVersion.countingUp) WHERE \(column) IN (\(chunk.marks)) "
                    + "RETURNING Z_PK, Z_ENT")
            try chunk.bind(to: statement)
            while try statement.step() {
                guard let entity = entities.entity(numbered: statement.integer(at: 1)) else { continue }
                ids.append(NSManagedObjectID(entity: entity, space: space, number: statement.integer(at: 0)))
            }
        }
        if let inverse, !inverse.isOptional, let first = ids.first {
            throw CoreDataError.make(
                .persistentStoreSave,
                "A batch deletion would leave the mandatory relationship '\(inverse.name)' of \(first) empty. Nothing has "
                    + "been deleted. Delete those objects first, or let '\(relationship.description.name)' cascade.",
                userInfo: [NSValidationKeyErrorKey: inverse.name])
        }
        for id in ids { cleared[id, default: []].formUnion(inverse.map { [$0.name] } ?? []) }
    }
}

extension EntityPlan {
    /// A stored relationship of either kind.
    struct Relationship {
        enum Storage {
            case toOne(SQLToOne)
            case toMany(SQLToMany)
        }

        let storage: Storage

        var description: NSRelationshipDescription {
            switch storage {
            case .toOne(let toOne): toOne.description
            case .toMany(let toMany): toMany.description
            }
        }

        var destination: SQLEntity {
            switch storage {
            case .toOne(let toOne): toOne.destination
            case .toMany(let toMany): toMany.destination
            }
        }

        /// Selects key and entity number of what is at the other end for some owners.
        func destinations(of owner: SQLEntity, marks: String) -> String {
            let table = destination.table
            switch storage {
            case .toOne(let toOne):
                return
                    "SELECT d.Z_PK, d.Z_ENT FROM \(owner.table) AS o JOIN \(table) AS d ON d.Z_PK = o.\(toOne.column) "
                    + "WHERE o.Z_PK IN (\(marks))"
            case .toMany(let toMany):
                switch toMany.storage {
                case .foreignKey(let key):
                    return "SELECT Z_PK, Z_ENT FROM \(key.table) WHERE \(key.column) IN (\(marks))"
                case .joinTable(let join):
                    let forward = pairs(join.ownerColumn, join.memberColumn, join, marks)
                    if !join.isReflexive { return forward }
                    return "\(forward) UNION \(pairs(join.memberColumn, join.ownerColumn, join, marks))"
                }
            }
        }

        private func pairs(_ owner: String, _ member: String, _ join: SQLJoin, _ marks: String) -> String {
            "SELECT d.Z_PK, d.Z_ENT FROM \(join.table) AS j JOIN \(destination.table) AS d ON d.Z_PK = j.\(member) "
                + "WHERE j.\(owner) IN (\(marks))"
        }
    }

    /// The stored relationships in the order of the slots.
    var relationships: [Relationship] {
        description.layout.slots.compactMap { slot in
            guard slot.isRelationship, !slot.isTransient else { return nil }
            switch entity.property(named: slot.name) {
            case .toOne(let toOne): return Relationship(storage: .toOne(toOne))
            case .toMany(let toMany): return Relationship(storage: .toMany(toMany))
            case .attribute, nil: return nil
            }
        }
    }
}
