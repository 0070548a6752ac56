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
        #expect(try graft("migrate", store, "--model", model).succeeded().text == "")
    }

    @Test func `a store that can't be migrated says why, and stays`() throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: store))
        let model = try model(
            replacing: "name=\"rescues\" optional=\"YES\" attributeType=\"Integer 32\"",
            with: "name=\"rescues\" optional=\"YES\" attributeType=\"String\"")
        for options in [[], ["--dry-run"]] {
            try graft(["migrate", store, "--model", model] + options)
                .failed(saying: "rescues: type changed", "values can't be converted")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == bytes)
    }

    @Test func `what isn't a store or a model is refused`() throws {
        let text = try folder.file("notes.txt", "nothing")
        try graft("migrate", text, "--model", Project.heroesModel).failed(saying: "notes.txt")
        try graft("migrate", store, "--model", text).failed(saying: "notes.txt")
        try graft("migrate", folder.path("missing.sqlite"), "--model", Project.heroesModel)
            .failed(saying: "missing.sqlite")
    }
}
