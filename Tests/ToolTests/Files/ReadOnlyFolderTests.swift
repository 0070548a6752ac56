// Real stores in a folder that nobody may write to, read by somebody without rights (the tests may run as root, who may do everything):
// each command says what it says elsewhere, and leaves no trace.

import Foundation
import GRDB
import Testing

@Suite(
    .needsReferenceData,
    .enabled("There is no way here to run the tool without the rights of root") { Bystander.canRun },
    .serialized
)
struct ReadOnlyFolderTests {
    typealias RealStore = RealStoreCheckTests.RealStore

    /// What lies beside the store.
    enum Beside: String, CaseIterable {
        case log = "with its log", nothing = "with the log removed", stale = "with a log and a stale index of it"
    }

    struct Case: CustomTestStringConvertible {
        let store: RealStore
        let beside: Beside
        let commands: [[String]]
        var testDescription: String { "\(store.path) \(beside.rawValue): \(commands.map { $0[0] })" }

        /// Each store in each way with each command, or each in one of the ways with two of the commands.
        static let all = RealStore.all.enumerated().flatMap { index, store in
            Beside.allCases.enumerated().filter { Laws.isThorough || index % 3 == $0.offset }.map {
                let chosen = everyCommand.enumerated().filter {
                    Laws.isThorough || ($0.offset - index / 3) % everyCommand.count == 0 || $0.offset == index % 2
                }
                return Case(store: store, beside: $0.element, commands: chosen.map(\.element))
            }
        }

        private static let everyCommand = [
            ["inspect", "Store.sqlite"], ["export", "--store", "Store.sqlite"],
            ["archive", "Store.sqlite", "--keep-going"],
            ["check", "Store.sqlite"], ["diff", "Store.sqlite", "Store.sqlite"],
        ]
    }

    /// Puts a copy of a store into a folder, with what an app that ended without closing it has left there.
    private func put(_ given: Case, _ folder: TemporaryFolder) throws {
        let work = try TemporaryFolder()
        let path = work.path("Store.sqlite"), copy = folder.path("Store.sqlite")
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: given.store.url.path + end) {
            try Data(contentsOf: URL(fileURLWithPath: given.store.url.path + end))
                .write(to: URL(fileURLWithPath: path + end))
        }
        func keep(_ end: String) throws {
            try Data(contentsOf: URL(fileURLWithPath: path + end)).write(to: URL(fileURLWithPath: copy + end))
        }
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            let change = "UPDATE Z_METADATA SET Z_VERSION = Z_VERSION"
            try db.execute(sql: change)
            if given.beside == .stale { try keep("-shm") }
            for _ in 0..<3 { try db.execute(sql: change) }
            if given.beside != .nothing { try keep("-wal") }
            if given.beside == .nothing { try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try keep("")
        }
        try database.close()
    }

    @Test(arguments: Case.all)
    func `every command reads a store in a folder without rights to write, and changes nothing there`(
        _ given: Case
    ) throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        for folder in [folder, other] { try put(given, folder) }
        try #require(folder.names.contains("Store.sqlite-wal") == (given.beside != .nothing))
        let before = try TracelessFolder(folder)
        try before.protect()
        defer { before.unprotect() }
        for command in given.commands {
            let run = try Bystander.run(command, in: folder)
            #expect(try TracelessFolder(folder) == before, "\(command)")
            let elsewhere = try graft(command, in: other)
            #expect(run.status == elsewhere.status, "\(command): \(run.diagnostics)")
            #expect(run.output == elsewhere.output, "\(command)")
            #expect(
                run.diagnostics.replacing(folder.url.path, with: "")
                    == elsewhere.diagnostics.replacing(other.url.path, with: ""), "\(command)")
            // Photos has links to rows that are gone, and Notes links that one end alone knows, of which a check tells.
            let isSound =
                !given.store.path.contains("Photos") && (!given.store.path.contains("Notes") || command[0] != "check")
            #expect(run.status == 0 || !isSound, "\(command): \(run.diagnostics)")
        }
    }
}

/// Somebody who may read, and write nowhere but among the temporary files.
enum Bystander {
    private static let isRoot = geteuid() == 0

    /// What runs a program as another user; nothing where we are one, nil where there is no such way.
    private static let prefix: [String]? = {
        if !isRoot { return [] }
        let words = ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"]
        return FileManager.default.isExecutableFile(atPath: words[0]) ? words : nil
    }()

    /// Whether the tool runs, and whether a folder can be kept from it.
    static let canRun: Bool = {
        guard let folder = try? TemporaryFolder(), let run = try? run(["--version"], in: folder) else { return false }
        return run.status == 0
    }()

    static func run(_ arguments: [String], in folder: TemporaryFolder) throws -> ToolRun {
        let words = (prefix ?? ["/bin/false"]) + [Project.executable.path] + arguments
        return try ToolTests.run(
            URL(fileURLWithPath: words[0]), Array(words.dropFirst()), input: nil, in: folder,
            environment: ["HOME": "/nonexistent"])
    }
}

/// What is in a folder: names, bytes and times of change.
struct TracelessFolder: Equatable {
    struct File: Equatable {
        let bytes: Data
        let changed: Date?
    }

    private let path: String
    private let files: [String: File]

    init(_ folder: TemporaryFolder) throws {
        path = folder.url.path
        files = try Dictionary(
            uniqueKeysWithValues: folder.names.map { name in
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
                let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
                return (name, File(bytes: bytes, changed: attributes[.modificationDate] as? Date))
            })
    }

    func protect() throws {
        for name in files.keys {
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: "\(path)/\(name)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: path)
    }

    func unprotect() {
        _ = try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
}
