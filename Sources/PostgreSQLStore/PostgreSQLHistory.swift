// The persistent history: two tables that anybody can read. Transactions are numbered in the order in which they are committed,
// because whoever reads from a number on must not miss one that comes later with a smaller number.
//
//     _transactions   one row a save or batch: number, at, author, context_name, process
//     _changes        one row a changed row: transaction, kind, entity, id, the names of what changed, what is kept of a deleted row

#if PostgreSQL

    import CoreData
    import Foundation

    /// What the history says of rows of one entity to which the same has happened.
    struct PostgreSQLHistoryChange {
        let kind: NSPersistentHistoryChangeType
        let entity: String
        let keys: [Int64]
        /// Of updates, parallel to the keys; empty where nothing is known.
        var properties: [[String]] = []
        /// Of deletions, parallel to the keys; empty for none.
        var tombstones: [Data?] = []
    }

    /// The history of one store.
    struct PostgreSQLHistory {
        let address: PostgreSQLAddress

        var tables: [String] {
            [
                "CREATE TABLE \(address.qualified("_transactions")) (number bigint PRIMARY KEY, "
                    + "at timestamptz NOT NULL, author text, context_name text, process text)",
                "CREATE TABLE \(address.qualified("_changes")) (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
                    + "transaction bigint NOT NULL REFERENCES \(address.qualified("_transactions")) ON DELETE CASCADE, "
                    + "kind text NOT NULL CHECK (kind IN ('insert', 'update', 'delete')), entity text NOT NULL, "
                    + "id bigint NOT NULL, properties text[], tombstone bytea)",
                "CREATE INDEX ON \(address.qualified("_changes")) (transaction)",
            ]
        }

        // MARK: Writing

        /// Appends one transaction, unless nothing has changed. Others that write one wait until this one is over.
        ///
        /// - Returns: Its number.
        func append(
            _ changes: [PostgreSQLHistoryChange], _ origin: StoreOrigin, _ connection: PostgreSQLConnection
        ) throws -> Int64? {
            let rows = changes.flatMap { change in change.keys.indices.map { (change, $0) } }
            guard !rows.isEmpty else { return nil }
            let process = ProcessInfo.processInfo.processName
            let number = try connection.execute(
                "UPDATE \(address.qualified("_store")) SET last_transaction = last_transaction + 1 RETURNING last_transaction"
            ).integer(0, 0)
            guard let number else { throw PostgreSQLFailure("the table _store has no row") }
            try connection.execute(
                "INSERT INTO \(address.qualified("_transactions")) (number, at, author, context_name, process) "
                    + "VALUES ($1, clock_timestamp(), $2, $3, $4)",
                [.integer(number), .optional(origin.author), .optional(origin.contextName), .text(process)])
            for chunk in rows.chunks(columns: 6) {
                let parameters = chunk.flatMap { change, index -> [PostgreSQLParameter] in
                    let properties = change.properties.isEmpty ? nil : change.properties[index].joined(separator: " ")
                    let tombstone = change.tombstones.isEmpty ? nil : change.tombstones[index]
                    return [
                        .integer(number), .text(Self.name(of: change.kind)), .text(change.entity),
                        .integer(change.keys[index]), .optional(properties),
                        PostgreSQLParameter(type: .bytes, value: tombstone.map(PostgreSQLValue.bytes) ?? .null),
                    ]
                }
                try connection.execute(
                    "INSERT INTO \(address.qualified("_changes")) (transaction, kind, entity, id, properties, tombstone) "
                        + "SELECT v.t, v.k, v.e, v.i, string_to_array(v.p, ' '), v.d "
                        + "FROM (VALUES \(PostgreSQLSave.marks(chunk.count, 6))) AS v(t, k, e, i, p, d)",
                    parameters)
            }
            return number
        }

        private static let kinds: [(NSPersistentHistoryChangeType, String)] = [
            (.insert, "insert"), (.update, "update"), (.delete, "delete"),
        ]

        private static func name(of kind: NSPersistentHistoryChangeType) -> String {
            kinds.first { $0.0 == kind }?.1 ?? "update"
        }

        // MARK: Reading

        private func condition(_ range: StoreHistoryRange) -> (sql: String, parameters: [PostgreSQLParameter]) {
            func date(_ date: Date) -> PostgreSQLParameter {
                let microseconds = PostgreSQLDate.microseconds(date.timeIntervalSinceReferenceDate)
                return PostgreSQLParameter(
                    type: .timestamp, value: .timestamp(microseconds ?? (date > Date() ? .max : .min)))
            }
            let table = address.qualified("_transactions")
            return switch range {
            case .all: ("true", [])
            case .after(let number): ("t.number > $1", [.integer(number)])
            case .before(let number): ("t.number < $1", [.integer(number)])
            case .afterDate(let day): ("t.at > $1", [date(day)])
            // Up to the first one that isn't older, whatever the clock did: a hole would end the tokens before it.
            case .beforeDate(let day):
                (
                    "t.number < coalesce((SELECT min(number) FROM \(table) WHERE at >= $1), 9223372036854775807)",
                    [date(day)]
                )
            case .among(let numbers):
                (
                    "t.number IN (\(numbers.indices.map { "$\($0 + 1)" }.joined(separator: ", ")))",
                    numbers.map { .integer($0) }
                )
            }
        }

        func transactions(
            in range: StoreHistoryRange, _ connection: PostgreSQLConnection
        ) throws -> [StoreTransaction] {
            let (condition, parameters) = condition(range)
            let result = try connection.execute(
                "SELECT t.number, t.at, t.author, t.context_name, t.process FROM \(address.qualified("_transactions")) AS t "
                    + "WHERE \(condition) ORDER BY t.number", parameters)
            return try (0..<result.rowCount).map { row in
                guard case .timestamp(let at) = try result.value(row, 1), let number = try result.integer(row, 0) else {
                    throw PostgreSQLFailure("the table _transactions has a row without number or date")
                }
                let process = try result.text(row, 4)
                return StoreTransaction(
                    number: number, timestamp: Date(timeIntervalSinceReferenceDate: PostgreSQLDate.seconds(at)),
                    author: try result.text(row, 2), contextName: try result.text(row, 3), bundleID: process,
                    processID: process)
            }
        }

        /// Whether a transaction after one has been deleted: there are fewer than numbers have been given since.
        func isExpired(after number: Int64, _ connection: PostgreSQLConnection) throws -> Bool {
            let result = try connection.execute(
                "SELECT last_transaction, (SELECT count(*) FROM \(address.qualified("_transactions")) WHERE number > $1) "
                    + "FROM \(address.qualified("_store"))", [.integer(number)])
            guard let last = try result.integer(0, 0), let count = try result.integer(0, 1) else {
                throw PostgreSQLFailure("the table _store has no row")
            }
            return number < max(last, 0) - count
        }

        func changes(
            of transactions: [Int64], _ store: PostgreSQLStoreBackend, _ connection: PostgreSQLConnection
        ) throws -> [StoreHistoryChange] {
            let result = try connection.execute(
                "SELECT number, transaction, kind, entity, id, array_to_string(properties, ' '), tombstone "
                    + "FROM \(address.qualified("_changes")) WHERE transaction = ANY ($1) ORDER BY transaction, number",
                [.integers(transactions)])
            return try (0..<result.rowCount).compactMap { row in
                let name = try result.text(row, 2)
                // Entities of other configurations, and of models that the store once had, have no IDs here.
                guard let entity = try result.text(row, 3).flatMap({ store.schema.entity(named: $0) }),
                    let kind = Self.kinds.first(where: { $0.1 == name })?.0, let number = try result.integer(row, 0),
                    let transaction = try result.integer(row, 1), let key = try result.integer(row, 4)
                else { return nil }
                let properties = entity.description.propertiesByName
                let names = try result.text(row, 5)?.split(separator: " ").map(String.init)
                var tombstone: [AnyHashable: Any]?
                if case .bytes(let data) = try result.value(row, 6) {
                    tombstone = try PostgreSQLTombstone.values(data, store.plan(of: entity), store)
                }
                return StoreHistoryChange(
                    number: number, transactionNumber: transaction, kind: kind,
                    objectID: NSManagedObjectID(
                        entity: entity.description, space: store.space(of: entity), number: key),
                    updatedProperties: kind == .update ? names.map { Set($0.compactMap { properties[$0] }) } : nil,
                    tombstone: tombstone)
            }
        }

        func delete(in range: StoreHistoryRange, _ connection: PostgreSQLConnection) throws -> Int {
            let (condition, parameters) = condition(range)
            return try connection.execute(
                "DELETE FROM \(address.qualified("_transactions")) AS t WHERE \(condition)", parameters
            ).touched
        }
    }

    /// The values that outlive a deleted row: a property list by the names of the attributes, or
    /// the paths to the elements of composite ones.
    enum PostgreSQLTombstone {
        /// - Parameter firstColumn: Where the values begin.
        static func data(
            _ fields: [EntityPlan.Field], _ result: PostgreSQLResult, _ row: Int, firstColumn: Int
        ) throws -> Data? {
            var kept: [String: Any] = [:]
            for (index, field) in fields.enumerated() {
                kept[field.name] =
                    switch try result.value(row, firstColumn + index) {
                    case .null: nil
                    case .boolean(let value): value
                    case .integer(let value), .timestamp(let value): value
                    case .real(let value): value
                    case .text(let value), .numeric(let value): value
                    case .bytes(let value): value
                    case .uuid(let value): value.uuidString
                    }
            }
            if kept.isEmpty { return nil }
            return try PropertyListSerialization.data(fromPropertyList: kept, format: .binary, options: 0)
        }

        /// A value that doesn't fit its attribute any more is left out.
        static func values(
            _ data: Data, _ plan: EntityPlan, _ store: PostgreSQLStoreBackend
        ) throws -> [AnyHashable: Any] {
            let list = try PropertyListFile.object(of: data) as? [String: Any]
            var values: [String: Any] = [:]
            for (name, kept) in list ?? [:] {
                guard let field = plan.fields.first(where: { $0.name == name }),
                    let value = value(kept, PostgreSQLType(field))
                else { continue }
                let slot = try? PostgreSQLRows.value(value, of: field, store: store) { name }
                if let boxed = slot?.boxedAttribute {
                    values = Tombstone.keeping(boxed, at: name.split(separator: ".").map(String.init)[...], in: values)
                }
            }
            return values
        }

        /// The values under other names, without those that have none any more.
        ///
        /// - Parameter names: The new names by the old ones.
        /// - Returns: Nil where no value is left.
        static func renamed(_ data: Data, _ names: [String: String]) throws -> Data? {
            // What is damaged shows when it is read, and is no reason not to migrate.
            guard let list = try? PropertyListFile.object(of: data) as? [String: Any] else { return data }
            var renamed: [String: Any] = [:]
            for (name, value) in list {
                if let new = names[name] { renamed[new] = value }
            }
            if renamed.isEmpty { return nil }
            return try PropertyListSerialization.data(fromPropertyList: renamed, format: .binary, options: 0)
        }

        private static func value(_ kept: Any, _ type: PostgreSQLType) -> PostgreSQLValue? {
            switch (type, kept) {
            case (.text, let text as String): .text(text)
            case (.numeric, let digits as String): .numeric(digits)
            case (.uuid, let text as String): UUID(uuidString: text).map { .uuid($0) }
            case (.bytes, let data as Data): .bytes(data)
            case (.boolean, let number as NSNumber): .boolean(number.boolValue)
            case (.integer, let number as NSNumber): .integer(number.int64Value)
            case (.timestamp, let number as NSNumber): .timestamp(number.int64Value)
            case (.real, let number as NSNumber): .real(number.doubleValue)
            default: nil
            }
        }
    }

    extension PostgreSQLStoreBackend {
        var keepsHistory: Bool {
            // A store that can't be read shows that when it is.
            (try? reading { try keepsHistory($0) }) ?? false
        }

        func keepsHistory(_ connection: PostgreSQLConnection) throws -> Bool {
            let result = try connection.execute("SELECT keeps_history FROM \(pool.address.qualified("_store"))")
            return result.rowCount == 1 ? try result.value(0, 0) == .boolean(true) : false
        }

        private var history: PostgreSQLHistory { PostgreSQLHistory(address: pool.address) }

        func lastTransactionNumber() throws -> Int64? {
            try reading { connection in
                let result = try connection.execute(
                    "SELECT last_transaction FROM \(pool.address.qualified("_store")) WHERE keeps_history")
                return result.rowCount == 1 ? try result.integer(0, 0) : nil
            }
        }

        func transactions(in range: StoreHistoryRange) throws -> [StoreTransaction] {
            try reading { connection in
                if case .after(let number) = range, try history.isExpired(after: number, connection) {
                    throw CoreDataError.make(
                        .persistentHistoryTokenExpired,
                        "The store \(errors.store) has deleted transactions after the token. Fetch objects anew, then the "
                            + "history from currentPersistentHistoryToken(fromStores:) on.")
                }
                return try history.transactions(in: range, connection)
            }
        }

        func historyChanges(of transactions: [Int64]) throws -> [StoreHistoryChange] {
            if transactions.isEmpty { return [] }
            return try reading { try history.changes(of: transactions, self, $0) }
        }

        func deleteTransactions(in range: StoreHistoryRange) throws -> Int {
            try writing { connection, _ in try history.delete(in: range, connection) }
        }
    }

#endif
