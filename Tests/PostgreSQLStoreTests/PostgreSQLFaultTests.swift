// A server that is killed, and connections that are cut: nothing is lost that was said to be saved, and nothing is half there.

#if PostgreSQL

    import CoreData
    import Foundation
    import Synchronization
    import Testing

    @testable import PostgreSQLStore

    @Suite(.enabled(if: Server.url != nil, "no PostgreSQL server: make test-postgresql"), .serialized)
    struct PostgreSQLFaultTests {
        /// What several workers have saved, by the numbers of their saves.
        private final class Record: Sendable {
            let saved = Mutex<Set<Int64>>([])
            let failures = Mutex<[String]>([])
            let isOver = Mutex(false)
        }

        @Test func `what begins on a connection that was closed meanwhile begins anew`() throws {
            let name = "cut-\(UUID().uuidString)"
            let url = try #require(URL(string: "\(Server.newStore().absoluteString)&application_name=\(name)"))
            let shop = try Shop(at: url)
            let coordinator = try #require(shop.context.persistentStoreCoordinator)
            func cut() throws {
                // So that there is an idle connection.
                _ = try shop.fetch("Customer")
                let closed = try Server.sql(
                    "SELECT pg_terminate_backend(pid, 5000)::text FROM pg_stat_activity WHERE application_name = '\(name)'"
                )
                #expect(!closed.isEmpty && closed.allSatisfy { $0 == "true" })
            }
            try cut()
            let insertion = NSBatchInsertRequest(entityName: "Customer", objects: [["fullName": "Ada"]])
            insertion.resultType = .count
            #expect((try shop.context.execute(insertion) as? NSBatchInsertResult)?.result as? Int == 1)
            try cut()
            coordinator.end(try coordinator.beginWriting { true })
            try cut()
            shop.insert("Customer")
            try shop.context.save()
            #expect(try shop.fetch("Customer", in: shop.newContext()).count == 2)
        }

        /// Saves a customer with three orders again and again, each time with a number of its own.
        private func work(_ worker: Int64, at url: URL, _ record: Record) {
            var shop: Shop?
            var number = worker * 1_000_000
            while !record.isOver.withLock({ $0 }) {
                number += 10
                do {
                    let known = try shop ?? Shop(at: url)
                    shop = known
                    let customer = known.insert("Customer")
                    customer.setValue("\(number)", forKey: "fullName")
                    for place in 0..<3 {
                        let order = known.insert("Order")
                        order.setValue(number + Int64(place), forKey: "number")
                        order.setValue(customer, forKey: "customer")
                    }
                    try known.context.save()
                    _ = record.saved.withLock { $0.insert(number) }
                } catch {
                    shop?.context.reset()
                    if !(error is CocoaError) { record.failures.withLock { $0.append("\(error)") } }
                    Thread.sleep(forTimeInterval: 0.02)
                }
            }
        }

        private func check(_ record: Record, at url: URL) throws {
            let shop = try Shop(at: url)
            let customers = try shop.fetch("Customer")
            var found: Set<Int64> = []
            for customer in customers {
                let number = try #require(Int64(customer.value(forKey: "fullName") as? String ?? ""))
                let orders = customer.value(forKey: "orders") as? Set<NSManagedObject> ?? []
                #expect(
                    Set(orders.compactMap { $0.value(forKey: "number") as? Int64 }) == [number, number + 1, number + 2])
                #expect(found.insert(number).inserted, "\(number) is there twice")
            }
            let orderCount = try shop.fetch("Order").count
            #expect(orderCount == 3 * customers.count)
            let saved = record.saved.withLock { $0 }
            #expect(saved.subtracting(found) == [], "lost")
            #expect(saved.count > 20)
            #expect(record.failures.withLock { $0 } == [])
        }

        private func run(_ seconds: Double, at url: URL, _ record: Record, _ disturb: () throws -> Void) throws {
            let threads = DispatchGroup()
            for worker in 1...4 {
                threads.enter()
                Thread.detachNewThread {
                    work(Int64(worker), at: url, record)
                    threads.leave()
                }
            }
            let end = Date(timeIntervalSinceNow: seconds)
            while Date() < end { try disturb() }
            record.isOver.withLock { $0 = true }
            threads.wait()
        }

        private var seconds: Double {
            ProcessInfo.processInfo.environment["TORTURE_SECONDS"].flatMap { Double($0) } ?? 6
        }

        @Test func `a server that is killed loses no save, and keeps none by halves`() throws {
            let server = try OwnServer()
            defer { server.remove() }
            let url = try #require(URL(string: server.url + "&schema=shop"))
            _ = try Shop(at: url)
            let record = Record()
            try run(seconds, at: url, record) {
                Thread.sleep(forTimeInterval: Double.random(in: 0.3...1.2))
                try server.run("stop", "immediate")
                try server.run("start")
            }
            try check(record, at: url)
        }

        @Test func `connections that are cut at any byte lose no save, and keep none by halves`() throws {
            let store = try Server.newStore()
            let folder = try #require(
                URLComponents(url: store, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "host" }?
                    .value)
            let proxy = try CuttingProxy(to: "\(folder)/.s.PGSQL.5432")
            defer { proxy.end() }
            let through = try #require(
                URL(string: store.absoluteString.replacing(folder, with: proxy.folder)))
            _ = try Shop(at: store)
            let record = Record()
            try run(seconds, at: through, record) { Thread.sleep(forTimeInterval: 0.1) }
            #expect(proxy.cutCount > 10)
            try check(record, at: store)
        }
    }

    extension PostgreSQLFaultTests {
        /// A file system of 12 MB; nil where one may not be made.
        private static let smallDisk: String? = {
            // Nobody takes it away where no test begins.
            guard Server.url != nil else { return nil }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "graft-disk-\(ProcessInfo.processInfo.processIdentifier)")
            let commands = "mkdir '\(folder.path)' && mount -t tmpfs -o size=12m tmpfs '\(folder.path)'"
            guard unsafe system("(\(commands) && chown postgres '\(folder.path)') 2>/dev/null") == 0 else { return nil }
            return folder.path
        }()

        @Test(.enabled(if: smallDisk != nil, "only root can make a small disk"))
        func `a disk that is full loses no save, and the next one succeeds when there is room`() throws {
            let disk = try #require(Self.smallDisk)
            let server = try OwnServer()
            defer {
                server.remove()
                _ = unsafe system("umount '\(disk)' && rmdir '\(disk)'")
            }
            try server.run("psql", "-qc", "CREATE TABLESPACE small LOCATION '\(disk)'")
            try server.run(
                "psql", "-qc",
                "CREATE TABLE filler TABLESPACE small AS SELECT repeat(n::text, 100) FROM generate_series(1, 4000) AS n"
            )
            let url = try #require(URL(string: server.url + "&schema=shop&options=-cdefault_tablespace%3Dsmall"))
            let shop = try Shop(at: url, options: [NSPersistentHistoryTrackingKey: true])
            // Random digits: what repeats is compressed.
            var generator = SystemRandomNumberGenerator()
            func fill(_ customers: Int, _ length: Int) {
                for _ in 0..<customers {
                    let name = (0..<length / 16).map { _ in String(generator.next(), radix: 16) }.joined()
                    shop.insert("Customer").setValue(name, forKey: "fullName")
                }
            }
            var saved = 0
            var failure: CocoaError?
            while failure == nil, saved < 10_000 {
                fill(20, 2_000)
                do {
                    try shop.context.save()
                    saved += 20
                } catch { failure = error as? CocoaError }
            }
            #expect(failure?.code == .fileWriteOutOfSpace)
            #expect(failure?.localizedDescription.contains("disk is full") == true)
            #expect(saved > 100)
            #expect(shop.context.insertedObjects.count == 20)
            #expect(try Shop(at: url).fetch("Customer").count == saved)

            try server.run("psql", "-qc", "DROP TABLE filler")
            try shop.context.save()
            #expect(try Shop(at: url).fetch("Customer").count == saved + 20)
        }
    }

    /// A server of a test's own, that may die.
    struct OwnServer {
        let folder: String
        let url: String

        init() throws {
            folder =
                FileManager.default.temporaryDirectory.appendingPathComponent("graft-server-\(UUID().uuidString)").path
            url = "postgresql://graft@/graft?host=\(folder)"
            try run("start")
        }

        func run(_ arguments: String...) throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let words = [root.appendingPathComponent("scripts/postgresql").path, arguments[0], folder]
            let command = (words + arguments.dropFirst()).map { "'\($0.replacing("'", with: "'\\''"))'" }
                .joined(separator: " ")
            // Not Foundation's `Process`: it waits for whatever its child leaves behind, the server.
            guard unsafe system("\(command) >/dev/null </dev/null") == 0 else { throw CocoaError(.executableLoad) }
        }

        func remove() {
            try? run("stop", "immediate")
            try? FileManager.default.removeItem(atPath: folder)
            try? FileManager.default.removeItem(atPath: folder + ".log")
        }
    }

#endif
