// What a context says it will ask for next, and another thread reads meanwhile.

import Foundation
import Testing

@testable import CoreData

@Suite struct ReadingAheadTests {
    private let folder: URL
    private let coordinator: NSPersistentStoreCoordinator
    private let writer: NSManagedObjectContext
    private let reader: NSManagedObjectContext

    /// A store in a file with three books, of which the first one has two tags.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "ahead-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appending(path: "library.sqlite"))
        let writer = Self.context(coordinator)
        self.writer = writer
        reader = Self.context(coordinator)
        let books = ["a", "b", "c"].map { title in
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: writer)
            book.setValue(title, forKey: "title")
            return book
        }
        for label in ["old", "thin"] {
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: writer)
            tag.setValue(label, forKey: "label")
            books[0].mutableSetValue(forKey: "tags").add(tag)
        }
        try writer.save()
    }

    private static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func cleanUp() throws { try FileManager.default.removeItem(at: folder) }

    private func ids(_ context: NSManagedObjectContext) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.resultType = .managedObjectIDResultType
        return try context.fetch(request)
    }

    @Test func `what is read ahead is the pinned state, and is asked for once`() throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        try reader.setQueryGenerationFrom(.current)
        let ids = try ids(reader)
        reader.readAhead(ids, members: ["tags"])
        let ahead = try #require(reader.rowsAhead.first)
        for book in try writer.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) { writer.delete(book) }
        try writer.save()
        let books = try reader.storedObjects(with: ids, prefetching: ["tags"])
        #expect(books.map { $0.value(forKey: "title") as? String } == ["a", "b", "c"])
        #expect(books.map { ($0.value(forKey: "tags") as? NSSet)?.count } == [2, 0, 0])
        #expect(try ahead.takeRows() == nil)
        let tags = try #require(ids[0].entity.relationshipsByName["tags"])
        #expect(try ahead.takeMembers(tags) == nil)
    }

    @Test func `what is read ahead is left alone where something else is asked for`() throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        try reader.setQueryGenerationFrom(.current)
        let ids = try ids(reader)
        reader.readAhead(ids, members: [])
        #expect(try reader.storedObjects(with: [ids[1]], prefetching: []).map(\.objectID) == [ids[1]])
        #expect(try reader.rowsAhead.first?.takeRows()?.map(\.objectID) == ids)
    }

    @Test func `a context that reads the latest state reads nothing ahead`() throws {
        defer { #expect(throws: Never.self) { try cleanUp() } }
        reader.readAhead(try ids(reader), members: [])
        #expect(reader.rowsAhead.isEmpty)
    }
}
