// What a child context sees of its parent.

import CoreData
import Testing

@Suite struct ChildContextReadingTests {
    @Test(arguments: StoreKind.allCases)
    func `a fetch sees what the parent has inserted, changed and deleted`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let kept = library.insert("Author", ["name": "Ada"]), changed = library.insert("Author", ["name": "Bea"])
        let deleted = library.insert("Author", ["name": "Cora"])
        try library.context.save()
        changed.setValue("Zoe", forKey: "name")
        library.context.delete(deleted)
        let new = library.insert("Author", ["name": "Mia"])
        let child = library.newChild()
        let found = try library.fetch("Author", sortedBy: "name", in: child)
        #expect(found.map { $0.text("name") } == ["Ada", "Mia", "Zoe"])
        #expect(found.map(\.objectID) == [kept, new, changed].map(\.objectID))
        #expect(found.allSatisfy { $0.managedObjectContext === child && !$0.hasChanges })
        let named = NSPredicate(format: "name == %@", "Zoe")
        #expect(try library.fetch("Author", where: named, in: child).map(\.objectID) == [changed.objectID])
        #expect(try library.fetch("Author", where: NSPredicate(format: "name == 'Bea'"), in: child).isEmpty)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        #expect(try child.count(for: request) == 3)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        ids.resultType = .managedObjectIDResultType
        #expect(try Set(child.fetch(ids)) == Set([kept, new, changed].map(\.objectID)))
        #expect(library.context.insertedObjects == [new] && library.context.deletedObjects == [deleted])
        child.checkInvariants()
    }

    @Test func `limit, offset and order hold across the levels`() throws {
        let library = try Library(.sqlite)
        for name in ["a", "c", "e"] { _ = library.insert("Author", ["name": name]) }
        try library.context.save()
        _ = library.insert("Author", ["name": "b"])
        let child = library.newChild()
        _ = child.insert("Author", ["name": "d"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        #expect(try child.fetch(request).map { $0.text("name") } == ["e", "d", "c", "b", "a"])
        request.fetchLimit = 3
        #expect(try child.fetch(request).map { $0.text("name") } == ["e", "d", "c"])
        request.includesPendingChanges = false
        #expect(try child.fetch(request).map { $0.text("name") } == ["e", "c", "b"])
    }

    @Test(arguments: StoreKind.allCases)
    func `relationships lead to the parent's unsaved objects`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let old = library.insert("Book", ["title": "old", "author": author])
        let first = library.insert("Chapter", ["heading": "1"]), second = library.insert("Chapter", ["heading": "2"])
        old.setValue(NSOrderedSet(array: [first, second]), forKey: "chapters")
        try library.context.save()
        let new = library.insert("Book", ["title": "new", "author": author])
        let tag = library.insert("Tag", ["label": "t"])
        old.mutableSetValue(forKey: "tags").add(tag)
        let third = library.insert("Chapter", ["heading": "3"])
        old.setValue(NSOrderedSet(array: [third, second, first]), forKey: "chapters")
        library.insert("Passport", ["number": "7"]).setValue(author, forKey: "owner")

        let child = library.newChild()
        let theirs = try #require(try library.fetch("Author", in: child).first)
        #expect(Set(theirs.many("books").map(\.objectID)) == [old.objectID, new.objectID])
        #expect(theirs.one("passport")?.text("number") == "7")
        let book = try child.existingObject(with: old.objectID)
        #expect(book.ordered("chapters").map { $0.text("heading") } == ["3", "2", "1"])
        #expect(book.many("tags").first?.many("books") == [book])
        #expect(book.one("author") === theirs)
        child.checkInvariants()
    }

    @Test func `what the parent deletes is gone from relationships and can't be found`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let book = library.insert("Book", ["title": "b", "author": author])
        try library.context.save()
        let child = library.newChild()
        let fault = child.object(with: book.objectID)
        library.context.delete(book)
        #expect(try library.fetch("Author", in: child)[0].many("books").isEmpty)
        #expect(throws: CocoaError.self) { try child.existingObject(with: book.objectID) }
        #expect(fault.text("title") == nil && fault.isDeleted)
    }

    @Test func `an unsaved object of the parent is found by its temporary ID`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let child = library.newChild()
        #expect(author.objectID.isTemporaryID && child.registeredObject(for: author.objectID) == nil)
        let fault = child.object(with: author.objectID)
        #expect(fault.isFault && fault.text("name") == "Ada" && !fault.isFault && !fault.isInserted)
        #expect(try child.existingObject(with: author.objectID) === fault)
        let unknown = library.newContext().insert("Author")
        #expect(throws: CocoaError.self) { try child.existingObject(with: unknown.objectID) }
    }

    @Test func `a value that was read stays until it is refreshed`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada", "rating": 1.0])
        try library.context.save()
        let child = library.newChild()
        let theirs = try child.existingObject(with: author.objectID)
        author.setValue("Bea", forKey: "name")
        author.setValue(2.0, forKey: "rating")
        #expect(theirs.text("name") == "Ada")
        theirs.setValue("Cora", forKey: "name")
        child.refresh(theirs, mergeChanges: true)
        #expect(theirs.text("name") == "Cora" && theirs.value(forKey: "rating") as? Double == 2)
        #expect(theirs.committedValues(forKeys: ["name"])["name"] as? String == "Bea")
        child.refresh(theirs, mergeChanges: false)
        #expect(theirs.isFault && theirs.text("name") == "Bea" && !theirs.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func `values of every type come through`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let uuid = UUID(),
            values: [String: Any] = [
                "title": "t", "pages": 12, "price": NSDecimalNumber(string: "1.25"), "isLent": true,
                "cover": Data([1, 2]), "uuid": uuid, "link": URL(fileURLWithPath: "/tmp"),
                "notes": ["a", "b"] as NSArray,
            ]
        let book = library.insert("Book", values)
        let child = library.newChild()
        let theirs = try child.existingObject(with: book.objectID)
        #expect(theirs.text("title") == "t" && theirs.value(forKey: "pages") as? Int == 12)
        #expect(theirs.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
        #expect(
            theirs.value(forKey: "isLent") as? Bool == true && theirs.value(forKey: "cover") as? Data == Data([1, 2]))
        #expect(theirs.value(forKey: "uuid") as? UUID == uuid && theirs.value(forKey: "link") as? URL != nil)
        #expect(theirs.value(forKey: "notes") as? [String] == ["a", "b"])
        theirs.setValue(["c"] as NSArray, forKey: "notes")
        try child.save()
        #expect(book.value(forKey: "notes") as? [String] == ["c"])
    }

    @Test func `dictionaries and batches go to the store`() throws {
        let library = try Library(.sqlite)
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        _ = library.insert("Author", ["name": "Bea"])
        let child = library.newChild()
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        #expect(try child.fetch(request).map { $0["name"] as? String } == ["Ada"])
        let batch = NSBatchUpdateRequest(entityName: "Author")
        batch.propertiesToUpdate = ["name": "Cora"]
        batch.resultType = .updatedObjectsCountResultType
        let result = try child.execute(batch) as? NSBatchUpdateResult
        #expect(result?.result as? Int == 1)
        #expect(try library.fetch("Author", in: library.newContext())[0].text("name") == "Cora")
    }

    @Test func `a child answers its root's coordinator and its parent, and resolves entities through them`() throws {
        let library = try Library(.inMemory)
        let child = library.newChild(), grandchild = library.newChild(of: child)
        #expect(grandchild.persistentStoreCoordinator === library.coordinator)
        #expect(grandchild.parent === child && child.parent === library.context && library.context.parent == nil)
        #expect(NSEntityDescription.entity(forEntityName: "Book", in: grandchild)?.name == "Book")
    }

    @Test func `a context with a coordinator can't get a parent`() async {
        await #expect(processExitsWith: .failure) {
            let library = try Library(.inMemory)
            library.newContext().parent = library.context
        }
    }

    @Test func `a context with a parent can't get a coordinator`() async {
        await #expect(processExitsWith: .failure) {
            let library = try Library(.inMemory)
            library.newChild().persistentStoreCoordinator = library.coordinator
        }
    }

    @Test func `a context can't be above itself`() async {
        await #expect(processExitsWith: .failure) {
            let first = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            let second = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            second.parent = first
            first.parent = second
        }
    }
}
