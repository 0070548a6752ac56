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

    @Test(arguments: StoreKind.matching)
    func `a derived URI leaves rows that can be read`(_ kind: StoreKind) throws {
        let model = LibraryModel.make()
        let derived = NSDerivedAttributeDescription()
        (derived.name, derived.attributeType, derived.isOptional) = ("home", .URIAttributeType, true)
        derived.derivationExpression = NSExpression(format: "label")
        model.entitiesByName["Tag"]?.properties.append(derived)
        let library = try Library(kind, model: model)
        _ = library.insert("Tag", ["label": "two words"])
        try library.context.save()
        let tags = try library.fetch("Tag", in: library.newContext())
        #expect(tags.map { $0.text("label") } == ["two words"])
    }
}
