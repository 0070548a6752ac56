// Two relationships without inverse become each other's. Both have links of their own, and what is said on one side alone has to be there
// afterwards, or to refuse the migration (divergence 19: nothing is lost in silence).

import CoreData
import Foundation
import Testing

@Suite struct JoinedRelationshipsTests {
    private func model(
        isJoined: Bool, _ books: TestModel.Count, _ author: TestModel.Count
    ) -> NSManagedObjectModel {
        let one = TestModel.entity("Author", [TestModel.attribute("name", .stringAttributeType)])
        let other = TestModel.entity("Book", [TestModel.attribute("name", .stringAttributeType)])
        if isJoined {
            TestModel.connect(one, "books", books, other, "author", author)
        } else {
            TestModel.relate(one, "books", books, other)
            TestModel.relate(other, "author", author, one)
        }
        return TestModel.model([one, other])
    }

    private func expectNoLoss(_ books: TestModel.Count, _ author: TestModel.Count, movesRows: Bool) throws {
        let older = model(isJoined: false, books, author), newer = model(isJoined: true, books, author)
        let store = try MigratingStore(older) { context in
            func value(_ object: NSManagedObject, _ count: TestModel.Count) -> Any {
                switch count {
                case .one: object
                case .many: NSSet(object: object)
                case .ordered: NSOrderedSet(object: object)
                }
            }
            // Ada knows of her book, and the other book knows of Bob. Neither is known from the other side.
            let ada = context.insert("Author", ["name": "Ada"]), bob = context.insert("Author", ["name": "Bob"])
            let hers = context.insert("Book", ["name": "hers"]), his = context.insert("Book", ["name": "his"])
            ada.setValue(value(hers, books), forKey: "books")
            his.setValue(value(bob, author), forKey: "author")
        }
        let result: MigratingStore
        do {
            result = try store.migrated(from: older, to: newer, movesRows: movesRows)
        } catch let error as CocoaError {
            // To refuse it, and say why, is no loss.
            let words = error.localizedDescription
            #expect(words.contains("Author.books") || words.contains("Book.author"))
            return
        }
        let context = try result.open(newer, nil)
        let links = try context.all("Book").map { book -> String in
            let authors: [NSManagedObject] =
                switch book.value(forKey: "author") {
                case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
                case let object as NSManagedObject: [object]
                default: []
                }
            let names = authors.compactMap { $0.value(forKey: "name") as? String }.sorted()
            return "\(book.value(forKey: "name") as? String ?? ""): \(names.joined(separator: ", "))"
        }
        #expect(links.sorted() == ["hers: Ada", "his: Bob"])
    }

    @Test(arguments: [true, false])
    func `a list and a reference become each other's inverse`(movesRows: Bool) throws {
        try expectNoLoss(.many, .one, movesRows: movesRows)
    }

    @Test(arguments: [true, false])
    func `an ordered list and a reference become each other's inverse`(movesRows: Bool) throws {
        try expectNoLoss(.ordered, .one, movesRows: movesRows)
    }

    @Test(arguments: [true, false])
    func `two lists become each other's inverse`(movesRows: Bool) throws {
        try expectNoLoss(.many, .many, movesRows: movesRows)
    }

    @Test(arguments: [true, false])
    func `two references become each other's inverse`(movesRows: Bool) throws {
        try expectNoLoss(.one, .one, movesRows: movesRows)
    }
}
