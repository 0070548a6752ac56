// A batch deletion: first everything that cascade rules take along is found, then the rows go, and what points at them is
// cleared. What mustn't be cleared, and what denies the deletion, shows by what is left.

import Foundation

/// What a store does of a batch deletion.
package protocol BatchDeletionWriter {
    /// Whether what points at rows is cleared before they go, because the database clears it by itself otherwise.
    var clearsFirst: Bool { get }

    func plan(of entity: NSEntityDescription) throws -> EntityPlan

    /// What is at the other end of a relationship for some owners.
    func destinations(
        of relationship: EntityPlan.Relationship, _ keys: [Int64], _ plan: EntityPlan
    ) throws -> [NSManagedObjectID]

    func delete(_ group: BatchDeletion.Group) throws

    func deletePairs(_ join: SQLJoin, _ keys: [Int64]) throws

    /// Empties columns of the rows that have one of some keys in the first one.
    ///
    /// - Returns: The rows.
    func clear(_ columns: [String], of destination: SQLEntity, table: String, keys: [Int64]) throws
        -> [NSManagedObjectID]

    /// One of some rows that is there; nil where none is.
    func remaining(_ ids: [NSManagedObjectID]) throws -> NSManagedObjectID?
}

/// The deletion of rows by the rules of their relationships.
package struct BatchDeletion {
    private let writer: any BatchDeletionWriter

    package init(_ writer: any BatchDeletionWriter) { self.writer = writer }

    /// The rows to delete of one entity.
    package struct Group {
        package let plan: EntityPlan
        package var keys: [Int64] = []
    }

    /// Deletes rows.
    ///
    /// - Returns: Those that pointed at one, with the names of their relationships.
    /// - Throws: `CocoaError` where a rule denies it, or a mandatory relationship would be empty.
    package func run(_ ids: [NSManagedObjectID]) throws -> [NSManagedObjectID: Set<String>] {
        let (groups, gone) = try closure(of: ids)
        let denied = try deniedDestinations(groups)
        var cleared: [NSManagedObjectID: Set<String>] = [:]
        func clear() throws { for group in groups { try clearReferences(to: group, gone, &cleared) } }
        if writer.clearsFirst { try clear() }
        for group in groups { try writer.delete(group) }
        try checkDenied(denied)
        if !writer.clearsFirst { try clear() }
        return cleared
    }

    // MARK: What goes

    /// The rows and all that cascade rules add to them, by entity number.
    private func closure(of ids: [NSManagedObjectID]) throws -> (groups: [Group], keys: Set<RowKey>) {
        var groups: [Int: Group] = [:]
        var seen: Set<RowKey> = []
        var next = ids
        while !next.isEmpty {
            let new = Dictionary(grouping: next.filter { seen.insert($0.key).inserted }) { ObjectIdentifier($0.entity) }
            next = []
            for members in new.values {
                guard let first = members.first else { continue }
                let plan = try writer.plan(of: first.entity)
                let keys = members.map(\.number)
                groups[plan.entity.number, default: Group(plan: plan)].keys += keys
                for relationship in plan.relationships where relationship.description.deleteRule == .cascadeDeleteRule {
                    next += try writer.destinations(of: relationship, keys, plan)
                }
            }
        }
        let sorted = groups.keys.sorted().compactMap {
            groups[$0].map { Group(plan: $0.plan, keys: $0.keys.sorted()) }
        }
        return (sorted, seen)
    }

    // MARK: What denies

    private typealias Denial = (relationship: NSRelationshipDescription, destinations: [NSManagedObjectID])

    private func deniedDestinations(_ groups: [Group]) throws -> [Denial] {
        var denials: [Denial] = []
        for group in groups {
            for relationship in group.plan.relationships where relationship.description.deleteRule == .denyDeleteRule {
                denials.append(
                    (relationship.description, try writer.destinations(of: relationship, group.keys, group.plan)))
            }
        }
        return denials
    }

    /// A rule denies as long as something at the other end is left.
    private func checkDenied(_ denials: [Denial]) throws {
        for (relationship, destinations) in denials {
            guard let left = try writer.remaining(destinations) else { continue }
            throw CoreDataError.make(
                .validationRelationshipDeniedDelete,
                "A batch deletion is denied by '\(relationship.name)' of entity '\(relationship.entity.name ?? "")': "
                    + "\(left) is still there. Nothing has been deleted. Delete the destinations first.",
                userInfo: [NSValidationKeyErrorKey: relationship.name])
        }
    }

    // MARK: What pointed there

    /// Clears what pointed at deleted rows, and adds the rows that did, with the names of their relationships.
    private func clearReferences(
        to group: Group, _ gone: Set<RowKey>, _ cleared: inout [NSManagedObjectID: Set<String>]
    ) throws {
        for relationship in group.plan.relationships {
            let leavesInverse = relationship.description.deleteRule == .noActionDeleteRule
            switch relationship.storage {
            case .toMany(let toMany):
                switch toMany.storage {
                case .joinTable(let join): try writer.deletePairs(join, group.keys)
                case .foreignKey(let key):
                    // Without an inverse the column is the deleted row's own.
                    if leavesInverse, key.hasInverse { continue }
                    try clear(
                        relationship, group.keys, table: key.table, [key.column, key.entityColumn, key.orderColumn],
                        gone, &cleared)
                }
            case .toOne:
                // The inverse of a one-to-one has a column of its own; that of a one-to-many has none.
                guard !leavesInverse, let inverse = relationship.description.inverseRelationship,
                    case .toOne(let column)? = relationship.destination.property(named: inverse.name)
                else { continue }
                try clear(
                    relationship, group.keys, table: relationship.destination.table,
                    [column.column, column.entityColumn], gone, &cleared)
            }
        }
    }

    private func clear(
        _ relationship: EntityPlan.Relationship, _ keys: [Int64], table: String, _ columns: [String?],
        _ gone: Set<RowKey>, _ cleared: inout [NSManagedObjectID: Set<String>]
    ) throws {
        let inverse = relationship.description.keptInverse
        let ids = try writer.clear(
            columns.compactMap { $0 }, of: relationship.destination, table: table, keys: keys
        ).filter { !gone.contains($0.key) }
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
