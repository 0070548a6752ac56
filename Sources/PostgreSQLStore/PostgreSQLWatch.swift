// Hearing what others write: LISTEN on a connection of its own. After a lost connection the watch comes back, and tells of a change,
// because it can't know that there was none.

#if PostgreSQL

    import CoreData
    import Foundation
    import Synchronization

    /// Listens until it goes.
    final class PostgreSQLWatch: Sendable {
        private let isOver = Mutex(false)

        /// Begins.
        ///
        /// - Parameter own: What the store's own notifications say, which aren't others' changes.
        init(_ address: PostgreSQLAddress, own: String, _ announce: @escaping @Sendable () -> Void) {
            let thread = Thread { [weak self] in
                var connection: PostgreSQLConnection?
                var wasConnected = false
                while let watch = self, !watch.isOver.withLock({ $0 }) {
                    if connection == nil {
                        connection = Self.connected(address)
                        if connection != nil, wasConnected { announce() }
                        wasConnected = wasConnected || connection != nil
                    }
                    guard let known = connection else {
                        Thread.sleep(forTimeInterval: 0.5)
                        continue
                    }
                    do {
                        if try known.notifications(timeout: 0.25).contains(where: { $0 != own }) { announce() }
                    } catch {
                        connection = nil
                    }
                }
            }
            thread.name = "PostgreSQLWatch"
            thread.start()
        }

        deinit { isOver.withLock { $0 = true } }

        /// Nil where the server can't be reached now.
        private static func connected(_ address: PostgreSQLAddress) -> PostgreSQLConnection? {
            guard let connection = try? PostgreSQLConnection(address, statementTimeout: 60),
                (try? connection.execute("LISTEN \(address.channel)")) != nil
            else { return nil }
            return connection
        }
    }

    extension PostgreSQLStoreBackend {
        func watch(_ announce: @escaping @Sendable () -> Void) -> AnyObject? {
            PostgreSQLWatch(pool.address, own: identifier, announce)
        }
    }

#endif
