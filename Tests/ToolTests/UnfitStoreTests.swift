// Stores and models that aren't any, or not for each other. Import, export and inspect say so and change nothing.

import Foundation
import Testing

@Suite struct UnfitStoreTests {
    private let folder: TemporaryFolder
    private let heroes = Project.heroes.appending(path: "heroes.json").path

    init() throws { folder = try TemporaryFolder() }

    private func commands(store: String, model: String?) -> [[String]] {
        let model = model.map { ["--model", $0] } ?? []
        return [
            ["import", heroes, "--entity", "Hero", "--store", store] + model,
            ["import", heroes, "--entity", "Hero", "--store", store, "--dry-run"] + model,
            ["export", "--store", store] + model,
            ["inspect", store],
        ]
    }

    @Test func `a text file is no store`() throws {
        let store = try folder.file("notes.sqlite", String(repeating: "This isn't a database. ", count: 500))
        let bytes = try StoreFile(path: store).bytes
        for command in commands(store: store, model: Project.heroesModel) {
            try graft(command).failed(saying: "notes.sqlite", "isn't a")
        }
        #expect(try StoreFile(path: store).bytes == bytes)
        #expect(try folder.names == ["notes.sqlite"])
    }

    @Test func `another program's database is no store`() throws {
        let store = folder.path("other.sqlite")
        try changeDatabase(at: store, "CREATE TABLE invoice (id INTEGER PRIMARY KEY, total REAL)")
        let bytes = try StoreFile(path: store).bytes
        for command in commands(store: store, model: Project.heroesModel) {
            try graft(command).failed(saying: "other.sqlite")
        }
        #expect(try StoreFile(path: store).bytes == bytes)
    }

    @Test func `a damaged store is reported as such`() throws {
        let store = try heroStore(in: folder)
        // Everything behind the header is overwritten, so the schema can't be read.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        bytes.replaceSubrange(100..., with: Data(repeating: 0x5A, count: bytes.count - 100))
        try bytes.write(to: URL(fileURLWithPath: store))
        for command in commands(store: store, model: Project.heroesModel) {
            try graft(command).failed(saying: "Heroes.sqlite")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    }

    @Test func `inspect names a table that can't be read, and shows the others`() throws {
        let store = try heroStore(in: folder)
        let pages = try StoreFile(path: store).pages(ofTable: "ZPOWER")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        for page in pages {
            bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(repeating: 0x5A, count: 4096))
        }
        try bytes.write(to: URL(fileURLWithPath: store))
        let run = try graft("inspect", store)
        #expect(run.status == 1 && run.diagnostics.contains("ZPOWER"), "\(run.diagnostics)")
        #expect(run.text.contains(/Power +-/) && run.text.contains(/Hero +[1-9]/), "\(run.text)")
    }

    @Test func `a store of which a part is damaged is an error wherever that part is read, and no end of the process`()
        throws
    {
        let store = try heroStore(in: folder), archive = try folder.file("heroes.archive", "as it was")
        let update = Project.heroes.appending(path: "heroes-update.json").path
        let pages = try StoreFile(path: store).pages(ofTable: "Z_1POWERS")
        #expect(pages.count == 3)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        for page in pages {
            bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(repeating: 0x5A, count: 4096))
        }
        try bytes.write(to: URL(fileURLWithPath: store))
        let commands = [
            ["export", "--store", store], ["export", "--store", store, "--entity", "Hero"],
            ["archive", store, "--output", archive],
            ["export", "--store", store, "--output", archive], ["diff", store, store],
            ["import", update, "--entity", "Hero", "--store", store],
            ["import", update, "--entity", "Hero", "--store", store, "--batch", "1"],
        ]
        for command in commands { try graft(command).failed(saying: "Heroes.sqlite", "malformed", "Restore it") }
        #expect(try String(contentsOfFile: archive, encoding: .utf8) == "as it was")
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    }

    @Test func `a store without a model, or with a damaged one, needs --model`() throws {
        let store = try heroStore(in: folder)
        try changeDatabase(at: store, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'0011'")
        try graft("inspect", store).failed(saying: "Heroes.sqlite", "damaged", "--model")
        try graft("export", "--store", store, "--model", Project.heroesModel).succeeded()
        try changeDatabase(at: store, "DELETE FROM Z_MODELCACHE")
        try graft("export", "--store", store).failed(saying: "Heroes.sqlite", "--model")
        try graft("export", "--store", store, "--model", Project.heroesModel).succeeded()
    }

    @Test func `a folder is no store`() throws {
        for command in commands(store: folder.url.path, model: Project.heroesModel) {
            try graft(command).failed(saying: folder.url.lastPathComponent)
        }
    }

    @Test func `a store that isn't there can be imported into, not read`() throws {
        let store = folder.path("gone.sqlite")
        try graft("export", "--store", store).failed(saying: "gone.sqlite", "no such file")
        try graft("inspect", store).failed(saying: "gone.sqlite", "no such file")
        #expect(try folder.names == [])
        let run = try graft("import", heroes, "--entity", "Hero", "--store", store).succeeded()
        #expect(run.text.contains("inferred from the data"))
    }

    @Test func `a model that doesn't fit the store is refused`() throws {
        let store = try heroStore(in: folder)
        let content = try StoreFile(path: store).content
        let model = Project.worldModel
        try graft("import", heroes, "--entity", "City", "--store", store, "--model", model).failed(
            saying: "Heroes.sqlite")
        try graft("export", "--store", store, "--model", model).failed(saying: "Heroes.sqlite", "model")
        #expect(try StoreFile(path: store).content == content)
    }

    @Test func `a model of something else is told before an entity that it lacks`() throws {
        let store = try heroStore(in: folder)
        let other = try folder.model(
            #"<entity name="Dog"><attribute name="name" optional="YES" attributeType="String"/></entity>"#)
        for command in [
            ["import", heroes, "--entity", "Hero", "--store", store], ["diff", store, store, "--entity", "Hero"],
        ] {
            let run = try graft(command + ["--model", other])
            run.failed(saying: "Heroes.sqlite", "another version of the model")
            #expect(!run.diagnostics.contains("has no entity"))
        }
        try graft("import", heroes, "--entity", "Heros", "--store", store).failed(saying: "Did you mean 'Hero'?")
    }

    @Test func `stores and archives of two versions of a model are told what differs, and how to get one`() throws {
        func store(_ name: String, _ more: String) throws -> String {
            let made = try TemporaryFolder()
            let model = try made.model(
                #"<entity name="Dog"><attribute name="name" optional="YES" attributeType="String"/>\#(more)</entity>"#)
            let data = try made.file("dogs.json", #"[{"name": "Rex"}]"#)
            let store = folder.path(name)
            try graft("import", data, "--entity", "Dog", "--store", store, "--model", model).succeeded()
            return store
        }
        let old = try store("Old.sqlite", "")
        let new = try store("New.sqlite", #"<attribute name="age" optional="YES" attributeType="Integer 16"/>"#)
        let archive = folder.path("New.archive")
        try graft("archive", new, "-o", archive).succeeded()
        for (command, code, migrated, model) in [
            (["diff", old, new], 1, old, new), (["diff", new, old], 1, new, old),
            (["diff", old, archive], 1, old, archive),
            (["diff", archive, old], 1, old, archive),
            (["merge", old, old, new, "--output", folder.path("M.sqlite")], 2, old, new),
        ] {
            try graft(command).failed(
                code: Int32(code), saying: "versions of the model", "Dog.age",
                "graft migrate \(migrated) --model \(model)")
        }
        try graft("migrate", old, "--model", archive).succeeded()
        try graft("diff", old, new, "--exit-code").endedWell()
        // No number becomes a text: the way back is the one that there is.
        let wide = try store("Wide.sqlite", #"<attribute name="age" optional="YES" attributeType="Integer 64"/>"#)
        try graft("diff", wide, archive).failed(
            saying: "graft restore \(archive) --store STORE", "graft migrate STORE --model \(wide)")
    }

    @Test func `what is wrong with files that are sound isn't told as damage`() throws {
        let store = try heroStore(in: folder)
        let text = try folder.file("notes.sqlite", String(repeating: "This isn't a database. ", count: 500))
        let other = folder.path("other.sqlite"), few = folder.path("few.sqlite")
        try changeDatabase(at: other, "CREATE TABLE invoice (id INTEGER PRIMARY KEY, total REAL)")
        // A store that says to be of the heroes' model, of which it has no table.
        try FileManager.default.copyItem(atPath: store, toPath: few)
        try changeDatabase(at: few, "DROP TABLE ZCHARACTER")
        let city = ["--store", store, "--model", Project.worldModel]
        let refused = try folder.model(
            """
            <entity name="Character"><attribute name="name" attributeType="Integer 32" optional="YES"/></entity>
            """)
        let calls = [
            ["import", heroes, "--entity", "City"] + city, ["export"] + city, ["archive", store, "--model", refused],
            ["migrate", store, "--model", refused], ["migrate", store, "--model", refused, "--dry-run"],
            ["export", "--store", few], ["archive", few], ["diff", store, few], ["diff", store, other],
            ["archive", other], ["check", text], ["check", other],
            ["restore", store, "--store", few], ["migrate", other, "--model", Project.heroesModel],
        ]
        let before = try StoreFile(path: store).content
        for call in calls + [text, other].flatMap({ commands(store: $0, model: Project.heroesModel) }) {
            let run = try graft(call)
            #expect(run.status != 0 && run.diagnostics.hasPrefix("graft: "), "\(call): \(run.text)")
            for word in ["integrity", "malformed", "damage"] {
                #expect(!run.diagnostics.contains(word), "\(call): \(run.diagnostics)")
            }
        }
        #expect(try StoreFile(path: store).content == before)
    }

    @Test func `a model that can't be read says where it is wrong`() throws {
        let model = folder.url.appending(path: "Broken.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let text = """
            <model><entity name="Hero"><attribute name="id" attributeType="Integer 65"/></entity></model>
            """
        try Data(text.utf8).write(to: model.appending(path: "contents"))
        try graft("import", heroes, "--store", folder.path("New.sqlite"), "--model", model.path)
            .failed(saying: "Broken.xcdatamodel", "Integer 65")
        try graft("inspect", model.path).failed(saying: "Integer 65")
        #expect(try folder.names == ["Broken.xcdatamodel"])
    }

    @Test func `a model that isn't there is named`() throws {
        try graft("import", heroes, "--store", folder.path("New.sqlite"), "--model", folder.path("Gone.xcdatamodeld"))
            .failed(saying: "Gone.xcdatamodeld")
        #expect(try folder.names == [])
    }
}
