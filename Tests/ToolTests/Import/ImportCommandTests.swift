// `graft import` on the example: what it inserts and updates, what it says, and what it leaves alone.

import Foundation
import Testing

@Suite struct ImportCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func example(_ name: String) -> String { Project.heroes.appending(path: name).path }

    /// The numbers of a report, by entity: inserted, updated, unchanged.
    private func report(_ run: ToolRun) -> [String: [Int]] {
        run.lines.dropFirst().reduce(into: [:]) { report, line in
            let words = line.split(separator: " ")
            report[String(words[0])] = words.dropFirst().compactMap { Int($0) }
        }
    }

    /// One hero as the store exports it.
    private func hero(_ id: Int, in store: String) throws -> [String: Any] {
        let run = try graft("export", "--store", store, "--entity", "Hero", "--where", "id == \(id)").succeeded()
        let heroes = try #require(try JSONSerialization.jsonObject(with: run.output) as? [[String: Any]])
        try #require(heroes.count == 1)
        return heroes[0]
    }

    @Test func `the first import inserts everything once`() throws {
        let run = try graft(
            "import", example("heroes.json"), "--entity", "Hero", "--store", folder.path("S.sqlite"),
            "--model", Project.heroesModel
        ).succeeded()
        #expect(report(run) == ["Hero": [4, 0, 0], "Power": [5, 0, 0], "Publisher": [2, 0, 0]])
    }

    @Test(arguments: ["S.sqlite", "S.archive"], [[], ["--dry-run"], ["--batch", "3"]])
    func `a new store gets the model of the store or archive that is imported`(
        source: String, options: [String]
    ) throws {
        let store = try heroStore(in: folder)
        if source == "S.archive" { try graft("archive", store, "--output", folder.path(source)).succeeded() }
        let from = source == "S.archive" ? folder.path(source) : store, new = folder.path("New.sqlite")
        let run = try graft(["import", from, "--store", new] + options).succeeded()
        #expect(run.lines.first == "The model of \(new) is that of \(from).")
        #expect(report(run)["Hero"] == [4, 0, 0])
        #expect(try folder.names.contains("New.sqlite") == (options != ["--dry-run"]))
        if options == ["--dry-run"] { return }
        try graft("diff", store, new, "--exit-code").succeeded()
        let again = try graft("import", example("heroes-update.json"), "--entity", "Hero", "--store", new).succeeded()
        #expect(report(again)["Hero"] == [1, 3, 0])
    }

    @Test(arguments: [[], ["--batch", "500"]])
    func `where there is no index on an identity the store gets none, not even for a moment`(batch: [String]) throws {
        let model = try folder.model(
            """
            <entity name="Item"><attribute name="number" attributeType="Integer 64"/>
            <attribute name="text" optional="YES" attributeType="String"/>
            <userInfo><entry key="identityAttributes" value="number"/></userInfo></entity>
            """)
        let store = folder.path("S.sqlite")
        func take(_ text: String) throws -> [Int]? {
            let lines = (0..<6000).map { #"{"number": \#($0), "text": "\#(text)"}"# }
            let file = try folder.file("\(text).json", lines.joined(separator: "\n"))
            let arguments = ["import", file, "--entity", "Item", "--store", store, "--model", model]
            return report(try graft(arguments + batch).succeeded())["Item"]
        }
        #expect(try take("a") == [6000, 0, 0])
        let version = try StoreFile(path: store).schemaVersion
        #expect(try take("b") == [0, 6000, 0])
        #expect(try StoreFile(path: store).schemaVersion == version)
    }

    @Test func `the report is a table in the order of the names`() throws {
        let run = try graft(
            "import", example("heroes.json"), "--entity", "Hero", "--store", folder.path("S.sqlite"),
            "--model", Project.heroesModel
        ).succeeded()
        let expected = """
            ENTITY     INSERTED  UPDATED  UNCHANGED
            Hero              4        0          0
            Power             5        0          0
            Publisher         2        0          0

            """
        #expect(run.text == expected)
    }

    @Test func `no key at all turns off a guess, and no identity that the model declares`() throws {
        let store = try heroStore(in: folder)
        let run = try graft(
            "import", example("heroes-update.json"), "--entity", "Hero", "--store", store, "--key", "Hero="
        ).succeeded()
        #expect(report(run)["Hero"] == [1, 3, 0])
    }

    @Test func `an update changes by identity what it names`() throws {
        let store = try heroStore(in: folder)
        let run = try graft("import", example("heroes-update.json"), "--entity", "Hero", "--store", store).succeeded()
        #expect(report(run)["Hero"] == [1, 3, 0])

        let revontuli = try hero(101, in: store)
        // Null clears, a missing key leaves the value alone, bare identifiers replace the set.
        #expect(revontuli["motto"] == nil || revontuli["motto"] is NSNull)
        #expect(revontuli["real_name"] as? String == "Aino Väisänen")
        #expect((revontuli["powers"] as? [Any])?.count == 3)
        #expect(try hero(102, in: store)["real_name"] as? String == "Inés Peña de Vries")
        #expect(try hero(103, in: store)["active"] as? Bool == true)
        #expect(try hero(105, in: store)["name"] as? String == "Sunbird")
    }

    @Test func `the same import again changes nothing`() throws {
        let store = StoreFile(path: try heroStore(in: folder))
        let content = try store.content
        let run = try graft("import", example("heroes.json"), "--entity", "Hero", "--store", store.path).succeeded()
        #expect(report(run) == ["Hero": [0, 0, 4], "Power": [0, 0, 5], "Publisher": [0, 0, 2]])
        #expect(try store.content == content)
    }

    @Test func `a dry run says the same and changes nothing`() throws {
        let store = StoreFile(path: try heroStore(in: folder))
        let bytes = try store.bytes
        let arguments = ["import", example("heroes-update.json"), "--entity", "Hero", "--store", store.path]
        let dry = try graft(arguments + ["--dry-run"]).succeeded()
        #expect(try store.bytes == bytes)
        let wet = try graft(arguments).succeeded()
        #expect(dry.text == wet.text)
    }

    @Test func `a dry run makes no store`() throws {
        let run = try graft(
            "import", example("heroes.json"), "--entity", "Hero", "--store", folder.path("S.sqlite"),
            "--model", Project.heroesModel, "--dry-run"
        ).succeeded()
        #expect(report(run)["Hero"] == [4, 0, 0])
        #expect(try folder.names == [])
    }

    @Test func `several files are one job in any order`() throws {
        let files = [example("heroes.json"), example("heroes-update.json")]
        for (index, order) in [files, files.reversed()].enumerated() {
            let store = folder.path("\(index).sqlite")
            let run = try graft(
                ["import"] + order + ["--entity", "Hero", "--store", store, "--model", Project.heroesModel]
            ).succeeded()
            #expect(report(run)["Hero"]?.first == 5)
            #expect(try StoreFile(path: store).count("ZCHARACTER") == 5)
        }
    }

    @Test func `standard input and NDJSON are as good as a file`() throws {
        let text = """
            {"id": "1", "name": "Einarsdóttir"}
            {"id": "2", "name": "Ørsted"}

            """
        let store = folder.path("S.sqlite")
        let run = try graft(
            ["import", "-", "--entity", "Hero", "--store", store, "--model", Project.heroesModel], input: text
        ).succeeded()
        #expect(report(run) == ["Hero": [2, 0, 0]])
        #expect(try hero(2, in: store)["name"] as? String == "Ørsted")
    }

    @Test func `a pipe is as good as a file where it is read once, and an error elsewhere`() throws {
        let store = folder.path("S.sqlite")
        let hero = #"[{"id": 7, "name": "Ada"}]"#
        let script = """
            mkfifo pipe
            echo '\(hero)' > pipe &
            "$GRAFT" import pipe --entity Hero --store '\(store)' --model '\(Project.heroesModel)'
            echo '\(hero)' | "$GRAFT" import /dev/stdin --entity Hero --store '\(store)'
            """
        let reports = try shell(script, in: folder).succeeded().lines
        #expect(reports.count == 4 && reports[1].contains("1        0          0"))
        #expect(try StoreFile(path: store).count("ZCHARACTER") == 1)
        try graft("diff", "pipe", store, in: folder).failed(saying: "pipe", "only once")
        try graft("restore", "pipe", "--store", store, in: folder).failed(saying: "pipe", "only once")
        try graft("restore", "-", "--store", store, in: folder).failed(saying: "standard input", "only once")
    }

    @Test func `an error in standard input names it`() throws {
        try graft(
            ["import", "-", "--entity", "Hero", "--store", folder.path("S.sqlite"), "--model", Project.heroesModel],
            input: "[{]"
        ).failed(saying: "standard input", "line 1, column 3")
    }

    @Test(arguments: [1, 3, 7, 1000])
    func `batches of any size give the same store`(_ batch: Int) throws {
        let input = try folder.file("input.json", generatedHeroes(100))
        func export(_ name: String, _ options: [String]) throws -> String {
            let store = folder.path(name)
            try graft(
                ["import", input, "--entity", "Hero", "--store", store, "--model", Project.heroesModel] + options
            ).succeeded()
            return try graft("export", "--store", store).succeeded().text
        }
        #expect(try export("a.sqlite", ["--batch", "\(batch)"]) == export("b.sqlite", []))
    }

    @Test func `a store carries its model for later calls`() throws {
        let store = try heroStore(in: folder)
        let villains = example("villains.json")
        let run = try graft("import", villains, "--entity", "Villain", "--store", store).succeeded()
        #expect(report(run)["Villain"] == [2, 0, 0])
    }

    @Test func `an export of a whole graph beside --entity is an error that says to leave that out`() throws {
        let store = try heroStore(in: folder)
        let export = try folder.file("all.json", graft("export", "--store", store).succeeded().text)
        let run = try graft("import", export, "--entity", "Hero", "--store", store)
        run.failed(saying: "all.json", "a whole graph", "Leave out --entity")
        try graft("import", export, "--store", store).succeeded()
    }

    @Test func `of several files the one is named whose objects can be of several entities`() throws {
        let store = try heroStore(in: folder)
        let export = try folder.file("all.json", graft("export", "--store", store).succeeded().text)
        let update = try folder.copy(of: Project.heroes.appending(path: "heroes-update.json"))
        let single = try folder.file("single.json", #"{"Hero": {"id": "7", "name": "Alone"}}"#)
        for files in [[export, update], [update, export]] {
            try graft(["import"] + files + ["--store", store])
                .failed(saying: "heroes-update.json", "the data can be of several entities", "--entity")
        }
        for files in [[export, single], [single, export]] {
            try graft(["import"] + files + ["--store", store]).failed(saying: "single.json: $.Hero: under the name")
        }
    }

    @Test(arguments: [["--key", "auto"], ["--on-error", "skip"], ["--batch", "3"]])
    func `no copy of standard input stays of an import that doesn't begin`(_ options: [String]) throws {
        let model = try folder.model(
            """
            <entity name="A"><attribute name="id" attributeType="Integer 64" optional="YES"/>
            <userInfo><entry key="identityAttributes" value="id"/><entry key="JSONDeletedListKeyPath" value="gone"/></userInfo>
            </entity>
            <entity name="B"><attribute name="id" attributeType="Integer 64" optional="YES"/></entity>
            """)
        let copies = try TemporaryFolder()
        try graft(
            ["import", "-", "--store", folder.path("S.sqlite"), "--model", model] + options, input: #"[{"id": 1}]"#,
            in: folder, environment: ["TMPDIR": copies.url.path]
        ).failed(saying: "Name one with --entity: A, B.")
        #expect(try copies.names == [])
    }
}
