// The tool with stores on a server, whose URL stands where a file's path may: what is different from a file.

import Foundation
import Testing

/// The server of `make test-postgresql`, if there is one.
private enum TestServer {
    static let url = ProcessInfo.processInfo.environment["GRAFT_POSTGRESQL"]

    static func newStore() -> String {
        "\(url ?? "")&schema=s\(UUID().uuidString.replacing("-", with: "").lowercased())"
    }
}

@Suite(.enabled(if: TestServer.url != nil, "no PostgreSQL server: make test-postgresql"))
struct ServerStoreTests {
    private let folder: TemporaryFolder
    private let base: String
    private let ours: String

    init() throws {
        folder = try TemporaryFolder()
        base = try heroStore(in: folder, named: "Base.sqlite")
        ours = TestServer.newStore()
        try graft("copy", base, ours).endedWell()
    }

    private func change(_ store: String, _ json: String) throws {
        let file = try folder.file("change.json", json)
        try graft("import", file, "--entity", "Hero", "--store", store).succeeded()
    }

    @Test func `a merge changes our store where it is`() throws {
        let theirs = TestServer.newStore()
        try graft("copy", base, theirs).endedWell()
        try change(ours, #"[{"id": "101", "rescues": 50}]"#)
        try change(theirs, #"[{"id": "101", "motto": "New"}, {"id": "302", "name": "Theirs"}]"#)
        let run = try graft("merge", base, ours, theirs, "--output", ours).succeeded()
        #expect(run.text == "1 new, 1 changed, 0 deleted by the other side\n")
        let hero = try graft("export", "--store", ours, "--entity", "Hero", "--where", "id == 101").succeeded().text
        #expect(hero.contains(#""motto":"New""#) && hero.contains(#""rescues":50"#))
    }

    @Test func `a merge says where its result can't be and what can't be copied`() throws {
        let other = TestServer.newStore(), file = folder.path("Merged.sqlite")
        try graft("merge", base, base, ours, "--output", other).failed(
            code: 2, saying: "on a server", "Name a file for the result")
        try graft("merge", base, ours, base, "--output", file).failed(code: 2, saying: "on a server", "graft copy")
        try graft("merge", base, ours, base, "--output", ours, "--backup", file).failed(code: 2, saying: "pg_dump")
        try graft("merge", base, base, ours, "--output", file).succeeded()
    }

    @Test func `a copy differs in nothing, finer dates than the server keeps included`() throws {
        let copy = TestServer.newStore(), file = folder.path("Heroes.archive")
        try change(base, #"[{"id": "101", "appearance": {"first_seen": "2017-01-24T21:35:38.99399996Z"}}]"#)
        try graft("copy", base, copy).endedWell()
        try graft("archive", base, "--output", file).endedWell()
        for other in [base, file] { try graft("diff", other, copy, "--exit-code").succeeded() }
    }

    @Test func `a store on a server has no size`() throws {
        let line = try #require(try graft("inspect", ours).succeeded().lines.first)
        #expect(line.contains(": PostgreSQL store") && !line.contains(" bytes"))
        #expect(try !graft("inspect", ours, "--json").succeeded().text.contains("\"size\""))
        #expect(try graft("inspect", base).succeeded().text.contains(" bytes, framework version"))
    }
}
