// One save's statements, inside its transaction. The rows of an entity share statements: deletions, then changes, then what new
// links lead to, insertions, and the links themselves. Constraints are looked at when all of it is written.

#if PostgreSQL

    import CoreData
    import Foundation

    /// The writing of one save.
    struct PostgreSQLSave {
        private let changes: StoreChanges
        private let store: PostgreSQLStoreBackend
        private let connection: PostgreSQLConnection

        init(_ changes: StoreChanges, store: PostgreSQLStoreBackend, connection: PostgreSQLConnection) {
            self.changes = changes
            self.store = store
            self.connection = connection
        }

        /// - Parameter keepsHistory: Whether what is written has to be told.
        /// - Returns: What the history has to say.
        /// - Throws: ``StoreConflict``, ``StoreUniquenessConflict`` or the failure of a statement. The caller rolls back.
        func write(keepsHistory: Bool) throws -> [PostgreSQLHistoryChange] {
            let deleted = try groups(changes.deleted)
            let updated = try groups(changes.updated)
            let inserted = try groups(changes.inserted)
            try connection.execute("SET CONSTRAINTS ALL DEFERRED")
            var conflicts: [Expected] = []
            var deletions: [PostgreSQLHistoryChange] = []
            for group in deleted {
                let (missing, tombstones) = try delete(group, keepsTombstones: keepsHistory)
                conflicts += missing
                deletions.append(group.historyChange(.delete, tombstones: tombstones))
            }
            conflicts += try updated.flatMap(update)
            conflicts += try missingLinks() + changedWatched()
            if !conflicts.isEmpty { throw try conflict(conflicts) }
            for group in inserted { try Self.insert(group.changes, group.plan, connection) }
            let links = RelationChanges { store.space(of: $0) }
            for group in updated { try links.collect(updated: group.changes, group.plan) }
            for group in inserted { try links.collect(inserted: group.changes, group.plan) }
            try links.write(connection)
            try checkConstraints()
            if !keepsHistory { return [] }
            return inserted.map { $0.historyChange(.insert) }
                + updated.map { $0.historyChange(.update, properties: $0.changedProperties) } + deletions
        }

        private typealias Expected = (id: NSManagedObjectID, version: Int64)

        private func groups(_ changes: [RowChange]) throws -> [SaveGroup] {
            try SaveGroup.groups(of: changes) { store.plan(of: try store.sqlEntity($0)) }
        }

        // MARK: Rows

        static func insert(_ changes: [RowChange], _ plan: EntityPlan, _ connection: PostgreSQLConnection) throws {
            let fields = plan.fields.filter { !$0.isDerived }
            let columns = (["_id", "_entity"] + fields.map(\.column)).joined(separator: ", ")
            for rows in changes.chunks(columns: fields.count + 2) {
                let parameters = try rows.flatMap { change in
                    try [.integer(change.objectID.number), .text(plan.entity.name)]
                        + fields.map {
                            try PostgreSQLRows.parameter(change.values[$0.slot], of: $0, row: change.objectID)
                        }
                }
                try connection.execute(
                    "INSERT INTO \(plan.entity.table) (\(columns)) VALUES \(Self.marks(rows.count, fields.count + 2))",
                    parameters)
            }
        }

        /// - Returns: Those that have another version now, or aren't there.
        private func update(_ group: SaveGroup) throws -> [Expected] {
            var conflicts: [Expected] = []
            let bySlots = Dictionary(grouping: group.changes, by: \.changed)
            // In the same order each time: rows that two saves change don't meet crosswise.
            for changes in bySlots.values.sorted(by: { $0[0].objectID.number < $1[0].objectID.number }) {
                let fields = group.plan.fields(of: changes[0].changed)
                let assignments =
                    fields.enumerated().map { "\($1.column) = v.c\($0)" } + ["_version = t._version + 1"]
                let names = ["id", "version"] + fields.indices.map { "c\($0)" }
                for rows in changes.chunks(columns: names.count) {
                    let parameters = try rows.flatMap { change in
                        try [.integer(change.objectID.number), .integer(change.version)]
                            + fields.map {
                                try PostgreSQLRows.parameter(change.values[$0.slot], of: $0, row: change.objectID)
                            }
                    }
                    let result = try connection.execute(
                        "UPDATE \(group.plan.entity.table) AS t SET \(assignments.joined(separator: ", ")) "
                            + "FROM (VALUES \(Self.marks(rows.count, names.count))) AS v(\(names.joined(separator: ", "))) "
                            + "WHERE t._id = v.id AND t._version = v.version RETURNING t._id", parameters)
                    conflicts += try missing(Array(rows), in: result)
                }
            }
            return conflicts
        }

        /// Rows that belong to the deleted ones go with them, by the tables' rules.
        ///
        /// - Returns: As ``update(_:)``, and what is kept of the rows, parallel to the keys.
        private func delete(
            _ group: SaveGroup, keepsTombstones: Bool
        ) throws -> (missing: [Expected], tombstones: [Data?]) {
            let fields = keepsTombstones ? Tombstone.fields(of: group.plan) : []
            let columns = (["_id"] + fields.map(\.column)).map { "t.\($0)" }.joined(separator: ", ")
            let result = try connection.execute(
                "DELETE FROM \(group.plan.entity.table) AS t USING unnest($1, $2) AS v(id, version) "
                    + "WHERE t._id = v.id AND t._version = v.version RETURNING \(columns)",
                [.integers(group.keys), .integers(group.changes.map(\.version))])
            let missing = try missing(group.changes, in: result)
            if fields.isEmpty { return (missing, []) }
            var kept: [Int64: Data] = [:]
            for row in 0..<result.rowCount {
                guard let key = try result.integer(row, 0) else { continue }
                kept[key] = try PostgreSQLTombstone.data(fields, result, row, firstColumn: 1)
            }
            return (missing, group.keys.map { kept[$0] })
        }

        private func missing(_ changes: [RowChange], in result: PostgreSQLResult) throws -> [Expected] {
            if result.rowCount == changes.count { return [] }
            let touched = Set(try (0..<result.rowCount).compactMap { try result.integer($0, 0) })
            return changes.filter { !touched.contains($0.objectID.number) }.map { ($0.objectID, $0.version) }
        }

        /// `($1, $2), ($3, $4)`
        static func marks(_ rows: Int, _ columns: Int) -> String {
            (0..<rows).map { row in
                "(" + (1...columns).map { "$\(row * columns + $0)" }.joined(separator: ", ") + ")"
            }.joined(separator: ", ")
        }

        // MARK: Conflicts

        /// What new links lead to stays until the save is over.
        private func missingLinks() throws -> [Expected] {
            guard !changes.linked.isEmpty else { return [] }
            let there = try store.rows(withIDs: changes.linked, slots: [], connection, lock: "FOR KEY SHARE")
            let keys = Set(there.map(\.objectID.key))
            return changes.linked.filter { !keys.contains($0.key) }.map { ($0, 0) }
        }

        private func changedWatched() throws -> [Expected] {
            guard !changes.watched.isEmpty else { return [] }
            var versions: [RowKey: Int64] = [:]
            let ids = changes.watched.map(\.objectID)
            for row in try store.rows(withIDs: ids, slots: [], connection, lock: "FOR SHARE") {
                versions[row.objectID.key] = row.version
            }
            return changes.watched.filter { versions[$0.objectID.key] != $0.version }.map {
                ($0.objectID, $0.version)
            }
        }

        private func conflict(_ rows: [Expected]) throws -> StoreConflict {
            var found: [RowKey: StoreRow] = [:]
            for row in try store.rows(withIDs: rows.map(\.id), slots: nil, connection) { found[row.objectID.key] = row }
            return StoreConflict(
                rows: rows.map {
                    StoreConflict.Row(objectID: $0.id, expectedVersion: $0.version, found: found[$0.id.key])
                })
        }

        /// Has the server look at all constraints now, while it can still be asked which rows break one.
        private func checkConstraints() throws {
            try connection.execute("SAVEPOINT written")
            do {
                try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            } catch let failure as PostgreSQLFailure where failure.state == PostgreSQLFailure.uniqueViolation {
                try connection.execute("ROLLBACK TO SAVEPOINT written")
                throw try uniquenessConflict(failure) ?? failure
            }
        }

        /// The rows behind a violated constraint; nil where the model has no such constraint, or the other row is gone again.
        private func uniquenessConflict(_ failure: PostgreSQLFailure) throws -> StoreUniquenessConflict? {
            guard let named = store.constraints.first(where: { $0.name == failure.constraint }) else { return nil }
            let entity = named.constraint.entity
            let written = (changes.inserted + changes.updated).map(\.objectID)
            let keys = written.filter { $0.space === store.space(of: entity) }.map(\.number)
            let equal = named.constraint.columns.map { "a.\($0) = b.\($0)" }.joined(separator: " AND ")
            let result = try connection.execute(
                "SELECT a._id, a._entity, b._id, b._entity FROM \(entity.table) AS a JOIN \(entity.table) AS b "
                    + "ON \(equal) AND a._id <> b._id WHERE a._id = ANY ($1) ORDER BY a._id DESC, b._id LIMIT 1",
                [.integers(keys)])
            guard result.rowCount == 1 else { return nil }
            func id(_ column: Int) throws -> NSManagedObjectID? {
                guard let key = try result.integer(0, column) else { return nil }
                let actual = try result.text(0, column + 1).flatMap { store.schema.entity(named: $0) } ?? entity
                return NSManagedObjectID(entity: actual.description, space: store.space(of: entity), number: key)
            }
            guard let ours = try id(0), let other = try id(2) else { return nil }
            let isOfThisSave = keys.contains(other.number)
            return StoreUniquenessConflict(
                entity: entity.description, constraint: named.constraint.properties,
                inserted: isOfThisSave ? [other, ours] : [ours], existing: isOfThisSave ? nil : other)
        }
    }

    extension SaveGroup {
        fileprivate func historyChange(
            _ kind: NSPersistentHistoryChangeType, properties: [[String]] = [], tombstones: [Data?] = []
        ) -> PostgreSQLHistoryChange {
            PostgreSQLHistoryChange(
                kind: kind, entity: plan.entity.name, keys: keys, properties: properties, tombstones: tombstones)
        }
    }

    extension PostgreSQLFailure {
        static let uniqueViolation = "23505"
        static let lockTimeout = "55P03"
    }

    extension Array {
        /// As many elements at a time as one statement has room for, with so many columns each.
        func chunks(columns: Int) -> [ArraySlice<Element>] {
            let size = Swift.max(1, Swift.min(500, 65_535 / columns))
            return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
        }
    }

#endif
