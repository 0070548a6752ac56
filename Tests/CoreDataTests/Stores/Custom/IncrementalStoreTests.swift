// Objects' whole life in a store that the application has written itself.

import CoreData
import Testing

@Suite struct IncrementalStoreTests {
    private struct Stack {
        let coordinator: NSPersistentStoreCoordinator
        let context: NSManagedObjectContext
        let rows: DictionaryRows
        let url: URL
        /// What the store was told when it was added.
        let added: [String]

        init(at url: URL? = nil) throws {
            NSPersistentStoreCoordinator.registerStoreClass(DictionaryStore.self, forStoreType: DictionaryStore.type)
            self.url = url ?? URL(fileURLWithPath: "/\(UUID().uuidString)")
            rows = DictionaryRows.at(self.url)
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            try coordinator.addPersistentStore(
                ofType: DictionaryStore.type, configurationName: nil, at: self.url, options: ["key": "value"])
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            added = rows.takenCalls
        }

        func fetch(_ entity: String, where predicate: NSPredicate? = nil) throws -> [NSManagedObject] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = predicate
            request.sortDescriptors = entity == "Author" ? [NSSortDescriptor(key: "name", ascending: true)] : nil
            return try context.fetch(request)
        }
    }

    @Test func `the store is made by its class, with type, options and metadata`() throws {
        let stack = try Stack()
        let store = try #require(stack.coordinator.persistentStores.first as? DictionaryStore)
        #expect(store.type == DictionaryStore.type && store.url == stack.url)
        #expect(store.options?["key"] as? String == "value" && store.identifier == stack.url.lastPathComponent)
        #expect(store.persistentStoreCoordinator === stack.coordinator)
        #expect(stack.coordinator.metadata(for: store)[NSStoreTypeKey] as? String == DictionaryStore.type)
    }

    // NSPersistentStore.h: didAddToPersistentStoreCoordinator:, willRemoveFromPersistentStoreCoordinator:,
    // metadataForPersistentStoreWithURL:error:, migrationManagerClass, and the settable identifier and readOnly.
    @Test func `a store hears when it is added and removed, and speaks for those that aren't open`() throws {
        let stack = try Stack()
        #expect(stack.added == ["added true"])
        let store = try #require(stack.coordinator.persistentStores.first)
        store.identifier = "renamed"
        #expect(store.identifier == "renamed" && store.metadata[NSStoreUUIDKey] as? String == "renamed")
        store.isReadOnly = true
        stack.context.insert("Author", ["name": "Ada"])
        #expect(throws: CocoaError.self) { try stack.context.save() }
        try stack.coordinator.remove(store)
        #expect(stack.rows.takenCalls == ["removing true"])
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: DictionaryStore.type, at: stack.url)
        #expect(metadata[NSStoreUUIDKey] as? String == stack.url.lastPathComponent)
        #expect(throws: CocoaError.self) {
            try DictionaryStore.setMetadata([:], forPersistentStoreAt: stack.url)
        }
        #expect(DictionaryStore.migrationManagerClass() is NSMigrationManager.Type)
    }

    @Test func `objects are inserted, read again, changed and deleted`() throws {
        let stack = try Stack()
        let author = stack.context.insert("Author", ["name": "Ada"])
        let book = stack.context.insert("Novel", ["title": "b", "pages": 12, "author": author])
        book.setValue(
            NSOrderedSet(array: ["1", "2"].map { stack.context.insert("Chapter", ["heading": $0]) }), forKey: "chapters"
        )
        book.mutableSetValue(forKey: "tags").add(stack.context.insert("Tag", ["label": "t"]))
        try stack.context.save()
        #expect(stack.rows.takenCalls == ["save 5 0 0"])
        #expect(author.objectID.persistentStore === stack.coordinator.persistentStores[0])

        let again = try Stack(at: stack.url)
        let read = try #require(try again.fetch("Book").first)
        #expect(read.entity.name == "Novel" && read.isFault)
        #expect(again.rows.takenCalls == ["fetch Book"])
        #expect(read.text("title") == "b" && read.value(forKey: "pages") as? Int == 12)
        #expect(again.rows.takenCalls.count == 1)
        #expect(read.one("author")?.text("name") == "Ada" && read.one("author")?.many("books") == [read])
        #expect(read.ordered("chapters").map { $0.text("heading") } == ["1", "2"])
        #expect(read.many("tags").first?.many("books") == [read])
        again.context.checkInvariants()

        read.setValue("c", forKey: "title")
        again.context.delete(try again.fetch("Tag")[0])
        _ = again.rows.takenCalls
        try again.context.save()
        #expect(again.rows.takenCalls.last == "save 0 1 1")
        stack.context.refreshAllObjects()
        #expect(book.text("title") == "c" && book.many("tags").isEmpty)
        #expect(try stack.fetch("Tag").isEmpty)
        again.context.delete(try again.fetch("Author")[0])
        try again.context.save()
        for entity in ["Author", "Book", "Chapter"] { #expect(try again.fetch(entity).isEmpty) }
    }

    @Test func `a function of all rows is computed before the store is asked`() throws {
        let stack = try Stack()
        for (index, title) in ["a", "b"].enumerated() {
            _ = stack.context.insert("Book", ["title": title, "pages": index])
        }
        try stack.context.save()
        let longest = NSPredicate(format: "pages == max(pages)")
        #expect(try stack.fetch("Book", where: longest).map { $0.text("title") } == ["b"])
        let books = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        books.predicate = longest
        let deletion = NSBatchDeleteRequest(fetchRequest: books)
        deletion.resultType = .resultTypeCount
        #expect((try stack.context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 1)
    }

    @Test func `[F] a save without changes still reaches the store, with empty sets`() throws {
        let stack = try Stack()
        try stack.context.save()
        #expect(stack.rows.takenCalls == ["save 0 0 0"])
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = stack.context
        try child.performAndWait { try child.save() }
        #expect(stack.rows.takenCalls == [])
    }

    @Test func `the store is told which objects a save has to mind without a change`() throws {
        let stack = try Stack()
        let authors = ["Ada", "Bea"].map { stack.context.insert("Author", ["name": $0]) }
        try stack.context.save()
        stack.context.detectConflicts(for: authors[0])
        authors[1].setValue("Ben", forKey: "name")
        _ = stack.rows.takenCalls
        try stack.context.save()
        #expect(stack.rows.takenCalls.last == "save 0 1 0 minding 1")
    }

    @Test func `predicates, order, limits, counts, IDs and dictionaries are the store's part`() throws {
        let stack = try Stack()
        for name in ["Cora", "Ada", "Bea"] { _ = stack.context.insert("Author", ["name": name]) }
        try stack.context.save()
        stack.context.reset()
        #expect(try stack.fetch("Author").map { $0.text("name") } == ["Ada", "Bea", "Cora"])
        #expect(try stack.fetch("Author", where: NSPredicate(format: "name > 'B'")).count == 2)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        #expect(try stack.context.count(for: request) == 3)
        _ = stack.context.insert("Author", ["name": "Dora"])
        #expect(try stack.context.count(for: request) == 4)
        request.fetchLimit = 2
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        #expect(try stack.context.fetch(request).map { $0.text("name") } == ["Dora", "Cora"])
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        ids.resultType = .managedObjectIDResultType
        #expect(try stack.context.fetch(ids).count == 4)
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Author")
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["name"]
        dictionaries.sortDescriptors = request.sortDescriptors
        #expect(try stack.context.fetch(dictionaries).map { $0["name"] as? String } == ["Cora", "Bea", "Ada"])
    }

    @Test func `IDs carry the store's references, in URIs too`() throws {
        let stack = try Stack()
        let author = stack.context.insert("Author", ["name": "Ada"])
        try stack.context.save()
        let store = try #require(stack.coordinator.persistentStores.first as? DictionaryStore)
        #expect(store.referenceObject(for: author.objectID) as? String == "Author-1")
        let uri = author.objectID.uriRepresentation()
        #expect(uri.absoluteString.hasSuffix("/Author/pAuthor-1"))
        #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == author.objectID)
        let again = try Stack(at: stack.url)
        let id = try #require(again.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(try again.context.existingObject(with: id).text("name") == "Ada")
        let entity = author.entity
        for reference in ["a b/c?d", "ö", "12"] as [Any] + [7] {
            let id = store.newObjectID(for: entity, referenceObject: reference)
            #expect(stack.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
            #expect(store.newObjectID(for: entity, referenceObject: reference) == id)
        }
        #expect(throws: CocoaError.self) {
            try stack.context.existingObject(with: store.newObjectID(for: entity, referenceObject: "gone"))
        }
    }

    @Test func `a save that the store refuses leaves everything as it was`() throws {
        let stack = try Stack()
        let author = stack.context.insert("Author", ["name": "Ada"])
        let prize = stack.context.insert("Prize", ["title": "p", "winner": author])
        #expect(throws: DictionaryStore.Refused.self) { try stack.context.save() }
        #expect(author.isInserted && author.objectID.isTemporaryID && prize.objectID.isTemporaryID)
        stack.context.delete(prize)
        try stack.context.save()
        #expect(stack.rows.with { $0.count } == 1)
    }

    @Test func `children, rollback and undo work over it like over any other`() throws {
        let stack = try Stack()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = stack.context
        let author = child.insert("Author", ["name": "Ada"])
        _ = child.insert("Book", ["author": author])
        try child.save()
        #expect(stack.rows.takenCalls.isEmpty)
        try stack.context.save()
        #expect(!author.objectID.isTemporaryID && author.many("books").count == 1)
        author.setValue("Bea", forKey: "name")
        child.rollback()
        child.refreshAllObjects()
        #expect(author.text("name") == "Ada")
    }

    @Test func `a store class without metadata is refused, and an unknown type names the remedy`() throws {
        final class Empty: NSIncrementalStore {}
        NSPersistentStoreCoordinator.registerStoreClass(Empty.self, forStoreType: "Empty")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let error = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: "Empty", configurationName: nil, at: nil)
        }
        #expect(error?.code == .persistentStoreInvalidType)
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Empty")
        let unknown = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: "Empty", configurationName: nil, at: nil)
        }
        let text = unknown?.localizedDescription ?? ""
        #expect(text.contains("register a class"))
    }

    // FreeCoreData, testAddStoreWithMismatchedTypeFails.
    @Test func `metadata of another type than the store was added with are a mismatch`() throws {
        final class Mismatched: NSIncrementalStore {
            override func loadMetadata() throws { metadata = [NSStoreUUIDKey: "1", NSStoreTypeKey: "Other"] }
        }
        NSPersistentStoreCoordinator.registerStoreClass(Mismatched.self, forStoreType: "Mismatched")
        defer { NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Mismatched") }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let error = try #require(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: "Mismatched", configurationName: nil, at: nil)
        }
        #expect(error.code == .persistentStoreTypeMismatch && coordinator.persistentStores.isEmpty)
        #expect(error.localizedDescription.contains("'Other'"))
    }

    // Divergence 72.
    @Test func `a reference is in the last part of its object's URI, and a slash in it is no separator`() throws {
        let stack = try Stack()
        let store = try #require(stack.coordinator.persistentStores.first as? DictionaryStore)
        let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Author"])
        let id = store.newObjectID(for: entity, referenceObject: "key with/slash")
        let uri = id.uriRepresentation()
        #expect(uri.absoluteString.hasSuffix("/Author/pkey%20with%2Fslash"))
        #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == id)
        #expect(store.referenceObject(for: id) as? String == "key with/slash")
    }

    // FreeCoreData, testDataReferenceObjectURIUsesDescription. Divergence 72.
    @Test func `references that differ have IDs that differ, and each URI leads back to its own`() throws {
        let stack = try Stack()
        let store = try #require(stack.coordinator.persistentStores.first as? DictionaryStore)
        let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Author"])
        func id(_ reference: Any) -> NSManagedObjectID { store.newObjectID(for: entity, referenceObject: reference) }
        let references: [Any] = [
            Data([1, 0xAB, 0xFF]), Data([9, 9, 9]), 42, "42", "<01abff>", NSDecimalNumber(string: "1.5"), UUID(),
        ]
        let ids = references.map(id)
        #expect(Set(ids).count == ids.count)
        #expect(ids.map { stack.coordinator.managedObjectID(forURIRepresentation: $0.uriRepresentation()) } == ids)
        let lasts = ids[..<3].map { $0.uriRepresentation().absoluteString.split(separator: "/").last }
        #expect(lasts == ["p%3C01abff%3E", "p%3C090909%3E", "p42"])
        #expect(id(NSData(data: Data([9, 9, 9]))) == ids[1] && id(NSNumber(value: 42)) == ids[2])
        #expect(id(NSString(string: "42")) == ids[3] && id(1.5) != ids[2])

    }

    @Test func `a URI that is read first has the ID of the reference that the store then names`() throws {
        let stack = try Stack(), again = try Stack(at: stack.url)
        let stores = try [stack, again].map { try #require($0.coordinator.persistentStores.first as? DictionaryStore) }
        let entities = try [stack, again].map {
            try #require($0.coordinator.managedObjectModel.entitiesByName["Author"])
        }
        let references: [any Hashable] = [Data([1, 0xAB, 0xFF]), 7, "42", "042", UUID()]
        for reference in references {
            let uri = stores[0].newObjectID(for: entities[0], referenceObject: reference).uriRepresentation()
            let id = try #require(again.coordinator.managedObjectID(forURIRepresentation: uri))
            if let data = reference as? Data { #expect(stores[1].referenceObject(for: id) as? Data == data) }
            #expect(stores[1].newObjectID(for: entities[1], referenceObject: reference) == id)
            #expect(AnyHashable(reference) == stores[1].referenceObject(for: id) as? AnyHashable)
            #expect(id.uriRepresentation() == uri)
        }
    }

    // Apple, "NSPersistentStoreRequestType": an incremental store is asked with requests of each kind, batches among them. What it
    // answers a batch with is assumed: what the request's result type says.
    @Test func `batch requests are the store's part, and its answer is the result`() throws {
        let stack = try Stack()
        for name in ["Ada", "Bea", "Cora"] { _ = stack.context.insert("Author", ["name": name]) }
        try stack.context.save()
        let update = NSBatchUpdateRequest(entityName: "Author")
        update.predicate = NSPredicate(format: "name > 'B'")
        update.propertiesToUpdate = ["name": NSExpression(forConstantValue: "Zoe")]
        update.resultType = .updatedObjectIDsResultType
        let updated = try #require(try stack.context.execute(update) as? NSBatchUpdateResult)
        #expect((updated.result as? [NSManagedObjectID])?.count == 2)
        stack.context.refreshAllObjects()
        #expect(try stack.fetch("Author").map { $0.text("name") } == ["Ada", "Zoe", "Zoe"])

        let deletion = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Author"))
        deletion.resultType = .resultTypeCount
        #expect((try stack.context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 3)
        deletion.resultType = .resultTypeStatusOnly
        #expect((try stack.context.execute(deletion) as? NSBatchDeleteResult)?.result as? Bool == false)
        stack.context.reset()
        #expect(try stack.fetch("Author").isEmpty)
    }

    @Test func `a store may answer a batch with a result of its own class`() throws {
        let stack = try Stack()
        let ada = stack.context.insert("Author", ["name": "Ada"])
        try stack.context.save()
        let deletion = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Author"))
        deletion.resultType = .resultTypeObjectIDs
        let result = try stack.context.execute(deletion) as? NSBatchDeleteResult
        #expect(result?.resultType == .resultTypeObjectIDs && result?.result as? [NSManagedObjectID] == [ada.objectID])
    }

    @Test func `an answer that isn't what a batch asks for is an error that names the store's class`() throws {
        let stack = try Stack()
        let insertion = NSBatchInsertRequest(entityName: "Author", objects: [["name": "Ada"]])
        let error = #expect(throws: CocoaError.self) { try stack.context.execute(insertion) }
        #expect(
            error?.localizedDescription.contains("DictionaryStore answers a NSBatchInsertRequest with String") ?? false)
        #expect(try stack.fetch("Author").count == 1)
    }

    // NSIncrementalStore.h: managedObjectContextDidRegisterObjectsWithIDs:, managedObjectContextDidUnregisterObjectsWithIDs:.
    @Test func `a store hears which objects contexts have`() throws {
        let stack = try Stack()
        var author: NSManagedObject? = stack.context.insert("Author", ["name": "Ada"])
        #expect(stack.rows.used.isEmpty)
        try stack.context.save()
        #expect(stack.rows.used == ["Author-1"])
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = stack.coordinator
        let same = try other.existingObject(with: try #require(author).objectID)
        #expect(stack.rows.used == ["Author-1", "Author-1"])
        other.reset()
        #expect(same.managedObjectContext == nil && stack.rows.used == ["Author-1"])
        author = nil
        #expect(stack.rows.used.isEmpty)
    }
}
