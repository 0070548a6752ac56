// `graft import --on-error` and `--report`: what a job does with records that can't be taken, and how it tells.

import Foundation
import Testing

@Suite struct ImportFailureTests {
    private let folder: TemporaryFolder
    private let text = """
        [{"id": 901, "name": "Ukko"},
         {"id": 902, "name": ["none"], "rescues": "many"},
         {"id": 903, "name": "Louhi"}]
        """

    init() throws { folder = try TemporaryFolder() }

    private struct Report: Decodable {
        struct Failure: Decodable {
            var record: Int?
            var path: String?
            var line: Int?
            var column: Int?
            var entity: String?
            var property: String?
            var value: String?
            var expected: String?
            var message: String
        }
        struct Entity: Decodable {
            var name: String
            var counts: [String: Int]
        }
        var entities: [Entity]
        var failures: [Failure]
        var isDryRun: Bool
    }

    private func report(_ name: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
    }

    private func importText(_ store: String, _ options: String...) throws -> ToolRun {
        let file = try folder.file("bad.json", text)
        return try graft(
            ["import", file, "--entity", "Hero", "--store", store, "--report", folder.path("report.json")] + options)
    }

    @Test func `by default the first failure ends the job, and the report has it`() throws {
        let store = try heroStore(in: folder)
        try importText(store).failed(saying: "$[1].name, line 2, column 22")
        let report = try report("report.json")
        #expect(report.failures.map(\.path) == ["$[1].name"])
        #expect(report.failures.map(\.line) == [2])
        #expect(report.entities.isEmpty)
    }

    @Test func `collect lists all failures and changes nothing`() throws {
        let store = try heroStore(in: folder)
        try importText(store, "--on-error", "collect").failed(
            lines: 3, saying: "2 failures, and nothing was imported", "$[1].name", "$[1].rescues")
        let report = try report("report.json")
        #expect(report.failures.map(\.path) == ["$[1].name", "$[1].rescues"])
        #expect(report.failures.map(\.property) == ["name", "rescues"])
        #expect(report.failures.allSatisfy { $0.entity == "Hero" && $0.value != nil && $0.expected != nil })
        let run = try graft("export", "--store", store, "--entity", "Hero", "--where", "id > 900").succeeded()
        #expect(run.text == "[]\n")
    }

    @Test func `skip leaves the record out, says so, and succeeds`() throws {
        let store = try heroStore(in: folder)
        let run = try importText(store, "--on-error", "skip")
        #expect(run.status == 0)
        #expect(run.lines.first?.split(separator: " ").last == "SKIPPED")
        #expect(run.diagnostics.contains("skipped: bad.json: $[1].name"))
        let report = try report("report.json")
        #expect(report.entities.first { $0.name == "Hero" }?.counts["skipped"] == 1)
        #expect(report.entities.first { $0.name == "Hero" }?.counts["inserted"] == 2)
    }

    @Test func `a strict import names the unknown key, and changes nothing`() throws {
        let store = try heroStore(in: folder)
        let file = try folder.file(
            "keys.json", #"[{"id": 904, "name": "Ukko"}, {"id": 905, "name": "Louhi", "nmae": "x"}]"#)
        let command = ["import", file, "--entity", "Hero", "--store", store]
        let before = try StoreFile(path: store).bytes
        for options in [["--strict"], ["--strict", "--batch", "1000"], ["--strict", "--dry-run"]] {
            try graft(command + options).failed(saying: "$[1].nmae", "unknown key 'nmae'", "Did you mean 'name'?")
            #expect(try StoreFile(path: store).bytes == before)
        }
        // A new store doesn't appear.
        try graft(
            "import", file, "--entity", "Hero", "--strict", "--store", folder.path("New.sqlite"), "--model",
            Project.heroesModel
        ).failed(saying: "unknown key 'nmae'")
        #expect(try folder.names == ["Heroes.sqlite", "keys.json"])
        let run = try graft(command)
        #expect(run.status == 0 && (run.text + run.diagnostics).contains("unknown key 'nmae' (1)"), "\(run)")
    }

    @Test func `a dry run reports the same and changes nothing`() throws {
        let store = try heroStore(in: folder)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        let run = try importText(store, "--on-error", "skip", "--dry-run")
        #expect(run.status == 0)
        let report = try report("report.json")
        #expect(report.isDryRun)
        #expect(report.failures.count == 2)
        #expect(report.entities.first { $0.name == "Hero" }?.counts["inserted"] == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test func `a report that can't be written is an error`() throws {
        let store = try heroStore(in: folder)
        let file = try folder.file("good.json", #"[{"id": 904, "name": "A"}]"#)
        let run = try graft(
            "import", file, "--entity", "Hero", "--store", store, "--report", folder.path("no/such/report.json"))
        run.failed(saying: "no/such/report.json")
        // Nothing has been imported then.
        let heroes = try graft("export", "--store", store, "--entity", "Hero", "--where", "id == 904").succeeded()
        #expect(heroes.text == "[]\n")
    }
}
