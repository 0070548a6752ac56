// The connections of a store: at most so many, each used by one thread at a time, opened when they are needed.

#if PostgreSQL

    import CoreData
    import Dispatch
    import Foundation
    import Synchronization

    /// A small pool of connections.
    final class PostgreSQLPool: Sendable {
        let address: PostgreSQLAddress
        /// How long a statement may take, and how long to wait for a connection.
        let timeout: TimeInterval
        private let idle = Mutex<[PostgreSQLConnection]>([])
        private let free: DispatchSemaphore

        init(_ address: PostgreSQLAddress, size: Int, timeout: TimeInterval) {
            self.address = address
            self.timeout = timeout
            free = DispatchSemaphore(value: max(size, 1))
        }

        /// Takes a connection; give it back.
        func take() throws -> PostgreSQLConnection {
            guard free.wait(timeout: .now() + timeout) == .success else {
                throw PostgreSQLFailure("all connections were in use for \(Int(timeout)) s")
            }
            if let known = idle.withLock({ $0.popLast() }) { return known }
            do {
                return try PostgreSQLConnection(address, statementTimeout: timeout)
            } catch {
                free.signal()
                throw error
            }
        }

        func giveBack(_ connection: PostgreSQLConnection) {
            // One that is gone, or in the middle of something, is closed with the last reference to it.
            if !connection.isBroken, !connection.isInTransaction { idle.withLock { $0.append(connection) } }
            free.signal()
        }

        /// Runs something that may be run again, because it changes nothing or all of it was taken back.
        ///
        /// - Parameters:
        ///   - isRepeatable: Whether it may, asked when it has failed.
        ///   - keepsConnection: Whether the connection isn't given back where the body succeeds.
        ///   - body: Leaves no transaction open where it succeeds and the connection is given back.
        func retrying<T>(
            isRepeatable: @autoclosure () -> Bool = true, keepsConnection: Bool = false,
            _ body: (PostgreSQLConnection) throws -> T
        ) throws -> T {
            var attempt = 0
            while true {
                let connection = try take()
                do {
                    let result = try body(connection)
                    if !keepsConnection { giveBack(connection) }
                    return result
                } catch {
                    attempt += 1
                    let failure = error as? PostgreSQLFailure
                    if failure == nil || failure?.isLost == false { rollBack(connection) }
                    giveBack(connection)
                    guard isRepeatable(), attempt < 4, let failure, failure.isRetryable || failure.isLost else {
                        throw error
                    }
                    // All idle ones were to the server that is gone.
                    if failure.isLost { idle.withLock { $0 = [] } }
                    Thread.sleep(forTimeInterval: 0.01 * Double(attempt * attempt))
                }
            }
        }

        /// Takes back what a transaction has done. Where even that fails, the connection isn't used again.
        func rollBack(_ connection: PostgreSQLConnection) {
            if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") }
        }
    }

#endif
