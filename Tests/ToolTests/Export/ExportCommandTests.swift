// `graft export` on the example: which objects, in which order and form, and where to.

import Foundation
import Testing

@Suite struct ExportCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = try heroStore(in: folder)
    }

    private func names(_ options: String...) throws -> [String] {
        let run = try graft(["export", "--store", store, "--entity", "Hero"] + options).succeeded()
        let heroes = try #require(try JSONSerialization.jsonObject(with: run.output) as? [[String: Any]])
        return heroes.compactMap { $0["name"] as? String }
    }

    @Test func `objects are sorted by a key`() throws {
        #expect(try names("--sort", "id") == ["Revontuli", "La Brisa", "Tidewright", "墨守 (Mò Shǒu)"])
        #expect(try names("--sort", "name") == ["La Brisa", "Revontuli", "Tidewright", "墨守 (Mò Shǒu)"])
    }

    @Test func `no more than the limit are exported`() throws {
        #expect(try names("--sort", "id", "--limit", "2") == ["Revontuli", "La Brisa"])
        #expect(try names("--limit", "0") == [])
    }

    @Test(arguments: [
        ("name BEGINSWITH 'R'", ["Revontuli"]),
        ("name BEGINSWITH[c] 'r'", ["Revontuli"]),
        ("publisher.name == 'Pohjola Panels' AND active == YES", ["Revontuli"]),
        ("ANY powers.name == 'Flight'", ["Revontuli", "La Brisa"]),
        ("publisher == nil", ["墨守 (Mò Shǒu)"]),
        ("height BETWEEN {1.7, 1.9}", ["Revontuli", "Tidewright"]),
        ("powers.@count > 1", ["Revontuli", "La Brisa"]),
    ])
    func `a predicate chooses the objects`(_ predicate: String, _ expected: [String]) throws {
        #expect(try names("--where", predicate, "--sort", "id") == expected)
    }

    @Test func `a predicate that can't be parsed is shown with the place`() throws {
        let run = try graft("export", "--store", store, "--entity", "Hero", "--where", "name = = 'A'")
        // The text again, and a mark below the place.
        run.failed(lines: 3, saying: "character 8", "    name = = 'A'\n", "           ^\n")
    }

    @Test func `an unknown key in a predicate is an error with a suggestion`() throws {
        try graft("export", "--store", store, "--entity", "Hero", "--where", "nane == 'A'")
            .failed(saying: "'nane'", "Did you mean 'name'?")
        try graft("export", "--store", store, "--entity", "Hero", "--where", "ANY powers.nam == 'A'")
            .failed(saying: "'nam'", "Power", "Did you mean 'name'?")
    }

    @Test func `a key path ends at an attribute`() throws {
        for option in [["--where", "name.length == 4"], ["--sort", "name.length"]] {
            try graft(["export", "--store", store, "--entity", "Hero"] + option)
                .failed(saying: option[0], "'name.length'", "attribute")
        }
        try graft("export", "--store", store, "--entity", "Hero", "--sort", "powers.name")
            .failed(saying: "--sort", "many objects")
    }

    @Test func `an unknown key to sort by is an error with a suggestion`() throws {
        try graft("export", "--store", store, "--entity", "Hero", "--sort", "rescue")
            .failed(saying: "'rescue'", "Did you mean 'rescues'?")
    }

    @Test func `an unknown entity is an error with a suggestion`() throws {
        try graft("export", "--store", store, "--entity", "Pwer").failed(saying: "'Pwer'", "Did you mean 'Power'?")
    }

    @Test(arguments: [
        ["--where", "name == 'A'"], ["--sort", "name"], ["--limit", "1"], ["--format", "ndjson"], ["--depth", "1"],
    ])
    func `options for the objects of one entity are a mistake of the command line without it`(_ options: [String])
        throws
    {
        let run = try graft(["export", "--store", store] + options)
        #expect(run.status == 64)
        #expect(run.diagnostics.contains("Name one with --entity: Character, Power, Publisher"), "\(run.diagnostics)")
        #expect(run.text.isEmpty)
    }

    @Test(arguments: ["powers.@distinctUnionOfObjects.name == 'a'", "FUNCTION(name, 'foo') == 1"])
    func `a predicate that SQL has no words for isn't the disk's fault`(_ predicate: String) throws {
        let run = try graft("export", "--store", store, "--entity", "Hero", "--where", predicate)
        run.failed(saying: "can't be evaluated by a SQLite store", "evaluate it in memory")
        #expect(!run.diagnostics.contains("free space"))
    }

    @Test func `NDJSON has one object on each line`() throws {
        let run = try graft("export", "--store", store, "--entity", "Power", "--format", "ndjson").succeeded()
        #expect(run.lines.count == 5)
        for line in run.lines {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    @Test func `pretty output is the same data on more lines`() throws {
        let plain = try graft("export", "--store", store, "--entity", "Hero").succeeded()
        let pretty = try graft("export", "--store", store, "--entity", "Hero", "--pretty").succeeded()
        #expect(pretty.lines.count > plain.lines.count)
        let objects = try [plain, pretty].map { try JSONSerialization.jsonObject(with: $0.output) as? NSArray }
        #expect(objects[0] != nil && objects[0] == objects[1])
    }

    @Test func `the same store gives the same bytes`() throws {
        let first = try graft("export", "--store", store).succeeded()
        let second = try graft("export", "--store", store).succeeded()
        #expect(first.output == second.output)
    }

    @Test func `what is exported can be imported into a new store that is equal`() throws {
        let copy = folder.path("Copy.sqlite")
        let heroes = folder.path("heroes-out.json")
        try graft("export", "--store", store, "--entity", "Hero", "--output", heroes).succeeded()
        try graft("import", heroes, "--entity", "Hero", "--store", copy, "--model", Project.heroesModel).succeeded()
        let original = try graft("export", "--store", store).succeeded()
        #expect(try graft("export", "--store", copy).succeeded().output == original.output)
    }
}

// Where the output goes.
extension ExportCommandTests {
    @Test func `a file appears whole under its name`() throws {
        let output = folder.path("out.json")
        let run = try graft("export", "--store", store, "--output", output).succeeded()
        let expected = try graft("export", "--store", store).succeeded().output
        #expect(run.text == "\(output): \(expected.count) bytes\n")
        #expect(try graft("export", store).succeeded().output == expected)
        #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == expected)
        #expect(try folder.names.filter { $0.contains("out.json") } == ["out.json"])
    }

    @Test func `a file is left alone by an export that fails`() throws {
        let output = try folder.file("out.json", "before")
        try graft("export", "--store", store, "--entity", "Nobody", "--output", output).failed(saying: "Nobody")
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "before")
    }

    @Test func `a folder that isn't there can't be written to`() throws {
        try graft("export", "--store", store, "--output", folder.path("gone/out.json"))
            .failed(saying: "gone/out.json", "folder doesn't exist")
    }

    @Test func `a full device is reported`() throws {
        try graft("export", "--store", store, "--output", "/dev/full").failed(saying: "/dev/full", "free space")
    }

    @Test func `a reader that has seen enough ends the export quietly`() throws {
        let input = try folder.file("input.json", generatedHeroes(2_000))
        try graft("import", input, "--entity", "Hero", "--store", store).succeeded()
        let script = """
            { "$GRAFT" export --store '\(store)' --format ndjson --entity Hero; echo "status $?" >&2; } | head -n 1
            """
        let run = try shell(script, in: folder)
        #expect(run.lines.count == 1)
        #expect(run.diagnostics == "status 0\n")
    }

    @Test func `an export changes not a byte of its store`() throws {
        let before = try StoreFile(path: store).bytes
        let names = try folder.names
        try graft("export", "--store", store).succeeded()
        try graft("inspect", store).succeeded()
        #expect(try StoreFile(path: store).bytes == before)
        #expect(try folder.names == names)
    }
}
