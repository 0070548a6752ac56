// What a check says of a file that lacks what keeps values unique, derived attributes or searches, and what a repair makes.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite struct StructureRulesTests {
    struct Damage: CustomTestStringConvertible {
        let sql: String
        /// Kind and place.
        let found: [String]
        /// What the repair leaves.
        var left: [String] = []
        var testDescription: String { sql }
    }

    private let folder: TemporaryFolder
    private let store: TestStore

    init() throws {
        folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Books.sqlite")
        // A repair goes on beside it.
        store = try TestStore(Self.model(), at: url)
        let books = try store.insert("Book", [["isbn": .string("1")], ["isbn": .string("2")], [:]])
        try store.insert("Page", (0..<3).map { _ in ["book": .objectID(books[0])] })
        let tag = try store.insert("Tag")
        try store.relate(books[0], version: 1, "tags", add: [tag])
    }

    /// Books with a number of pages, which know their book's title.
    private static func model() -> NSManagedObjectModel {
        func derived(_ name: String, _ type: NSAttributeType, _ expression: String) -> NSDerivedAttributeDescription {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.derivationExpression = NSExpression(format: expression)
            return attribute
        }
        let book = TestModel.entity(
            "Book",
            [
                TestModel.attribute("isbn", .stringAttributeType),
                TestModel.attribute("title", .stringAttributeType, indexed: true),
                derived("pagesCount", .integer64AttributeType, "pages.@count"),
            ])
        book.uniquenessConstraints = [["isbn"]]
        let page = TestModel.entity("Page", [derived("bookTitle", .stringAttributeType, "book.title")])
        let label = TestModel.attribute("label", .stringAttributeType, indexed: true)
        let tag = TestModel.entity("Tag", [label])
        tag.indexes.append(
            NSFetchIndexDescription(
                name: "again", elements: [NSFetchIndexElementDescription(property: label, collationType: .binary)]))
        TestModel.connect(book, "pages", .many, page, "book", .one)
        TestModel.connect(book, "tags", .many, tag, "books", .many)
        return TestModel.model([book, page, tag])
    }

    private func findings(repairing: Bool = false) throws -> [String] {
        var findings: [String] = []
        let check = StoreCheck(store: store.url, model: store.model)
        func add(_ finding: StoreFinding) { findings.append("\(finding.kind) \(finding.place ?? "-")") }
        _ = repairing ? try check.repair(backUp: {}, add) : try check.run(add)
        return findings
    }

    private func structure() throws -> [String] {
        try store.rows(
            "SELECT type || ' ' || tbl_name || ' ' || sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1")
    }

    static let damages = [
        Damage(sql: "DROP INDEX Z_Book_UNIQUE_isbn", found: ["missingConstraint Book.isbn"]),
        Damage(
            sql: "DROP INDEX Z_Book_UNIQUE_isbn; CREATE UNIQUE INDEX mine ON ZBOOK (ZISBN) WHERE ZISBN <> ''",
            found: ["missingConstraint Book.isbn"]),
        Damage(
            sql: "DROP INDEX Z_Book_UNIQUE_isbn; CREATE INDEX Z_Book_UNIQUE_isbn ON ZBOOK (ZISBN)",
            found: ["missingConstraint Book.isbn"]),
        Damage(
            sql: "DROP INDEX Z_Book_UNIQUE_isbn; UPDATE ZBOOK SET ZISBN = '1'",
            found: ["brokenUniqueness Book.isbn of row 1", "missingConstraint Book.isbn"],
            left: ["brokenUniqueness Book.isbn of row 1", "missingConstraint Book.isbn"]),
        Damage(sql: "DROP INDEX ZPAGE_ZBOOK_INDEX", found: ["missingIndex Page"]),
        Damage(sql: "DROP INDEX Z_Book_title", found: ["missingIndex Book"]),
        Damage(
            sql: "DROP INDEX Z_Book_title; CREATE INDEX mine ON ZBOOK (ZTITLE) WHERE ZTITLE <> ''",
            found: ["missingIndex Book"]),
        // Of two on the same columns.
        Damage(sql: "DROP INDEX Z_Tag_again", found: []),
        Damage(sql: "DROP INDEX Z_Tag_label; DROP INDEX Z_Tag_again", found: ["missingIndex Tag"]),
        Damage(
            sql: """
                CREATE TABLE bare AS SELECT * FROM Z_1TAGS; DROP TABLE Z_1TAGS; ALTER TABLE bare RENAME TO Z_1TAGS;
                INSERT INTO Z_1TAGS SELECT * FROM Z_1TAGS
                """,
            found: ["duplicateLink Book.tags of row 1", "missingConstraint Book.tags", "missingIndex Book"]),
        Damage(
            sql: "CREATE TABLE bare AS SELECT * FROM ZTAG; DROP TABLE ZTAG; ALTER TABLE bare RENAME TO ZTAG",
            found: ["missingConstraint Tag", "missingIndex Tag"]),
        Damage(
            sql: """
                ALTER TABLE ZTAG RENAME TO bare;
                CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL DECIMAL);
                INSERT INTO ZTAG SELECT * FROM bare; DROP TABLE bare
                """,
            found: ["wrongColumnType Tag", "missingIndex Tag"], left: ["wrongColumnType Tag"]),
        Damage(
            sql: "DROP TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE; DELETE FROM ZPAGE WHERE Z_PK = 2",
            found: ["missingTrigger Book.pagesCount"]),
        Damage(
            sql: "DROP TRIGGER Z_DA_ZBOOK_Page_bookTitle_PARAMETER_UPDATE; UPDATE ZBOOK SET ZTITLE = 'New'",
            found: ["missingTrigger Page.bookTitle"]),
    ]

    @Test(arguments: damages)
    func `what is missing in a file is found and made`(_ damage: Damage) throws {
        #expect(try findings().isEmpty)
        let sound = try structure()
        try store.sql { try $0.execute(sql: damage.sql) }
        #expect(try findings() == damage.found)
        #expect(try findings(repairing: true) == damage.found)
        #expect(try findings() == damage.left)
        let isMade = damage.left.isEmpty && !["bare", "mine", "again"].contains(where: damage.sql.contains)
        if isMade { #expect(try structure() == sound) }
        #expect(
            try store.rows(
                "SELECT COUNT(*) FROM ZBOOK AS b WHERE ZPAGESCOUNT <> (SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = b.Z_PK)"
            ) == ["0"])
        #expect(
            try store.rows(
                "SELECT COUNT(*) FROM ZPAGE AS p JOIN ZBOOK AS b ON b.Z_PK = p.ZBOOK WHERE ZBOOKTITLE IS NOT ZTITLE")
                == ["0"])
    }

    @Test func `indexes and keys of other names and more columns are as good`() throws {
        try store.sql {
            try $0.execute(
                sql: """
                    DROP INDEX Z_Book_UNIQUE_isbn; CREATE UNIQUE INDEX isbns ON ZBOOK (ZISBN DESC);
                    DROP INDEX ZPAGE_ZBOOK_INDEX; CREATE INDEX pages ON ZPAGE (ZBOOK, Z_PK);
                    CREATE TABLE other (a); CREATE VIEW v AS SELECT * FROM ZBOOK; ALTER TABLE ZBOOK ADD COLUMN ZMINE;
                    CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN INSERT INTO other VALUES (1); END
                    """)
        }
        #expect(try findings().isEmpty)
    }

    @Test func `a repair that a trigger's unknown function is against is left to a person`() throws {
        try store.sql {
            try $0.execute(
                sql: """
                    UPDATE ZPAGE SET ZBOOK = 99 WHERE Z_PK = 1; UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Tag';
                    CREATE TRIGGER t BEFORE UPDATE ON ZPAGE BEGIN SELECT theirs(); END
                    """)
        }
        #expect(
            try findings(repairing: true) == ["lowKeyCounter Tag of row 1", "danglingReference Page.book of row 1"])
        #expect(try findings() == ["danglingReference Page.book of row 1"])
    }
}
