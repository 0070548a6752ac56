// What is around the tool: streams that are closed or full, stores that are locked, words that were meant otherwise.

import Foundation
import GRDB
import Testing

@Suite struct EnvironmentTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = try heroStore(in: folder)
    }

    private static let input = #"[{"id": 77, "name": "New"}]"#

    @Test func `a report that can't be written says that the work is saved`() throws {
        let input = try folder.file("in.json", Self.input)
        let run = try shell(
            "exec \"$GRAFT\" import '\(input)' --entity Hero --store '\(store)' >/dev/full", in: folder)
        #expect(run.status == 1)
        #expect(run.diagnostics.contains("the import is saved"), "\(run.diagnostics)")
        #expect(try StoreFile(path: store).count("ZCHARACTER", where: "ZNAME = 'New'") == 1)
    }

    @Test func `closed standard input is an error, and not nothing to import`() throws {
        let run = try shell("exec \"$GRAFT\" import - --entity Hero --store '\(store)' <&-", in: folder)
        run.failed(saying: "reading stopped")
    }

    @Test func `a store that is locked is waited for as long as one likes`() throws {
        let queue = try DatabaseQueue(path: store)
        let input = try folder.file("in.json", Self.input)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let run = try graft("import", input, "--entity", "Hero", "--store", store, "--wait", "3")
            #expect(run.status == 1)
            #expect(run.diagnostics.contains("is locked by another process; waiting"), "\(run.diagnostics)")
            #expect(run.diagnostics.contains("Somebody else has locked it"), "\(run.diagnostics)")
            let short = try graft("import", input, "--entity", "Hero", "--store", store, "--wait", "0.1")
            #expect(short.status == 1 && !short.diagnostics.contains("waiting until"), "\(short.diagnostics)")
            try db.execute(sql: "ROLLBACK")
        }
    }

    @Test func `a name without quotes is told to be a text, perhaps`() throws {
        try graft("export", "--store", store, "--entity", "Hero", "--where", "name = Flight")
            .failed(saying: "'Flight'", "quotes")
    }

    @Test func `a number below zero is named as what it is`() throws {
        let run = try graft("import", "x.json", "--store", store, "--batch", "-5")
        #expect(run.status == 64 && run.diagnostics.contains("-5") && !run.diagnostics.contains("Missing value"))
    }

    @Test func `JSON that is inspected is told to be JSON`() throws {
        try graft("inspect", folder.file("in.json", Self.input)).failed(saying: "in.json", "it is JSON", "graft import")
    }
}
