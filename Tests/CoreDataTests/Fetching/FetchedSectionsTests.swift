// Sections whose place depends on their objects: the first sort descriptor orders them by something else than their name.

import CoreData
import Testing

@Suite struct FetchedSectionsTests {
    /// A book for each title, with 10, 20, … pages.
    private func filled(_ titles: String...) throws -> Library {
        let library = try Library(.inMemory)
        for (index, title) in titles.enumerated() {
            _ = library.insert("Book", ["title": title, "pages": (index + 1) * 10])
        }
        try library.context.save()
        return library
    }

    private var request: NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
        return request
    }

    /// A list in sections by title, sorted by pages.
    private func list(_ library: Library) throws -> ListModel {
        try ListModel(request, library.context, sectionedBy: "title")
    }

    private func book(_ library: Library, _ title: String) throws -> NSManagedObject {
        try #require(try library.fetch("Book", where: NSPredicate(format: "title == %@", title)).first)
    }

    @Test func `a section that changes places is deleted and inserted, and its objects move`() throws {
        let library = try filled("a", "b")
        let list = try list(library)
        let a = try book(library, "a"), b = try book(library, "b")
        a.setValue(30, forKey: "pages")
        library.context.processPendingChanges()
        #expect(
            list.takeEvents() == ["will", "insert section a 1", "move a 0.0 1.0", "delete section a 0", "did"])
        #expect(list.rows == [[b], [a]])
        #expect(list.sizesOfGoneSections == [0])
    }

    @Test func `sections by a number are called as Apple's print it`() throws {
        let library = try Library(.inMemory)
        for price in ["1.5", "3"] { _ = library.insert("Book", ["price": NSDecimalNumber(string: price), "pages": 1]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: true)]
        #expect(
            try ListModel(request, library.context, sectionedBy: "price").controller.sections?.map(\.name) == [
                "1.5", "3",
            ])
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        #expect(try ListModel(request, library.context, sectionedBy: "pages").controller.sections?.map(\.name) == ["1"])
    }

    @Test func `a section that nothing happens to stays where others pass by`() throws {
        let library = try filled("a", "b", "c", "d")
        let list = try list(library)
        let b = try book(library, "b"), d = try book(library, "d")
        b.setValue(11, forKey: "pages")
        d.setValue(15, forKey: "pages")
        library.context.processPendingChanges()
        #expect(
            list.takeEvents() == [
                "will", "insert section d 2", "update b 1.0 1.0", "move d 3.0 2.0", "delete section d 3", "did",
            ])
    }

    @Test func `an insertion alone can make a section change places, and so can a deletion`() throws {
        let library = try filled("a", "b", "c")
        let list = try list(library)
        let new = library.insert("Book", ["title": "c", "pages": 5])
        library.context.processPendingChanges()
        #expect(
            list.takeEvents() == [
                "will", "insert section c 0", "insert c - 0.0", "move c 2.0 0.1", "delete section c 2", "did",
            ])
        try library.context.save()
        library.context.delete(new)
        library.context.processPendingChanges()
        #expect(
            list.takeEvents() == [
                "will", "insert section c 2", "delete c 0.0 -", "move c 0.1 2.0", "delete section c 0", "did",
            ])
    }

    @Test(arguments: 1...8)
    func `a list whose sections change places always has what the controller has`(_ seed: UInt64) throws {
        let library = try filled("a", "b", "c", "d")
        let list = try list(library)
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let books = try library.fetch("Book")
                let book = books.randomElement(using: &random)
                let title = ["a", "b", "c", "d", "e"].randomElement(using: &random) ?? ""
                let pages = Int.random(in: 1...40, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: _ = library.insert("Book", ["title": title, "pages": pages])
                case 1 where books.count > 3: book.map(library.context.delete)
                case 2: book?.setValue(title, forKey: "title")
                case 3: book?.setValue(pages, forKey: "pages")
                default:
                    // All of a section pass by others.
                    for book in books where book.text("title") == title { book.setValue(pages, forKey: "pages") }
                }
            }
            if Bool.random(using: &random) {
                try library.context.save()
            } else {
                library.context.processPendingChanges()
            }
            // The sections of what is fetched, each where its first object is.
            var expected: [(title: String, pages: [Int])] = []
            for book in try library.context.fetch(request) {
                let title = book.text("title") ?? "", pages = book.value(forKey: "pages") as? Int ?? 0
                if let index = expected.firstIndex(where: { $0.title == title }) {
                    expected[index].pages.append(pages)
                } else {
                    expected.append((title, [pages]))
                }
            }
            let shown = list.rows.map { section in section.map { $0.value(forKey: "pages") as? Int ?? 0 } }
            #expect(shown == expected.map(\.pages), "seed \(seed), round \(round)")
            #expect(list.controller.sections?.map(\.name) == expected.map(\.title), "seed \(seed), round \(round)")
        }
    }
}
