// Children, parents and siblings that tell one another of their saves, on queues of their own.

import CoreData
import Synchronization
import Testing

@Suite struct ChildContextMergingTests {
    /// Waits until everything that was sent to a context's queue has run.
    private func drain(_ context: NSManagedObjectContext) async { await context.perform {} }

    @Test func `a child merges what its sibling hands up, if it shall`() async throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let merging = library.newChild(), other = library.newChild(), plain = library.newChild()
        merging.automaticallyMergesChangesFromParent = true
        let theirs = try merging.existingObject(with: author.objectID)
        let unmerged = try plain.existingObject(with: author.objectID)
        try other.existingObject(with: author.objectID).setValue("Bea", forKey: "name")
        let new = other.insert("Author", ["name": "Cora"])
        try other.save()
        await drain(merging)
        #expect(theirs.text("name") == "Bea" && unmerged.text("name") == "Ada")
        #expect(merging.registeredObject(for: new.objectID) != nil || new.objectID.isTemporaryID)
    }

    @Test func `a child merges what its parent saves, keeping its own changes`() async throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada", "rating": 1.0])
        let gone = library.insert("Author", ["name": "Bea"])
        try library.context.save()
        let child = library.newChild()
        child.automaticallyMergesChangesFromParent = true
        let theirs = try child.existingObject(with: author.objectID)
        let deleted = try child.existingObject(with: gone.objectID)
        theirs.setValue("Cora", forKey: "name")
        author.setValue(5.0, forKey: "rating")
        author.setValue("Dora", forKey: "name")
        library.context.delete(gone)
        try library.context.save()
        await drain(child)
        #expect(theirs.text("name") == "Cora" && theirs.value(forKey: "rating") as? Double == 5)
        #expect(deleted.isDeleted)
    }

    @Test func `a root doesn't merge what a child has handed up elsewhere`() async throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let other = library.newContext()
        other.automaticallyMergesChangesFromParent = true
        let theirs = try other.existingObject(with: author.objectID)
        let seen = Mutex(0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: other, queue: nil
        ) { _ in seen.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(token) }
        let child = library.newChild()
        try child.existingObject(with: author.objectID).setValue("Bea", forKey: "name")
        try child.save()
        await drain(other)
        #expect(seen.withLock { $0 } == 0 && theirs.text("name") == "Ada")
        try library.context.save()
        await drain(other)
        #expect(seen.withLock { $0 } == 1 && theirs.text("name") == "Bea")
    }

    @Test func `a parent that merges its child's save loses nothing`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), other = library.insert("Author", ["name": "Bea"])
        try library.context.save()
        let child = library.newChild(), parent = library.context
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: child, queue: nil
        ) { parent.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(token) }
        child.delete(try child.existingObject(with: author.objectID))
        try child.existingObject(with: other.objectID).setValue("Cora", forKey: "name")
        _ = child.insert("Author", ["name": "Dora"])
        try child.save()
        try parent.save()
        #expect(
            try library.fetch("Author", sortedBy: "name", in: library.newContext()).map { $0.text("name") }
                == ["Cora", "Dora"])
    }

    @Test func `a child merges another root's save through its parent`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let child = library.newChild(), other = library.newContext(), parent = library.context
        let theirs = try child.existingObject(with: author.objectID)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { note in
            parent.mergeChanges(fromContextDidSave: note)
            child.mergeChanges(fromContextDidSave: note)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try other.existingObject(with: author.objectID).setValue("Bea", forKey: "name")
        try other.save()
        #expect(author.text("name") == "Bea" && theirs.text("name") == "Bea")
    }

    // MARK: Queues

    @Test func `a child of the main queue's context works on its own`() async throws {
        let library = try Library(.inMemory)
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = library.coordinator
        let child = library.newChild(of: main)
        try await child.perform {
            let author = child.insert("Author", ["name": "Ada"])
            _ = child.insert("Book", ["author": author])
            try child.save()
        }
        try await main.perform {
            #expect(main.performAndWait { main.insertedObjects.count } == 2)
            try main.save()
        }
        try await child.perform {
            let author = try child.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))[0]
            #expect(!author.objectID.isTemporaryID && author.many("books").count == 1)
        }
    }

    @Test func `blocks that wait for one another in turn run, back and forth`() throws {
        let library = try Library(.inMemory)
        let child = library.newChild(), parent = library.context
        let names = try parent.performAndWait {
            _ = parent.insert("Author", ["name": "Ada"])
            return try child.performAndWait {
                let found = try library.fetch("Author", in: child)
                return parent.performAndWait { child.performAndWait { found.map { $0.text("name") } } }
            }
        }
        #expect(names == ["Ada"])
    }

    @Test func `somebody who hears of the child's changes in the parent can ask the child`() throws {
        let library = try Library(.inMemory)
        let child = library.newChild()
        let count = Mutex(0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: library.context, queue: nil
        ) { _ in count.withLock { $0 += child.performAndWait { child.insertedObjects.count } } }
        defer { NotificationCenter.default.removeObserver(token) }
        try child.performAndWait {
            _ = child.insert("Author", ["name": "Ada"])
            try child.save()
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `many children save into one parent at once`() async throws {
        let library = try Library(.sqlite)
        let parent = library.context
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let child = library.newChild()
                group.addTask {
                    try await child.perform {
                        for round in 0..<20 {
                            let author = child.insert("Author", ["name": "\(number)-\(round)"])
                            _ = child.insert("Book", ["author": author])
                            try child.save()
                            if round % 5 == 0 { try parent.performAndWait { try parent.save() } }
                            #expect(author.many("books").count == 1)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await parent.perform { try parent.save() }
        let fresh = library.newContext()
        let authors = try library.fetch("Author", in: fresh)
        #expect(authors.count == 160 && authors.allSatisfy { $0.many("books").count == 1 })
        #expect(try library.fetch("Book", in: fresh).count == 160)
        await parent.perform { parent.checkInvariants() }
    }
}
