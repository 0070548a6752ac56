// What contexts and coordinators tell of themselves, as tests of public clients have found Core Data to do it ("Observed").

import CoreData
import Testing

@Suite struct AnnouncementTests {
    /// There only so that a controller follows its context.
    private final class Follower: NSFetchedResultsControllerDelegate {}

    // Observed: macOS 15. Documented is only that such a save is no error.
    @Test(arguments: StoreKind.allCases)
    func `a save without changes is announced, with nothing in it`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let parts: [Notification.Name] = [
            .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
        ]
        for context in [library.context, library.newChild()] {
            let logs = parts.map { PostedNotifications($0, from: context) }
            try context.save()
            #expect(logs.map(\.count) == [1, 1, 1])
            #expect(logs[1].notifications[0].userInfo?.isEmpty ?? true)
        }
    }

    @Test func `what is set when a save without changes is about to begin is saved`() throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let context = library.context, id = author.objectID
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { _ in context.object(with: id).setValue("Ann", forKey: "name") }
        defer { NotificationCenter.default.removeObserver(token) }
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).map { $0.text("name") } == ["Ann"])
    }

    @Test func `a save without changes doesn't reach contexts that merge by themselves`() async throws {
        let library = try Library(.sqlite)
        let other = library.newContext()
        other.automaticallyMergesChangesFromParent = true
        let merges = PostedNotifications(.NSManagedObjectContextDidMergeChangesObjectIDs, from: other)
        try library.context.save()
        await other.perform {}
        #expect(merges.count == 0)
    }

    // Observed: macOS 15.
    @Test func `a merge tells the IDs of what it has refreshed`() throws {
        let library = try Library(.sqlite)
        let ada = library.insert("Author", ["name": "Ada"]), bea = library.insert("Author", ["name": "Bea"])
        try library.context.save()
        library.context.refresh(bea, mergeChanges: false)
        let other = library.newContext()
        for author in try library.fetch("Author", in: other) {
            author.setValue("\(author.text("name") ?? "")!", forKey: "name")
        }
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: other)
        let merges = PostedNotifications(.NSManagedObjectContextDidMergeChangesObjectIDs, from: library.context)
        try other.save()
        library.context.mergeChanges(fromContextDidSave: saves.notifications[0])
        let info = merges.notifications.first?.userInfo
        #expect(info?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [ada.objectID, bea.objectID])
        // Nobody has seen the values of the fault.
        #expect(info?[NSRefreshedObjectIDsKey] as? Set<NSManagedObjectID> == [ada.objectID])
    }

    // Observed: macOS 10.15 to 15. Core Data has no constant for the key.
    @Test func `a save tells the place behind it in its store's history`() throws {
        let folder = try TemporaryFolder()
        for tracks in [true, false] {
            let library = try Library(
                at: folder.url.appending(path: "\(tracks).sqlite"), model: LibraryModel.make(),
                options: [NSPersistentHistoryTrackingKey: tracks])
            let child = library.newChild()
            let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: library.context)
            let childSaves = PostedNotifications(.NSManagedObjectContextDidSave, from: child)
            NSEntityDescription.insertNewObject(forEntityName: "Author", into: child).setValue("Ada", forKey: "name")
            try child.save()
            try library.context.save()
            let token = saves.notifications.first?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken
            #expect(token == (tracks ? library.coordinator.currentPersistentHistoryToken(fromStores: nil) : nil))
            #expect((token != nil) == tracks)
            #expect(childSaves.notifications.first?.userInfo?["newChangeToken"] == nil)
        }
    }

    // Somebody else writes between the save and its announcement. Whoever goes on from the announced place must meet that.
    @Test func `the place behind a save isn't behind what others have saved since`() throws {
        let folder = try TemporaryFolder()
        let options = [
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
        ]
        let stacks = try (0..<2).map { _ in
            try Library(at: folder.url.appending(path: "s.sqlite"), model: LibraryModel.make(), options: options)
        }
        let (mine, other) = (stacks[0], stacks[1])
        let changes = PostedNotifications(.NSPersistentStoreRemoteChange, from: mine.coordinator)
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: mine.context)
        let rival = Rival(other.context)
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: mine.coordinator, queue: nil
        ) { _ in rival.save() }
        defer { NotificationCenter.default.removeObserver(token) }
        _ = mine.insert("Author", ["name": "Ada"])
        try mine.context.save()
        for place in [
            saves.notifications[0].userInfo?["newChangeToken"], changes.notifications[0].userInfo?["historyToken"],
        ] {
            let place = try #require(place as? NSPersistentHistoryToken)
            let result = try mine.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: place))
            let transactions = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            #expect(transactions?.map(\.author) == ["rival"])
        }
    }

    /// Saves once, with its own stack on somebody's store.
    private final class Rival: @unchecked Sendable {
        // Safe: called on the thread of the test.
        private var context: NSManagedObjectContext?

        init(_ context: NSManagedObjectContext) { self.context = context }

        func save() {
            guard let context else { return }
            self.context = nil
            context.transactionAuthor = "rival"
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue("Bea", forKey: "name")
            #expect(throws: Never.self) { try context.save() }
        }
    }

    // Observed: macOS 12 to 15.
    @Test func `a save of a pinned context tells the generation that it reads from then on`() throws {
        let library = try Library(.sqlite)
        for isPinned in [true, false] {
            try library.context.setQueryGenerationFrom(isPinned ? .current : nil)
            let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: library.context)
            _ = library.insert("Author", ["name": "Ada"])
            try library.context.save()
            let key = NSManagedObjectContext.NotificationKey.queryGeneration.rawValue
            #expect(key == NSManagedObjectContextQueryGenerationKey)
            #expect((saves.notifications[0].userInfo?[key] is NSQueryGenerationToken) == isPinned)
        }
    }

    // Observed: macOS 15. Core Data posts the notification of what will change for its former iCloud support alone.
    @Test func `a coordinator tells of its stores once they have changed, and of a copy which it is of`() throws {
        let folder = try TemporaryFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let soon = PostedNotifications(.NSPersistentStoreCoordinatorStoresWillChange, from: coordinator)
        let done = PostedNotifications(.NSPersistentStoreCoordinatorStoresDidChange, from: coordinator)
        let everybody = PostedNotifications(.NSPersistentStoreCoordinatorWillRemoveStore, from: nil)
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: folder.url.appending(path: "here.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let tags = (0..<2).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context) }
        try context.save()
        let copy = try coordinator.migratePersistentStore(
            store, to: folder.url.appending(path: "there.sqlite"), type: .sqlite)
        try coordinator.remove(copy)
        #expect(soon.count == 0)
        let told = done.notifications.map { $0.userInfo?.keys.compactMap { $0 as? String } ?? [] }
        #expect(
            told == [
                [NSAddedPersistentStoresKey], [NSAddedPersistentStoresKey], [NSUUIDChangedPersistentStoresKey],
                [NSRemovedPersistentStoresKey], [NSRemovedPersistentStoresKey],
            ])
        let exchanged =
            done.notifications.dropFirst(2).first?.userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any] ?? []
        #expect(exchanged.count == 3 && exchanged[0] as? NSPersistentStore === store)
        #expect(exchanged[1] as? NSPersistentStore === copy)
        let ids = exchanged[2] as? [NSManagedObjectID] ?? []
        #expect(ids.count == 4 && Set(tags.map(\.objectID)).isSubset(of: ids))
        #expect(ids.map(\.entity.name) == Array(repeating: "Tag", count: 4))
        // The store that the copy is tried out with is nobody's.
        let removed = everybody.notifications.compactMap { ($0.object as? NSPersistentStore)?.url?.lastPathComponent }
        #expect(removed.filter { $0 == "here.sqlite" || $0 == "there.sqlite" } == ["here.sqlite", "there.sqlite"])
        #expect(!removed.contains { $0.contains("there.sqlite") && $0 != "there.sqlite" })
    }

    // Observed: INCoreData's tests, which insert what its initialiser has inserted.
    @Test(arguments: StoreKind.allCases)
    func `an object that is inserted once more is announced once more`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context
        let changes = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: context)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let list = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let delegate = Follower()
        list.delegate = delegate
        try list.performFetch()
        let author = library.insert("Author", ["name": "Ada"])
        context.insert(author)
        context.processPendingChanges()
        #expect(changes.count == 1)
        context.insert(author)
        context.processPendingChanges()
        #expect(changes.count == 2 && changes.objects(NSInsertedObjectsKey) == [author])
        #expect(changes.objects(NSUpdatedObjectsKey).isEmpty && list.fetchedObjects == [author])
        try context.save()
        context.insert(author)
        context.processPendingChanges()
        #expect(changes.count == 2 && !context.hasChanges)
        #expect(try library.fetch("Author", in: library.newContext()).count == 1)
    }
}
