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
            #expect(!run.diagnostics.contains("integrity") && !run.diagnostics.contains("damage"))
            let short = try graft("import", input, "--entity", "Hero", "--store", store, "--wait", "0.1")
            #expect(short.status == 1 && !short.diagnostics.contains("waiting until"), "\(short.diagnostics)")
            try db.execute(sql: "ROLLBACK")
        }
    }

    @Test(arguments: ["IMMEDIATE", "EXCLUSIVE"])
    func `a merge that waits for a lock ends when it is told to`(_ lock: String) throws {
        let theirs = folder.path("Theirs.sqlite"), base = folder.path("Base.sqlite")
        for copy in [theirs, base] { try FileManager.default.copyItem(atPath: store, toPath: copy) }
        let input = try folder.file("in.json", Self.input)
        try graft("import", input, "--entity", "Hero", "--store", theirs).succeeded()
        let queue = try DatabaseQueue(path: store)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN \(lock)")
            let merge = try run(
                Project.executable, ["merge", base, store, theirs, "--output", store], input: nil, in: folder
            ) { process in
                usleep(1_500_000)
                process.terminate()
            }
            // Before it has begun to listen, the signal ends the process.
            #expect(merge.isKilled ? merge.status == 15 : merge.status == 143, "\(merge.diagnostics)")
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

    @Test func `an option that doesn't exist is named beside one that is missing`() throws {
        let run = try graft("import", "x.json", "--entiy", "Hero")
        #expect(run.status == 64)
        #expect(run.diagnostics.contains("Unknown option '--entiy'. Did you mean '--entity'?"), "\(run.diagnostics)")
        #expect(run.diagnostics.contains("Missing expected argument '--store"), "\(run.diagnostics)")
        let alone = try graft("import", "x.json")
        #expect(alone.status == 64 && !alone.diagnostics.contains("Unknown option"))
    }

    @Test func `a path of three thousand characters is shortened in an error, and its end stays`() throws {
        let path = folder.path((0..<15).map { "\($0)" + String(repeating: "x", count: 200) }.joined(separator: "/"))
        let run = try graft("inspect", path + "/Heroes.sqlite")
        #expect(run.status == 1 && run.diagnostics.count < 400, "\(run.diagnostics)")
        #expect(run.diagnostics.contains("x/Heroes.sqlite: the file can't be read"))
    }

    @Test func `a store that carries no model is inspected with one, and nothing else takes one`() throws {
        try changeDatabase(at: store, "DELETE FROM Z_MODELCACHE")
        try graft("inspect", store).failed(saying: "there is no --model")
        #expect(try graft("inspect", store, "--model", Project.heroesModel).succeeded().text.contains("Hero"))
        try graft("inspect", Project.heroesModel, "--model", Project.heroesModel).failed(
            saying: "--model is for a store")
    }

    @Test func `an export is written to the file that -o names`() throws {
        let file = folder.path("out.json")
        let run = try graft("export", "--store", store, "--entity", "Hero", "-o", file).succeeded()
        let size = try Data(contentsOf: URL(fileURLWithPath: file)).count
        #expect(run.text == "\(file): \(size) bytes\n")
    }

    @Test func `no difference is said to be none`() throws {
        let run = try graft("diff", store, store)
        #expect(run.status == 0 && run.text == "" && run.diagnostics == "no difference\n")
    }

    @Test func `JSON that is inspected is told to be JSON`() throws {
        try graft("inspect", folder.file("in.json", Self.input)).failed(saying: "in.json", "it is JSON", "graft import")
    }

    @Test(arguments: ["20", "0", "-3"])
    func `a terminal without room for the indent of a help gets a wider one`(_ columns: String) throws {
        let help = try shell("COLUMNS=\(columns) exec \"$GRAFT\" import --help", in: folder)
        #expect(help.status == 0 && help.text.contains("--store"))
        #expect(try shell("COLUMNS=\(columns) exec \"$GRAFT\" import --nope", in: folder).status == 64)
    }

    @Test func `a new store isn't what the logs of one that was there before say`() throws {
        let (old, new) = (try folder.file("old.json", #"[{"id": 1, "name": "Old"}]"#), folder.path("New.sqlite"))
        let model = try folder.model(
            #"<entity name="Hero"><attribute name="id" attributeType="Integer 64"/><attribute name="name" attributeType="String" optional="YES"/></entity>"#
        )
        func take(_ file: String) throws {
            try graft("import", file, "--entity", "Hero", "--store", new, "--model", model).succeeded()
        }
        try take(old)
        let database = try DatabasePool(path: new)
        try database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "UPDATE ZHERO SET ZNAME = 'Changed'")
            try FileManager.default.copyItem(atPath: new + "-wal", toPath: new + "-kept")
        }
        try database.close()
        for name in [new, new + "-wal", new + "-shm"] where FileManager.default.fileExists(atPath: name) {
            try FileManager.default.removeItem(atPath: name)
        }
        for log in ["-wal", "-journal"] {
            try FileManager.default.copyItem(atPath: new + "-kept", toPath: new + log)
        }
        try take(try folder.file("new.json", #"[{"id": 2, "name": "New"}]"#))
        #expect(try graft("export", "--store", new, "--entity", "Hero").succeeded().text.contains("New"))
        #expect(try StoreFile(path: new).count("ZHERO", where: "ZNAME <> 'New'") == 0)
    }
}
