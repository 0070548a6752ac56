// Migrations of stores in which something is damaged: an error or a line names what isn't carried over.

import CoreData
import Foundation
import GRDB
import Testing

@Suite struct DamagedMigrationTests {
    /// Notes (1) of people (2), who have tags (3), a list of notes, and notes that they have written.
    private func people() -> NSManagedObjectModel {
        let person = TestModel.entity("Person", [TestModel.attribute("name", .stringAttributeType)])
        let note = TestModel.entity("Note", [TestModel.attribute("name", .stringAttributeType)])
        let tag = TestModel.entity("Tag", [TestModel.attribute("name", .stringAttributeType)])
        TestModel.relate(person, "notes", .many, note)
        TestModel.connect(person, "tags", .many, tag, "people", .many)
        TestModel.connect(person, "written", .many, note, "author", .one)
        return TestModel.model([person, note, tag])
    }

    /// A store of one person with a note and a tag, changed by SQL.
    private func store(_ sql: String) throws -> MigratingStore {
        let store = try MigratingStore(people()) { context in
            let note = context.insert("Note", ["name": "hello"]), tag = context.insert("Tag", ["name": "old"])
            let ada = context.insert("Person", ["name": "Ada", "notes": NSSet(object: note)])
            ada.setValue(NSSet(object: tag), forKey: "tags")
            note.setValue(ada, forKey: "author")
        }
        try store.close()
        try DatabaseQueue(path: store.url.path).write { try $0.execute(sql: sql) }
        return store
    }

    private func next() throws -> NSManagedObjectModel {
        try people().next { model in
            try model.entity("Person").properties.append(TestModel.attribute("age", .integer64AttributeType))
        }
    }

    // MARK: Links

    @Test func `links that are no object's are left behind, and all objects stay`() throws {
        let store = try store("INSERT INTO Z_2TAGS (Z_2PEOPLE, Z_3TAGS) VALUES (1, 99); UPDATE ZNOTE SET Z2NOTES = 99")
        let context = try store.open(next())
        let person = try #require(try context.all("Person").first)
        #expect(
            (person.value(forKey: "tags") as? NSSet)?.count == 1
                && (person.value(forKey: "notes") as? NSSet)?.count == 0)
        #expect(try store.sql { try Int.fetchOne($0, sql: "SELECT MAX(Z_3TAGS) FROM Z_2TAGS") } == 1)
    }

    @Test func `a reference to a row that isn't there stays, or refuses a migration that has no room for it`() throws {
        let store = try store("UPDATE ZNOTE SET ZAUTHOR = 99")
        let several = try people().next { try $0.entity("Note").relationship("author").maxCount = 0 }
        let error = try store.refusal(several)
        #expect(error.localizedDescription.contains("1 link(s) of Note.author lead to rows that aren't there"))
        try store.open(next())
        #expect(try store.sql { try Int.fetchOne($0, sql: "SELECT ZAUTHOR FROM ZNOTE") } == 99)
    }

    @Test func `a number of no entity beside a link stays as it is where entities get others`() throws {
        let store = try MigratingStore(TestModel.heroes()) { context in
            context.insert("Hero", ["name": "Bob", "mentor": context.insert("Hero", ["name": "Ada"])])
        }
        try store.close()
        try DatabaseQueue(path: store.url.path).write { db in
            try db.execute(sql: "UPDATE ZHERO SET Z1_MENTOR = 99 WHERE ZMENTOR IS NOT NULL")
        }
        try store.open(TestModel.heroes().next { $0.entities.append(TestModel.entity("Actor")) })
        let number = try store.sql {
            try Int.fetchOne($0, sql: "SELECT Z2_MENTOR FROM ZHERO WHERE ZMENTOR IS NOT NULL")
        }
        #expect(number == 99)
    }

    // MARK: Metadata

    @Test func `a migration whose metadata nobody could read again fails, and the store stays`() throws {
        let store = try store("")
        let list = String(repeating: "<array>", count: 70) + String(repeating: "</array>", count: 70)
        try DatabaseQueue(path: store.url.path).write { db in
            let stored = try #require(try Data.fetchOne(db, sql: "SELECT Z_PLIST FROM Z_METADATA"))
            let entries = try unsafe PropertyListSerialization.propertyList(from: stored, format: nil)
            let text = try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
            let nested = String(decoding: text, as: UTF8.self)
                .replacing("</dict>\n</plist>", with: "<key>Mine</key>\(list)</dict></plist>")
            #expect(nested.contains(list))
            try db.execute(sql: "UPDATE Z_METADATA SET Z_PLIST = ?", arguments: [Data(nested.utf8)])
        }
        let error = try store.refusal(next())
        #expect(error.localizedDescription.contains("under 'Mine' that is nested more than 64 deep"))
        #expect(try store.open(people(), nil).all("Person").count == 1)
    }
}
