// A merge of what another context has saved doesn't announce faults, whose values nobody has seen. A list that was given them in an
// order and by a predicate follows nevertheless.

import CoreData
import Testing

@Suite struct FollowedMergeTests {
    /// Books a, b (10 pages), c, d (20 pages), e (30 pages), which the library's context writes and another one lists.
    private struct Listed {
        let library: Library
        let context: NSManagedObjectContext

        init(_ kind: StoreKind) throws {
            library = try Library(kind)
            for (index, title) in ["a", "b", "c", "d", "e"].enumerated() {
                _ = library.insert("Book", ["title": title, "pages": (index / 2 + 1) * 10])
            }
            try library.context.save()
            context = library.newContext()
        }

        /// The books with less than some pages, all of them faults.
        func list(below pages: Int) throws -> ListModel {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
            request.predicate = NSPredicate(format: "pages < %d", pages)
            let list = try ListModel(request, context, sectionedBy: nil)
            try #require(list.rows[0].allSatisfy { $0.isFault })
            return list
        }

        /// Has the library's context save other values, and the list's context merge them.
        func change(_ changes: [(title: String, key: String, value: Any)]) throws {
            for (title, key, value) in changes {
                let books = try library.fetch("Book", where: NSPredicate(format: "title == %@", title))
                try #require(books.first).setValue(value, forKey: key)
            }
            let saves = PostedNotifications(.NSManagedObjectContextDidSave, from: library.context)
            try library.context.save()
            context.mergeChanges(fromContextDidSave: try #require(saves.notifications.first))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `faults that don't match any more, or are at another place, are told to a list`(_ kind: StoreKind) throws {
        let listed = try Listed(kind)
        let list = try listed.list(below: 100)
        let announced = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: listed.context)
        try listed.change([("a", "pages", 25), ("b", "pages", 500)])
        #expect(list.takeEvents() == ["will", "delete b 0.1 -", "move a 0.0 0.2", "did"])
        #expect(list.rows[0].map { $0.text("title") } == ["c", "d", "a", "e"])
        #expect(announced.count == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `faults and objects that have been read are told in one go`(_ kind: StoreKind) throws {
        let listed = try Listed(kind)
        let list = try listed.list(below: 100)
        let announced = PostedNotifications(.NSManagedObjectContextObjectsDidChange, from: listed.context)
        let e = try #require(list.rows[0].last)
        #expect(e.text("title") == "e" && !e.isFault)
        try listed.change([("a", "pages", 25), ("b", "pages", 500), ("e", "title", "f")])
        #expect(list.takeEvents() == ["will", "delete b 0.1 -", "move a 0.0 0.2", "update f 0.4 0.3", "did"])
        #expect(announced.count == 1 && announced.objects(NSRefreshedObjectsKey) == [e])
    }

    @Test(arguments: StoreKind.allCases)
    func `a fault that comes to match is told to a list`(_ kind: StoreKind) throws {
        let listed = try Listed(kind)
        let list = try listed.list(below: 30)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages == 30")
        let e = try #require(try listed.context.fetch(request).first)
        #expect(e.isFault)
        try listed.change([("e", "pages", 5)])
        #expect(list.takeEvents() == ["will", "insert e - 0.0", "did"])
        #expect(list.rows[0].first === e)
    }
}
