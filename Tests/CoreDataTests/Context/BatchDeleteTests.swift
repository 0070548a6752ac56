// Batch deletions: what goes, what is cleared, what is refused, and that no context notices before it is told.

import CoreData
import Foundation
import GRDB
import Testing

@Suite struct BatchDeleteTests {
    /// Ada has two books with two chapters and a tag each, and a passport; Bea has a prize.
    private func filled() throws -> Library {
        let library = try Library(.database)
        let ada = library.insert("Author", ["name": "Ada"]), bea = library.insert("Author", ["name": "Bea"])
        library.insert("Passport", ["number": "1"]).setValue(ada, forKey: "owner")
        library.insert("Prize", ["title": "Nobel"]).setValue(bea, forKey: "winner")
        let tag = library.insert("Tag", ["label": "old"])
        for title in ["one", "two"] {
            let book = library.insert(title == "two" ? "Novel" : "Book", ["title": title])
            book.setValue(ada, forKey: "author")
            book.setValue(NSSet(array: [tag]), forKey: "tags")
            for heading in ["a", "b"] { library.insert("Chapter", ["heading": heading]).setValue(book, forKey: "book") }
        }
        try library.context.save()
        return library
    }

    private func request(_ entity: String, _ format: String? = nil) -> NSBatchDeleteRequest {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        fetch.predicate = format.map { NSPredicate(format: $0) }
        return NSBatchDeleteRequest(fetchRequest: fetch)
    }

    private func counts(_ library: Library) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        let context = library.newContext()
        for entity in ["Author", "Book", "Chapter", "Tag", "Passport", "Prize"] {
            counts[entity] = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        }
        return counts
    }

    @Test func `the result is a status, a number or IDs, as the result type says`() throws {
        let library = try filled()
        let novels = request("Book", "title == 'two'")
        novels.resultType = .resultTypeObjectIDs
        let id = try #require(try library.fetch("Novel").first?.objectID)
        let deleted = try #require(try library.context.execute(novels) as? NSBatchDeleteResult)
        #expect(deleted.result as? [NSManagedObjectID] == [id])
        #expect(deleted.resultType == .resultTypeObjectIDs)
        let chapters = request("Chapter")
        chapters.resultType = .resultTypeCount
        #expect((try library.context.execute(chapters) as? NSBatchDeleteResult)?.result as? Int == 2)
        #expect((try library.context.execute(request("Tag")) as? NSBatchDeleteResult)?.result as? Bool == true)
    }

    @Test func `cascade and nullify rules are followed in the store`() throws {
        let library = try filled()
        try library.context.execute(request("Author", "name == 'Ada'"))
        #expect(
            try counts(library) == ["Author": 1, "Book": 0, "Chapter": 0, "Tag": 1, "Passport": 0, "Prize": 1])
        let tag = try library.fetch("Tag", in: library.newContext())[0]
        #expect(tag.many("books").isEmpty)
    }

    @Test func `nullify clears the other side and raises its version`() throws {
        let library = try filled()
        let stale = try library.fetch("Author", where: NSPredicate(format: "name == 'Ada'"))[0]
        #expect(stale.one("passport") != nil)
        try library.context.execute(request("Passport"))
        let context = library.newContext()
        #expect(try library.fetch("Author", sortedBy: "name", in: context)[0].one("passport") == nil)
        stale.setValue("Adele", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .managedObjectMerge)
    }

    @Test(arguments: [TestModel.Count.many, .ordered])
    func `members of a list without inverse have no owner any more, whatever the rule`(
        _ count: TestModel.Count
    ) throws {
        let list = TestModel.entity("List", [TestModel.attribute("name", .stringAttributeType)])
        let item = TestModel.entity("Item", [TestModel.attribute("name", .stringAttributeType)])
        TestModel.relate(list, "items", count, item).deleteRule = .noActionDeleteRule
        let model = TestModel.model([item, list])
        let store = try MigratingStore(model) { context in
            for name in ["kept", "gone"] {
                let items = ["a", "b"].map { context.insert("Item", ["name": "\(name) \($0)"]) }
                let members: Any = count == .ordered ? NSOrderedSet(array: items) : NSSet(array: items)
                context.insert("List", ["name": name, "items": members])
            }
        }
        let context = try store.open(model, nil)
        try context.execute(request("List", "name == 'gone'"))
        #expect(try context.members("List", "items") == [["kept a", "kept b"]])
        let owners = try store.sql { try Int.fetchAll($0, sql: "SELECT COUNT(*) FROM ZITEM GROUP BY Z2ITEMS") }
        #expect(owners == [2, 2])
        let open = try store.sql { try Int.fetchAll($0, sql: "SELECT COUNT(*) FROM ZITEM WHERE Z2ITEMS IS NULL") }
        #expect(open == [2])
    }

    @Test func `a deny rule that holds fails the request, and nothing is deleted`() throws {
        let library = try filled()
        let before = try counts(library)
        let error = #expect(throws: CocoaError.self) { try library.context.execute(request("Author")) }
        #expect(error?.code == .validationRelationshipDeniedDelete)
        #expect(try counts(library) == before)
        // Once the prize goes as well, nothing denies.
        try library.context.execute(request("Prize"))
        try library.context.execute(request("Author"))
        #expect(try counts(library)["Author"] == 0)
    }

    @Test func `a mandatory relationship isn't left empty`() throws {
        let model = LibraryModel.make()
        let author = try #require(model.entitiesByName["Author"]),
            passport = try #require(model.entitiesByName["Passport"])
        author.relationshipsByName["passport"]?.deleteRule = .nullifyDeleteRule
        passport.relationshipsByName["owner"]?.isOptional = false
        let library = try Library(.database, model: model)
        library.insert("Passport", ["number": "1"]).setValue(library.insert("Author", ["name": "Ada"]), forKey: "owner")
        try library.context.save()
        let error = #expect(throws: CocoaError.self) { try library.context.execute(request("Author")) }
        #expect(error?.localizedDescription.contains("owner") == true)
        #expect(try counts(library)["Author"] == 1)
    }

    @Test func `limit, order and sub-entities of the fetch request count`() throws {
        let library = try filled()
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        fetch.includesSubentities = false
        fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        fetch.fetchLimit = 1
        try library.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        #expect(try library.fetch("Book", in: library.newContext()).map { $0.text("title") } == ["two"])
    }

    @Test func `objects are deleted by their IDs, missing ones passed over`() throws {
        let library = try filled()
        let ids = try library.fetch("Chapter").map(\.objectID)
        let request = NSBatchDeleteRequest(objectIDs: Array(ids.prefix(3)))
        request.resultType = .resultTypeCount
        #expect((try library.context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 3)
        #expect((try library.context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 0)
        #expect(try counts(library)["Chapter"] == 1)
    }

    /// The number of rows that are deleted by their IDs.
    private func delete(
        _ ids: [NSManagedObjectID], in library: Library, from stores: [NSPersistentStore]? = nil
    ) throws -> Int? {
        let request = NSBatchDeleteRequest(objectIDs: ids)
        request.resultType = .resultTypeCount
        request.affectedStores = stores
        return (try library.context.execute(request) as? NSBatchDeleteResult)?.result as? Int
    }

    @Test func `IDs of another coordinator, or from before the store was opened again, are those of the rows`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "library.sqlite")
        let model = LibraryModel.make()
        let one = try Library(at: url, model: model), two = try Library(at: url, model: model)
        let chapters = ["a", "b", "c"].map { one.insert("Chapter", ["heading": $0]) }
        try one.context.save()
        let ids = chapters.map(\.objectID)
        #expect(try delete([ids[0], ids[0]], in: two) == 1)
        let store = try #require(one.coordinator.persistentStores.first)
        try one.coordinator.remove(store)
        _ = try one.coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        #expect(try delete([ids[1]], in: one) == 1)
        #expect(try two.fetch("Chapter").map { $0.text("heading") } == ["c"])
    }

    @Test func `an ID that no store has fails the request, and a store that isn't affected keeps its rows`() throws {
        let library = try filled(), elsewhere = try Library(.database)
        let stranger = elsewhere.insert("Chapter"), new = library.insert("Chapter")
        try elsewhere.context.save()
        let ids = try library.fetch("Chapter", in: library.newContext()).map(\.objectID)
        for odd in [stranger.objectID, new.objectID] {
            let error = #expect(throws: CocoaError.self) { try delete(ids + [odd], in: library) }
            #expect(error?.code == .managedObjectReferentialIntegrity)
            #expect(error?.localizedDescription.contains(odd.uriRepresentation().absoluteString) == true)
        }
        #expect(try delete(ids, in: library, from: []) == 0)
        #expect(try counts(library)["Chapter"] == 4)
        #expect(try delete(ids, in: library, from: library.coordinator.persistentStores) == 4)
    }

    @Test func `contexts notice nothing until the IDs are merged`() throws {
        let library = try filled()
        let chapters = try library.fetch("Chapter")
        let other = library.newContext()
        let theirs = try library.fetch("Chapter", in: other)
        let request = request("Chapter")
        request.resultType = .resultTypeObjectIDs
        let result = try library.context.execute(request) as? NSBatchDeleteResult
        #expect(chapters.allSatisfy { !$0.isDeleted } && !library.context.hasChanges)
        let ids = try #require(result?.result as? [NSManagedObjectID])
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [library.context, other])
        #expect((chapters + theirs).filter { !$0.isDeleted }.isEmpty)
        #expect(library.context.deletedObjects == Set(chapters))
        try library.context.save()
        #expect(!library.context.hasChanges)
    }

    @Test func `the in-memory type rejects batch requests`() throws {
        let library = try Library(.inMemory)
        let error = #expect(throws: CocoaError.self) { try library.context.execute(request("Book")) }
        #expect(error?.code == .persistentStoreUnsupportedRequestType)
    }

    @Test func `a thousand and more rows go in one transaction`() throws {
        let library = try Library(.database)
        for number in 0..<2500 { _ = library.insert("Chapter", ["heading": "\(number)"]) }
        try library.context.save()
        let request = request("Chapter", "heading != '7'")
        request.resultType = .resultTypeCount
        #expect((try library.context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 2499)
        #expect(try counts(library)["Chapter"] == 1)
    }
}
