// Contexts on queues of their own over one store, and the check for those that aren't used there.

import CoreData
import Testing

@Suite struct ThreadTests {
    // Ten contexts insert, change, delete, fetch and merge at once. What must come out: every author that wasn't deleted,
    // with the books that were given to it, and nobody stopped. Also meant for `swift test --sanitize=thread`.
    @Test(arguments: StoreKind.allCases)
    func `ten contexts work on one store at once`(_ kind: StoreKind) async throws {
        let library = try Library(kind)
        let contexts = (0..<10).map { _ in library.newContext() }
        for (number, context) in contexts.enumerated() {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.automaticallyMergesChangesFromParent = number.isMultiple(of: 2)
        }
        let shared = library.insert("Author", ["name": "shared"])
        try library.context.save()
        let id = shared.objectID
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, context) in contexts.enumerated() {
                group.addTask {
                    for round in 0..<15 { try await Self.work(in: context, number, round, sharing: id) }
                }
            }
            try await group.waitForAll()
        }
        for context in contexts { await context.perform { context.checkInvariants() } }
        let fresh = library.newContext()
        let authors = try library.fetch("Author", in: fresh).filter { $0.text("name") != "shared" }
        #expect(authors.count == 10 * 10 && authors.allSatisfy { $0.many("books").count == 2 })
        #expect(try library.fetch("Book", in: fresh).count == 200)
    }

    private static func work(
        in context: NSManagedObjectContext, _ number: Int, _ round: Int, sharing id: NSManagedObjectID
    ) async throws {
        try await context.perform {
            let author = context.insert("Author", ["name": "\(number)-\(round)"])
            for _ in 0..<2 { _ = context.insert("Book", ["title": "b", "author": author]) }
            // Three of them change one row, too, and meet conflicts.
            if number < 3 { try context.existingObject(with: id).setValue(Double(round), forKey: "rating") }
            try context.save()
            if round % 3 == 2 { context.delete(author) }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.predicate = NSPredicate(format: "name BEGINSWITH %@", "\(number)-")
            let found = try context.fetch(request)
            #expect(found.allSatisfy { $0.many("books").count == 2 })
        }
    }

    // Another thread saves while this one asks for IDs. Also meant for `swift test --sanitize=thread`.
    @Test func `a URI leads to its object while others save into a store in memory`() async throws {
        let library = try Library(.inMemory)
        let tag = library.insert("Tag", ["label": "a"])
        try library.context.save()
        let (id, uri) = (tag.objectID, tag.objectID.uriRepresentation())
        let (context, coordinator) = (library.newContext(), library.coordinator)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await context.perform {
                    for _ in 0..<10 {
                        let tags = (0..<1000).map { _ in context.insert("Tag") }
                        try context.save()
                        for tag in tags { context.delete(tag) }
                        try context.save()
                    }
                }
            }
            group.addTask {
                for _ in 0..<50 {
                    let found = (0..<1000).map { _ in coordinator.managedObjectID(forURIRepresentation: uri) }
                    #expect(found.allSatisfy { $0 == id })
                }
            }
            try await group.waitForAll()
        }
    }

    // Assumed: Apple says only that metadata are written with the next save.
    @Test func `metadata that are set while saves are under way are written with one of them`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "store.sqlite")
        let library = try Library(at: url, model: LibraryModel.make())
        nonisolated(unsafe) let store = try #require(library.coordinator.persistentStores.first)
        for round in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                let context = library.newContext()
                group.addTask {
                    try await context.perform {
                        for number in 0..<10 {
                            _ = context.insert("Author", ["name": "\(number)"])
                            try context.save()
                        }
                    }
                }
                group.addTask {
                    await Task.yield()
                    unsafe store.metadata["round"] = round
                }
                try await group.waitForAll()
            }
            let last = library.newContext()
            try await last.perform {
                _ = last.insert("Author", ["name": "last"])
                try last.save()
            }
            let written = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url)
            #expect(written["round"] as? Int == round)
        }
    }

    @Test func `a context without a queue can have a parent but no child`() async throws {
        let library = try Library(.inMemory)
        let context = NSManagedObjectContext()
        #expect(context.concurrencyType == .confinementConcurrencyType)
        context.parent = library.context
        _ = context.insert("Author", ["name": "Ada"])
        try context.save()
        #expect(library.context.insertedObjects.count == 1)
        await #expect(processExitsWith: .failure) {
            let parent = NSManagedObjectContext()
            NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType).parent = parent
        }
    }

    // MARK: The check

    @Test func `the launch argument switches the check on`() {
        let name = "-com.apple.CoreData.ConcurrencyDebug"
        #expect(ConcurrencyDebug.isRequested(by: ["program", name, "1"]))
        #expect(ConcurrencyDebug.isRequested(by: ["program", "-x", name, "3", "y"]))
        #expect(!ConcurrencyDebug.isRequested(by: ["program", name, "0"]))
        #expect(!ConcurrencyDebug.isRequested(by: ["program", name]) && !ConcurrencyDebug.isRequested(by: []))
    }

    @Test func `use off the queue stops the program when the check is on`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library(.inMemory)
            ConcurrencyDebug.isOn = true
            _ = try library.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("off its queue"))
    }

    @Test func `an object's values are checked, too`() async {
        await #expect(processExitsWith: .failure) {
            let library = try Library(.inMemory)
            let author = library.insert("Author", ["name": "Ada"])
            ConcurrencyDebug.isOn = true
            author.setValue("Bea", forKey: "name")
        }
    }

    @Test func `use on the queue passes the check, children and their parents included`() async {
        await #expect(processExitsWith: .success) {
            let library = try Library(.sqlite)
            ConcurrencyDebug.isOn = true
            let context = library.context, child = library.newChild()
            context.performAndWait {
                let author = context.insert("Author", ["name": "Ada"])
                author.setValue("Bea", forKey: "name")
            }
            await child.perform {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                guard let author = (try? child.fetch(request))?.first, author.text("name") == "Bea" else { exit(1) }
                author.setValue("Cora", forKey: "name")
                do { try child.save() } catch { exit(2) }
            }
            try context.performAndWait { try context.save() }
            exit(0)
        }
    }
}
