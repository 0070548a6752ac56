// Fetches: one SELECT each, whatever the predicate.

#if PostgreSQL

    import CoreData
    import Foundation

    extension PostgreSQLStoreBackend {
        func rows(matching query: StoreQuery) throws -> [StoreRow] {
            let decoder = PostgreSQLRows(try sqlEntity(query.entity), query.includesSubentities, nil, store: self)
            var select = try select(query)
            select.addKeyOrder()
            let fragment = select.statement(columns: decoder.list)
            return try reading { connection in
                let result = try run(fragment, connection)
                return try (0..<result.rowCount).map { try decoder.row(result, $0) }
            }
        }

        func objectIDs(matching query: StoreQuery) throws -> [NSManagedObjectID] {
            let entity = try sqlEntity(query.entity)
            let decoder = PostgreSQLRows(entity, query.includesSubentities, [], store: self)
            var select = try select(query)
            select.addKeyOrder()
            let fragment = select.statement(columns: decoder.list)
            return try reading { connection in
                let result = try run(fragment, connection)
                return try (0..<result.rowCount).map { try decoder.row(result, $0).objectID }
            }
        }

        func count(matching query: StoreQuery) throws -> Int {
            var query = query
            query.sortDescriptors = []
            let select = try select(query)
            var fragment: SQLFragment
            if query.limit != nil || query.offset > 0 {
                fragment = select.statement(columns: "1 AS counted")
                fragment.sql = "SELECT COUNT(*) FROM (\(fragment.sql)) AS rows"
            } else {
                fragment = select.statement(columns: "COUNT(*)")
            }
            return try reading { Int(try run(fragment, $0).integer(0, 0) ?? 0) }
        }

        func rows(withIDs ids: [NSManagedObjectID], slots: [Int]?) throws -> [StoreRow] {
            guard !ids.isEmpty else { return [] }
            return try reading { try rows(withIDs: ids, slots: slots, $0) }
        }

        /// The same inside a transaction.
        ///
        /// - Parameter lock: What keeps others from the rows until the transaction ends, such as `FOR SHARE`.
        func rows(
            withIDs ids: [NSManagedObjectID], slots: [Int]?, _ connection: PostgreSQLConnection, lock: String = ""
        ) throws -> [StoreRow] {
            var groups: [(entity: SQLEntity, keys: [Int64])] = []
            for id in ids {
                let entity = try sqlEntity(id.entity)
                // An ID of another store or a temporary one has no row here.
                guard id.space === space(of: entity) else { continue }
                if let group = groups.firstIndex(where: { $0.entity === entity }) {
                    groups[group].keys.append(id.number)
                } else {
                    groups.append((entity, [id.number]))
                }
            }
            return try groups.flatMap { entity, keys in
                let decoder = PostgreSQLRows(entity, true, slots, store: self)
                let condition = entity.rowCondition(includingSubentities: true).map { " AND t0.\($0)" } ?? ""
                let result = try connection.execute(
                    "SELECT \(decoder.list) FROM \(entity.table) AS t0 WHERE t0._id = ANY ($1)\(condition)"
                        + " ORDER BY t0._id\(lock.isEmpty ? "" : " \(lock) OF t0")",
                    [.integers(keys)])
                return try (0..<result.rowCount).map { try decoder.row(result, $0) }
            }
        }

        func dictionaries(matching query: StoreQuery, selection: StoreSelection) throws -> [[String: Any]] {
            guard !selection.columns.isEmpty else { return [] }
            var unordered = query
            unordered.sortDescriptors = []
            let select = try SQLDictionarySelect(try select(unordered), query, selection) { self.space(of: $0) }
            return try reading { connection in
                let result = try run(select.fragment, connection)
                let dictionaries = try (0..<result.rowCount).map { row in
                    var dictionary: [String: Any] = [:]
                    for (name, column) in zip(select.names, select.columns) {
                        dictionary[name] = try value(of: column, result, row)
                    }
                    return dictionary
                }
                return select.dropped(dictionaries)
            }
        }

        private func value(of column: SQLDictionarySelect.Column, _ result: PostgreSQLResult, _ row: Int) throws -> Any?
        {
            switch column {
            case .computed(let position, let kind, let type):
                return SQLDictionarySelect.value(try SQLValue(result.value(row, position)), kind: kind, type: type)
            case .plain(let target, let position, let entity):
                guard let property = target.property else {
                    guard let key = try result.integer(row, position), let entity,
                        let actual = try result.text(row, entity).flatMap({ schema.entity(named: $0) })
                    else { return nil }
                    return NSManagedObjectID(entity: actual.description, space: space(of: target.entity), number: key)
                }
                let plan = plan(of: target.entity)
                let column: String? =
                    switch property {
                    case .attribute(let attribute): attribute.column
                    case .toOne(let toOne): toOne.column
                    case .toMany: nil
                    }
                guard let field = plan.fields.first(where: { $0.column == column }) else { return nil }
                let value = try PostgreSQLRows.value(of: field, result, row, position, entity, store: self) {
                    "\(target.entity.name).\(field.name) (\(target.entity.table).\(field.column))"
                }
                return value.boxedAttribute ?? value.referencedID
            }
        }

        // MARK: Pieces

        /// Everything of a query but the columns and the last criterion of its order.
        func select(_ query: StoreQuery) throws -> SQLSelect {
            let entity = try sqlEntity(query.entity)
            var select = SQLSelect(schema: schema, entity: entity, includesSubentities: query.includesSubentities)
            if let predicate = query.predicate { try select.add(predicate: predicate) { self.space(of: $0) } }
            for descriptor in query.sortDescriptors { try select.add(sortDescriptor: descriptor) }
            select.limit = query.limit
            select.offset = query.offset
            return select
        }

        func run(_ fragment: SQLFragment, _ connection: PostgreSQLConnection) throws -> PostgreSQLResult {
            let (sql, parameters) = try fragment.numbered()
            return try connection.execute(sql, parameters)
        }

        /// - Parameter body: May be run again, so it begins from nothing.
        func reading<T>(_ body: (PostgreSQLConnection) throws -> T) throws -> T {
            do {
                return try pool.retrying(body)
            } catch {
                throw errors.translated(error, .reading)
            }
        }
    }

    extension SQLValue {
        /// A computed value: numbers are whole where PostgreSQL has them so.
        init(_ value: PostgreSQLValue) {
            switch value {
            case .null: self = .null
            case .boolean(let value): self = .integer(value ? 1 : 0)
            case .integer(let value): self = .integer(value)
            case .real(let value): self = .real(value)
            case .text(let value): self = .text(value)
            case .bytes(let value): self = .blob(value)
            case .uuid(let value): self = .blob(value.data)
            case .timestamp(let value): self = .real(PostgreSQLDate.seconds(value))
            case .numeric(let digits):
                if let whole = Int64(digits) {
                    self = .integer(whole)
                } else {
                    self = Double(digits).map { .real($0) } ?? .null
                }
            }
        }
    }

    extension UUID {
        fileprivate var data: Data {
            let u = uuid
            return Data([u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15])
        }
    }

#endif
