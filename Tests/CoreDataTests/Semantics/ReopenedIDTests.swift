// IDs of a store that was opened again, or by another coordinator, in predicates.

import Foundation
import Testing

@testable import CoreData

@Suite struct ReopenedIDTests {
    private struct World {
        let folder: TemporaryFolder
        let library: Library
        /// The IDs of before.
        let ada: NSManagedObjectID
        let book: NSManagedObjectID
        let tag: NSManagedObjectID
    }

    /// Ada with a book that has a tag, and Bea; opened again by the same coordinator or by another one.
    private func world(bySameCoordinator: Bool) throws -> World {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "library.sqlite")
        let first = try Library(at: url, model: LibraryModel.make())
        let ada = first.insert("Author", ["name": "Ada"]), tag = first.insert("Tag", ["label": "a"])
        let book = first.insert("Book", ["title": "one", "author": ada, "tags": Set([tag])])
        _ = first.insert("Author", ["name": "Bea"])
        _ = first.insert("Book", ["title": "two"])
        try first.context.save()
        let store = try #require(first.coordinator.persistentStores.first)
        let ids = [ada, book, tag].map(\.objectID)
        first.context.reset()
        try first.coordinator.remove(store)
        if bySameCoordinator {
            try first.coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        }
        let library = bySameCoordinator ? first : try Library(at: url, model: LibraryModel.make())
        return World(folder: folder, library: library, ada: ids[0], book: ids[1], tag: ids[2])
    }

    @Test(arguments: [true, false], [false, true])
    func `a predicate knows an ID of before its store was opened again`(isSame: Bool, hasChanges: Bool) throws {
        let world = try world(bySameCoordinator: isSame)
        let library = world.library
        // What has changed is looked at in memory.
        if hasChanges { for object in try library.fetch("Book") + library.fetch("Author") { object.touchText() } }
        func titles(_ format: String, _ argument: Any) throws -> [String] {
            try library.fetch("Book", sortedBy: "title", where: NSPredicate(format: format, argumentArray: [argument]))
                .map { $0.text("title") ?? "" }
        }
        #expect(try titles("SELF == %@", world.book) == ["one"])
        #expect(try titles("SELF != %@", world.book) == ["two"])
        #expect(try titles("SELF IN %@", [world.book]) == ["one"])
        #expect(try titles("NOT SELF IN %@", [world.book]) == ["two"])
        #expect(try titles("objectID IN %@", [world.book]) == ["one"])
        #expect(try titles("author == %@", world.ada) == ["one"])
        #expect(try titles("author IN %@", [world.ada, world.book]) == ["one"])
        #expect(try titles("ANY tags IN %@", [world.tag]) == ["one"])
        #expect(try titles("ANY tags == %@", world.tag) == ["one"])
        #expect(try titles("tags CONTAINS %@", world.tag) == ["one"])
        #expect(try titles("SUBQUERY(tags, $t, $t == %@).@count > 0", world.tag) == ["one"])
        let authors = try library.fetch("Author", where: NSPredicate(format: "ANY books == %@", world.book))
        #expect(authors.map { $0.text("name") } == ["Ada"])
        // A number alone makes no object: the tag's and the book's are the same.
        #expect(world.tag.rowNumber == world.book.rowNumber)
        #expect(try titles("SELF == %@", world.tag) == [])
        let one = try #require(try library.fetch("Book", where: NSPredicate(format: "SELF == %@", world.book)).first)
        #expect(NSPredicate(format: "SELF == %@", world.book).evaluate(with: one))
        #expect(NSPredicate(format: "SELF IN %@", [world.book]).evaluate(with: one))
    }

    @Test func `a batch deletes and updates by predicates with IDs of before`() throws {
        let world = try world(bySameCoordinator: true)
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "SELF IN %@", [world.book])
        request.propertiesToUpdate = ["title": "three"]
        request.resultType = .updatedObjectsCountResultType
        #expect((try world.library.context.execute(request) as? NSBatchUpdateResult)?.result as? Int == 1)
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        fetch.predicate = NSPredicate(format: "NOT SELF IN %@", [world.book])
        _ = try world.library.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
        #expect(try world.library.fetch("Book").map { $0.text("title") } == ["three"])
    }

    @Test func `of two copies of a file that are open together, a predicate means the one that an ID is of`() throws {
        let world = try world(bySameCoordinator: true), library = world.library
        let store = try #require(library.coordinator.persistentStores.first), url = try #require(store.url)
        let copy = world.folder.url.appending(path: "copy.sqlite")
        try library.coordinator.remove(store)
        for end in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: url.path + end) {
            try FileManager.default.copyItem(atPath: url.path + end, toPath: copy.path + end)
        }
        for url in [url, copy] {
            try library.coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
        }
        let books = try library.fetch("Book", where: NSPredicate(format: "title == 'one'"))
        #expect(books.count == 2 && books[0].objectID != books[1].objectID)
        for book in books {
            #expect(try library.fetch("Book", where: NSPredicate(format: "SELF == %@", book.objectID)) == [book])
        }
    }
}

extension NSManagedObject {
    /// Makes the object count as changed.
    fileprivate func touchText() {
        let key = entity.name == "Book" ? "isbn" : "born"
        setValue(key == "born" ? Date(timeIntervalSinceReferenceDate: 1) : "\(objectID.number)", forKey: key)
    }
}
