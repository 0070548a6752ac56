// What triggers and side tables keep: derived attributes, spatial indexes, persistent history.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite struct SQLiteStoreTriggerTests {
    private func derived(_ name: String, _ type: NSAttributeType, _ keyPath: String) -> NSAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.derivationExpression = NSExpression(forKeyPath: keyPath)
        return attribute
    }

    /// Book 1-n Page, with the number of pages, and the title of the book on each page.
    private func books() -> NSManagedObjectModel {
        let book = TestModel.entity(
            "Book",
            [
                TestModel.attribute("title", .stringAttributeType),
                derived("pagesCount", .integer64AttributeType, "pages.@count"),
            ])
        let page = TestModel.entity(
            "Page", [derived("bookTitle", .stringAttributeType, "book.title")])
        TestModel.connect(book, "pages", .many, page, "book", .one)
        return TestModel.model([book, page])
    }

    @Test func `the triggers of a count are those of Core Data, word for word`() throws {
        let model = books()
        let statements = try withExtendedLifetime(model) { try SQLSchema(model: model).createStatements() }
        // One literal each: sums of texts within a macro take the type checker seconds.
        #expect(
            statements.contains(
                """
                CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_INSERT AFTER INSERT ON ZPAGE FOR EACH ROW WHEN \
                (NEW.ZBOOK NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = IFNULL(ZPAGESCOUNT, 0) + 1 WHERE Z_PK \
                = NEW.ZBOOK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, \
                'pagesCount', ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = NEW.ZBOOK; END
                """))
        #expect(
            statements.contains(
                """
                CREATE TRIGGER Z_DA_ZBOOK_Book_pagesCount_SOURCE_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW BEGIN \
                UPDATE ZBOOK SET ZPAGESCOUNT = (SELECT IFNULL(COUNT(ZBOOK), 0) FROM ZPAGE WHERE ZBOOK = \
                NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; SELECT \
                NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', \
                ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = NEW.Z_PK; END
                """))
        #expect(
            statements.contains(
                """
                CREATE TRIGGER Z_DA_ZBOOK_Page_bookTitle_PARAMETER_UPDATE AFTER UPDATE OF ZTITLE ON ZBOOK FOR EACH \
                ROW BEGIN UPDATE ZPAGE SET ZBOOKTITLE = NEW.ZTITLE WHERE ZBOOK = NEW.Z_PK; SELECT \
                NSCoreDataDATriggerUpdatedAffectedObjectValue('ZPAGE', Z_ENT, Z_PK, 'bookTitle', ZBOOKTITLE) \
                FROM ZPAGE WHERE ZBOOK = NEW.Z_PK; END
                """))
        #expect(statements.filter { $0.contains("_Book_pagesCount_") }.count == 5)
        #expect(statements.filter { $0.contains("_Page_bookTitle_") }.count == 4)
    }

    @Test func `derived attributes follow inserts, updates and deletions, whatever a save says about them`() throws {
        let store = try TestStore(books())
        let books = try store.insert(
            "Book", [["title": .string("One"), "pagesCount": .integer(99)], ["title": .string("Two")]])
        let pages = try store.insert("Page", (0..<3).map { _ in ["book": .objectID(books[0])] })
        #expect(try store.value(books[0], "pagesCount").shown == "integer 3")
        #expect(try store.value(books[1], "pagesCount").shown == "integer 0")
        try store.update(pages[0], ["book": .objectID(books[1])])
        #expect(try store.value(books[0], "pagesCount").shown == "integer 2")
        #expect(try store.value(books[1], "pagesCount").shown == "integer 1")
        #expect(try store.value(pages[0], "bookTitle").shown == "string Two")
        try store.delete(pages[1])
        #expect(try store.value(books[0], "pagesCount").shown == "integer 1")
        try store.update(books[1], ["title": .string("Second"), "pagesCount": .integer(7)])
        #expect(try store.value(pages[0], "bookTitle").shown == "string Second")
        #expect(try store.value(books[1], "pagesCount").shown == "integer 1")
    }

    @Test func `a derivation that SQL can't keep is an error that names it`() throws {
        let book = TestModel.entity(
            "Book", [derived("shout", .stringAttributeType, "a.b.c.d")])
        let model = TestModel.model([book])
        let error = try #require(throws: SQLSchemaError.self) { try SQLSchema(model: model).createStatements() }
        #expect(error.description.contains("Book.shout"))
    }

    @Test func `a spatial index follows its rows`() throws {
        let latitude = TestModel.attribute("latitude", .doubleAttributeType)
        let longitude = TestModel.attribute("longitude", .doubleAttributeType)
        let place = TestModel.entity("Place", [latitude, longitude])
        let elements = [latitude, longitude].map { NSFetchIndexElementDescription(property: $0, collationType: .rTree) }
        place.indexes = [NSFetchIndexDescription(name: "bounds", elements: elements)]
        let store = try TestStore(TestModel.model([place]))
        let ids = try store.insert(
            "Place",
            [["latitude": .double(1), "longitude": .double(2)], ["latitude": .double(50), "longitude": .double(60)]])
        let near = "SELECT Z_PK FROM Z_RT_Place_bounds WHERE ZLATITUDE_MAX < 10 ORDER BY Z_PK"
        #expect(try store.rows(near) == ["1"])
        try store.update(ids[1], ["latitude": .double(5)])
        #expect(try store.rows(near) == ["1", "2"])
        try store.delete(ids[0])
        #expect(try store.rows(near) == ["2"])
    }

    // MARK: History

    private static let history = """
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
        ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
        ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
        CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
        CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 7), (16002, 'TRANSACTION', 0, 3),
        (16003, 'TRANSACTIONSTRING', 0, 0);
        """

    @Test func `a save to a store with a history appends one transaction with a change for each row`() throws {
        let store = try TestStore(TestModel.heroes())
        let ids = try store.insert("Hero", [[:], [:]])
        try store.sql { try $0.execute(sql: Self.history) }
        let new = try #require(try store.backend.permanentIDs(for: store.entity("Team"), count: 1).first)
        try store.backend.save(
            StoreChanges(
                inserted: [try store.change(new, [:])],
                updated: [try store.change(ids[0], version: 1, ["age": .integer(1)])],
                deleted: [try store.change(ids[1], version: 1, [:])]))
        #expect(
            try store.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID FROM ACHANGE")
                == ["8|16001|NULL|0|4|1|4", "9|16001|NULL|1|1|1|4", "10|16001|NULL|2|1|2|4"])
        #expect(try store.rows("SELECT Z_PK, Z_ENT, ZPROCESSIDTS FROM ATRANSACTION") == ["4|16002|1"])
        #expect(try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == ["10", "4", "1"])
        try store.insert("Team")
        #expect(try store.rows("SELECT COUNT(*) FROM ATRANSACTION") == ["2"])
        #expect(try store.rows("SELECT COUNT(*) FROM ATRANSACTIONSTRING") == ["1"])
    }

    @Test func `a save that fails leaves no history`() throws {
        let store = try TestStore(TestModel.heroes())
        let id = try store.insert("Hero")
        try store.sql { try $0.execute(sql: Self.history) }
        #expect(throws: StoreConflict.self) { try store.update(id, version: 4, ["age": .integer(1)]) }
        #expect(try store.rows("SELECT COUNT(*) FROM ATRANSACTION") == ["0"])
    }
}
