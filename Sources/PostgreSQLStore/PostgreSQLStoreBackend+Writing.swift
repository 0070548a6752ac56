// Transactions that write: each is whole or not there. What failed because of others is run again where nothing is done yet; where a
// connection is lost in the commit, the server is asked what became of it.

#if PostgreSQL

    import CoreData
    import Foundation
    import Synchronization

    extension PostgreSQLStoreBackend {
        func requireWritable() throws {
            if isReadOnly { throw errors.readOnly() }
        }

        /// Waits until nobody writes, and keeps everybody else from it: saves share the lock that a turn has alone.
        func beginWriting() throws -> Int64 {
            try requireWritable()
            do {
                return try pool.retrying(keepsConnection: true) { connection in
                    try takeLock(connection)
                    // Every transaction that writes moves it on.
                    let number = try connection.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
                        .integer(0, 0)
                    turn.withLock { $0 = connection }
                    return number ?? 0
                }
            } catch {
                throw errors.translated(error, .saving)
            }
        }

        /// Waits for the lock in steps, so that whoever waits can be asked whether that is to go on.
        private func takeLock(_ connection: PostgreSQLConnection) throws {
            let patience = StoreLock.patience
            let start = Date()
            var isTold = false
            while true {
                try connection.execute("BEGIN")
                try connection.execute("SET LOCAL lock_timeout = '500ms'")
                do {
                    try connection.execute("SELECT pg_advisory_xact_lock($1)", [.integer(pool.address.lockKey)])
                    try connection.execute("SET LOCAL lock_timeout = 0")
                    return
                } catch let failure as PostgreSQLFailure where failure.state == PostgreSQLFailure.lockTimeout {
                    try connection.execute("ROLLBACK")
                    let waited = Date().timeIntervalSince(start)
                    guard patience?.isEndless ?? false || waited < pool.timeout, patience?.keepsWaiting() ?? true else {
                        throw failure
                    }
                    if !isTold, waited > StoreLock.noticeDelay {
                        isTold = true
                        StoreLock.notice.withLock { $0 }?(pool.address.description)
                    }
                }
            }
        }

        func endWriting() {
            guard let connection = takeTurn() else { return }
            pool.rollBack(connection)
            pool.giveBack(connection)
        }

        private func takeTurn() -> PostgreSQLConnection? {
            turn.withLock { turn in
                defer { turn = nil }
                return turn
            }
        }

        @discardableResult
        func save(_ changes: StoreChanges) throws -> Int64? {
            let metadata: Data?
            do {
                metadata = try takeUnsavedMetadata()
            } catch {
                endWriting()
                throw errors.translated(error, .saving)
            }
            if changes.isEmpty, metadata == nil {
                endWriting()
                return nil
            }
            do {
                return try write(changes, metadata)
            } catch {
                if metadata != nil { metadataStayUnsaved() }
                throw error
            }
        }

        private func write(_ changes: StoreChanges, _ metadata: Data?) throws -> Int64? {
            try writing { connection, keepsHistory -> Int64? in
                let history = try PostgreSQLSave(changes, store: self, connection: connection)
                    .write(keepsHistory: keepsHistory)
                if let metadata {
                    try connection.execute(
                        "UPDATE \(pool.address.qualified("_store")) SET metadata = $1", [.bytes(metadata)])
                }
                return try PostgreSQLHistory(address: pool.address).append(history, changes.origin, connection)
            }
        }

        /// Runs something in a transaction that is committed at its end; in the turn at writing, where there is one.
        ///
        /// - Parameters:
        ///   - isRepeatable: Whether the body may be run again from its beginning.
        ///   - body: Gets whether the store keeps a history.
        func writing<T>(
            isRepeatable: Bool = true, _ body: (PostgreSQLConnection, Bool) throws -> T
        ) throws -> T {
            do {
                if let connection = takeTurn() {
                    defer {
                        pool.rollBack(connection)
                        pool.giveBack(connection)
                    }
                    try requireWritable()
                    return try finish(connection, body)
                }
                try requireWritable()
                // Nothing is done on a connection that turns out to be closed when it begins.
                var hasBegun = false
                return try pool.retrying(isRepeatable: isRepeatable || !hasBegun) { connection in
                    try connection.execute("BEGIN")
                    try connection.execute(
                        "SELECT pg_advisory_xact_lock_shared($1)", [.integer(pool.address.lockKey)])
                    hasBegun = true
                    return try finish(connection, body)
                }
            } catch {
                throw errors.translated(error, .saving)
            }
        }

        private func finish<T>(
            _ connection: PostgreSQLConnection, _ body: (PostgreSQLConnection, Bool) throws -> T
        ) throws -> T {
            let store = try connection.execute(
                "SELECT version, keeps_history FROM \(pool.address.qualified("_store"))")
            guard store.rowCount == 1, try store.integer(0, 0) == version else { throw errors.migratedMeanwhile() }
            let result = try body(connection, store.value(0, 1) == .boolean(true))
            let number = Int64.random(in: .min ... .max)
            try connection.execute(
                "WITH c AS (\(recording("excluded.number"))) SELECT pg_notify($3, $4) FROM c",
                [
                    .text(connection.identifier), .integer(number), .text(pool.address.channel), .text(identifier),
                ])
            do {
                try connection.execute("COMMIT")
            } catch let failure as PostgreSQLFailure where failure.isLost {
                if try !isCommitted(number, connection.identifier) { throw failure }
            }
            return result
        }

        /// Writes down which transaction of a connection was its last. Waits for one that is still on its way.
        private func recording(_ number: String) -> String {
            let table = pool.address.qualified("_commits")
            return "INSERT INTO \(table) AS c (connection, number) VALUES ($1::text::uuid, $2) "
                + "ON CONFLICT (connection) DO UPDATE SET number = \(number), at = now() RETURNING c.number"
        }

        /// What became of a transaction whose end nobody has seen: what it wrote down last is there, or isn't. The number that the
        /// server gave it wouldn't tell: after a crash another transaction may get the same.
        ///
        /// - Throws: `CocoaError` where the server can't be asked.
        private func isCommitted(_ number: Int64, _ connectionIdentifier: String) throws -> Bool {
            for attempt in 0..<20 {
                Thread.sleep(forTimeInterval: 0.05 * Double(attempt))
                guard let connection = try? PostgreSQLConnection(pool.address, statementTimeout: pool.timeout),
                    let last = try? connection.execute(
                        recording("c.number"), [.text(connectionIdentifier), .integer(0)]
                    ).integer(0, 0)
                else { continue }
                return last == number
            }
            throw errors.unknownOutcome()
        }
    }

#endif
