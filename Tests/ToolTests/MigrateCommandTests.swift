// `graft migrate`: a store of the example's model becomes one of a changed model, or says why it can't.

import Foundation
import Testing

@Suite struct MigrateCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = try heroStore(in: folder)
    }

    /// The example's model with a text in its source replaced.
    private func model(replacing text: String, with other: String) throws -> String {
        let source = URL(fileURLWithPath: Project.heroesModel)
        let versions = try FileManager.default.contentsOfDirectory(atPath: source.path)
        let version = try #require(versions.first { $0.hasSuffix(".xcdatamodel") })
        let contents = try String(
            contentsOf: source.appending(path: version).appending(path: "contents"), encoding: .utf8)
        #expect(contents.contains(text))
        let changed = folder.url.appending(path: "Changed.xcdatamodel")
        try FileManager.default.createDirectory(at: changed, withIntermediateDirectories: true)
        try contents.replacingOccurrences(of: text, with: other)
            .write(to: changed.appending(path: "contents"), atomically: true, encoding: .utf8)
        return changed.path
    }

    @Test func `a store is migrated, and the differences are listed`() throws {
        let heroes = try graft("export", "--store", store, "--entity", "Hero").succeeded().text
        let model = try model(
            replacing: "<entity name=\"Power\"", with: "<entity name=\"Power\" versionHashModifier=\"2\"")
        try graft(
            "import", Project.heroes.appending(path: "heroes.json").path, "--entity", "Hero", "--store", store,
            "--model", model
        ).failed(saying: "entity 'Power': version changed from none to '2'")
        let preview = try graft("migrate", store, "--model", model, "--dry-run").succeeded()
        #expect(preview.text == "entity 'Power': version changed from none to '2'\n")
        let migrated = try graft("migrate", store, "--model", model).succeeded()
        #expect(migrated.text == preview.text)
        #expect(try graft("export", "--store", store, "--entity", "Hero", "--model", model).succeeded().text == heroes)
        #expect(try graft("migrate", store, "--model", model).succeeded().text == "Nothing to migrate.\n")
    }

    @Test func `a store that can't be migrated says why, and stays`() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        let model = try model(
            replacing: "name=\"rescues\" optional=\"YES\" attributeType=\"Integer 32\"",
            with: "name=\"rescues\" optional=\"YES\" attributeType=\"String\"")
        for options in [[], ["--dry-run"]] {
            try graft(["migrate", store, "--model", model] + options)
                .failed(saying: "rescues: type changed", "values can't be converted", "--mapping")
            let run = try graft(["migrate", store, "--model", model] + options)
            #expect(!run.diagnostics.contains("Give the model"), "\(run.diagnostics)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    }

    @Test func `a store that carries the model of an older version needs --model, and says so`() throws {
        let older = try StoreFile(path: store).read {
            try String.fetchOne($0, sql: "SELECT HEX(Z_CONTENT) FROM Z_MODELCACHE")
        }
        let model = try model(
            replacing: "<entity name=\"Power\"", with: "<entity name=\"Power\" versionHashModifier=\"2\"")
        try graft("migrate", store, "--model", model).succeeded()
        try changeDatabase(at: store, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(try #require(older))'")
        for arguments in [["inspect", store], ["check", store], ["export", "--store", store]] {
            try graft(arguments).failed(saying: store, "carries that of another version", "--model")
            try graft(arguments + ["--model", model]).succeeded()
        }
    }

    @Test func `a trigger of others that doesn't fit the new tables is named`() throws {
        let trigger = "CREATE TRIGGER rescued AFTER INSERT ON ZCHARACTER BEGIN SELECT new.ZRESCUES; END"
        try changeDatabase(at: store, trigger)
        let model = try model(replacing: "<attribute name=\"rescues\"", with: "<attribute name=\"missions\"")
        let run = try graft("migrate", store, "--model", model).endedWell()
        #expect(run.diagnostics.contains("trigger 'rescued' (no such column: new.ZRESCUES)"), "\(run.diagnostics)")
        #expect(run.diagnostics.contains(store), "\(run.diagnostics)")
    }

    @Test func `links that no object has are left behind, and the first is named`() throws {
        try changeDatabase(at: store, "UPDATE Z_1POWERS SET Z_4POWERS = 999 WHERE rowid = 1")
        let model = try model(replacing: "<attribute name=\"rescues\"", with: "<attribute name=\"missions\"")
        let run = try graft("migrate", store, "--model", model).endedWell()
        #expect(
            run.diagnostics.contains("has left out 1 link that is no object's: Hero.powers of row "),
            "\(run.diagnostics)")
        #expect(run.diagnostics.contains("leads to row 999 of 'Power'") && run.diagnostics.contains(store))
        try graft("check", store).succeeded()
    }

    @Test func `a trial says what the objects don't allow, as the migration does`() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        let model = try model(
            replacing: "<relationship name=\"powers\" optional=\"YES\" toMany=\"YES\"",
            with: "<relationship name=\"powers\" optional=\"YES\" maxCount=\"1\"")
        for options in [["--dry-run"], []] {
            try graft(["migrate", store, "--model", model] + options).failed(
                saying: store, "Character.powers leads to one object now", "have several in it",
                "Take the others out first")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    }

    @Test func `a mapping model beside the versions is used, another one is refused, and none is inferred`() throws {
        func contents(_ attribute: String) -> String {
            """
            <model type="com.apple.IDECoreDataModeler.DataModel"><entity name="Person">
            <attribute name="\(attribute)" optional="YES" attributeType="Integer 32"/>
            <attribute name="name" optional="YES" attributeType="String"><userInfo>
            <entry key="JSONKeyPath" value="name"/></userInfo></attribute></entity></model>
            """
        }
        func write(_ text: String, _ path: String) throws -> String {
            let file = folder.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            return file.deletingLastPathComponent().path
        }
        let one = try write(contents("age"), "People.xcdatamodeld/One.xcdatamodel/contents")
        let two = try write(contents("years"), "People.xcdatamodeld/Two.xcdatamodel/contents")
        let mapping = try write(
            """
            <database>
            <object type="XDDEVMAPPINGMODEL" id="z1"><relationship name="entitymappings" idrefs="z2"/></object>
            <object type="XDDEVENTITYMAPPING" id="z2">
            <attribute name="sourcename">Person</attribute><attribute name="destinationname">Person</attribute>
            <attribute name="sourcefilterpredicatestring">name != "Bob"</attribute>
            <relationship name="attributemappings" idrefs="z3"/></object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z3"><attribute name="name">name</attribute></object>
            </database>
            """, "Mappings/Named.xcmappingmodel/xcmapping.xml")
        let input = try folder.file("in.json", #"[{"name": "Ada"}, {"name": "Bob"}]"#)
        func names(_ options: [String]) throws -> String {
            let people = folder.path("People-\(UUID().uuidString).sqlite")
            try graft("import", input, "--entity", "Person", "--store", people, "--model", one).succeeded()
            let preview = try graft(["migrate", people, "--model", two, "--dry-run"] + options).succeeded()
            #expect(try graft(["migrate", people, "--model", two] + options).succeeded().text == preview.text)
            let first = preview.lines.first { $0.hasPrefix("by the mapping model") }
            let found = try graft("export", "--store", people, "--entity", "Person", "--sort", "name").succeeded()
            return "\(first ?? "inferred") \(found.text.filter { !$0.isWhitespace })"
        }
        #expect(try names([]) == #"inferred [{"name":"Ada"},{"name":"Bob"}]"#)
        #expect(try names(["--mapping", mapping]) == #"by the mapping model Named.xcmappingmodel [{"name":"Ada"}]"#)
        try FileManager.default.copyItem(atPath: mapping, toPath: folder.path("Beside.xcmappingmodel"))
        #expect(try names([]) == #"by the mapping model Beside.xcmappingmodel [{"name":"Ada"}]"#)
        #expect(try names(["--mapping", "inferred"]) == #"inferred [{"name":"Ada"},{"name":"Bob"}]"#)
        try graft("migrate", store, "--model", Project.heroesModel, "--mapping", mapping)
            .failed(saying: "the mapping model is for other versions")
    }

    @Test func `names that are exchanged without a sign of it are refused, as nothing would be done`() throws {
        func model(_ name: String, _ properties: [String]) throws -> String {
            let attributes = zip(["home", "work"], properties).map { name, more in
                "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\" \(more)/>"
            }
            let file = folder.url.appending(path: "\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            try "<model><entity name=\"Phone\">\(attributes.joined())</entity></model>"
                .write(to: file.appending(path: "contents"), atomically: true, encoding: .utf8)
            return file.path
        }
        let phones = folder.url.appending(path: "Phones.sqlite").path
        let data = folder.url.appending(path: "phones.json")
        try #"[{"home": "1", "work": "2"}]"#.write(to: data, atomically: true, encoding: .utf8)
        try graft("import", data.path, "--store", phones, "--model", model("Old", ["", ""])).succeeded()
        let swapped = ["elementID=\"work\"", "elementID=\"home\""]
        for options in [[], ["--dry-run"]] {
            try graft(["migrate", phones, "--model", model("Swapped", swapped)] + options)
                .failed(saying: "Phone.home: renamed from 'work', with the same version hashes", "hash modifier")
        }
        let marked = try model("Marked", swapped.map { "\($0) versionHashModifier=\"2\"" })
        try graft("migrate", phones, "--model", marked).succeeded()
        let text = try graft("export", "--store", phones, "--model", marked).succeeded().text
        #expect(text.contains(#""home":"2""#) && text.contains(#""work":"1""#), "\(text)")
    }

    @Test func `values come out of their files although the version hash stays`() throws {
        func model(_ name: String, _ more: String) throws -> String {
            try folder.model(
                """
                <entity name="Photo"><attribute name="bytes" optional="YES" attributeType="Binary"
                preserveAfterDeletion="YES" \(more)/></entity>
                """, named: name)
        }
        let photos = folder.path("Photos.sqlite")
        let large = String(repeating: "ab", count: 100_000)
        let data = try folder.file("photos.json", #"[{"bytes": "aGVsbG8="}, {"bytes": "\#(large)"}]"#)
        let old = try model("Old", "allowsExternalBinaryDataStorage=\"YES\""), new = try model("New", "")
        try graft("import", data, "--store", photos, "--model", old).succeeded()
        let before = try graft("export", "--store", photos).succeeded().text
        try graft("export", "--store", photos, "--model", new).failed(saying: "Photo")
        let migrated = try graft("migrate", photos, "--model", new).succeeded().text
        #expect(migrated == "Photo.bytes: external storage no longer allowed\n")
        #expect(try graft("export", "--store", photos, "--model", new).succeeded().text == before)
        #expect(before.contains("aGVsbG8="))
    }

    @Test func `a relationship that becomes its own inverse without a sign of it is refused`() throws {
        func model(_ name: String, _ inverse: String) throws -> String {
            try folder.model(
                """
                <entity name="Person"><attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="friend" optional="YES" maxCount="1" destinationEntity="Person" \(inverse)/></entity>
                """, named: name)
        }
        let people = folder.path("People.sqlite")
        let data = try folder.file("people.json", #"[{"name": "Ada"}]"#)
        try graft("import", data, "--store", people, "--model", model("Old", "")).succeeded()
        try graft("migrate", people, "--model", model("New", "inverseName=\"friend\" inverseEntity=\"Person\""))
            .failed(saying: "Person.friend: inverse changed from none to 'friend', with the same version hashes")
    }

    @Test func `what isn't a store or a model is refused`() throws {
        let text = try folder.file("notes.txt", "nothing")
        try graft("migrate", text, "--model", Project.heroesModel).failed(saying: "notes.txt")
        try graft("migrate", store, "--model", text).failed(saying: "notes.txt")
        try graft("migrate", folder.path("missing.sqlite"), "--model", Project.heroesModel)
            .failed(saying: "missing.sqlite")
    }
}
