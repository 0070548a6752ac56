// What a history tells beyond the kind of a change: what an update changed, and what is left of a deleted object.

import CoreData
import Foundation
import GRDB
import Testing

@Suite struct HistoryDetailTests {
    /// A file whose store keeps a history, of a model some of whose attributes outlive a deletion.
    private struct Tracked {
        let folder = try? TemporaryFolder()
        let library: Library
        var url: URL { library.coordinator.persistentStores[0].url ?? URL(fileURLWithPath: "/dev/null") }

        init() throws {
            let model = LibraryModel.make()
            for name in ["title", "pages", "price", "isLent", "cover", "uuid", "link", "notes"] {
                model.entitiesByName["Book"]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
            }
            let folder = try #require(folder)
            library = try Library(
                at: folder.url.appendingPathComponent("Library.sqlite"), model: model,
                options: [NSPersistentHistoryTrackingKey: true])
        }

        /// The changes of the last transaction.
        func latest() throws -> [NSPersistentHistoryChange] {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let result = try library.context.execute(request) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            return transactions.last?.changes ?? []
        }

        /// `Entity: property, property` for each update of the last transaction.
        func updates() throws -> [String] {
            try latest().filter { $0.changeType == .update }.map { change in
                let names = change.updatedProperties?.map(\.name).sorted().joined(separator: ", ")
                return "\(change.changedObjectID.entity.name ?? ""): \(names ?? "unknown")"
            }.sorted()
        }

        func sql<T>(_ body: (Database) throws -> T) throws -> T { try DatabaseQueue(path: url.path).write(body) }
    }

    private let tracking: [String: Any] = [NSPersistentHistoryTrackingKey: true]
    private let migrating: [String: Any] = [
        NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
    ]

    /// All changes of a history.
    private func changes(_ library: Library) throws -> [NSPersistentHistoryChange] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .changesOnly
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryChange])
    }

    @Test func `an update tells which properties it changed, relationships among them`() throws {
        let tracked = try Tracked(), library = tracked.library
        let ada = library.insert("Author", ["name": "Ada"]), bea = library.insert("Author", ["name": "Bea"])
        let book = library.insert("Book", ["title": "t", "author": ada]), tag = library.insert("Tag", ["label": "l"])
        try library.context.save()
        #expect(try tracked.latest().count == 4)
        #expect(try tracked.latest().allSatisfy { $0.updatedProperties == nil && $0.tombstone == nil })
        ada.setValue("Adele", forKey: "name")
        ada.setValue(4.5, forKey: "rating")
        try library.context.save()
        #expect(try tracked.updates() == ["Author: name, rating"])
        book.setValue(bea, forKey: "author")
        book.mutableSetValue(forKey: "tags").add(tag)
        try library.context.save()
        #expect(try tracked.updates().contains("Book: author, tags"))
        let change = try #require(try tracked.latest().first { $0.changedObjectID == book.objectID })
        #expect(change.updatedProperties?.contains { $0 === book.entity.relationshipsByName["author"] } == true)
    }

    @Test func `a deletion keeps the values of the attributes that are to be preserved, each in its type`() throws {
        let tracked = try Tracked(), library = tracked.library
        let values: [String: Any] = [
            "title": "Moby", "pages": 635, "price": NSDecimalNumber(string: "12.34"), "isLent": true,
            "cover": Data([1, 2, 3]), "uuid": UUID(), "link": try #require(URL(string: "https://example.org/a")),
            "notes": ["a", "b"] as NSArray, "isbn": "not kept",
        ]
        let full = library.insert("Book", values), empty = library.insert("Book", ["isbn": "x"])
        let novel = library.insert("Novel", ["title": "Emma", "genre": "not kept"]), tag = library.insert("Tag")
        let ids = [full, empty, novel, tag].map(\.objectID)
        try library.context.save()
        let saved = [full, empty, novel, tag].map(\.objectID)
        #expect(zip(ids, saved).allSatisfy { $0 != $1 })
        for object in [full, empty, novel, tag] { library.context.delete(object) }
        try library.context.save()
        let changes = try tracked.latest()
        #expect(changes.count == 4 && changes.allSatisfy { $0.changeType == .delete && $0.updatedProperties == nil })
        func tombstone(_ place: Int) throws -> [AnyHashable: Any]? {
            try #require(changes.first { $0.changedObjectID == saved[place] }).tombstone
        }
        let kept = try #require(try tombstone(0))
        #expect(Set(kept.keys) == Set(values.keys.filter { $0 != "isbn" }))
        for (key, value) in values where key != "isbn" {
            #expect((kept[key] as? NSObject)?.isEqual(value) == true || "\(kept[key] ?? "")" == "\(value)", "\(key)")
        }
        #expect(kept["pages"] as? Int == 635 && kept["uuid"] as? UUID == values["uuid"] as? UUID)
        // The model's defaults.
        #expect(try tombstone(1)?.keys.map { "\($0)" }.sorted() == ["isLent", "pages"])
        #expect(try tombstone(2)?["title"] as? String == "Emma")
        #expect(try tombstone(3) == nil)
    }

    @Test func `batches tell both as well, with what their delete rules did`() throws {
        let tracked = try Tracked(), library = tracked.library
        let ada = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Book", ["title": "t", "isbn": "1", "author": ada])
        _ = library.insert("Passport", ["number": "7", "owner": ada])
        try library.context.save()
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["title": "u", "pages": 9]
        try library.context.execute(update)
        #expect(try tracked.updates() == ["Book: pages, title"])
        let insertion = NSBatchInsertRequest(entityName: "Book", objects: [["isbn": "1", "title": "v"]])
        library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try library.context.execute(insertion)
        #expect(try tracked.updates() == ["Book: isbn, title"])
        try library.context.execute(
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Passport")))
        #expect(try tracked.updates() == ["Author: passport"])
        try library.context.execute(
            NSBatchDeleteRequest(fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")))
        let book = try #require(try tracked.latest().first { $0.changedObjectID.entity.name == "Book" })
        #expect(book.changeType == .delete && book.tombstone?["title"] as? String == "v")
    }

    @Test func `deleted history takes its details along, whoever deletes it`() throws {
        let tracked = try Tracked(), library = tracked.library
        func count() throws -> Int? {
            try tracked.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM GRAFT_CHANGEDETAIL") }
        }
        let tag = library.insert("Tag", ["label": "a"])
        try library.context.save()
        for label in ["b", "c", "d"] {
            tag.setValue(label, forKey: "label")
            try library.context.save()
        }
        #expect(try count() == 3)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try library.context.execute(request) as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: transactions[2]))
        #expect(try count() == 2)
        try tracked.sql { try $0.execute(sql: "DELETE FROM ACHANGE") }
        #expect(try count() == 0)
    }

    @Test func `what another program wrote is told without details`() throws {
        let tracked = try Tracked(), library = tracked.library
        let book = library.insert("Book", ["title": "t"])
        try library.context.save()
        try tracked.sql { db in
            try db.execute(
                sql: """
                    INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (2, 16002, 7);
                    INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
                    SELECT 2, 16001, 1, ZENTITY, ZENTITYPK, 2, x'0102' FROM ACHANGE;
                    """)
        }
        let change = try #require(try tracked.latest().first)
        #expect(change.changedObjectID == book.objectID && change.changeType == .update)
        #expect(change.updatedProperties == nil && change.tombstone == nil)
    }

    @Test func `details outlive a migration, but for properties that are gone`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        do {
            let old = try Library(at: url, model: LibraryModel.make(), options: tracking)
            let book = old.insert("Book", ["title": "t"])
            try old.context.save()
            book.setValuesForKeys(["title": "u", "pages": 5, "isbn": "1"])
            try old.context.save()
            try old.coordinator.remove(old.coordinator.persistentStores[0])
        }
        let model = LibraryModel.make()
        let book = try #require(model.entitiesByName["Book"])
        book.properties = book.properties.filter { $0.name != "pages" }
        book.properties += [LibraryModel.attribute("extra", .stringAttributeType)]
        let library = try Library(at: url, model: model, options: migrating)
        let changes = try self.changes(library)
        #expect(changes.map { $0.updatedProperties?.map(\.name).sorted() } == [nil, ["isbn", "title"]])
        try library.context.execute(
            NSPersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 60)))
        let left = try DatabaseQueue(path: url.path).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM GRAFT_CHANGEDETAIL")
        }
        #expect(left == 0)
    }

    @Test func `a migration renames the properties of details, and leaves out values of another type`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        func model() throws -> (NSManagedObjectModel, NSEntityDescription) {
            let model = LibraryModel.make(), book = try #require(model.entitiesByName["Book"])
            book.attributesByName["title"]?.preservesValueInHistoryOnDeletion = true
            return (model, book)
        }
        do {
            let old = try Library(at: url, model: try model().0, options: tracking)
            let book = old.insert("Book", ["title": "t"])
            try old.context.save()
            book.setValue("u", forKey: "title")
            try old.context.save()
            old.context.delete(book)
            try old.context.save()
            try old.coordinator.remove(old.coordinator.persistentStores[0])
        }
        let (newer, book) = try model()
        let title = try #require(book.attributesByName["title"])
        title.name = "name"
        title.renamingIdentifier = "title"
        let number = LibraryModel.attribute("title", .integer64AttributeType)
        number.renamingIdentifier = "number"
        book.properties += [number]
        let library = try Library(at: url, model: newer, options: migrating)
        let changes = try self.changes(library)
        #expect(changes.map { $0.updatedProperties?.map(\.name) } == [nil, ["name"], nil])
        #expect(changes.last?.tombstone?["name"] as? String == "u" && changes.last?.tombstone?.count == 1)
        // As if the type had been changed by hand.
        try DatabaseQueue(path: url.path).write {
            try $0.execute(sql: "UPDATE GRAFT_CHANGEDETAIL SET ZPROPERTY = 'title' WHERE ZVALUE IS NOT NULL")
        }
        let last = try self.changes(library).last
        #expect(last?.changeType == .delete && last?.tombstone == nil)
    }

    @Test func `a history without a table for details is kept and read without them`() throws {
        let tracked = try Tracked(), library = tracked.library
        let book = library.insert("Book", ["title": "t"])
        try library.context.save()
        let url = tracked.url, model = library.coordinator.managedObjectModel
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        try DatabaseQueue(path: url.path).write {
            try $0.execute(sql: "DROP TRIGGER GRAFT_CHANGEDETAIL_DELETED; DROP TABLE GRAFT_CHANGEDETAIL")
        }
        let untracked = try Library(at: url, model: model)
        let found = try #require(try untracked.fetch("Book").first)
        #expect(found.objectID.uriRepresentation() == book.objectID.uriRepresentation())
        found.setValue("u", forKey: "title")
        try untracked.context.save()
        untracked.context.delete(found)
        try untracked.context.save()
        let changes = try self.changes(untracked)
        #expect(changes.map(\.changeType) == [.insert, .update, .delete])
        #expect(changes.allSatisfy { $0.updatedProperties == nil && $0.tombstone == nil })
    }
}
