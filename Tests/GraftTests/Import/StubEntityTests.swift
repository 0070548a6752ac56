// Objects that were referred to, or made, as ones of a super-entity before the data says what they are.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct StubEntityTests {
    /// Readers have a book each, and some of those are comics; nothing leads back to readers. Shelves hold books in an order.
    private func world(_ info: [String: String] = [:], _ kind: StoreKind = .sqlite) throws -> ImportWorld {
        try ImportWorld(kind) { sketch in
            sketch.entity(
                "Book", info: ["identityAttributes": "id"].merging(info) { $1 },
                [
                    .attribute("id", .integer64AttributeType), .attribute("title"),
                    .attribute("pages", .integer32AttributeType), .toOne("shelf", "Shelf", inverse: "books"),
                ])
            sketch.entity("Comic", parent: "Book", [.attribute("artist")])
            sketch.entity("Atlas", parent: "Book", [.attribute("scale")])
            sketch.entity(
                "Reader", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .toOne("book", "Book"), .toOne("comic", "Comic"),
                    .toMany("read", "Book"),
                ])
            sketch.entity(
                "Shelf", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("books", "Book", inverse: "shelf", isOrdered: true),
                ])
        }
    }

    @Test(arguments: ["keep", "fail"], [StoreKind.sqlite, .inMemory])
    func `a stub becomes what the data says, in its place, whatever the policy`(
        _ policy: String, _ kind: StoreKind
    ) throws {
        let world = try world(["JSONEntityChange": policy], kind)
        try world.take(#"[{"id": 1, "book": 3, "read": [3, 4]}]"#, "Reader")
        try world.take(#"[{"id": 1, "books": [4, 3, 5]}]"#, "Shelf")
        let report = try world.take(#"[{"id": 3, "artist": "x"}]"#, "Comic")
        #expect(report["Comic"].updated == 1)
        #expect(report.total.deleted == 0 && report.total.inserted == 0)
        #expect(try world.count("Book") == 3)
        #expect(try world.value("artist", of: "Comic", "id", 3) == "x")
        #expect(try world.members("book", "id", of: "Reader", "id", 1) == ["3"])
        #expect(try world.members("read", "id", of: "Reader", "id", 1) == ["3", "4"])
        #expect(try world.members("books", "id", of: "Shelf", "id", 1) == ["4", "3", "5"])
        #expect(try !world.take(#"[{"id": 3, "artist": "x"}]"#, "Comic").hasChanges)
    }

    @Test(arguments: [1, 2, 1000], [false, true])
    func `what an import has made becomes what the data says later, in batches of any size`(
        _ size: Int, _ saves: Bool
    ) throws {
        var world = try world()
        (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
        let text = """
            [{"id": 1, "book": 3}, {"id": 2, "book": {"id": 4, "title": "t"}, "read": [3]},
             {"id": 3, "comic": {"id": 3, "artist": "x"}}, {"id": 4, "comic": 4}, {"id": 5, "book": 3},
             {"id": 6, "comic": {"id": 4, "title": "u"}}]
            """
        let report = try world.take(text, "Reader")
        #expect(report["Comic"].inserted == 2)
        #expect(report["Book"] == ImportReport.Counts())
        #expect(report["Reader"].inserted == 6)
        #expect(try world.count("Book") == 2 && world.count("Comic") == 2)
        #expect(try world.value("title", of: "Comic", "id", 4) == "u")
        #expect(try world.members("book", "id", of: "Reader", "id", 2) == ["4"])
        #expect(try world.members("read", "id", of: "Reader", "id", 2) == ["3"])
        #expect(try world.members("book", "id", of: "Reader", "id", 5) == ["3"])
        // The text gives a comic another title than before, and the first one back: only as a whole it changes nothing.
        world.options.batchSize = 1000
        #expect(try !world.take(text, "Reader").hasChanges)
    }

    @Test(arguments: [1, 1000], [false, true])
    func `a stub that is filled, and becomes one of a sub-entity later, counts once`(_ size: Int, _ saves: Bool) throws
    {
        var world = try world()
        try world.take(#"[{"id": 1, "book": 3}, {"id": 2}]"#, "Reader")
        (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
        let report = try world.take(
            #"[{"id": 1, "book": {"id": 3, "title": "t"}}, {"id": 2, "comic": {"id": 3, "artist": "x"}}]"#, "Reader")
        #expect(report["Book"] == ImportReport.Counts())
        #expect(report["Comic"].updated == 1 && report.total.updated == 2)
        #expect(try world.value("title", of: "Comic", "id", 3) == "t")
    }

    @Test func `what is said again counts, also where the object is known as one of a sub-entity since`() throws {
        let world = try world()
        try world.take(
            """
            [{"id": 1, "book": {"id": 3, "title": "a"}}, {"id": 2, "comic": 3}, {"id": 3, "book": {"id": 3, "title": "b"}},
             {"id": 4, "book": {"id": 3, "title": "a"}}]
            """, "Reader")
        #expect(try world.value("title", of: "Comic", "id", 3) == "a")
    }

    @Test func `a stub that only a reference needs to be of a sub-entity becomes one, and stays a stub`() throws {
        let world = try world()
        try world.take(#"[{"id": 1, "book": 3}]"#, "Reader")
        try world.take(#"[{"id": 2, "comic": 3}]"#, "Reader")
        #expect(try world.count("Book") == 1 && world.count("Comic") == 1)
        #expect(try world.members("comic", "id", of: "Reader", "id", 2) == ["3"])
    }

    @Test func `an object with values stays what it is, and what it can't have is in the report`() throws {
        let world = try world()
        try world.take(#"[{"id": 3, "title": "t"}]"#, "Book")
        let report = try world.take(#"[{"id": 3, "title": "u", "artist": "x"}]"#, "Comic")
        #expect(report["Book"].updated == 1)
        #expect(try world.value("title", of: "Book", "id", 3) == "u")
        #expect(
            report.leftOutValues.map(\.description) == [
                "Comic.artist: 1 value left out, because the object is stored as Book"
            ])
        #expect(report.description.contains("Comic.artist: 1 value left out"))
    }

    @Test(arguments: [1, 1000])
    func `who has replaced another is found in later batches, and once`(_ size: Int) throws {
        var world = try world(["JSONEntityChange": "replace"])
        try world.take(#"[{"id": 3, "title": "t"}]"#, "Book")
        try world.take(#"[{"id": 1, "book": 3}]"#, "Reader")
        world.options.batchSize = size
        let text = #"[{"id": 3, "artist": "x"}, {"id": 4, "artist": "y"}, {"id": 3, "title": "u"}]"#
        try world.take(text, "Comic")
        #expect(try world.values("id", of: "Book") == ["3", "4"])
        #expect(try world.value("title", of: "Comic", "id", 3) == "u")
        #expect(try world.members("book", "id", of: "Reader", "id", 1) == ["3"])
    }

    @Test func `dictionaries make of a stub what they say, too, and leave a given object as it is`() throws {
        let world = try world()
        try world.take(#"[{"id": 1, "book": 3}, {"id": 2, "book": 4}]"#, "Reader")
        try world.stack.perform { context throws in
            try context.populateObjects(fromDictionaries: [["id": 3, "artist": "x"]], entity: "Comic")
            try context.save()
            let given = try #require(try context.one("Book", "id", 4))
            try given.populate(fromDictionary: ["id": 4, "title": "t"])
            #expect(given.text("title") == "t" && !given.isDeleted)
        }
        #expect(try world.value("artist", of: "Comic", "id", 3) == "x")
        #expect(try world.members("book", "id", of: "Reader", "id", 1) == ["3"])
        #expect(try world.count("Book") == 2)
    }

    @Test(arguments: [1, 1000], [false, true])
    func `a stub that becomes one of a sub-entity is no orphan, and no deletion`(_ size: Int, _ saves: Bool) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Animal",
                info: [
                    "identityAttributes": "id", "JSONEntityKey": "type", "JSONOrphanPolicy": "delete",
                    "JSONDeletionLimit": "0",
                ],
                [.attribute("id", .integer64AttributeType), .attribute("name"), .toOne("pal", "Animal")])
            sketch.entity("Cat", parent: "Animal", [])
        }
        (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
        try world.take(#"[{"id": 1, "name": "a", "pal": 2}]"#, "Animal")
        let report = try world.take(
            #"[{"id": 1, "name": "a", "pal": 2}, {"id": 2, "type": "Cat", "name": "Tom"}]"#, "Animal")
        #expect(report.total.deleted == 0)
        #expect(try world.values("name", of: "Animal") == ["Tom", "a"])
        #expect(try world.members("pal", "name", of: "Animal", "id", 1) == ["Tom"])
    }

    @Test(arguments: ["keep", "replace"], [false, true])
    func `what leads to itself goes on doing so as one of a sub-entity`(_ policy: String, _ isOrdered: Bool) throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Animal", info: ["identityAttributes": "id", "JSONEntityKey": "type", "JSONEntityChange": policy],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .toOne("boss", "Animal", inverse: "staff"),
                    .toMany("staff", "Animal", inverse: "boss", isOrdered: isOrdered),
                    .toMany("aides", "Animal", inverse: "chief", isOrdered: isOrdered),
                    .toOne("chief", "Animal", inverse: "aides"),
                    .toMany("likes", "Animal", inverse: "likedBy", isOrdered: isOrdered),
                    .toMany("likedBy", "Animal", inverse: "likes"),
                    .toOne("one", "Animal", inverse: "other"), .toOne("other", "Animal", inverse: "one"),
                    .toOne("pal", "Animal", inverse: "pal"),
                ])
            sketch.entity("Cat", parent: "Animal", [.attribute("lives", .integer16AttributeType)])
        }
        // Under the policy to replace it, one with a value is replaced as well as a stub.
        let name = policy == "replace" ? #""name": "x", "# : ""
        try world.take(
            #"""
            [{"id": 1, \#(name)"boss": 1, "chief": 1, "likes": [2, 1], "one": 1, "pal": 1},
             {"id": 2, "boss": 1, "chief": 1, "likes": [1]}]
            """#, "Animal")
        try world.take(#"[{"id": 1, "type": "Cat", "lives": 9}]"#, "Animal")
        #expect(try world.count("Animal") == 2 && world.count("Cat") == 1)
        for relationship in ["boss", "chief", "one", "other", "pal"] {
            #expect(try world.members(relationship, "id", of: "Cat", "id", 1) == ["1"], "\(relationship)")
        }
        for relationship in ["staff", "aides", "likedBy"] {
            #expect(try world.members(relationship, "id", of: "Cat", "id", 1) == ["1", "2"], "\(relationship)")
        }
        #expect(try world.members("likes", "id", of: "Cat", "id", 1) == (isOrdered ? ["2", "1"] : ["1", "2"]))
    }

    @Test func `an import that fails leaves stubs as they were`() throws {
        let world = try world()
        try world.take(#"[{"id": 1, "book": 3}]"#, "Reader")
        try world.stack.perform { context throws in
            // Unsaved changes of the caller's stay.
            _ = context.make("Reader", ["id": 9])
            #expect(
                graftError {
                    try context.importJSON(
                        from: .data(Data(#"[{"id": 3, "artist": "x"}, {"id": "no"}]"#.utf8)), entity: "Comic",
                        options: {
                            var options = ImportOptions(); options.batchSize = 1; return options
                        }())
                } != nil)
            #expect(try context.all("Book").map(\.entity.name) == ["Book"])
            #expect(try context.one("Reader", "id", 1)?.value(forKey: "book") != nil)
            #expect(context.insertedObjects.count == 1 && context.updatedObjects.isEmpty)
        }
    }
}
