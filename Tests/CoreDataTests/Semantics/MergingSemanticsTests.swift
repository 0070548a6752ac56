import CoreData
import Testing

@Suite struct MergingSemanticsTests {
    // Ours: two authors, Ada and Bea, in our context. Theirs: a context that changes one and deletes the other.
    private struct Two {
        let library: Library
        let ada: NSManagedObject, bea: NSManagedObject
        let other: NSManagedObjectContext

        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            ada = library.insert("Author", ["name": "Ada", "rating": 1.0])
            bea = library.insert("Author", ["name": "Bea"])
            try library.context.save()
            other = library.newContext()
        }

        func theirs(_ object: NSManagedObject) throws -> NSManagedObject {
            try other.existingObject(with: object.objectID)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] a merge refreshes updated objects keeping local changes, registers inserted and marks deleted ones`(
        _ kind: StoreKind
    ) throws {
        let two = try Two(kind)
        two.ada.setValue("Ann", forKey: "name")
        try two.theirs(two.ada).setValue(5.0, forKey: "rating")
        two.other.delete(try two.theirs(two.bea))
        let cora = NSEntityDescription.insertNewObject(forEntityName: "Author", into: two.other)
        cora.setValue("Cora", forKey: "name")
        let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: two.other)
        try two.other.save()
        two.library.context.mergeChanges(fromContextDidSave: saves.notifications[0])
        #expect(two.ada.text("name") == "Ann" && two.ada.value(forKey: "rating") as? Double == 5)
        #expect(two.bea.isDeleted && two.bea.text("name") == "Bea")
        #expect(try two.library.fetch("Author", sortedBy: "name").compactMap { $0.text("name") } == ["Ann", "Cora"])
        try two.library.context.save()
    }

    // Divergence 50.
    @Test(arguments: StoreKind.allCases)
    func `what a merge deletes is among the context's deleted objects until it saves`(_ kind: StoreKind) throws {
        let two = try Two(kind)
        two.other.delete(try two.theirs(two.bea))
        try two.other.save()
        let context = two.library.context
        let bea = two.bea.objectID
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: [bea]], into: [context])
        #expect(two.bea.isDeleted && context.deletedObjects == [two.bea] && context.hasChanges)
        #expect(context.registeredObjects == [two.ada, two.bea] && context.registeredObject(for: bea) == nil)
        try context.save()
        #expect(context.deletedObjects.isEmpty && context.registeredObjects == [two.ada] && !context.hasChanges)
    }

    @Test func `what a merge deletes and nobody holds is forgotten by a context that never saves`() throws {
        let library = try Library(.sqlite)
        let other = library.newContext()
        let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: other)
        author.setValue("Ada", forKey: "name")
        try other.save()
        func mergeDeletion() throws {
            let ours = try library.context.existingObject(with: author.objectID)
            other.delete(author)
            let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: other)
            try other.save()
            library.context.mergeChanges(fromContextDidSave: saves.notifications[0])
            #expect(library.context.deletedObjects == [ours])
        }
        try mergeDeletion()
        #expect(library.context.deletedObjects.isEmpty && !library.context.hasChanges)
    }

    @Test func `mergeChanges(fromRemoteContextSave:into:) takes object IDs and their URIs`() throws {
        let two = try Two(.sqlite)
        try two.theirs(two.ada).setValue("Ann", forKey: "name")
        try two.theirs(two.bea).setValue("Ben", forKey: "name")
        try two.other.save()
        #expect(two.ada.text("name") == "Ada")
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [
                NSUpdatedObjectsKey: [two.ada.objectID],
                NSRefreshedObjectsKey: [two.bea.objectID.uriRepresentation()],
            ], into: [two.library.context])
        #expect(two.ada.text("name") == "Ann" && two.bea.text("name") == "Ben")
    }

    // What is merged counts for objects in use alone.
    @Test func `[P] an automatic merge posts inserts always, updates only if realised, deletes only if held`()
        async throws
    {
        let two = try Two(.sqlite)
        let context = two.library.context
        let unheld = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: two.other)
        try two.other.save()
        context.automaticallyMergesChangesFromParent = true
        let log = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: context)
        context.refresh(two.ada, mergeChanges: false)
        #expect(two.ada.isFault && log.count == 1)

        try two.theirs(two.ada).setValue("Ann", forKey: "name")
        try two.other.save()
        await context.perform {}
        #expect(log.count == 1)

        #expect(two.ada.text("name") == "Ann")
        try two.theirs(two.ada).setValue("Abe", forKey: "name")
        try two.other.save()
        await context.perform {}
        #expect(log.count == 2 && log.objects(NSRefreshedObjectsKey) == [two.ada])
        #expect(two.ada.text("name") == "Abe")

        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: two.other)
        try two.other.save()
        await context.perform {}
        #expect(log.count == 3 && log.objects(NSInsertedObjectsKey).map(\.objectID) == [tag.objectID])

        two.other.delete(unheld)
        two.other.delete(try two.theirs(two.bea))
        try two.other.save()
        await context.perform {}
        #expect(log.count == 4 && log.objects(NSDeletedObjectsKey) == [two.bea])
    }

    // MARK: Conflicts

    @Test(arguments: StoreKind.allCases)
    func `[F] the error policy throws 133020 with snapshots of what was read and what is there`(_ kind: StoreKind)
        throws
    {
        let two = try Two(kind)
        try two.theirs(two.ada).setValue("Ann", forKey: "name")
        try two.other.save()
        two.ada.setValue("Abe", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try two.library.context.save() }
        #expect(error?.code.rawValue == NSManagedObjectMergeError)
        let conflicts = (error as NSError?)?.userInfo["conflictList"] as? [NSMergeConflict]
        #expect(conflicts?.count == 1 && conflicts?.first?.sourceObject === two.ada)
        #expect(conflicts?.first?.objectSnapshot?["name"] as? String == "Ada")
        #expect(conflicts?.first?.cachedSnapshot?["name"] as? String == "Ann")
        #expect(conflicts?.first?.persistedSnapshot == nil)
    }

    @Test func `[F] changes to different objects never conflict`() throws {
        let two = try Two(.sqlite)
        try two.theirs(two.ada).setValue("Ann", forKey: "name")
        try two.other.save()
        two.bea.setValue("Ben", forKey: "name")
        try two.library.context.save()
        let names = try two.library.fetch("Author", sortedBy: "name", in: two.library.newContext())
        #expect(names.compactMap { $0.text("name") } == ["Ann", "Ben"])
    }

    struct Settling: CustomTestStringConvertible {
        let policy: NSMergePolicyType, name: String, rating: Double, born: Date?
        var testDescription: String { "\(policy)" }
    }

    private static let day = Date(timeIntervalSinceReferenceDate: 0)

    // Both renamed Ada; they rated her 5; we set her birthday.
    @Test(arguments: [
        Settling(policy: .mergeByPropertyStoreTrumpMergePolicyType, name: "Theirs", rating: 5, born: day),
        Settling(policy: .mergeByPropertyObjectTrumpMergePolicyType, name: "Ours", rating: 5, born: day),
        Settling(policy: .overwriteMergePolicyType, name: "Ours", rating: 1, born: day),
        Settling(policy: .rollbackMergePolicyType, name: "Theirs", rating: 5, born: nil),
    ])
    func `[F] store trump, object trump, overwrite and rollback settle a conflict`(_ expected: Settling) throws {
        let two = try Two(.sqlite)
        let theirs = try two.theirs(two.ada)
        theirs.setValue("Theirs", forKey: "name")
        theirs.setValue(5.0, forKey: "rating")
        try two.other.save()
        two.ada.setValue("Ours", forKey: "name")
        two.ada.setValue(Self.day, forKey: "born")
        two.library.context.mergePolicy = NSMergePolicy(merge: expected.policy)
        try two.library.context.save()
        let stored = try two.library.newContext().existingObject(with: two.ada.objectID)
        for author in [two.ada, stored] {
            #expect(author.text("name") == expected.name)
            #expect(author.value(forKey: "rating") as? Double == expected.rating)
            #expect(author.value(forKey: "born") as? Date == expected.born)
        }
    }

    /// Keeps the longer name.
    private final class LongerName: NSMergePolicy, @unchecked Sendable {
        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            let names = list.map { conflict in
                [conflict.sourceObject.value(forKey: "name"), conflict.cachedSnapshot?["name"]].compactMap {
                    $0 as? String
                }
            }
            try super.resolve(optimisticLockingConflicts: list)
            for (conflict, names) in zip(list, names) {
                conflict.sourceObject.setValue(names.max { $0.count < $1.count }, forKey: "name")
            }
        }
    }

    @Test func `a subclass of the merge policy overrides resolve and calls super`() throws {
        let two = try Two(.sqlite)
        try two.theirs(two.ada).setValue("Ada Lovelace", forKey: "name")
        try two.other.save()
        two.ada.setValue("Abe", forKey: "name")
        two.library.context.mergePolicy = LongerName(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try two.library.context.save()
        let stored = try two.library.newContext().existingObject(with: two.ada.objectID)
        #expect(stored.text("name") == "Ada Lovelace")
    }
}
