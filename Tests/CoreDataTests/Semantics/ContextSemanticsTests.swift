import CoreData
import Testing

@Suite struct ContextSemanticsTests {
    @Test(arguments: StoreKind.allCases)
    func `[F] a save that throws leaves the context dirty, and a corrected retry succeeds`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author")
        #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(library.context.hasChanges && author.isInserted && author.objectID.isTemporaryID)
        author.setValue("Ada", forKey: "name")
        try library.context.save()
        #expect(!library.context.hasChanges && !author.objectID.isTemporaryID)
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] a save without changes is no error`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        try library.context.save()
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        try library.context.save()
    }

    // MARK: perform

    @Test func `[A][P] perform is asynchronous and processes pending changes at its end`() async throws {
        let library = try Library(.inMemory)
        let context = library.context
        let log = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: context)
        await withCheckedContinuation { continuation in
            context.perform {
                _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                // In a block behind this one the changes have been processed.
                context.perform { continuation.resume() }
            }
        }
        #expect(log.count == 1)
    }

    @Test func `[A] performAndWait is synchronous and reentrant`() throws {
        let library = try Library(.inMemory)
        let context = library.context
        let count = context.performAndWait {
            context.performAndWait {
                _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            }
            return context.insertedObjects.count
        }
        #expect(count == 1)
    }

    @Test func `[P] performAndWait runs on the calling thread and doesn't process pending changes`() throws {
        let library = try Library(.inMemory)
        let context = library.context
        let log = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: context)
        let here = Thread.current
        let isHere = context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            return Thread.current === here
        }
        #expect(isHere && log.count == 0)
        context.processPendingChanges()
        #expect(log.count == 1)
    }

    @Test func `the generic forms of perform rethrow and return a value`() async throws {
        struct Failure: Error {}
        let library = try Library(.inMemory)
        let context = library.context
        #expect(throws: Failure.self) { try context.performAndWait { throw Failure() } }
        await #expect(throws: Failure.self) { try await context.perform { throw Failure() } }
        #expect(await context.perform(schedule: .enqueued) { 42 } == 42)
    }

    // MARK: Objects by ID

    @Test(arguments: StoreKind.allCases)
    func `[F] existingObject throws NSManagedObjectReferentialIntegrityError for a missing row`(_ kind: StoreKind)
        throws
    {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let id = author.objectID
        let other = library.newContext()
        #expect(try !other.existingObject(with: id).isFault)
        library.context.delete(author)
        try library.context.save()
        let error = #expect(throws: CocoaError.self) { try library.newContext().existingObject(with: id) }
        #expect(error?.code == .managedObjectReferentialIntegrity)
        #expect(error?.code.rawValue == NSManagedObjectReferentialIntegrityError)
        #expect(error?.info["objectID"] as? NSManagedObjectID == id)
    }

    @Test func `object(with:) never throws; firing a vanished row gives a deleted object with nil values`() throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let other = library.newContext()
        let fault = other.object(with: author.objectID)
        #expect(fault.isFault)
        library.context.delete(author)
        try library.context.save()
        #expect(fault.value(forKey: "name") == nil && fault.isDeleted)
    }

    // MARK: Deleting

    @Test(arguments: StoreKind.allCases)
    func `[F][M] a deletion propagates in processPendingChanges: nullify clears inverses, cascade deletes`(
        _ kind: StoreKind
    ) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let book = library.insert("Book", ["author": author]), tag = library.insert("Tag", ["label": "t"])
        book.setValue(NSSet(object: tag), forKey: "tags")
        let chapter = library.insert("Chapter", ["book": book])
        try library.context.save()
        library.context.delete(author)
        #expect(library.context.deletedObjects == [author] && !book.isDeleted)
        library.context.processPendingChanges()
        #expect(library.context.deletedObjects == [author, book, chapter])
        #expect(tag.many("books").isEmpty && !tag.isDeleted)
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext()).isEmpty)
        #expect(try library.fetch("Tag", in: library.newContext()).count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `[F][M] deny is an error at save unless the other side is deleted too`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        let prize = library.insert("Prize", ["title": "p", "winner": author])
        try library.context.save()
        library.context.delete(author)
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .validationRelationshipDeniedDelete)
        #expect((error as NSError?)?.userInfo[NSValidationKeyErrorKey] as? String == "prizes")
        library.context.delete(prize)
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).isEmpty)
    }

    @Test func `deleting an unsaved insert just forgets it`() throws {
        let library = try Library(.inMemory)
        let tag = library.insert("Tag")
        library.context.delete(tag)
        library.context.processPendingChanges()
        #expect(library.context.deletedObjects.isEmpty && library.context.insertedObjects.isEmpty)
        #expect(!library.context.hasChanges)
    }

    // EncryptedCoreData, IncrementalStoreTests: `test_createUsersWithTags_deletes` deletes what a reset has let go of.
    @Test(arguments: StoreKind.allCases)
    func `deleting an object that is in no context any more does nothing`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["author": author])
        try library.context.save()
        library.context.reset()
        library.context.delete(author)
        library.context.delete(book)
        try library.context.save()
        #expect(try library.fetch("Author").count == 1)
        let again = try library.fetch("Author")[0]
        for _ in 0..<2 {
            library.context.delete(again)
            try library.context.save()
        }
        #expect(try library.fetch("Book").isEmpty)
    }

    @Test func `[F] processPendingChanges posts once per batch, and nothing without changes`() throws {
        let library = try Library(.inMemory)
        let log = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: library.context)
        let tags = [library.insert("Tag"), library.insert("Tag")]
        library.context.processPendingChanges()
        #expect(log.count == 1 && log.objects(NSInsertedObjectsKey) == Set(tags))
        library.context.processPendingChanges()
        #expect(log.count == 1)
    }

    // MARK: Going back

    // MRTFetchedResultsController, MRTFetchedResultsControllerTests: after `processPendingChanges` an inserted object is no longer listed as
    // inserted; a change of it makes an update.
    @Test func `an insertion is told once; what is changed before it is saved is told as updated`() throws {
        let library = try Library(.inMemory)
        let log = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: library.context)
        let tag = library.insert("Tag", ["label": "a"])
        library.context.processPendingChanges()
        #expect(log.objects(NSInsertedObjectsKey) == [tag] && log.objects(NSUpdatedObjectsKey).isEmpty)
        tag.setValue("b", forKey: "label")
        library.context.processPendingChanges()
        #expect(log.objects(NSInsertedObjectsKey).isEmpty && log.objects(NSUpdatedObjectsKey) == [tag])
        #expect(library.context.insertedObjects == [tag] && library.context.updatedObjects.isEmpty)
        library.context.delete(tag)
        library.context.processPendingChanges()
        #expect(log.objects(NSDeletedObjectsKey) == [tag] && log.count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `[F][M] refresh without merge drops changes and makes a fault, with will- and didTurnIntoFault`(
        _ kind: StoreKind
    ) throws {
        let library = try Library.witnessed(kind)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        _ = library.context.takeLog()
        library.context.refresh(author, mergeChanges: false)
        #expect(author.isFault && !library.context.hasChanges)
        #expect(library.context.takeLog() == ["willTurnIntoFault", "didTurnIntoFault"])
        #expect(author.text("name") == "Ada")
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] refresh with merge reloads and reapplies the local changes`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada", "rating": 1.0])
        try library.context.save()
        let other = library.newContext()
        try library.fetch("Author", in: other)[0].setValue(5.0, forKey: "rating")
        try other.save()
        author.setValue("Bea", forKey: "name")
        library.context.refresh(author, mergeChanges: true)
        #expect(author.text("name") == "Bea" && author.value(forKey: "rating") as? Double == 5)
        #expect(author.changedValues().keys.sorted() == ["name"] && author.isUpdated)
        // The refreshed object is up to date, so the save is no conflict.
        try library.context.save()
    }

    @Test func `[P] refreshAllObjects keeps changed objects, makes faults of the others, and posts once`() throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada"]), tag = library.insert("Tag", ["label": "t"])
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        library.context.processPendingChanges()
        let log = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: library.context)
        library.context.refreshAllObjects()
        #expect(!author.isFault && author.text("name") == "Bea" && author.isUpdated)
        #expect(tag.isFault)
        #expect(log.count == 1 && log.objects(NSRefreshedObjectsKey) == [author, tag])
    }

    @Test(arguments: StoreKind.allCases)
    func `[F][M][P] rollback forgets inserts, undoes deletions and restores updates, without an undo manager`(
        _ kind: StoreKind
    ) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["author": author])
        let tag = library.insert("Tag", ["label": "t"])
        try library.context.save()
        let inserted = library.insert("Tag", ["label": "new"])
        book.setValue(nil, forKey: "author")
        author.setValue("Bea", forKey: "name")
        library.context.delete(tag)
        library.context.rollback()
        #expect(!library.context.hasChanges && inserted.managedObjectContext == nil)
        #expect(author.text("name") == "Ada" && author.many("books") == [book] && book.one("author") === author)
        #expect(!tag.isDeleted && tag.text("label") == "t")
        try library.context.save()
        #expect(try library.fetch("Tag", in: library.newContext()).count == 1)
    }

    @Test func `[A] rollback doesn't refetch`() throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let other = library.newContext()
        try library.fetch("Author", in: other)[0].setValue("Bea", forKey: "name")
        try other.save()
        author.setValue("Cora", forKey: "name")
        library.context.rollback()
        #expect(author.text("name") == "Ada")
    }

    @Test func `[P] reset forgets all objects and posts invalidatedAllObjects`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        _ = library.insert("Tag")
        let log = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: library.context)
        library.context.reset()
        #expect(library.context.registeredObjects.isEmpty && !library.context.hasChanges)
        #expect(author.managedObjectContext == nil)
        #expect(log.notifications.contains { $0.userInfo?[NSInvalidatedAllObjectsKey] != nil })
    }

    @Test func `[P] a clean context lets go of objects that nobody else holds, a changed one doesn't`() throws {
        let library = try Library(.sqlite)
        for name in ["Ada", "Bea"] { _ = library.insert("Author", ["name": name]) }
        try library.context.save()
        library.context.reset()
        func change() throws { try library.fetch("Author", sortedBy: "name")[0].setValue("Abe", forKey: "name") }
        try change()
        #expect(library.context.registeredObjects.count == 1)
        #expect(library.context.updatedObjects.count == 1)
        library.context.rollback()
        #expect(library.context.registeredObjects.isEmpty)
        library.context.retainsRegisteredObjects = true
        try change()
        #expect(library.context.registeredObjects.count == 2)
    }

    @Test func `obtainPermanentIDs gives IDs without saving; the objects stay inserted`() throws {
        let library = try Library(.sqlite)
        let tag = library.insert("Tag", ["label": "t"])
        try library.context.obtainPermanentIDs(for: [tag])
        let id = tag.objectID
        #expect(!id.isTemporaryID && tag.isInserted)
        #expect(try library.fetch("Tag", in: library.newContext()).isEmpty)
        try library.context.save()
        #expect(tag.objectID == id)
        #expect(try library.newContext().existingObject(with: id).text("label") == "t")
    }

    @Test func `[F] the merge policy is the error policy unless another is set`() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        #expect(context.mergePolicy as AnyObject === NSErrorMergePolicy as AnyObject)
        #expect(NSErrorMergePolicy as AnyObject === NSMergePolicy.error)
        #expect(NSMergeByPropertyObjectTrumpMergePolicy as AnyObject === NSMergePolicy.mergeByPropertyObjectTrump)
        #expect(NSMergeByPropertyStoreTrumpMergePolicy as AnyObject === NSMergePolicy.mergeByPropertyStoreTrump)
        #expect(NSOverwriteMergePolicy as AnyObject === NSMergePolicy.overwrite)
        #expect(NSRollbackMergePolicy as AnyObject === NSMergePolicy.rollback)
    }

    @Test func `[P] notifications are posted on the thread that saves or processes the changes`() throws {
        let library = try Library(.inMemory)
        let names: [Notification.Name] = [
            .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave, .NSManagedObjectContextObjectsDidChange,
            .NSManagedObjectContextDidSaveObjectIDs,
        ]
        let logs = names.map { PostedNotifications($0, from: library.context) }
        let tag = library.insert("Tag")
        try library.context.save()
        for log in logs { #expect(log.threads == [Thread.current]) }
        #expect(logs[0].notifications[0].userInfo?.isEmpty ?? true)
        #expect(logs[1].objects(NSInsertedObjectsKey) == [tag])
        #expect(logs[1].notifications[0].object as AnyObject? === library.context)
        let ids = logs[3].notifications[0].userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
        #expect(ids == [tag.objectID] && !tag.objectID.isTemporaryID)
    }

    @Test func `the names and keys of notifications have Core Data's strings`() {
        #expect(NSInsertedObjectsKey == "inserted" && NSUpdatedObjectsKey == "updated")
        #expect(NSDeletedObjectsKey == "deleted" && NSRefreshedObjectsKey == "refreshed")
        #expect(NSInvalidatedObjectsKey == "invalidated" && NSInvalidatedAllObjectsKey == "invalidatedAll")
        #expect(NSInsertedObjectIDsKey == "inserted_objectIDs")
        #expect(NSManagedObjectContext.NotificationKey.insertedObjects.rawValue == NSInsertedObjectsKey)
        #expect(
            Notification.Name.NSManagedObjectContextDidSave.rawValue == "NSManagingContextDidSaveChangesNotification")
        #expect(
            Notification.Name.NSManagedObjectContextObjectsDidChange.rawValue
                == "NSObjectsChangedInManagingContextNotification")
        #expect(NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
        #expect(NSDetailedErrorsKey == "NSDetailedErrors" && NSValidationObjectErrorKey == "NSValidationErrorObject")
        #expect(NSValidationKeyErrorKey == "NSValidationErrorKey")
        #expect(NSValidationValueErrorKey == "NSValidationErrorValue")
        #expect(NSValidationPredicateErrorKey == "NSValidationErrorPredicate")
        #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
        #expect(NSAffectedObjectsErrorKey == "NSAffectedObjectsErrorKey")
    }
}
