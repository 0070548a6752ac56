// A batch update by an expression (and a derived attribute) may put into a column what no row can be read with any more: any text into a
// URI, an infinite number into a decimal. Every fetch of the entity fails afterwards.

import CoreData
import Testing

@Suite struct UnreadableBatchUpdateTests {
    @Test(arguments: [
        ("link", "title"), ("link", "uppercase:(title)"), ("link", "isbn"), ("price", "price * 1e308 * 10"),
        ("price", "exp:(1000)"),
    ])
    func `a batch update leaves rows that can be read`(_ key: String, _ format: String) throws {
        let library = try Library(.sqlite)
        _ = library.insert(
            "Book", ["title": "two words", "isbn": "", "price": NSDecimalNumber(string: "1.5")])
        try library.context.save()
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = [key: NSExpression(format: format)]
        // To refuse it is as good as to write what the attribute can hold.
        do {
            _ = try library.context.execute(request)
        } catch let error as CocoaError {
            #expect(error.localizedDescription.contains(key))
        }
        let books = try library.fetch("Book", in: library.newContext())
        #expect(books.map { $0.text("title") } == ["two words"])
    }

    @Test func `a URI that would be derived of any text is refused where the store is opened`() throws {
        let model = LibraryModel.make()
        let derived = NSDerivedAttributeDescription()
        (derived.name, derived.attributeType, derived.isOptional) = ("home", .URIAttributeType, true)
        derived.derivationExpression = NSExpression(format: "label")
        model.entitiesByName["Tag"]?.properties.append(derived)
        let error = #expect(throws: CocoaError.self) { try Library(.sqlite, model: model) }
        #expect(error?.localizedDescription.contains("Tag.home") == true)
    }
}
