// Properties that no store has: transient ones, and fetched ones. What they hold is known to objects alone.

import CoreData
import Testing

@Suite struct UnstoredPropertyTests {
    /// One author is as she was saved, one has changed, one is new; all have a mood.
    private func moody(_ kind: StoreKind) throws -> Library {
        let model = LibraryModel.make()
        let books = NSFetchedPropertyDescription()
        books.name = "found"
        books.fetchRequest = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        model.entitiesByName["Author"]?.properties.append(books)
        let library = try Library(kind, model: model)
        let authors = ["Ada", "Bea"].map { library.insert("Author", ["name": $0, "mood": "glad"]) }
        _ = library.insert("Book", ["author": authors[0]])
        try library.context.save()
        authors[1].setValue("sad", forKey: "mood")
        _ = library.insert("Author", ["name": "Cleo", "mood": "glad"])
        return library
    }

    @Test(arguments: StoreKind.allCases)
    func `a predicate on what isn't stored is an error, whichever store is asked`(_ kind: StoreKind) throws {
        let library = try moody(kind)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = library.context
        for (entity, format) in [
            ("Author", "mood == 'glad'"), ("Author", "name == 'Ada' AND NOT mood == nil"), ("Author", "found != nil"),
            ("Author", "SUBQUERY(books, $b, $b.author.mood == 'glad').@count > 0"), ("Book", "author.mood == 'glad'"),
        ] {
            for context in [library.context, child] {
                let error = try #require(throws: CocoaError.self, "\(format)") {
                    try library.fetch(entity, where: NSPredicate(format: format), in: context)
                }
                #expect(error.code == .persistentStoreOperation && "\(error)".contains("isn't stored"), "\(error)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `so is an order by it, while objects in memory are chosen and sorted`(_ kind: StoreKind) throws {
        let library = try moody(kind)
        for (entity, key) in [("Author", "mood"), ("Book", "author.mood")] {
            let error = try #require(throws: CocoaError.self) { try library.fetch(entity, sortedBy: key) }
            #expect("\(error)".contains("isn't stored"), "\(error)")
        }
        let authors = try library.fetch("Author", sortedBy: "name") as NSArray
        let glad = authors.filtered(using: NSPredicate(format: "mood == 'glad'"))
        #expect(glad.compactMap { ($0 as? NSManagedObject)?.text("name") } == ["Ada", "Cleo"])
    }
}
