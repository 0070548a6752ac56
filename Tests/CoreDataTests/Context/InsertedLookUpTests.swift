// Looking for objects that were inserted and not saved, by what an attribute equals. The index behind it must never show: every test
// holds such a look-up against one that no index answers.

import CoreData
import Testing

@Suite struct InsertedLookUpTests {
    /// The titles of the books and novels with an ISBN, in the order of the titles.
    private func titles(_ library: Library, isbn: String, entity: String = "Book") throws -> [String?] {
        func found(_ format: String) throws -> [String?] {
            try library.fetch(entity, sortedBy: "title", where: NSPredicate(format: format, isbn)).map {
                $0.text("title")
            }
        }
        let titles = try found("isbn == %@")
        #expect(try titles == found("NOT isbn != %@"))
        #expect(try titles == found("title != 'none' AND %@ == isbn"))
        return titles
    }

    @Test func `an object is found by what it was set to last`() throws {
        let library = try Library(.inMemory)
        let book = library.insert("Book", ["title": "a", "isbn": "1"])
        #expect(try titles(library, isbn: "1") == ["a"])
        let novel = library.insert("Novel", ["title": "b", "isbn": "1"])
        #expect(try titles(library, isbn: "1") == ["a", "b"])
        #expect(try titles(library, isbn: "1", entity: "Novel") == ["b"])
        book.setValue("2", forKey: "isbn")
        #expect(try titles(library, isbn: "1") == ["b"])
        #expect(try titles(library, isbn: "2") == ["a"])
        novel.setPrimitiveValue("2", forKey: "isbn")
        #expect(try titles(library, isbn: "1").isEmpty)
        book.setValue("1", forKey: "isbn")
        book.setValue("2", forKey: "isbn")
        #expect(try titles(library, isbn: "2") == ["a", "b"])
    }

    @Test func `a value that may be anything equals a number and its text`() throws {
        let library = try Library(.inMemory)
        _ = library.insert("Book", ["title": "a", "notes": "5"])
        _ = library.insert("Book", ["title": "b", "notes": 5])
        for format in ["notes == '5'", "notes == 5", "5 == notes", "NOT notes != '5'"] {
            let found = try library.fetch("Book", sortedBy: "title", where: NSPredicate(format: format))
            #expect(found.map { $0.text("title") } == ["a", "b"], "\(format)")
        }
    }

    @Test func `an object that is gone isn't found, and one that comes back is`() throws {
        let library = try Library(.inMemory)
        let manager = UndoManager()
        manager.groupsByEvent = false
        library.context.undoManager = manager
        let book = library.insert("Book", ["title": "a", "isbn": "1"])
        _ = library.insert("Book", ["title": "b", "isbn": "1"])
        library.context.processPendingChanges()
        #expect(try titles(library, isbn: "1") == ["a", "b"])
        library.context.delete(book)
        library.context.processPendingChanges()
        #expect(try titles(library, isbn: "1") == ["b"])
        library.context.undo()
        #expect(try titles(library, isbn: "1") == ["a", "b"])
        library.context.rollback()
        #expect(try titles(library, isbn: "1").isEmpty)
        _ = library.insert("Book", ["title": "c", "isbn": "1"])
        #expect(try titles(library, isbn: "1") == ["c"])
        try library.context.save()
        #expect(try titles(library, isbn: "1") == ["c"])
    }

    // Ada's passport is given to Bea, and Ada refreshed: she knows that she has none. Meanwhile another context gives her another one. When
    // she is read for the look-up, that passport loses her, which is a change like those that are being looked through.
    @Test(arguments: StoreKind.allCases)
    func `a look-up that reads a refreshed object may change others`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let (ada, bea) = (library.insert("Author", ["name": "Ada"]), library.insert("Author", ["name": "Bea"]))
        let (first, second) = (library.insert("Passport", ["owner": ada]), library.insert("Passport"))
        try library.context.save()
        first.setValue(bea, forKey: "owner")
        library.context.processPendingChanges()
        library.context.refresh(ada, mergeChanges: false)
        #expect(ada.isFault && ada.isUpdated)
        let other = library.newContext()
        other.object(with: second.objectID).setValue(other.object(with: ada.objectID), forKey: "owner")
        try other.save()
        library.context.refresh(second, mergeChanges: false)
        for name in ["Bea", "Ada"] {
            let found = try library.fetch("Author", where: NSPredicate(format: "name == %@", name))
            #expect(found.map { $0.text("name") } == [name])
        }
        library.context.checkInvariants()
    }

    @Test func `random insertions, changes and deletions are found as without an index`() throws {
        for seed in 1...20 {
            var random = SeededGenerator(seed: UInt64(seed))
            let library = try Library(.inMemory)
            var books: [NSManagedObject] = []
            for step in 0..<60 {
                let isbn = "\(Int.random(in: 0..<5, using: &random))"
                switch (Int.random(in: 0..<8, using: &random), books.randomElement(using: &random)) {
                case (0...3, _), (_, nil):
                    let entity = Bool.random(using: &random) ? "Book" : "Novel"
                    books.append(library.insert(entity, ["title": "\(step)", "isbn": isbn]))
                case (4...5, let book?): book.setValue(isbn, forKey: "isbn")
                case (6, let book?):
                    library.context.delete(book)
                    books.removeAll { $0 === book }
                case (_, let book?): book.setValue("\(step)", forKey: "title")
                }
                _ = try titles(library, isbn: "\(Int.random(in: 0..<5, using: &random))")
            }
        }
    }
}
