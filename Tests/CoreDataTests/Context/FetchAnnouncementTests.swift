// A fetch processes the pending changes first: whoever is shown its results has heard of them. So it is observed on Apple's platforms
// (https://github.com/peymano/CoreDataFetchedResultsController: "Executing this fetch request triggers the processing of the
// remaining changes in the context"), and PeakCoreData's tests of lists and counts need it.

import CoreData
import Testing

@Suite struct FetchAnnouncementTests {
    /// Counts what a context announces.
    private final class Listener: @unchecked Sendable {
        // Safe: a test's context is used on its thread alone.

        private(set) var heard: [String] = []
        private var token: (any NSObjectProtocol)?

        init(_ context: NSManagedObjectContext) {
            token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { [weak self] note in
                for (key, name) in [
                    (NSInsertedObjectsKey, "+"), (NSUpdatedObjectsKey, "~"), (NSDeletedObjectsKey, "-"),
                ] {
                    if let objects = note.userInfo?[key] as? Set<NSManagedObject> {
                        self?.heard.append("\(name)\(objects.count)")
                    }
                }
            }
        }

        deinit { if let token { NotificationCenter.default.removeObserver(token) } }
    }

    @Test(arguments: StoreKind.allCases)
    func `a fetch announces what is pending, and a later one has nothing to tell`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let listener = Listener(library.context)
        for number in 0..<3 { _ = library.insert("Author", ["name": "\(number)"]) }
        #expect(listener.heard == [])
        #expect(try library.fetch("Author").count == 3)
        #expect(listener.heard == ["+3"])
        #expect(try library.fetch("Book").isEmpty)
        #expect(listener.heard == ["+3"])
        try library.context.save()
        #expect(listener.heard == ["+3"])
    }

    // PeakCoreData, CountObserverTests.testDeleteCallsNotifier.
    @Test func `what is inserted, fetched and deleted again is told of as deleted`() throws {
        let library = try Library(.inMemory)
        let listener = Listener(library.context)
        for _ in 0..<3 { _ = library.insert("Tag") }
        for tag in try library.fetch("Tag") { library.context.delete(tag) }
        library.context.processPendingChanges()
        #expect(listener.heard == ["+3", "-3"])
    }

    @Test func `a fetch without pending changes announces nothing`() throws {
        let library = try Library(.inMemory)
        let listener = Listener(library.context)
        _ = library.insert("Tag")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.includesPendingChanges = false
        #expect(try library.context.fetch(request).isEmpty)
        #expect(listener.heard == [])
    }

    private final class List: NSObject, NSFetchedResultsControllerDelegate {
        private(set) var events: [NSFetchedResultsChangeType] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            events.append(type)
        }
    }

    // PeakCoreData, FetchedCollectionTests.testDeletionChanges and its neighbours.
    @Test func `a list of unsaved objects isn't told that they were inserted`() throws {
        let library = try Library(.sqlite)
        let tags = (0..<10).map { library.insert("Tag", ["label": "\($0)"]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        let list = List()
        controller.delegate = list
        try controller.performFetch()
        #expect(controller.fetchedObjects == tags)
        try library.context.save()
        #expect(list.events == [])
        library.context.delete(tags[0])
        try library.context.save()
        #expect(list.events == [.delete])
    }

    @Test func `a fetch in willSave() doesn't keep what was changed there from another willSave()`() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: CuriousTag.self)
        let library = try Library(.inMemory, model: model)
        let tag = library.insert("Tag")
        try library.context.save()
        #expect(tag is CuriousTag && tag.text("label") == "seen")
        #expect(library.context.userInfo["seen"] as? Int == 2)
    }

    @Test func `a fetch in the midst of changes is no end of an undo step`() throws {
        let library = try Library(.inMemory)
        let manager = UndoManager()
        manager.groupsByEvent = false
        library.context.undoManager = manager
        let author = library.insert("Author", ["name": "Ada"])
        library.context.processPendingChanges()
        author.setValue("Bea", forKey: "name")
        _ = try library.fetch("Author")
        _ = library.insert("Book", ["author": author])
        _ = try library.fetch("Book")
        library.context.processPendingChanges()
        author.setValue("Cleo", forKey: "name")
        library.context.processPendingChanges()
        library.context.undo()
        #expect(author.text("name") == "Bea" && author.many("books").count == 1)
        library.context.undo()
        #expect(author.text("name") == "Ada" && author.many("books").isEmpty)
        library.context.redo()
        #expect(author.text("name") == "Bea" && author.many("books").count == 1)
    }
}

/// Looks something up whenever it is saved, and counts how often that is.
final class CuriousTag: NSManagedObject {
    override func willSave() {
        super.willSave()
        let seen = managedObjectContext?.userInfo["seen"] as? Int ?? 0
        managedObjectContext?.userInfo["seen"] = seen + 1
        guard text("label") != "seen" else { return }
        setValue("seen", forKey: "label")
        _ = try? managedObjectContext?.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
    }
}
