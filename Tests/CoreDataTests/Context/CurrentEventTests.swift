// What belongs to a moment: the changes of the current event, the context of the current block.

import CoreData
import Synchronization
import Testing

@Suite struct CurrentEventTests {
    @Test func `changedValuesForCurrentEvent has what changed since the last processPendingChanges`() throws {
        let library = try Library(.inMemory)
        let book = library.insert("Book", ["title": "a", "pages": 1])
        try library.context.save()
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        book.setValue("b", forKey: "title")
        library.context.processPendingChanges()
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        book.setValue(2, forKey: "pages")
        book.setValue(nil, forKey: "isbn")
        let values = book.changedValuesForCurrentEvent()
        #expect(values.keys.sorted() == ["isbn", "pages"])
        #expect(values["pages"] as? Int == 1 && values["isbn"] is NSNull)
        #expect(book.changedValues().keys.sorted() == ["pages", "title"])
    }

    @Test func `it can be asked while the change is being announced`() throws {
        let library = try Library(.inMemory)
        let book = library.insert("Book", ["title": "a"])
        try library.context.save()
        let seen = Mutex<[[String]]>([])
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: library.context, queue: nil
        ) { note in
            let updated = note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
            seen.withLock { $0 += updated.map { $0.changedValuesForCurrentEvent().keys.sorted() } }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        book.setValue("b", forKey: "title")
        library.context.processPendingChanges()
        book.setValue(3, forKey: "pages")
        library.context.processPendingChanges()
        #expect(seen.withLock { $0 } == [["title"], ["pages"]])
    }

    @Test func `a fetch request is executed in the context whose block is running`() async throws {
        let library = try Library(.inMemory)
        _ = library.insert("Book", ["title": "saved"])
        try library.context.save()
        _ = library.insert("Book", ["title": "pending"])
        func count() throws -> Int { try NSFetchRequest<NSManagedObject>(entityName: "Book").execute().count }
        let other = library.newContext()
        #expect(try library.context.performAndWait { try count() } == 2)
        #expect(try other.performAndWait { try count() } == 1)
        let nested = try library.context.performAndWait {
            [try other.performAndWait { try count() }, try count()]
        }
        #expect(nested == [1, 2])
        #expect(
            try await other.perform { try NSFetchRequest<NSManagedObject>(entityName: "Book").execute().count } == 1)
        #expect(throws: CocoaError.self) { try count() }
    }

    @Test func `a new object goes to the store that it is assigned to`() throws {
        let library = try Library(.sqlite)
        let second = try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        let here = library.insert("Book", ["title": "a"]), there = library.insert("Book", ["title": "b"])
        library.context.assign(there, to: second)
        try library.context.save()
        #expect(here.objectID.persistentStore === library.coordinator.persistentStores[0])
        #expect(there.objectID.persistentStore === second)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.affectedStores = [second]
        #expect(try library.newContext().fetch(request).map { $0.text("title") } == ["b"])
    }

    @Test func `an object deleted before its first save is announced, and by a rollback if its insertion was`() throws {
        let library = try Library(.inMemory)
        let deleted = Mutex<Int>(0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: library.context, queue: nil
        ) { note in
            let count = (note.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
            deleted.withLock { $0 += count }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let told = library.insert("Book"), rolledBack = library.insert("Book")
        library.context.processPendingChanges()
        library.context.delete(told)
        library.context.delete(library.insert("Book"))
        library.context.processPendingChanges()
        #expect(deleted.withLock { $0 } == 2)
        library.context.rollback()
        #expect(deleted.withLock { $0 } == 3)
        #expect(told.managedObjectContext == nil && rolledBack.managedObjectContext == nil)
        #expect(!library.context.hasChanges)
    }
}
