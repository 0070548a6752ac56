// Subclasses as test doubles and frameworks of Apple's platforms have them: what is open there is open here.

import CoreData
import Foundation
import Testing

@Suite struct OverridingTests {
    /// A context that notes what it is asked (public test doubles override these very methods).
    private final class Spy: NSManagedObjectContext, @unchecked Sendable {
        var calls: [String] = []
        var failure: (any Error)?

        override func performAndWait(_ block: () -> Void) {
            calls.append("performAndWait")
            super.performAndWait(block)
        }

        override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
            calls.append("fetch \(request.entityName ?? "")")
            if let failure { throw failure }
            return try super.fetch(request)
        }
    }

    /// A context without a stack.
    private final class Double: NSManagedObjectContext, @unchecked Sendable {
        var calls: [String] = []
        let double = NSManagedObjectContext(.privateQueue)
        override var parent: NSManagedObjectContext? {
            get { double }
            set { calls.append("parent") }
        }
        override var undoManager: UndoManager? {
            get { nil }
            set { calls.append("undoManager") }
        }
        override var mergePolicy: Any {
            didSet { calls.append("mergePolicy") }
        }
        override func mergeChanges(fromContextDidSave notification: Notification) { calls.append("merge") }
        override func undo() { calls.append("undo") }
    }

    @Test func `what a context is made of, merging and undoing are overridden`() {
        let double = Double(.privateQueue)
        double.parent = nil
        double.undoManager = UndoManager()
        double.mergePolicy = NSMergePolicy.overwrite
        double.mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave))
        double.undo()
        #expect(double.calls == ["parent", "undoManager", "mergePolicy", "merge", "undo"])
        #expect(double.parent === double.double)
    }

    private final class Stamped: NSManagedObject {
        var wasMade = false

        override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
            super.init(entity: entity, insertInto: context)
            wasMade = true
        }
    }

    @Test func `generic code calls the designated initialiser, which a class overrides without required`() throws {
        func make<Object: NSManagedObject>(
            _ type: Object.Type, _ entity: NSEntityDescription, _ context: NSManagedObjectContext
        ) -> Object {
            Object(entity: entity, insertInto: context)
        }
        let library = try Library(.inMemory)
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: library.context))
        #expect(make(Stamped.self, entity, library.context).wasMade)
        #expect(library.context.insertedObjects.count == 1)
    }

    private final class Transaction: NSPersistentHistoryTransaction {
        override var author: String? { "somebody" }
        override var timestamp: Date { Date(timeIntervalSinceReferenceDate: 5) }
    }

    @Test func `a transaction of a history is overridden`() {
        let transaction: NSPersistentHistoryTransaction = Transaction()
        #expect(transaction.author == "somebody" && transaction.timestamp.timeIntervalSinceReferenceDate == 5)
        #expect(transaction.changes == nil && transaction.objectIDNotification().userInfo?.isEmpty ?? true)
    }

    private final class Coordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
        override var persistentStores: [NSPersistentStore] { [] }
        override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? { nil }
        override class func metadataForPersistentStore(
            ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
        ) throws -> [String: Any] { throw Refused() }
    }

    @Test func `a coordinator's stores, IDs and metadata are overridden`() {
        let coordinator: NSPersistentStoreCoordinator = Coordinator(managedObjectModel: LibraryModel.make())
        #expect(coordinator.persistentStores.isEmpty)
        #expect(throws: Refused.self) {
            try type(of: coordinator).metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: URL(fileURLWithPath: "/x"))
        }
    }

    /// Says itself which of its keys notify.
    private final class Silent: NSManagedObject {
        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { key == "title" }
        override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
    }

    @Test func `what a class says of observers and of its own properties is overridden`() {
        let type: NSManagedObject.Type = Silent.self
        #expect(
            type.automaticallyNotifiesObservers(forKey: "title") && !type.contextShouldIgnoreUnmodeledPropertyChanges)
    }

    private final class Pinned: NSManagedObjectContext, @unchecked Sendable {
        override var userInfo: NSMutableDictionary { ["a": 1] }
        override var queryGenerationToken: NSQueryGenerationToken? { .current }
        override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws { throw Refused() }
        override func assign(_ object: Any, to store: NSPersistentStore) {}
    }

    private final class Reader: NSManagedObject {
        override func hasFault(forRelationshipNamed key: String) -> Bool { key == "x" }
        override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] { [] }
    }

    private final class Mover: NSPersistentStoreCoordinator, @unchecked Sendable {
        override func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { true }
        override func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? { nil }
    }

    @Test func `what a context is pinned to, what an object knows of its ends, and where a store is, are overridden`()
        throws
    {
        let context: NSManagedObjectContext = Pinned(.privateQueue)
        #expect(context.userInfo["a"] as? Int == 1 && context.queryGenerationToken == .current)
        #expect(throws: Refused.self) { try context.setQueryGenerationFrom(nil) }
        let library = try Library(.inMemory)
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: library.context))
        let object: NSManagedObject = Reader(entity: entity, insertInto: nil)
        #expect(object.hasFault(forRelationshipNamed: "x") && object.objectIDs(forRelationshipNamed: "tags").isEmpty)
        let coordinator: NSPersistentStoreCoordinator = Mover(managedObjectModel: LibraryModel.make())
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    }

    @Test func `the configuration that editors call Default is the whole model, and an ID is found by its text`() throws
    {
        let model = LibraryModel.make()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: "Default", at: nil)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        try context.save()
        #expect(
            coordinator.managedObjectID(for: book.objectID.uriRepresentation().absoluteString) == book.objectID)
        #expect(coordinator.managedObjectID(for: "nothing") == nil)
        #expect(model.entities(forConfigurationName: "Other") == nil)
        let heroes = URL(fileURLWithPath: "Examples/Heroes/Heroes.xcdatamodeld")
        let checksum = try #require(NSManagedObjectModel(contentsOf: heroes)).versionChecksum
        #expect(try NSManagedObjectModel.checksumsForVersionedModel(at: heroes) == ["Heroes": checksum])
        #expect(throws: CocoaError.self) {
            try NSManagedObjectModel.checksumsForVersionedModel(at: heroes.appending(path: "none.momd"))
        }
    }

    private struct Refused: Error {}

    @Test func `a context's performAndWait and fetch are overridden, whatever they are called with`() throws {
        let library = try Library(.sqlite)
        _ = library.insert("Book", ["title": "a"])
        try library.context.save()
        let spy = Spy(concurrencyType: .privateQueueConcurrencyType)
        spy.persistentStoreCoordinator = library.coordinator
        let count = try spy.performAndWait { try spy.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).count }
        #expect(count == 1)
        #expect(spy.calls == ["performAndWait", "fetch Book"])
        spy.failure = Refused()
        #expect(throws: Refused.self) {
            try spy.performAndWait { try spy.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) }
        }
        #expect(spy.calls.count == 4)
    }

    @Test func `what a child does in its parent goes through none of the parent's methods`() throws {
        let library = try Library(.sqlite)
        _ = library.insert("Book", ["title": "a"])
        try library.context.save()
        let spy = Spy(concurrencyType: .privateQueueConcurrencyType)
        spy.persistentStoreCoordinator = library.coordinator
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = spy
        try child.performAndWait {
            try child.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))[0].setValue("b", forKey: "title")
            try child.save()
        }
        #expect(spy.calls.isEmpty)
    }

    private final class Container: NSPersistentContainer, @unchecked Sendable {
        let other = NSManagedObjectContext(.mainQueue)
        override var viewContext: NSManagedObjectContext { other }
        override var persistentStoreDescriptions: [NSPersistentStoreDescription] {
            get { [] }
            set {}
        }
    }

    @Test func `a container's contexts and descriptions are overridden`() {
        let container = Container(name: "Library", managedObjectModel: LibraryModel.make())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        container.loadPersistentStores { _, _ in Issue.record("There is nothing to load.") }
        #expect(container.viewContext === container.other)
        #expect(container.other.concurrencyType == .mainQueueConcurrencyType)
        #expect(NSManagedObjectContext(.privateQueue).concurrencyType == .privateQueueConcurrencyType)
    }

    private final class Controller: NSFetchedResultsController<NSManagedObject> {
        override var fetchRequest: NSFetchRequest<NSManagedObject> {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return request
        }
    }

    @Test func `a results controller's request is overridden, and one may be made without any`() throws {
        let library = try Library(.inMemory)
        _ = library.insert("Book", ["title": "a"])
        try library.context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
        let controller = Controller(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 1)
        #expect(NSFetchedResultsController<NSManagedObject>().fetchedObjects == nil)
    }

    private final class Fixed: NSManagedObject {
        override var objectID: NSManagedObjectID { fixed ?? super.objectID }
        var fixed: NSManagedObjectID?
        override var isFault: Bool { true }
        override func changedValues() -> [String: Any] { ["title": "changed"] }
    }

    @Test func `an object's ID, state and changes are overridden`() throws {
        let library = try Library(.inMemory)
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: library.context))
        let other = library.insert("Book")
        let object = Fixed(entity: entity, insertInto: library.context)
        object.fixed = other.objectID
        #expect(object.objectID == other.objectID)
        #expect(object.isFault && object.changedValues()["title"] as? String == "changed")
        library.context.delete(object)
    }

    /// Frameworks override the entry for all conflicts and call super, or resolve them themselves.
    private final class Policy: NSMergePolicy, @unchecked Sendable {
        private(set) var conflicts: [NSMergeConflict] = []

        override func resolve(mergeConflicts list: [Any]) throws {
            conflicts += list.compactMap { $0 as? NSMergeConflict }
            try super.resolve(mergeConflicts: list)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a policy that overrides the resolution of all conflicts sees those over changed rows`(_ kind: StoreKind)
        throws
    {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "a", "pages": 1])
        try library.context.save()
        let other = library.newContext()
        let theirs = try library.fetch("Book", in: other)[0]
        theirs.setValue("theirs", forKey: "title")
        book.setValue(2, forKey: "pages")
        try other.save()
        let policy = Policy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        library.context.mergePolicy = policy
        try library.context.save()
        #expect(policy.conflicts.count == 1 && policy.conflicts[0].sourceObject === book)
        #expect(book.text("title") == "theirs" && book.value(forKey: "pages") as? Int == 2)
    }

    @Test func `a conflict made by hand is settled with the row that is there`() throws {
        let library = try Library(.sqlite)
        let book = library.insert("Book", ["title": "a", "pages": 1])
        try library.context.save()
        let other = library.newContext()
        try library.fetch("Book", in: other)[0].setValue("theirs", forKey: "title")
        try other.save()
        book.setValue(2, forKey: "pages")
        let conflict = NSMergeConflict(
            source: book, newVersion: 2, oldVersion: 1, cachedSnapshot: nil, persistedSnapshot: nil)
        try NSMergePolicy.mergeByPropertyObjectTrump.resolve(optimisticLockingConflicts: [conflict])
        #expect(book.text("title") == "theirs" && book.value(forKey: "pages") as? Int == 2)
        let gone = NSMergeConflict(
            source: book, newVersion: 0, oldVersion: 1, cachedSnapshot: nil, persistedSnapshot: nil)
        let error = #expect(throws: CocoaError.self) {
            try NSMergePolicy.error.resolve(optimisticLockingConflicts: [gone])
        }
        #expect(error?.persistentStoreSaveConflicts?.count == 1)
        #expect(error?.affectedObjects == [book])
    }

    @Test func `a coordinator's block may return, throw and be awaited`() async throws {
        let library = try Library(.sqlite)
        let coordinator = library.coordinator
        #expect(await coordinator.perform { coordinator.persistentStores.count } == 1)
        await #expect(throws: Refused.self) { try await coordinator.perform { throw Refused() } }
    }
}
