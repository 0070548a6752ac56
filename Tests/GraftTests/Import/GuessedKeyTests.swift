// Identities that the model doesn't declare: a changed record is another object then, unless the caller says what identifies, or
// agrees to a guess that neither the store nor the data speak against.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct GuessedKeyTests {
    private func stack() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Book",
            [
                .attribute("id", .integer64AttributeType), .attribute("guid"), .attribute("title"),
                .toOne("author", "Author", inverse: "books"),
            ])
        sketch.entity(
            "Author", [.attribute("authorID"), .attribute("name"), .toMany("books", "Book", inverse: "author")])
        return try TestStack(sketch.model(), .sqlite)
    }

    private static let books = #"""
        [{"id": 1, "title": "A", "author": {"authorID": "x", "name": "Ann"}},
         {"id": 2, "title": "B", "author": {"authorID": "x"}},
         {"id": 3, "title": "C", "author": {"authorID": "y", "name": "Bob"}}]
        """#
    private static let changedBooks = #"""
        [{"id": 2, "title": "B2", "author": {"authorID": "x", "name": "Anna"}}, {"id": 4, "title": "D", "author": "y"}]
        """#

    /// Imports texts one after the other, and returns the titles, the authors' names and the last report.
    private func importing(
        _ texts: [String], batchSize: Int? = nil, _ change: (inout ImportOptions) -> Void
    ) throws -> (titles: [String], names: [String], report: ImportReport) {
        let stack = try stack()
        var options = ImportOptions()
        if let batchSize { (options.batchSize, options.savesEachBatch) = (batchSize, true) }
        change(&options)
        var report = ImportReport()
        for text in texts {
            report = try stack.container.importJSON(from: [.data(Data(text.utf8))], entity: "Book", options: options)
        }
        return try stack.perform { context throws in
            (
                try context.all("Book").map { $0.text("title") ?? "-" }.sorted(),
                try context.all("Author").map { $0.text("name") ?? "-" }.sorted(), report
            )
        }
    }

    @Test(arguments: [nil, 1, 2, 10])
    func `what is guessed identifies, in each size of batches`(_ batchSize: Int?) throws {
        let texts = [Self.books, Self.changedBooks, Self.changedBooks]
        let (titles, names, report) = try importing(texts, batchSize: batchSize) { $0.guessesKeys = true }
        #expect(titles == ["A", "B2", "C", "D"] && names == ["Anna", "Bob"])
        #expect(report.identification.rules == ["Book": .guessed(["id"]), "Author": .guessed(["authorID"])])
        #expect(!report.hasChanges)
    }

    @Test func `without a key a changed record is another object, and the report says so`() throws {
        let changed = #"[{"id": 2, "title": "B2"}]"#
        let (titles, _, report) = try importing([#"[{"id": 2, "title": "B"}]"#, changed]) { _ in }
        #expect(titles == ["B", "B2"])
        #expect(report.identification.rules == ["Book": .contents])
        #expect(report.description.contains("Book: told apart by place or contents"))
        let again = try importing([changed, changed]) { _ in }.report
        #expect(again.identification.isEmpty && !again.hasChanges)
        let copy = try JSONDecoder().decode(ImportReport.self, from: JSONEncoder().encode(report))
        #expect(copy == report)
    }

    @Test func `what code names identifies, and no identity at all turns a guess off`() throws {
        let texts = [#"[{"id": 1, "title": "A"}]"#, #"[{"id": 1, "title": "B"}]"#]
        let said = try importing(texts) { $0.mapping["Book"].identity = ["id"] }
        #expect(said.titles == ["B"] && said.report.identification.isEmpty)
        let off = try importing(texts) {
            $0.guessesKeys = true
            $0.mapping["Book"].identity = []
        }
        #expect(off.titles == ["A", "B"] && off.report.identification.rules == ["Book": .contents])
    }

    @Test(arguments: [
        // Twice in the data, and twice in the store.
        (#"[{"id": 7, "title": "A"}, {"id": 7, "title": "B"}]"#, ["A", "B"], ["Book"]),
        (#"[{"title": "A"}, {"id": 7, "title": "B"}]"#, ["A", "B"], ["Book"]),
        (
            #"[{"id": 1, "author": {"authorID": "x", "name": "Ann"}}, {"id": 2, "author": {"authorID": "x", "name": "Bob"}}]"#,
            ["-", "-"], ["Author"]
        ),
    ])
    func `a guess that the data speak against isn't taken`(
        _ text: String, _ titles: [String], _ refuted: [String]
    ) throws {
        for texts in [[text], [text, text]] {
            let (found, _, report) = try importing(texts) { $0.guessesKeys = true }
            #expect(found == titles)
            for entity in refuted { #expect(report.identification.rules[entity] != .guessed(["id"])) }
            #expect(texts.count == 1 || !report.hasChanges)
        }
        let (_, names, _) = try importing([text]) { $0.guessesKeys = true }
        if refuted == ["Author"] { #expect(names == ["Ann", "Bob"]) }
    }

    @Test func `a guess that the store speaks against isn't taken`() throws {
        let texts = [#"[{"id": 7, "title": "A"}, {"id": 7, "title": "B"}]"#, #"[{"id": 7, "title": "C"}]"#]
        let (titles, _, report) = try importing(texts) { $0.guessesKeys = true }
        #expect(titles == ["A", "B", "C"] && report.identification.rules == ["Book": .contents])
    }

    @Test(arguments: [nil, 1])
    func `where the data speak against one attribute, the next one is tried`(_ batchSize: Int?) throws {
        let texts = [
            #"[{"id": 7, "guid": "p", "title": "A"}, {"id": 7, "guid": "q", "title": "B"}]"#,
            #"[{"id": 7, "guid": "q", "title": "B2"}]"#,
        ]
        for count in 1...2 {
            let (titles, _, report) = try importing(Array(texts.prefix(count)), batchSize: batchSize) {
                $0.guessesKeys = true
            }
            #expect(titles == ["A", count == 1 ? "B" : "B2"])
            #expect(report.identification.rules["Book"] == .guessed(["guid"]))
        }
    }

    @Test func `a record that can't be taken says nothing for a guess, and the others are taken`() throws {
        let (titles, _, report) = try importing([#"[{"id": 1, "title": "A"}, {"id": "x", "title": "B"}]"#]) {
            $0.guessesKeys = true
            $0.failurePolicy = .skip
        }
        #expect(titles == ["A"] && report.failures.count == 1)
    }

    @Test func `the objects of an archive are found by a guess, too`() throws {
        let source = try stack()
        let archive = try source.perform { context throws in
            try context.importJSON(Data(Self.books.utf8), entity: "Book")
            try context.save()
            return try context.archive().source
        }
        let target = try stack()
        var options = ImportOptions()
        options.guessesKeys = true
        try target.container.importJSON(
            from: [.data(Data(Self.changedBooks.utf8))], entity: "Book", options: options)
        let report = try target.container.importJSON(from: [archive], options: options)
        #expect(report["Book"].updated == 1 && report["Book"].inserted == 2)
        // The archive has two authors called x: nobody said what they have in common.
        #expect(report.identification.rules["Book"] == .guessed(["id"]))
        #expect(report.identification.rules["Author"] == .contents)
        #expect(try target.count("Book") == 4)
    }
}
