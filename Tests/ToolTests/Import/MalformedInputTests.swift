// Everything that can be wrong with what an import is given. Each time: one line that says where and what to do, exit code 1,
// and the store as it was, or none where there was none.

import Foundation
import Testing

@Suite struct MalformedInputTests {
    struct Case: CustomTestStringConvertible {
        var name: String
        var json: String
        var options = ["--entity", "Hero"]
        /// Place and finding; each has to be in the message.
        var says: [String]
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "truncated", json: "[\n  {\"id\": \"1\", \"name\": \"A\"},\n  {\"id\": \"2\"",
            says: ["input.json", "line 3"]),
        Case(name: "truncated in a string", json: "[{\"id\": \"1\", \"name\": \"A", says: ["input.json", "line 1"]),
        Case(name: "text after the end", json: "[] []x", says: ["input.json", "line 1"]),
        Case(name: "not UTF-8 but a word", json: "heroes", says: ["input.json", "line 1, column 1", "Give JSON"]),
        Case(name: "YAML", json: "- id: 1\n  name: A\n", says: ["input.json", "line 1, column 2", "Give JSON"]),
        Case(name: "a ZIP archive", json: "PK\u{3}\u{4}x", says: ["input.json", "Unpack it first"]),
        Case(name: "a number at the top", json: "17", says: ["input.json"]),
        Case(
            name: "a word for a number", json: "[{\"id\": \"1\", \"name\": \"A\", \"rescues\": \"many\"}]",
            says: ["input.json", "$[0].rescues", "many", "Hero.rescues", "Integer 32"]),
        Case(
            name: "a number out of range", json: "[{\"id\": 1, \"name\": \"A\", \"rescues\": 4294967296}]",
            says: ["$[0].rescues", "4294967296", "Integer 32"]),
        Case(
            name: "no date", json: "[{\"id\": 1, \"name\": \"A\", \"appearance\": {\"first_seen\": \"soon\"}}]",
            says: ["$[0].appearance.first_seen", "soon", "Date", "JSONDateFormat"]),
        Case(
            name: "an object for a string", json: "[{\"id\": 1, \"name\": {\"first\": \"A\"}}]",
            says: ["$[0].name", "Hero.name", "String"]),
        Case(
            name: "a word for a to-many relationship", json: "[{\"id\": 1, \"name\": \"A\", \"powers\": \"all\"}]",
            says: ["$[0].powers", "Hero.powers"]),
        Case(
            name: "deep inside", json: "[{\"id\": 1, \"name\": \"A\", \"powers\": [{\"id\": 4}, {\"id\": \"x\"}]}]",
            says: ["$[0].powers[1].id", "Power.id", "Integer 64"]),
        Case(
            name: "a mandatory value is missing", json: "[{\"id\": 1, \"name\": \"A\"}, {\"id\": 2}]",
            says: ["name", "Hero"]),
        Case(name: "an element that is no object", json: "[{\"id\": 1, \"name\": \"A\"}, []]", says: ["$[1]"]),
        Case(name: "a bad line of NDJSON", json: "{\"id\": 1, \"name\": \"A\"}\n{\"id\": }\n", says: ["line 2"]),
        Case(
            name: "nested too deeply",
            json: "[{\"id\": 1, \"name\": \"A\", \"more\": " + String(repeating: "[", count: 100_000), says: ["512"]),
        Case(
            name: "an unknown entity", json: "[]", options: ["--entity", "Heroe"],
            says: ["no entity 'Heroe'", "Did you mean 'Hero'?"]),
        Case(
            name: "no entity named", json: "[{}]", options: [],
            says: ["several entities", "--entity", "Hero, Power, Publisher, Villain"]),
        Case(
            name: "one object under an entity's name", json: "{\"Hero\": {\"id\": 1}}", options: [],
            says: ["input.json: $.Hero", "an array of its objects", "--entity"]),
        Case(
            name: "a null under an entity's name", json: "{\"Power\": [null]}", options: [],
            says: ["$.Power", "an array of its objects"]),
        Case(
            name: "500 levels deep",
            json: "[{\"id\": 1, \"name\": \"A\", \"more\": " + String(repeating: "[", count: 500) + "}",
            says: ["$[0].more[0][0][0][0][0][0][0][0][0][0]...[0][0][0][0][0][0][0][0][0][0][0][0], line 1"]),
        Case(
            name: "an abstract entity", json: "[{\"id\": 99, \"name\": \"A\"}]", options: ["--entity", "Character"],
            says: ["Character"]),
    ]

    @Test(arguments: cases)
    func `bad data leaves an existing store as it was`(_ bad: Case) throws {
        let folder = try TemporaryFolder()
        let store = StoreFile(path: try heroStore(in: folder))
        let content = try store.content
        let input = try folder.file("input.json", bad.json)

        let run = try graft(["import", input, "--store", store.path] + bad.options)

        run.failed()
        for words in bad.says { #expect(run.diagnostics.contains(words), "\(run.diagnostics)") }
        #expect(try store.content == content)
    }

    @Test(arguments: cases)
    func `bad data leaves no new store behind`(_ bad: Case) throws {
        let folder = try TemporaryFolder()
        let input = try folder.file("input.json", bad.json)
        let run = try graft(
            ["import", input, "--store", folder.path("New.sqlite"), "--model", Project.heroesModel] + bad.options)
        run.failed()
        #expect(try folder.names == ["input.json"])
    }

    @Test(arguments: ["", " ", "\n\n"])
    func `an empty file is an error, because what should have written it may have failed`(_ text: String) throws {
        let folder = try TemporaryFolder()
        let store = StoreFile(path: try heroStore(in: folder))
        let content = try store.content
        let empty = try folder.file("empty.json", text)
        let update = Project.heroes.appending(path: "heroes-update.json").path
        for files in [[empty], [update, empty], [update, "--deleted", empty]] {
            try graft(["import"] + files + ["--entity", "Hero", "--store", store.path])
                .failed(saying: "empty.json", "the input is empty", "[]")
        }
        try graft(["import", "-", "--entity", "Hero", "--store", store.path], input: text)
            .failed(saying: "standard input: the input is empty")
        #expect(try store.content == content)
    }

    @Test func `JSON in the place of a model or an archive names the command for it`() throws {
        let folder = try TemporaryFolder()
        let json = try folder.file("input.json", "[]")
        for command in ["lint", "diagram"] { try graft(command, json).failed(saying: "input.json", "graft infer") }
        try graft("restore", json, "--store", folder.path("S.sqlite")).failed(saying: "input.json", "graft import")
    }

    @Test func `a text that is no JSON is told before a model that is missing`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("heroes.csv", "id,name\n1,Batman\n"), store = folder.path("New.sqlite")
        let run = try graft("import", file, "--store", store)
        run.failed(saying: "heroes.csv", "line 1, column 1", "JSON")
        #expect(!run.diagnostics.contains("--model"), "\(run.diagnostics)")
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test func `an empty array says that there is nothing to import`() throws {
        let folder = try TemporaryFolder()
        let store = StoreFile(path: try heroStore(in: folder))
        let content = try store.content
        let run = try graft("import", folder.file("none.json", "[]"), "--entity", "Hero", "--store", store.path)
            .succeeded()
        #expect(run.text == "Nothing to import.\n")
        #expect(try store.content == content)
    }

    @Test func `one bad file of several undoes them all`() throws {
        let folder = try TemporaryFolder()
        let store = StoreFile(path: try heroStore(in: folder))
        let content = try store.content
        let update = Project.heroes.appending(path: "heroes-update.json").path
        let bad = try folder.file("bad.json", "[{\"id\": 1")
        try graft("import", update, bad, "--entity", "Hero", "--store", store.path).failed(saying: "bad.json", "line 1")
        #expect(try store.content == content)
    }

    @Test func `a file that isn't there is named`() throws {
        let folder = try TemporaryFolder()
        let store = StoreFile(path: try heroStore(in: folder))
        let bytes = try store.bytes
        try graft("import", folder.path("gone.json"), "--entity", "Hero", "--store", store.path)
            .failed(saying: "gone.json", "no such file")
        #expect(try store.bytes == bytes)
    }

    @Test func `an empty file makes no new store, nor does an archive from a pipe, which is read only once`() throws {
        let folder = try TemporaryFolder()
        let empty = try folder.file("empty.json", " ")
        try graft("import", empty, "--store", folder.path("New.sqlite")).failed(
            saying: "empty.json", "the input is empty")
        let archive = folder.path("heroes.archive")
        _ = try graft("archive", heroStore(in: folder), "-o", archive).succeeded()
        let run = try shell("$GRAFT import - --store New.sqlite <heroes.archive", in: folder)
        run.failed(saying: "the store doesn't exist yet", "Name a model with --model.")
        #expect(!run.diagnostics.contains("was made with"))
    }

    @Test func `a folder is no store`() throws {
        let folder = try TemporaryFolder()
        let input = try folder.file("a.json", "[]")
        try graft("import", input, "--store", folder.url.path).failed(
            saying: folder.url.lastPathComponent, "it is a folder")
    }

    @Test func `a folder is no input`() throws {
        let folder = try TemporaryFolder()
        let store = try heroStore(in: folder)
        try graft("import", folder.url.path, "--entity", "Hero", "--store", store).failed(
            saying: folder.url.lastPathComponent)
    }
}
