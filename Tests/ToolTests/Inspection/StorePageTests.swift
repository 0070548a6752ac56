// `graft inspect --html`: what is on the page, and that all of its links lead somewhere.

import Foundation
import GRDB
import Testing

@Suite struct StorePageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func page(of store: String) throws -> String {
        let run = try graft("inspect", store, "--html", "page.html", in: folder).succeeded()
        #expect(run.text.hasPrefix("page.html: "))
        return try String(contentsOf: folder.url.appending(path: "page.html"), encoding: .utf8)
    }

    /// Checks what holds for every page.
    private func check(_ page: String) {
        let anchors = Set(page.matches(of: /\sid="([^"]+)"/).map(\.1))
        let targets = Set(page.matches(of: /href="#([^"]+)"/).map(\.1))
        #expect(targets.isSubset(of: anchors), "\(targets.subtracting(anchors).prefix(5))")
        #expect(!page.contains("<script") && !page.contains("src="))
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("</main>\n</body>"))
    }

    @Test func `a page has the numbers of all values, and objects with links to others`() throws {
        _ = try folder.file(
            "rows.json",
            "["
                + (0..<40).map {
                    #"{"id": \#($0), "n": \#($0 * $0), "kind": "\#($0 % 3 == 0 ? "<a>" : "b")", "at": "2020-01-\#(10 + $0 % 9)", "team": {"id": \#($0 % 4), "name": "T"}\#($0 == 0 ? #", "rare": true"# : "")}"#
                }
                .joined(separator: ",") + "]")
        try graft("import", "rows.json", "--store", "R.sqlite", in: folder).succeeded()
        let page = try page(of: "R.sqlite")
        check(page)
        for part in [
            "44 objects of 2 entities", "<caption>The first 10 of 40</caption>", "&quot;&lt;a&gt;&quot; × 14",
            "0 to 1521",
            "aria-label=\"In equal steps: ", "<td class=\"number\">2 %</td>", "<a href=\"#Team-p1\">Team p1</a>",
        ] {
            #expect(page.contains(part), "\(part)")
        }
    }

    @Test func `a large entity is sampled, and the page says so`() throws {
        let rows = (0..<3000).map { #"{"id": \#($0)}"# }.joined(separator: "\n")
        _ = try folder.file("rows.json", rows)
        try graft("import", "rows.json", "--store", "R.sqlite", in: folder).succeeded()
        let page = try page(of: "R.sqlite")
        #expect(page.contains("; numbers and sizes of values are those of 1000, spread evenly"))
        #expect(page.contains("Of entities with more than 1000 objects, numbers are those of a sample."))
        // The first and the last are among them.
        #expect(page.contains("<td>0 to 2999</td>"))
    }

    @Test(arguments: [
        "UPDATE ZOWNER SET ZAGE = 'old' WHERE ZNAME = 'Ada'", "UPDATE ZOWNER SET Z_ENT = 'x' WHERE ZNAME = 'Ada'",
        "UPDATE ZOWNER SET ZNOTES = x'00' WHERE ZNAME = 'Ada'",
        "UPDATE ZANIMAL SET Z_ENT = 99 WHERE ZTAG = 'a1'",
    ])
    func `a page of a damaged store has the objects that can be read`(_ sql: String) throws {
        let store = try KennelStore(in: folder)
        try changeDatabase(at: store.path, sql)
        let page = try page(of: store.path)
        check(page)
        #expect(page.contains("Ben") && !page.contains("<h2>Check: 0 damages"))
        let isOwnerUnread = sql.contains("ZOWNER") && !sql.contains("ZNOTES")
        #expect(page.contains("; without 1 that can't be read") == isOwnerUnread)
    }

    // MARK: What a check says

    /// The heading of the check, and its findings.
    private func check(on page: String) throws -> (heading: Substring, findings: [Substring]) {
        let section = try #require(page.firstMatch(of: /(?s)<details class="check">.*?<\/details>/)).output
        let heading = try #require(section.firstMatch(of: /<h2>Check: (.*?)<\/h2>/)).1
        return (heading, section.matches(of: /<li>(.*?)<\/li>/).map(\.1))
    }

    /// The findings that the command has printed, damages first, as they stand on a page.
    private func findings(_ lines: [Substring]) -> [String] {
        let found = ["damage: ", "note: "].flatMap { kind in lines.filter { $0.hasPrefix(kind) } }
        return found.prefix(100).map(escaped)
    }

    private func escaped(_ text: Substring) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")]
            .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }

    @Test func `a sound store's page says that a check finds nothing`() throws {
        let page = try page(of: heroStore(in: folder))
        let check = try check(on: page)
        #expect(check.heading == "nothing found" && check.findings.isEmpty)
        #expect(page.contains("<p>Checked: the file (PRAGMA integrity_check), "))
    }

    @Test func `what is damaged stands on the page as graft check says it, up to a hundred findings`() throws {
        let rows = (0..<300).map { #"{"id": \#($0), "team": {"id": \#($0), "name": "T"}}"# }
        _ = try folder.file("rows.json", rows.joined(separator: "\n"))
        try graft("import", "rows.json", "--store", "R.sqlite", "--entity", "Row", in: folder).succeeded()
        for count in [3, 250] {
            try DatabaseQueue(path: folder.path("R.sqlite")).write { db in
                try db.execute(sql: "UPDATE ZROW SET ZTEAM = 100000 WHERE Z_PK <= ?", arguments: [count])
            }
            let said = try graft("check", "R.sqlite", in: folder).lines
            let page = try page(of: "R.sqlite")
            let check = try check(on: page)
            // A dangling link, and at its other end a team whose row has no longer this team.
            #expect(check.heading == "\(count) damages and \(count) notes")
            #expect(check.findings.map(String.init) == findings(said))
            #expect(check.findings.count == min(2 * count, 100))
            #expect(page.contains("listed by graft check") == (count == 250))
            #expect(count == 3 || page.contains("<p>400 more are listed by graft check.</p>"))
        }
    }

    @Test(.needsReferenceData) func `the page of a real store has what a check finds in it`() throws {
        let store = Project.data.appending(path: "more-stores/Photos-26.1/Photos.sqlite").path
        let said = try graft("check", store).lines
        let check = try check(on: page(of: store))
        #expect(!check.findings.isEmpty)
        #expect(check.findings.map(String.init) == findings(said))
        #expect(said.contains { $0.contains(": \(check.heading) in ") })
    }

    // MARK: Sizes

    @Test func `entities have the sizes of their tables, and attributes those of their values`() throws {
        let rows = (0..<500).map {
            #"{"id": \#($0), "text": "\#(String(repeating: "x", count: 40))", "team": {"id": \#($0 % 4), "name": "Tänzer"}}"#
        }
        _ = try folder.file("rows.json", rows.joined(separator: "\n"))
        try graft("import", "rows.json", "--store", "R.sqlite", "--entity", "Row", in: folder).succeeded()
        let page = try page(of: "R.sqlite")
        let bytes = try DatabaseQueue(path: folder.path("R.sqlite")).read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT SUM(pgsize) FROM dbstat
                    WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name = 'ZROW')
                    """) ?? 0
        }
        #expect(bytes > 20_000)
        #expect(page.contains("500 objects, \(Int((Double(bytes) / 1000).rounded())) kB</p>"))
        #expect(page.contains("<td class=\"number\">20 kB</td>"), "500 times 40 characters")
        #expect(page.contains("<td class=\"number\">28 bytes</td>"), "4 times 7 bytes")
        #expect(page.contains("Sizes of entities are those of their tables in the file"))
    }

    @Test func `entities that share a table have parts of it`() throws {
        let store = try heroStore(in: folder)
        let villains = Project.heroes.appending(path: "villains.json").path
        try graft("import", villains, "--entity", "Villain", "--store", store).succeeded()
        let page = try page(of: store)
        #expect(page.contains(">Hero</a> 4, <span class=\"quiet\">≈ "))
        #expect(!page.contains(">Power</a> 6, <span class=\"quiet\">≈ "))
    }

    // MARK: Other files

    @Test func `a page has no picture where nothing that draws may be run`() throws {
        _ = try heroStore(in: folder, named: "H.sqlite")
        try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: true)
        _ = try folder.file("bin/dot", "not to be run")
        try graft(
            ["inspect", "H.sqlite", "--html", "page.html"], in: folder, environment: ["PATH": folder.path("bin")]
        ).succeeded()
        let page = try String(contentsOf: folder.url.appending(path: "page.html"), encoding: .utf8)
        #expect(page.contains("Graphviz isn't installed") || page.contains("Graphviz isn&#39;t installed"))
    }

    @Test func `only a store has a page`() throws {
        try graft("inspect", Project.heroesModel, "--html", "page.html", in: folder).failed(
            saying: "Heroes.xcdatamodeld")
        #expect(try graft("inspect", "x.sqlite", "--json", "--html", "page.html", in: folder).status == 64)
    }

    @Test(
        .needsReferenceData, arguments: ["more-stores/Photos-26.1/Photos.sqlite", "more-stores/Notes/NoteStore.sqlite"])
    func `real stores have a page whose links all lead somewhere`(_ store: String) throws {
        check(try page(of: Project.data.appending(path: store).path))
    }
}
