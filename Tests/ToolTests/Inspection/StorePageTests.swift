// `graft inspect --html`: what is on the page, and that all of its links lead somewhere.

import Foundation
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
        #expect(page.contains("3000 objects; numbers of 1000 of them, spread evenly"))
        #expect(page.contains("Of entities with more than 1000 objects, numbers are those of a sample."))
        // The first and the last are among them.
        #expect(page.contains("<td>0 to 2999</td>"))
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
