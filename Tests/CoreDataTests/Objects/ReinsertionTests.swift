// Objects that are given to `insert(_:)` once more.

import CoreData
import Testing

@Suite struct ReinsertionTests {
    @Test(arguments: StoreKind.allCases, [false, true])
    func `an unsaved object that was deleted and inserted again is saved`(_ kind: StoreKind, isKnown: Bool) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["title": "b"])
        book.setValue(author, forKey: "author")
        if isKnown { library.context.processPendingChanges() }
        library.context.delete(author)
        library.context.insert(author)
        #expect(author.isInserted && !author.isDeleted && library.context.insertedObjects == [author, book])
        try library.context.save()
        #expect(author.text("name") == "Ada" && book.one("author") === author)
        #expect(try library.fetch("Author", in: library.newContext()).map { $0.text("name") } == ["Ada"])
        library.context.delete(author)
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).isEmpty)
    }

    enum Loss: CaseIterable { case rollback, processedDeletion, savedDeletion }

    @Test(arguments: StoreKind.allCases, Loss.allCases)
    func `an object that has left its context is inserted as a new one`(_ kind: StoreKind, loss: Loss) throws {
        let library = try Library(kind), context = library.context
        let author = library.insert("Author", ["name": "Ada"])
        switch loss {
        case .rollback: context.rollback()
        case .processedDeletion:
            context.processPendingChanges()
            context.delete(author)
            context.processPendingChanges()
        case .savedDeletion:
            try context.save()
            context.delete(author)
            try context.save()
        }
        context.insert(author)
        #expect(author.isInserted && !author.isDeleted && !author.isFault && author.objectID.isTemporaryID)
        author.setValue("Bea", forKey: "name")
        try context.save()
        #expect(try library.fetch("Author", in: library.newContext()).map { $0.text("name") } == ["Bea"])
    }
}
