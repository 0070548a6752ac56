// A child sees the parent's unsaved changes. These don't change the version of the row, by which a fetch tells whether a fault that it has
// given its row before has to get another one.

import CoreData
import Testing

@Suite struct ChildRefetchTests {
    @Test(arguments: StoreKind.allCases, [false, true])
    func `a child's fault that nobody has looked into takes what the parent has at a later fetch`(
        _ kind: StoreKind, isSaved: Bool
    ) throws {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "a"])
        if isSaved { try library.context.save() }
        let child = library.newChild()
        let theirs = try #require(try library.fetch("Book", in: child).first)
        #expect(theirs.isFault)
        book.setValue("b", forKey: "title")
        let found = try library.fetch("Book", where: NSPredicate(format: "title == 'b'"), in: child)
        #expect(found == [theirs] && theirs.text("title") == "b")
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `a child's fetch that refreshes gives realised objects the parent's unsaved values`(
        _ kind: StoreKind, isSaved: Bool
    ) throws {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "a", "pages": 1])
        if isSaved { try library.context.save() }
        let child = library.newChild()
        let theirs = try child.existingObject(with: book.objectID)
        theirs.setValue(5, forKey: "pages")
        book.setValue("b", forKey: "title")
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.shouldRefreshRefetchedObjects = true
        #expect(try child.fetch(request) == [theirs])
        #expect(theirs.text("title") == "b" && theirs.value(forKey: "pages") as? Int == 5)
    }
}
