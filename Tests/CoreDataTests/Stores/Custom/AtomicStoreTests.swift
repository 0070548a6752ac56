// Objects' whole life in a store that the application reads and writes as a whole. Core Data, NSAtomicStore: `load()` registers
// nodes with `addCacheNodes(_:)`; a save asks for `newCacheNode(for:)`, `updateCacheNode(_:from:)` and `willRemoveCacheNodes(_:)`
// and then calls `save()`.

import CoreData
import Testing

@Suite struct AtomicStoreTests {
    private struct Stack {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let coordinator: NSPersistentStoreCoordinator
        let store: PropertyListStore

        /// - Parameter hasInverse: Whether a book knows its author.
        init(at url: URL, hasInverse: Bool = true) throws {
            NSPersistentStoreCoordinator.registerStoreClass(
                PropertyListStore.self, forStoreType: PropertyListStore.type)
            let author = LibraryModel.plainEntity("Author", ["name"])
            let book = LibraryModel.plainEntity("Book", ["title"])
            LibraryModel.connect(author, "books", many: true, .cascadeDeleteRule, book, "author", many: false)
            if !hasInverse {
                author.relationshipsByName["books"]?.inverseRelationship = nil
                book.properties = book.properties.filter { $0.name != "author" }
            }
            let model = NSManagedObjectModel()
            model.entities = [author, book]
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let added = try coordinator.addPersistentStore(
                ofType: PropertyListStore.type, configurationName: nil, at: url, options: nil)
            store = try #require(added as? PropertyListStore)
            context.persistentStoreCoordinator = coordinator
        }

        func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValuesForKeys(values)
            return object
        }

        func titles(_ format: String? = nil) throws -> [String] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = format.map { NSPredicate(format: $0) }
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try context.fetch(request).compactMap { $0.text("title") }
        }
    }

    private func url(in folder: TemporaryFolder) -> URL { folder.url.appending(path: "books.plist") }

    @Test func `objects, their links and the metadata are there when the file is opened again`() throws {
        let folder = try TemporaryFolder()
        let stack = try Stack(at: url(in: folder))
        let author = stack.insert("Author", ["name": "Ada"])
        for title in ["b", "a", "c"] { _ = stack.insert("Book", ["title": title, "author": author]) }
        stack.store.metadata?["key"] = "value"
        try stack.context.save()
        #expect(stack.store.type == PropertyListStore.type && !author.objectID.isTemporaryID)
        let again = try Stack(at: url(in: folder))
        #expect(again.store.identifier == stack.store.identifier && again.store.metadata["key"] as? String == "value")
        #expect(again.store.metadata[NSStoreModelVersionHashesKey] != nil)
        #expect(try again.titles() == ["a", "b", "c"])
        #expect(try again.titles("author.name == 'Ada' AND title > 'a'") == ["b", "c"])
        let found = try again.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
        #expect(found.count == 1 && found[0].many("books").count == 3)
        let uri = author.objectID.uriRepresentation()
        #expect(again.coordinator.managedObjectID(forURIRepresentation: uri) == found[0].objectID)
    }

    @Test func `a member of a relationship without inverse has one owner, also in a file that was read`() throws {
        let folder = try TemporaryFolder()
        let stack = try Stack(at: url(in: folder), hasInverse: false)
        let books = ["a", "b"].map { stack.insert("Book", ["title": $0]) }
        _ = stack.insert("Author", ["name": "Ada", "books": Set(books)])
        try stack.context.save()
        let again = try Stack(at: url(in: folder), hasInverse: false)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == 'b'")
        _ = again.insert("Author", ["name": "Bob", "books": Set(try again.context.fetch(request))])
        try again.context.save()
        again.context.reset()
        let authors = try again.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
        let titles = authors.map { ($0.text("name") ?? "", $0.many("books").compactMap { $0.text("title") }) }
        #expect(Dictionary(uniqueKeysWithValues: titles) == ["Ada": ["a"], "Bob": ["b"]])
    }

    @Test func `changes and deletions reach the nodes`() throws {
        let folder = try TemporaryFolder()
        let stack = try Stack(at: url(in: folder))
        let author = stack.insert("Author", ["name": "Ada"])
        let books = ["a", "b"].map { stack.insert("Book", ["title": $0, "author": author]) }
        try stack.context.save()
        books[0].setValue("z", forKey: "title")
        stack.context.delete(books[1])
        try stack.context.save()
        #expect(stack.store.cacheNodes().count == 2 && stack.store.removed.count == 1)
        #expect(stack.store.cacheNode(for: books[0].objectID)?.value(forKey: "title") as? String == "z")
        #expect(try Stack(at: url(in: folder)).titles() == ["z"])
    }

    // [assumed] A save that the store refuses can be tried again.
    @Test func `a save that the store refuses changes nothing and can be tried again`() throws {
        let folder = try TemporaryFolder()
        let stack = try Stack(at: url(in: folder))
        let book = stack.insert("Book", ["title": "a"])
        try stack.context.save()
        stack.store.refuses = true
        book.setValue("b", forKey: "title")
        let new = stack.insert("Book", ["title": "c"])
        #expect(throws: PropertyListStore.Refused.self) { try stack.context.save() }
        #expect(stack.store.cacheNodes().count == 1 && new.isInserted)
        #expect(stack.store.cacheNode(for: book.objectID)?.value(forKey: "title") as? String == "a")
        stack.store.refuses = false
        try stack.context.save()
        #expect(try Stack(at: url(in: folder)).titles() == ["b", "c"])
    }

    @Test func `two contexts on it conflict as on any other store`() throws {
        let folder = try TemporaryFolder()
        let stack = try Stack(at: url(in: folder))
        let book = stack.insert("Book", ["title": "a"])
        try stack.context.save()
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = stack.coordinator
        let same = try other.existingObject(with: book.objectID)
        same.setValue("b", forKey: "title")
        try other.save()
        book.setValue("c", forKey: "title")
        let error = #expect(throws: CocoaError.self) { try stack.context.save() }
        #expect(error?.code == .managedObjectMerge)
    }

    @Test func `a new member of a relationship that nobody has read is there once`() throws {
        let folder = try TemporaryFolder()
        let stack = try Stack(at: url(in: folder))
        _ = stack.insert("Author", ["name": "Ada"])
        try stack.context.save()
        stack.context.reset()
        let authors = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
        let author = try #require(authors.first)
        let book = stack.insert("Book", ["title": "a", "author": author])
        try stack.context.save()
        #expect(author.many("books") == [book])
        #expect(stack.context.registeredObjects == [author, book])
    }

    @Test func `a value that doesn't fit the model is an error when the file is opened`() throws {
        let folder = try TemporaryFolder()
        let row: [String: Any] = ["entity": "Book", "reference": "1", "values": ["title": 7]]
        try PropertyListSerialization.data(
            fromPropertyList: ["rows": [row], "uuid": "u"] as [String: Any], format: .xml, options: 0
        ).write(to: url(in: folder))
        let error = #expect(throws: CocoaError.self) { try Stack(at: url(in: folder)) }
        #expect(error?.localizedDescription.contains("Book.title") ?? false)
    }
}

extension LibraryModel {
    /// An entity with texts alone.
    fileprivate static func plainEntity(_ name: String, _ keys: [String]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = keys.map { attribute($0, .stringAttributeType) }
        return entity
    }
}
