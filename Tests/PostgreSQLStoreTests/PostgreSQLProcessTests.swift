// Eight processes on one store, four that import and four that edit, while their server is killed again and again. What was said to be
// saved is there, once, and nothing is there by halves.
//
// A short run belongs to the tests; TORTURE_SECONDS=600 is the one of ten minutes.

#if PostgreSQL

    import CoreData
    import Foundation
    import Graft
    import Synchronization
    import Testing

    @testable import PostgreSQLStore

    @Suite(.enabled(if: Server.url != nil, "no PostgreSQL server: make test-postgresql"), .serialized)
    struct PostgreSQLProcessTests {
        @Test func `processes that import and edit while the server is killed agree in the end`() async throws {
            let seconds =
                ProcessInfo.processInfo.environment["TORTURE_SECONDS"].flatMap { Double($0) } ?? 8
            let server = try OwnServer()
            defer { server.remove() }
            let url = try #require(URL(string: server.url + "&schema=library"))
            let library = try Library(at: url)
            try library.makeAccounts()
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "graft-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }

            let address: String = url.absoluteString
            let logs = (0..<8).map { folder.appendingPathComponent("\($0).log").path }
            let isOver = Mutex(false)
            let killing = Thread {
                let pause = min(20, seconds / 4)
                var next = Date(timeIntervalSinceNow: pause)
                while !isOver.withLock({ $0 }) {
                    Thread.sleep(forTimeInterval: 0.1)
                    if Date() < next { continue }
                    do {
                        try server.run("stop", "immediate")
                        try server.run("start")
                    } catch {
                        Issue.record("The server didn't come back: \(error)")
                    }
                    next = Date(timeIntervalSinceNow: pause)
                }
                isOver.withLock { $0 = false }
            }
            killing.start()
            await withTaskGroup(of: Void.self) { group in
                for number: Int in 0..<8 {
                    let log: String = logs[number]
                    group.addTask {
                        await #expect(processExitsWith: .success) {
                            [
                                address = address as String, number = number as Int, log = log as String,
                                seconds = seconds as Double
                            ] in
                            PostgreSQLStore.register()
                            let worker = try LibraryWorker(number, at: address, log: log, seconds: seconds)
                            try await number < 4 ? worker.importBooks() : worker.edit()
                        }
                    }
                }
            }
            isOver.withLock { $0 = true }
            while isOver.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(50)) }
            let entries = try logs.map { try LibraryLog(contentsOf: $0) }.reduce(into: LibraryLog()) { $0.add($1) }
            print("\(entries.saved.count) saves, \(entries.unknown.count) of unknown end, \(entries.refused) refused")
            #expect(entries.unexpected == [])
            #expect(entries.saved.count > 5)
            try Library(at: url).check(entries)
        }
    }

    /// What the processes have noted, each line when it was known.
    struct LibraryLog {
        /// Saves that succeeded: `entry 17`, `read 5`, `import 3-12`.
        var saved: [String] = []
        /// Saves of which nobody knows what became of them.
        var unknown: [String] = []
        var unexpected: [String] = []
        var refused = 0

        init() {}

        init(contentsOf path: String) throws {
            for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
                let text = String(line.dropFirst(2))
                switch line.first {
                case "+": saved.append(text)
                case "?": unknown.append(text)
                case "-": refused += 1
                default: unexpected.append(text)
                }
            }
        }

        mutating func add(_ other: LibraryLog) {
            saved += other.saved
            unknown += other.unknown
            unexpected += other.unexpected
            refused += other.refused
        }
    }

#endif
