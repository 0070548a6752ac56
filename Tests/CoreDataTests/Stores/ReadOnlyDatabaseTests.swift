// Reading without a trace: the ways of ReadOnlyDatabase.swift, and what each does when somebody begins to write.

import Foundation
import GRDB
import Glibc
import TestSupport
import Testing

@testable import CoreData

/// One after the other: they wait for other processes, which must not inherit each other's pipes.
@Suite(.serialized) struct ReadOnlyDatabaseTests {
    /// A store in its folder, as an app leaves it.
    private struct Scene {
        let folder: TemporaryFolder
        let url: URL

        init() throws {
            folder = try TemporaryFolder()
            url = folder.url.appendingPathComponent("Heroes & #1.sqlite")
        }

        func contents() throws -> FolderContents { try FolderContents(folder.url) }

        func open() throws -> ReadOnlyDatabase {
            try ReadOnlyDatabase(path: url.path, options: SQLiteStoreOptions())
        }

        /// Writes in another process, so that no lock of this one is in the way.
        ///
        /// - Returns: The process, which keeps the store open.
        func writer(_ sql: String) throws -> Writer { try Writer(url, sql) }
    }

    /// Another process with the store open.
    private final class Writer {
        private let process = Process()
        private let input = Pipe()
        private let output = Pipe()

        deinit { if process.isRunning { kill() } }

        init(_ url: URL, _ sql: String) throws {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", "-u", "-c", Self.program, url.path]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            try run(sql)
        }

        /// Runs a statement and waits for its commit.
        func run(_ sql: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
            var answer = Data()
            while !answer.contains(UInt8(ascii: "\n")) {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                answer += more
            }
            try #require(String(decoding: answer, as: UTF8.self) == "done\n")
        }

        /// Ends the process without letting it close the store.
        func kill() {
            // A process that a worker thread has started may not hear anything gentler.
            _ = Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// Closes the store and ends the process.
        func close() throws {
            try run("close")
            process.waitUntilExit()
        }

        private static let program = """
            import sqlite3, sys
            connection = sqlite3.connect(sys.argv[1], isolation_level=None)
            for line in sys.stdin:
                if line == "close\\n":
                    connection.close()
                    print("done")
                    break
                connection.execute(line).fetchall()
                print("done")
            """
    }

    private func scene(_ mode: String = "wal") throws -> Scene {
        let scene = try Scene()
        let queue = try DatabaseQueue(path: scene.url.path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = \(mode); CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        }
        try queue.close()
        return scene
    }

    private func sum(_ database: ReadOnlyDatabase) throws -> Int? {
        try database.read { try Int.fetchOne($0, sql: "SELECT SUM(a) FROM t") }
    }

    // MARK: Nobody writes

    @Test(arguments: [("delete", ReadOnlyDatabase.Way.shared), ("wal", .fileAlone)])
    func `a database without a log is read as it is`(_ mode: String, _ way: ReadOnlyDatabase.Way) throws {
        let scene = try scene(mode)
        let before = try scene.contents()
        let database = try scene.open()
        #expect(database.way == way)
        #expect(try sum(database) == 1)
        database.close()
        #expect(try scene.contents() == before)
    }

    @Test(.enabled(if: FileLocks.canBeAsked, "there is no Python"))
    func `a log that was left behind is read with an index in memory`() throws {
        let scene = try scene()
        let writer = try scene.writer("INSERT INTO t VALUES (10)")
        writer.kill()
        let links = try TemporaryFolder()
        let link = links.url.appendingPathComponent("Link.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scene.url.path)
        // With the shared index that the writer has left, and without it.
        for way in [ReadOnlyDatabase.Way.joined, .privateIndex] {
            let before = try scene.contents()
            for path in [scene.url.path, link] {
                let database = try ReadOnlyDatabase(path: path, options: SQLiteStoreOptions())
                #expect(database.way == way)
                #expect(try sum(database) == 11)
                database.close()
            }
            #expect(try scene.contents() == before)
            try? FileManager.default.removeItem(atPath: scene.url.path + "-shm")
        }
    }

    @Test(.enabled(if: FileLocks.canBeAsked, "there is no Python"))
    func `a log without anything usable in it stays where it is`()
        throws
    {
        let scene = try scene()
        let writer = try scene.writer("INSERT INTO t VALUES (10)")
        writer.kill()
        try FileManager.default.removeItem(atPath: scene.url.path + "-shm")
        let log = URL(fileURLWithPath: scene.url.path + "-wal")
        var bytes = try Data(contentsOf: log)
        bytes[40] ^= 0xFF
        for damaged in [bytes, bytes.prefix(32), Data(repeating: 7, count: 5000)] {
            try damaged.write(to: log)
            let before = try scene.contents()
            let database = try scene.open()
            #expect(database.way == .privateIndex)
            #expect(try sum(database) == 1)
            database.close()
            #expect(try scene.contents() == before)
            #expect(try Data(contentsOf: log) == damaged)
        }
    }

    // MARK: Somebody writes

    @Test(.enabled(if: FileLocks.canBeAsked, "there is no Python"))
    func `a store that another process has open is read as that has saved it`() throws {
        let scene = try scene()
        let writer = try scene.writer("INSERT INTO t VALUES (10)")
        let database = try scene.open()
        #expect(try sum(database) == 11)
        try writer.run("INSERT INTO t VALUES (100)")
        #expect(try sum(database) == 111)
        let pinned = try #require(try database.pinned())
        try writer.run("INSERT INTO t VALUES (1000)")
        #expect(try sum(pinned) == 111)
        #expect(try sum(database) == 1111)
        database.close()
        pinned.close()
        try writer.close()
    }

    @Test(.enabled(if: FileLocks.canBeAsked, "there is no Python"), arguments: [false, true])
    func `a writer that comes while a store is open is noticed`(_ hasLog: Bool) throws {
        let scene = try scene()
        if hasLog {
            try scene.writer("INSERT INTO t VALUES (0)").kill()
            try FileManager.default.removeItem(atPath: scene.url.path + "-shm")
        }
        let database = try scene.open()
        #expect(database.way == (hasLog ? .privateIndex : .fileAlone))
        #expect(try sum(database) == 1)
        let pinned = try #require(try database.pinned())
        #expect(try sum(pinned) == 1)

        let writer = try scene.writer("INSERT INTO t VALUES (10)")
        #expect(try sum(database) == 11)
        #expect(database.way?.hasLocks == true)
        // A state that was to be kept is gone: the writer knew of no reader.
        #expect(throws: CocoaError.self) { try sum(pinned) }
        try writer.close()
        #expect(try sum(database) == 11)
    }

    @Test(.enabled(if: FileLocks.canBeAsked, "there is no Python"))
    func `what is read while a writer comes is read again`() throws {
        let scene = try scene()
        let database = try scene.open()
        var writers: [Writer] = []
        var sums: [Int?] = []
        let result = try database.read { db in
            sums.append(try Int.fetchOne(db, sql: "SELECT SUM(a) FROM t"))
            if writers.isEmpty { writers.append(try scene.writer("INSERT INTO t VALUES (10)")) }
            return sums.last ?? nil
        }
        #expect(sums == [1, 11])
        #expect(result == 11)
        for writer in writers { try writer.close() }
    }

    // MARK: One process

    @Test(.enabled(if: FileLocks.canBeAsked, "there is no Python"))
    func `reading a store that this process writes breaks none of its locks`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let writer = try TestStore(TestModel.heroes(), at: url)
        try writer.insert("Hero")
        #expect(try FileLocks.isRead(url))
        #expect(try ReadOnlyDatabase.way(to: url.path) == .shared)
        _ = try SQLiteStoreFile.metadata(at: url)
        #expect(SQLiteStoreFile.isDatabase(at: url))
        #expect(try FileLocks.isRead(url))
        try writer.backend.close()
        #expect(try !FileLocks.isRead(url))
        #expect(try ReadOnlyDatabase.way(to: url.path) == .fileAlone)
    }
}
