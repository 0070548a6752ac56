// Batches: one transaction each, with their entry in the history.

#if PostgreSQL

    import CoreData
    import Foundation

    extension PostgreSQLStoreBackend {
        func execute(_ batch: StoreBatch) throws -> StoreBatchOutcome {
            // Rows that the caller has given once aren't given again.
            var isRepeatable = true
            if case .insert = batch.operation { isRepeatable = false }
            return try writing(isRepeatable: isRepeatable) { connection, keepsHistory in
                try connection.execute("SET CONSTRAINTS ALL DEFERRED")
                let done = try PostgreSQLBatch(store: self, connection: connection, keepsHistory: keepsHistory)
                    .run(batch.operation)
                try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
                let transaction = try PostgreSQLHistory(address: pool.address).append(
                    done.history, batch.origin, connection)
                return StoreBatchOutcome(
                    ids: batch.wantsIDs ? done.ids : [], count: done.ids.count, transaction: transaction)
            }
        }
    }

    /// One batch inside its transaction.
    struct PostgreSQLBatch {
        /// What a batch has done.
        struct Done {
            /// The rows that the request names.
            var ids: [NSManagedObjectID] = []
            var history: [PostgreSQLHistoryChange] = []
        }

        let store: PostgreSQLStoreBackend
        let connection: PostgreSQLConnection
        let keepsHistory: Bool

        func run(_ operation: StoreBatch.Operation) throws -> Done {
            switch operation {
            case .insert(let insertion): return try insert(insertion)
            case .update(let query, let assignments): return try update(query, assignments)
            case .delete(let query): return try delete(try ids(matching: query))
            case .deleteObjects(let ids):
                let rows = try store.rows(withIDs: ids, slots: [], connection, lock: "FOR UPDATE")
                return try delete(
                    rows.map(\.objectID).sorted {
                        ($0.entity.name ?? "", $0.number) < ($1.entity.name ?? "", $1.number)
                    })
            }
        }

        /// The rows that match, which nobody else can change then.
        private func ids(matching query: StoreQuery) throws -> [NSManagedObjectID] {
            let entity = try store.sqlEntity(query.entity)
            var select = try store.select(query)
            select.addKeyOrder()
            var fragment = select.statement(columns: "t0._id, t0._entity")
            fragment.sql += " FOR UPDATE OF t0"
            return try store.ids(try store.run(fragment, connection), of: entity)
        }

        /// One entry for the rows of each entity.
        ///
        /// - Parameter rows: The rows with the names of the properties that were set.
        private func updates(_ rows: [NSManagedObjectID: Set<String>]) -> [PostgreSQLHistoryChange] {
            if !keepsHistory { return [] }
            let groups = Dictionary(grouping: rows) { $0.key.entity.name ?? "" }
            return groups.sorted { $0.key < $1.key }.map { name, rows in
                let rows = rows.sorted { $0.key.number < $1.key.number }
                return PostgreSQLHistoryChange(
                    kind: .update, entity: name, keys: rows.map(\.key.number),
                    properties: rows.map { $0.value.sorted() })
            }
        }

        // MARK: Updating

        private func update(_ query: StoreQuery, _ assignments: [StoreBatchAssignment]) throws -> Done {
            let ids = try ids(matching: query)
            if ids.isEmpty { return Done() }
            let plan = store.plan(of: try store.sqlEntity(query.entity))
            var select = SQLSelect(
                schema: store.schema, entity: plan.entity, includesSubentities: query.includesSubentities)
            var columns = SQLFragment(sql: "t0._id AS k")
            var sets = ["_version = t._version + 1"]
            var constants: [(column: String, parameter: PostgreSQLParameter)] = []
            var names: Set<String> = []
            for (index, assignment) in assignments.enumerated() {
                guard let slot = query.entity.layout.slot(named: assignment.name), let place = plan.fieldBySlot[slot]
                else {
                    throw CoreDataError.make(
                        .coreData, "'\(assignment.attribute.name)' isn't stored and can't be updated.")
                }
                let field = plan.fields[place]
                names.insert(query.entity.layout.propertyName(of: slot))
                switch assignment.value {
                case .constant(let value):
                    constants.append((field.column, try PostgreSQLRows.parameter(value, of: field, row: ids[0])))
                case .expression(let expression):
                    try requireRoom(for: expression, assignment, query)
                    columns.sql += ", "
                    columns += try select.value(of: expression, for: assignment.attribute) { store.space(of: $0) }
                    columns.sql += " AS c\(index)"
                    sets.append("\(field.column) = v.c\(index)")
                }
            }
            let keys = ids.map { "\($0.number)" }.joined(separator: ",")
            select.add(condition: SQLFragment(sql: "t0._id = ANY (?::bigint[])", arguments: [.text("{\(keys)}")]))
            var (sql, parameters) = try select.statement(columns: columns).numbered()
            for constant in constants {
                parameters.append(constant.parameter)
                sets.append("\(constant.column) = $\(parameters.count)")
            }
            sql =
                "UPDATE \(plan.entity.table) AS t SET \(sets.joined(separator: ", ")) FROM (\(sql)) AS v WHERE t._id = v.k"
            do {
                try connection.execute(sql, parameters)
                try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            } catch let failure as PostgreSQLFailure where failure.state == PostgreSQLFailure.uniqueViolation {
                throw CoreDataError.make(
                    .managedObjectConstraintMerge,
                    "A batch update would make rows alike that the model wants to be unique (\(failure.detail ?? failure.message)). "
                        + "Nothing has been changed. Leave out the constraint's attributes, or rows.")
            }
            return Done(ids: ids, history: updates(Dictionary(uniqueKeysWithValues: ids.map { ($0, names) })))
        }

        /// Refuses values that an expression comes to and that the attribute has no room for.
        private func requireRoom(
            for expression: CoreData.NSExpression, _ assignment: StoreBatchAssignment, _ query: StoreQuery
        ) throws {
            let entity = try store.sqlEntity(query.entity)
            var select = try store.select(query)
            let room = try select.select(excessOf: expression, for: assignment.attribute) { store.space(of: $0) }
            guard let room else { return }
            let rows = try store.run(select.statement(columns: "t0._id, t0._entity"), connection)
            guard let row = try store.ids(rows, of: entity).first?.number else { return }
            throw assignment.noRoom(for: expression, room: room, row: row, of: entity.name)
        }

        // MARK: Deleting

        private func delete(_ ids: [NSManagedObjectID]) throws -> Done {
            let deletion = PostgreSQLBatchDelete(batch: self)
            let cleared = try BatchDeletion(deletion).run(ids)
            return Done(ids: ids, history: updates(cleared) + deletion.deletions)
        }

        // MARK: Inserting

        private func insert(_ insertion: StoreBatchInsertion) throws -> Done {
            let plan = store.plan(of: try store.sqlEntity(insertion.entity))
            let constraints = try store.schema.uniquenessConstraints(inForceOn: plan.description)
            var inserted: [Int64] = []
            var updated: [NSManagedObjectID: Set<String>] = [:]
            var done = Done()
            while true {
                var rows: [StoreBatchInsertion.Row] = []
                while rows.count < 1000, let row = try insertion.next() { rows.append(row) }
                if rows.isEmpty { break }
                let ids = try store.reserve(rows.count, insertion.entity, plan, connection)
                var new: [RowChange] = []
                for (row, id) in zip(rows, ids) {
                    let change = RowChange(objectID: id, version: 0, values: row.values, changed: row.given)
                    guard !constraints.isEmpty else {
                        new.append(change)
                        continue
                    }
                    if let (constraint, other) = try rival(of: row, id, plan, constraints) {
                        guard let names = try write(row, into: other, constraint, id, insertion) else { continue }
                        updated[other, default: []].formUnion(names)
                        done.ids.append(other)
                        continue
                    }
                    // The next row may be its rival.
                    try PostgreSQLSave.insert([change], plan, connection)
                    inserted.append(id.number)
                    done.ids.append(id)
                }
                try PostgreSQLSave.insert(new, plan, connection)
                inserted += new.map(\.objectID.number)
                done.ids += new.map(\.objectID)
                if rows.count < 1000 { break }
            }
            if keepsHistory {
                done.history =
                    [PostgreSQLHistoryChange(kind: .insert, entity: plan.entity.name, keys: inserted)]
                    + updates(updated)
            }
            return done
        }

        /// The row that has the same values under a constraint, and the constraint.
        private func rival(
            of row: StoreBatchInsertion.Row, _ id: NSManagedObjectID, _ plan: EntityPlan,
            _ constraints: [SQLUniquenessConstraint]
        ) throws -> (SQLUniquenessConstraint, NSManagedObjectID)? {
            for constraint in constraints {
                let fields = constraint.properties.compactMap { name in plan.fields.first { $0.name == name } }
                // A nil in one of the properties makes values different.
                if fields.contains(where: { row.values[$0.slot].isNull }) { continue }
                let conditions = fields.enumerated().map { "\($1.column) = $\($0 + 1)" }.joined(separator: " AND ")
                let result = try connection.execute(
                    "SELECT _id, _entity FROM \(plan.entity.table) WHERE \(conditions) LIMIT 1 FOR UPDATE",
                    try fields.map { try PostgreSQLRows.parameter(row.values[$0.slot], of: $0, row: id) })
                if let other = try store.ids(result, of: plan.entity).first { return (constraint, other) }
            }
            return nil
        }

        /// Writes a row's values into the one that is there, if the policy says so, and returns the names of their properties.
        private func write(
            _ row: StoreBatchInsertion.Row, into other: NSManagedObjectID, _ constraint: SQLUniquenessConstraint,
            _ id: NSManagedObjectID, _ insertion: StoreBatchInsertion
        ) throws -> [String]? {
            switch insertion.policy {
            case .errorMergePolicyType:
                throw StoreUniquenessConflict(
                    entity: constraint.entity.description, constraint: constraint.properties, inserted: [],
                    existing: other)
            case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: return nil
            case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: break
            }
            // The row may be of a super-entity or a sibling, and has nothing but the properties that its entity has.
            let plan = store.plan(of: try store.sqlEntity(other.entity))
            let own = store.plan(of: try store.sqlEntity(insertion.entity))
            let writesAll = insertion.policy == .overwriteMergePolicyType
            let fields = own.fields.filter { field in
                guard plan.fields.contains(where: { $0.name == field.name && $0.column == field.column }) else {
                    return false
                }
                if case .toOne = field.kind { return false }
                return !field.isDerived && (writesAll || row.given.contains(field.slot))
            }
            let sets = fields.enumerated().map { "\($1.column) = $\($0 + 2)" } + ["_version = _version + 1"]
            try connection.execute(
                "UPDATE \(plan.entity.table) SET \(sets.joined(separator: ", ")) WHERE _id = $1",
                [.integer(other.number)]
                    + fields.map { try PostgreSQLRows.parameter(row.values[$0.slot], of: $0, row: id) })
            return fields.map { plan.description.layout.propertyName(of: $0.slot) }
        }
    }

    /// What a batch deletion does in PostgreSQL.
    private final class PostgreSQLBatchDelete: BatchDeletionWriter {
        private let batch: PostgreSQLBatch
        private var store: PostgreSQLStoreBackend { batch.store }
        private var connection: PostgreSQLConnection { batch.connection }
        private(set) var deletions: [PostgreSQLHistoryChange] = []

        init(batch: PostgreSQLBatch) { self.batch = batch }

        /// The tables' own rules would, without counting the rows' versions up.
        let clearsFirst = true

        func plan(of entity: NSEntityDescription) throws -> EntityPlan { store.plan(of: try store.sqlEntity(entity)) }

        func destinations(
            of relationship: EntityPlan.Relationship, _ keys: [Int64], _ plan: EntityPlan
        ) throws -> [NSManagedObjectID] {
            let sql = relationship.destinations(of: plan.entity, keys: "= ANY ($1)")
            return try store.ids(try connection.execute(sql, [.integers(keys)]), of: relationship.destination)
        }

        func delete(_ group: BatchDeletion.Group) throws {
            let fields = batch.keepsHistory ? Tombstone.fields(of: group.plan) : []
            let columns = (["_id"] + fields.map(\.column)).joined(separator: ", ")
            let result = try connection.execute(
                "DELETE FROM \(group.plan.entity.table) WHERE _id = ANY ($1) RETURNING \(columns)",
                [.integers(group.keys)])
            guard batch.keepsHistory else { return }
            var kept: [Int64: Data] = [:]
            for row in 0..<result.rowCount {
                guard let key = try result.integer(row, 0) else { continue }
                kept[key] = try PostgreSQLTombstone.data(fields, result, row, firstColumn: 1)
            }
            deletions.append(
                PostgreSQLHistoryChange(
                    kind: .delete, entity: group.plan.entity.name, keys: group.keys,
                    tombstones: group.keys.map { kept[$0] }))
        }

        func deletePairs(_ join: SQLJoin, _ keys: [Int64]) throws {
            let other = join.isReflexive ? " OR \(join.memberColumn) = ANY ($1)" : ""
            try connection.execute(
                "DELETE FROM \(join.table) WHERE \(join.ownerColumn) = ANY ($1)\(other)", [.integers(keys)])
        }

        func clear(
            _ columns: [String], of destination: SQLEntity, table: String, keys: [Int64]
        ) throws -> [NSManagedObjectID] {
            let emptied = columns.map { "\($0) = NULL" }.joined(separator: ", ")
            let result = try connection.execute(
                "UPDATE \(table) SET \(emptied), _version = _version + 1 WHERE \(columns[0]) = ANY ($1) "
                    + "RETURNING _id, _entity", [.integers(keys)])
            return try store.ids(result, of: destination)
        }

        func remaining(_ ids: [NSManagedObjectID]) throws -> NSManagedObjectID? {
            try store.rows(withIDs: ids, slots: [], connection).first?.objectID
        }
    }

#endif
