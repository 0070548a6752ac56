// Divergence 83: a value that is wider than its attribute is refused by saving, validating "and so do batches". One that an expression
// of a batch update comes to isn't.

import CoreData
import Testing

@Suite struct BatchUpdateRangeTests {
    @Test func `a batch update whose expression comes to a number that the attribute has no room for is refused`()
        throws
    {
        let model = LibraryModel.make()
        model.entitiesByName["Book"]?.properties.append(LibraryModel.attribute("small", .integer16AttributeType))
        let library = try Library(.sqlite, model: model)
        _ = library.insert("Book", ["title": "a", "pages": 7, "small": 1])
        _ = library.insert("Book", ["title": "b", "pages": 7, "small": 40])
        try library.context.save()
        for (key, format) in [("small", "small * 1000"), ("small", "pages - 50000"), ("pages", "pages * 1000000000")] {
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.propertiesToUpdate = [key: NSExpression(format: format)]
            let error = #expect(throws: CocoaError.self, "\(format)") { try library.context.execute(request) }
            #expect(error?.localizedDescription.contains("'\(key)'") == true, "\(format)")
            let books = try library.fetch("Book", sortedBy: "title", in: library.newContext())
            // One row in which there is room isn't written, either.
            #expect(books.map { $0.value(forKey: "small") as? Int } == [1, 40], "\(format)")
            #expect(books.map { $0.value(forKey: "pages") as? Int } == [7, 7], "\(format)")
        }
    }
}
