// What many objects of one context take: in proportion to how many there are, whatever becomes of them one by one.

import CoreData
import TestSupport
import Testing

@Suite struct ChangeGrowthTests {
    /// What is done to each of some stored books of one author, one after the other.
    enum Work: String, CaseIterable, CustomTestStringConvertible {
        case refreshing, deletingBesideNew, deletingBesideChanged, deletingRetained, lookingUp, undoing, leavingAList
        case prefetching

        var testDescription: String { rawValue }

        func run(_ library: Library, _ books: [NSManagedObject]) throws {
            let context = library.context
            switch self {
            case .refreshing:
                for book in books { book.setValue(1, forKey: "pages") }
                for book in books { context.refresh(book, mergeChanges: false) }
            case .deletingBesideNew:
                for _ in books { _ = library.insert("Tag") }
                for _ in books { context.delete(library.insert("Tag")) }
            case .deletingBesideChanged:
                for book in books { book.setValue(1, forKey: "pages") }
                for book in books {
                    context.delete(book)
                    library.insert("Tag").setValue("x", forKey: "label")
                }
            case .deletingRetained:
                context.retainsRegisteredObjects = true
                books.forEach(context.delete)
                try context.save()
            case .lookingUp:
                let tags = books.map { library.insert("Tag", ["label": $0.text("title") ?? ""]) }
                for tag in tags {
                    context.delete(tag)
                    _ = library.insert("Tag", ["label": "new"])
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                    request.predicate = NSPredicate(format: "label = %@", tag.text("label") ?? "")
                    #expect(try context.fetch(request).isEmpty)
                }
            case .undoing:
                for book in books {
                    book.setValue(1, forKey: "pages")
                    context.processPendingChanges()
                }
                for _ in books { context.undo() }
                for _ in books { context.redo() }
            case .leavingAList:
                for book in books { book.setValue(nil, forKey: "author") }
                try context.save()
            case .prefetching:
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.relationshipKeyPathsForPrefetching = ["author.books", "tags.books.tags"]
                context.reset()
                #expect(try context.fetch(request).count == books.count)
            }
            context.checkInvariants()
        }
    }

    private func stored(_ count: Int, undoes: Bool) throws -> (Library, [NSManagedObject]) {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), tag = library.insert("Tag")
        let books = (0..<count).map { library.insert("Book", ["title": "\($0)", "author": author]) }
        tag.setValue(Set(books), forKey: "books")
        try library.context.save()
        if undoes {
            library.context.undoManager = UndoManager()
            library.context.undoManager?.groupsByEvent = false
        }
        return (library, books)
    }

    @Test(arguments: Work.allCases)
    func `four times as many objects take about four times as long`(_ work: Work) throws {
        let undoes = work == .undoing, count = 250
        var (small, large) = ([(Library, [NSManagedObject])](), [(Library, [NSManagedObject])]())
        for _ in 0..<3 {
            try small.append(stored(count, undoes: undoes))
            try large.append(stored(count * 4, undoes: undoes))
        }
        let ratio = try Growth.ratio {
            let (library, books) = small.removeLast()
            try work.run(library, books)
        } large: {
            let (library, books) = large.removeLast()
            try work.run(library, books)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }

    @Test func `what a save takes that has to be unique doesn't grow with the rows`() throws {
        func library(_ count: Int) throws -> Library {
            let library = try Library(.inMemory)
            for index in 0..<count { _ = library.insert("Book", ["isbn": "\(index)"]) }
            try library.context.save()
            library.context.reset()
            return library
        }
        func add(to library: Library) throws {
            for _ in 0..<20 {
                _ = library.insert("Book", ["isbn": UUID().uuidString])
                try library.context.save()
            }
        }
        let small = try library(500), large = try library(5_000)
        let ratio = try Growth.ratio(small: { try add(to: small) }, large: { try add(to: large) })
        #expect(ratio < 4, "\(ratio)")
    }
}
