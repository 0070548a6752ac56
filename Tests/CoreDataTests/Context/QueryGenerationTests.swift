// What a context reads that is pinned to a state of its store, while others save.

import CoreData
import Testing

@Suite struct QueryGenerationTests {
    private let folder: URL
    private let coordinator: NSPersistentStoreCoordinator
    private let writer: NSManagedObjectContext
    private let reader: NSManagedObjectContext
    private let books = NSFetchRequest<NSManagedObject>(entityName: "Book")

    /// A store in a file with one book; only such stores keep a state.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "generation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appending(path: "library.sqlite"))
        writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        writer.persistentStoreCoordinator = coordinator
        reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = coordinator
        try save("first")
    }

    private func save(_ title: String) throws {
        NSEntityDescription.insertNewObject(forEntityName: "Book", into: writer).setValue(title, forKey: "title")
        try writer.save()
    }

    private func cleanUp() throws { try FileManager.default.removeItem(at: folder) }

    @Test func `a pinned context goes on reading the state of its first read`() throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        try reader.setQueryGenerationFrom(.current)
        #expect(reader.queryGenerationToken == .current)
        try save("second")
        #expect(try reader.count(for: books) == 2, "Nothing was read before, so this is the state.")
        #expect(reader.queryGenerationToken != .current)
        try save("third")
        #expect(try reader.count(for: books) == 2)
        #expect(try writer.count(for: books) == 3)
        try reader.setQueryGenerationFrom(nil)
        #expect(try reader.count(for: books) == 3 && reader.queryGenerationToken == nil)
    }

    @Test func `a fault can be filled after its row was deleted elsewhere`() throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        try reader.setQueryGenerationFrom(.current)
        #expect(try reader.count(for: books) == 1)
        let id = try #require(try writer.fetch(books).first).objectID
        writer.delete(writer.object(with: id))
        try writer.save()
        #expect(reader.object(with: id).text("title") == "first")
    }

    @Test func `another context can be given the same state`() throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        try reader.setQueryGenerationFrom(.current)
        #expect(try reader.count(for: books) == 1)
        try save("second")
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        try other.setQueryGenerationFrom(reader.queryGenerationToken)
        #expect(try other.count(for: books) == 1)
        #expect(other.queryGenerationToken == reader.queryGenerationToken)
    }

    @Test func `a save, a merge and a reset let a pinned context read the latest state`() throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        try reader.setQueryGenerationFrom(.current)
        #expect(try reader.count(for: books) == 1)
        try save("second")
        NSEntityDescription.insertNewObject(forEntityName: "Book", into: reader).setValue("own", forKey: "title")
        try reader.save()
        #expect(reader.queryGenerationToken == .current)
        #expect(try reader.count(for: books) == 3)
        try save("fourth")
        reader.reset()
        #expect(try reader.count(for: books) == 4)
        try save("fifth")
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [reader])
        #expect(try reader.count(for: books) == 5)
    }

    @Test func `a save that fails leaves the context in its state`() throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        try reader.setQueryGenerationFrom(.current)
        let book = try #require(try reader.fetch(books).first)
        let mine = try #require(try writer.fetch(books).first)
        mine.setValue("theirs", forKey: "title")
        try writer.save()
        try save("second")
        book.setValue("ours", forKey: "title")
        #expect(throws: CocoaError.self) { try reader.save() }
        #expect(try reader.count(for: books) == 1)
        #expect(book.text("title") == "ours")
    }

    @Test(arguments: StoreKind.allCases)
    func `a store in memory keeps no state and gives the latest`(_ kind: StoreKind) throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        let library = try Library(kind)
        let context = library.newContext()
        try context.setQueryGenerationFrom(.current)
        #expect(try context.count(for: books) == 0)
        _ = library.insert("Book")
        try library.context.save()
        #expect(try context.count(for: books) == 1)
    }
}
