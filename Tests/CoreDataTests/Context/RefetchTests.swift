// What a fetch does to objects that are there already.

import CoreData
import Foundation
import Testing

@Suite struct RefetchTests {
    private func changeTitle(_ library: Library, to title: String) throws {
        let other = library.newContext()
        try library.fetch("Book", in: other)[0].setValue(title, forKey: "title")
        try other.save()
    }

    /// Core Data, `shouldRefreshRefetchedObjects`: "the property values of fetched objects will be updated with the current values in
    /// the persistent store".
    @Test(arguments: StoreKind.allCases)
    func `a fetch that refreshes gives realised objects the store's values and keeps unsaved changes`(_ kind: StoreKind)
        throws
    {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "a", "pages": 1])
        try library.context.save()
        try changeTitle(library, to: "b")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        _ = try library.context.fetch(request)
        #expect(book.text("title") == "a")
        book.setValue(5, forKey: "pages")
        request.shouldRefreshRefetchedObjects = true
        let found = try library.context.fetch(request)
        #expect(found == [book] && book.text("title") == "b")
        #expect(book.value(forKey: "pages") as? Int == 5 && book.changedValues().keys.sorted() == ["pages"])
        try library.context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func `a fault that nobody has looked into takes the row of a later fetch`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        _ = library.insert("Book", ["title": "a"])
        try library.context.save()
        let reader = library.newContext()
        let book = try library.fetch("Book", in: reader)[0]
        #expect(book.isFault)
        try changeTitle(library, to: "b")
        _ = try library.fetch("Book", in: reader)
        #expect(book.text("title") == "b")
        book.setValue("c", forKey: "title")
        try reader.save()
    }

    @Test(arguments: StoreKind.allCases)
    func `existingObject gives a fault the row that it has read`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        _ = library.insert("Book", ["title": "a"])
        try library.context.save()
        let reader = library.newContext()
        let book = try library.fetch("Book", in: reader)[0]
        try changeTitle(library, to: "b")
        #expect(try reader.existingObject(with: book.objectID) === book && book.text("title") == "b")
    }

    /// Core Data, `existingObject(with:)`: "If there is a managed object with the given ID already registered in the context, that
    /// object is returned directly".
    @Test func `existingObject gives an object whose deletion isn't saved yet`() throws {
        let library = try Library(.sqlite)
        let book = library.insert("Book", ["title": "a"])
        try library.context.save()
        library.context.delete(book)
        #expect(try library.context.existingObject(with: book.objectID) === book)
    }

    @Test func `deletions reach related objects at once where that is asked for`() throws {
        let library = try Library(.sqlite)
        let book = library.insert("Book", ["title": "a"]), chapter = library.insert("Chapter", ["book": book])
        try library.context.save()
        #expect(library.context.propagatesDeletesAtEndOfEvent)
        library.context.propagatesDeletesAtEndOfEvent = false
        library.context.delete(book)
        #expect(chapter.isDeleted)
    }
}
