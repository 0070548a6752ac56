// A list with sections that follows its context; ListModel.swift is the list.

import CoreData
import Foundation
import Testing

/// Takes all changes as one difference.
private final class DifferenceModel: NSObject, NSFetchedResultsControllerDelegate {
    var ids: [NSManagedObjectID] = []
    var counts: [Int] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        counts.append(diff.count)
        ids = ids.applying(diff) ?? []
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        Issue.record("The difference replaces the calls for objects.")
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        Issue.record("The difference replaces the announcement.")
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        Issue.record("The difference replaces the end.")
    }
}

@Suite struct FetchedResultsControllerTests {
    /// Books a, b (10 pages), c, d (20 pages), e (30 pages).
    private func filled(_ kind: StoreKind = .inMemory) throws -> Library {
        let library = try Library(kind)
        for (index, title) in ["a", "b", "c", "d", "e"].enumerated() {
            _ = library.insert("Book", ["title": title, "pages": (index / 2 + 1) * 10])
        }
        try library.context.save()
        return library
    }

    private func request(_ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
        request.predicate = format.map { NSPredicate(format: $0) }
        return request
    }

    private func list(_ library: Library, _ format: String? = nil, sectionedBy key: String? = "pages") throws
        -> ListModel
    {
        try ListModel(request(format), library.context, sectionedBy: key)
    }

    private func book(_ library: Library, _ title: String) throws -> NSManagedObject {
        try #require(try library.fetch("Book", where: NSPredicate(format: "title == %@", title)).first)
    }

    @Test(arguments: StoreKind.allCases)
    func `a list that a function of all rows chooses follows changes of others`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let list = try list(library, "pages == max(pages)", sectionedBy: nil)
        #expect(list.rows == [[try book(library, "e")]])
        try book(library, "a").setValue(40, forKey: "pages")
        library.context.processPendingChanges()
        #expect(list.rows == [[try book(library, "a")]])
        library.context.delete(try book(library, "a"))
        library.context.processPendingChanges()
        #expect(list.rows == [[try book(library, "e")]])
    }

    @Test func `a section is equal to itself within Foundation's collections`() throws {
        let library = try filled()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: "pages", cacheName: nil)
        try controller.performFetch()
        let section = try #require(controller.sections?.first)
        #expect(["section": section] as NSDictionary == ["section": section] as NSDictionary)
    }

    @Test(arguments: StoreKind.allCases)
    func `performFetch fills fetchedObjects and sections; before it they are nil`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let controller = NSFetchedResultsController(
            fetchRequest: request(), managedObjectContext: library.context, sectionNameKeyPath: "pages", cacheName: nil)
        #expect(controller.fetchedObjects == nil && controller.sections == nil)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map { $0.text("title") } == ["a", "b", "c", "d", "e"])
        #expect(controller.sections?.map(\.name) == ["10", "20", "30"])
        #expect(controller.sections?.map(\.numberOfObjects) == [2, 2, 1])
        #expect(controller.sectionIndexTitles == ["1", "2", "3"])
        #expect(controller.section(forSectionIndexTitle: "2", at: 1) == 1)
        let path = IndexPath(row: 1, section: 1)
        #expect(controller.object(at: path).text("title") == "d")
        #expect(controller.indexPath(forObject: try book(library, "d")) == path)
        #expect(controller.indexPath(forObject: library.insert("Book")) == nil)
    }

    @Test func `without a key path there is one section, with one none for no objects`() throws {
        let library = try filled()
        #expect(try list(library, sectionedBy: nil).controller.sections?.map(\.numberOfObjects) == [5])
        #expect(try list(library, "FALSEPREDICATE", sectionedBy: nil).controller.sections?.count == 1)
        #expect(try list(library, "FALSEPREDICATE").controller.sections?.count == 0)
    }

    @Test func `a controller of any result type works alike`() throws {
        let library = try filled()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 5)
        let first = controller.object(at: IndexPath(item: 0, section: 0)) as? NSManagedObject
        #expect(first?.text("title") == "e")
    }

    @Test func `objects that aren't sorted by section are an error`() throws {
        let library = try filled()
        let request = request()
        request.sortDescriptors = [NSSortDescriptor(key: "isLent", ascending: true)]
        try book(library, "a").setValue(20, forKey: "pages")
        try library.context.save()
        let error = #expect(throws: CocoaError.self) {
            try ListModel(request, library.context, sectionedBy: "pages")
        }
        #expect(error?.code == .coreData)
    }

    @Test func `an update, a move, an insertion and a deletion are told as such`() throws {
        let library = try filled()
        let list = try list(library)
        try book(library, "d").setValue(true, forKey: "isLent")
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "update d 1.1 1.1", "did"])
        try book(library, "a").setValue("z", forKey: "title")
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "move z 0.0 0.1", "did"])
        _ = library.insert("Book", ["title": "bb", "pages": 10])
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "insert bb - 0.1", "did"])
        library.context.delete(try book(library, "c"))
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "delete c 1.0 -", "did"])
    }

    @Test func `sections come and go before their objects`() throws {
        let library = try filled()
        let list = try list(library)
        try book(library, "e").setValue(5, forKey: "pages")
        library.context.processPendingChanges()
        #expect(
            list.takeEvents() == ["will", "insert section 5 0", "move e 2.0 0.0", "delete section 30 2", "did"])
        let e = try book(library, "e")
        _ = library.insert("Book", ["title": "x", "pages": 99])
        library.context.delete(e)
        library.context.processPendingChanges()
        #expect(
            list.takeEvents() == [
                "will", "insert section 99 2", "delete e 0.0 -", "insert x - 2.0", "delete section 5 0", "did",
            ])
    }

    // Observed: macOS 15, and what SwiftUI's lists are made with where the order doesn't matter.
    @Test(arguments: StoreKind.allCases)
    func `a list needs no order, as long as it says so`(_ kind: StoreKind) throws {
        let library = try filled(kind)
        let request = request()
        request.sortDescriptors = []
        let list = try ListModel(request, library.context, sectionedBy: nil)
        #expect(list.rows.map(\.count) == [5])
        _ = library.insert("Book", ["title": "x"])
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "insert x - 0.5", "did"])
    }

    // Observed: OS X 10.11.
    @Test func `a section that goes has no objects any more`() throws {
        let library = try filled()
        let list = try list(library)
        library.context.delete(try book(library, "e"))
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "delete e 2.0 -", "delete section 30 2", "did"])
        #expect(list.sizesOfGoneSections == [0])
    }

    @Test func `[F] an object that starts or stops to match the predicate is inserted or deleted`() throws {
        let library = try filled()
        let list = try list(library, "isLent == NO")
        let book = try book(library, "b")
        book.setValue(true, forKey: "isLent")
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "delete b 0.1 -", "did"])
        book.setValue(false, forKey: "isLent")
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "insert b - 0.1", "did"])
    }

    /// NSFetchedResultsController.h: a delegate is told of what the context's `NSManagedObjectContextObjectsDidChange` brings. An object that
    /// was told as deleted is new to whoever keeps a list.
    @Test(arguments: StoreKind.allCases)
    func `an object whose deletion is undone, or that is inserted again, comes back to the list`(_ kind: StoreKind)
        throws
    {
        let library = try filled(kind)
        library.context.undoManager = UndoManager()
        let inserted = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: library.context)
        let list = try list(library, sectionedBy: nil), b = try book(library, "b")
        library.context.delete(b)
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "delete b 0.1 -", "did"])
        library.context.undo()
        #expect(list.takeEvents() == ["will", "insert b - 0.1", "did"])
        #expect(inserted.notifications.last?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [b])
        #expect(!b.isInserted && !library.context.hasChanges)
        library.context.redo()
        #expect(list.takeEvents() == ["will", "delete b 0.1 -", "did"])
        library.context.insert(b)
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "insert b - 0.1", "did"])
        try library.context.save()
        #expect(try library.fetch("Book", in: library.newContext()).count == 5)
    }

    @Test func `[F] nothing at all is told of unrelated changes, nor without a delegate`() throws {
        let library = try filled()
        let list = try list(library, "pages > 10")
        try book(library, "a").setValue("y", forKey: "title")
        _ = library.insert("Tag", ["label": "t"])
        library.context.processPendingChanges()
        #expect(list.takeEvents().isEmpty)
        list.controller.delegate = nil
        try book(library, "c").setValue("y", forKey: "title")
        library.context.processPendingChanges()
        #expect(list.takeEvents().isEmpty)
    }

    @Test func `a changed predicate and order count from the next fetch on`() throws {
        let library = try filled()
        let list = try list(library, "pages < 30", sectionedBy: nil)
        list.controller.fetchRequest.predicate = NSPredicate(format: "pages > 10")
        list.controller.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        try book(library, "a").setValue(true, forKey: "isLent")
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "update a 0.0 0.0", "did"])
        try list.refetch()
        #expect(list.controller.fetchedObjects?.map { $0.text("title") } == ["e", "d", "c"])
        try book(library, "b").setValue(40, forKey: "pages")
        library.context.processPendingChanges()
        #expect(list.takeEvents() == ["will", "insert b - 0.3", "did"])
    }

    @Test func `what another context saves is followed when it is merged`() throws {
        let library = try filled(.sqlite)
        let list = try list(library)
        let other = library.newContext()
        let books = try library.fetch("Book", sortedBy: "title", in: other)
        books[0].setValue(20, forKey: "pages")
        other.delete(books[4])
        let new = NSEntityDescription.insertNewObject(forEntityName: "Book", into: other)
        new.setValuesForKeys(["title": "n", "pages": 20])
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { [context = library.context] in context.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(token) }
        try other.save()
        #expect(
            list.takeEvents() == [
                "will", "delete e 2.0 -", "insert n - 1.3", "move a 0.0 1.0", "delete section 30 2", "did",
            ])
    }

    // What a fetch tells: MoreData's tests (FetchableResultsPublisherTests).
    @Test func `a delegate may take one difference of IDs instead, which a fetch tells, too`() throws {
        let library = try filled()
        let model = DifferenceModel()
        let controller = NSFetchedResultsController(
            fetchRequest: request(), managedObjectContext: library.context, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = model
        try controller.performFetch()
        #expect(model.counts == [5] && model.ids == controller.fetchedObjects?.map(\.objectID))
        let (a, b) = (try book(library, "a"), try book(library, "b"))
        library.context.delete(a)
        b.setValue(99, forKey: "pages")
        library.context.processPendingChanges()
        controller.fetchRequest.predicate = NSPredicate(format: "pages < 30")
        try controller.performFetch()
        #expect(model.counts == [5, 3, 2])
        #expect(model.ids == controller.fetchedObjects?.map(\.objectID))
    }

    @Test(arguments: StoreKind.matching, [nil, "pages >= max:(pages) - 5"])
    func `a list of some stores alone doesn't take objects of others`(_ kind: StoreKind, _ format: String?) throws {
        let library = try filled(kind)
        let (type, url) = try kind.newStore()
        let other = try library.coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let request = request(format)
        request.affectedStores = library.coordinator.persistentStores.filter { $0 !== other }
        let list = try ListModel(request, library.context, sectionedBy: nil)
        func titles() -> [String?]? { list.controller.fetchedObjects?.map { $0.text("title") } }
        let before = titles()
        let book = library.insert("Book", ["title": "f", "pages": 30])
        library.context.assign(book, to: other)
        library.context.processPendingChanges()
        #expect(titles() == before)
        try library.context.save()
        book.setValue("g", forKey: "title")
        library.context.processPendingChanges()
        #expect(titles() == before)
    }

    /// Gives each object twice.
    private final class DoublingContext: NSManagedObjectContext, @unchecked Sendable {
        override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
            let found = try super.fetch(request)
            return found + found
        }
    }

    /// Takes all changes as one difference, and nothing else.
    private final class Counter: NSObject, NSFetchedResultsControllerDelegate {
        var count = 0

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
        ) {
            count += 1
        }
    }

    @Test func `a list that has an object twice is shown, and has no difference`() throws {
        let library = try filled()
        let context = DoublingContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = library.coordinator
        let counter = Counter()
        let controller = NSFetchedResultsController(
            fetchRequest: request(), managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        controller.delegate = counter
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 10 && counter.count == 0)
        try #require(controller.fetchedObjects?.first).setValue(99, forKey: "pages")
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.count == 10)
    }

    @Test(arguments: 1...8)
    func `a list that applies what it is told always has what the controller has`(_ seed: UInt64) throws {
        let library = try filled()
        let list = try list(library, "isLent == NO")
        let model = DifferenceModel()
        let plain = NSFetchedResultsController(
            fetchRequest: request("isLent == NO"), managedObjectContext: library.context, sectionNameKeyPath: nil,
            cacheName: nil)
        plain.delegate = model
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
            if round % 9 == 0 {
                plain.fetchRequest.sortDescriptors?.reverse()
                try plain.performFetch()
            }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let books = try library.fetch("Book")
                let book = books.randomElement(using: &random)
                switch Int.random(in: 0..<8, using: &random) {
                case 0...2:
                    let pages = Int.random(in: 1...5, using: &random) * 10
                    let new = library.insert("Book", ["title": "\(round)", "pages": pages])
                    try library.context.obtainPermanentIDs(for: [new])
                case 3 where books.count > 4: book.map(library.context.delete)
                case 4: book?.setValue("t\(Int.random(in: 0..<9, using: &random))", forKey: "title")
                case 5: book?.setValue(Bool.random(using: &random), forKey: "isLent")
                default: book?.setValue(Int.random(in: 1...5, using: &random) * 10, forKey: "pages")
                }
            }
            if Bool.random(using: &random) {
                try library.context.save()
            } else {
                library.context.processPendingChanges()
            }
            let sorted = try library.context.fetch(request("isLent == NO"))
            #expect(
                list.controller.fetchedObjects?.map { "\($0.value(forKey: "pages") ?? "") \($0.text("title") ?? "")" }
                    == sorted.map { "\($0.value(forKey: "pages") ?? "") \($0.text("title") ?? "")" },
                "seed \(seed), round \(round)")
            #expect(model.ids == plain.fetchedObjects?.map(\.objectID), "seed \(seed), round \(round)")
        }
    }
}
