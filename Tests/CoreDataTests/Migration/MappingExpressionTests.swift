// What the expressions of a mapping model say: which objects a mapping is for, and functions that policies and managers answer.

import CoreData
import Foundation
import Testing

/// Answers functions of its mapping's expressions. On Apple's platforms these would be `@objc` methods.
final class AnsweringPolicy: NSEntityMigrationPolicy {
    override func value(ofFunction name: String, arguments: [Any?]) throws -> Any? {
        switch name {
        case "codeFromTitle:price:": "\(arguments[0] ?? "-")/\(arguments[1] as? NSDecimalNumber ?? 0)"
        case "linkOf:": (arguments[0] as? URL)?.appendingPathComponent("new")
        case "failWith:": throw CocoaError(.featureUnsupported)
        default: try super.value(ofFunction: name, arguments: arguments)
        }
    }
}

/// Answers a function with requests, counts what is associated, and names another entity for one of its mappings.
private final class AnsweringManager: NSMigrationManager {
    var associated = 0

    override func value(ofFunction name: String, arguments: [Any?]) throws -> Any? {
        switch name {
        case "booksOver:":
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            request.predicate = NSPredicate(format: "price > %@", arguments[0] as? NSNumber ?? 0)
            return request
        default: return try super.value(ofFunction: name, arguments: arguments)
        }
    }

    override func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        associated += 1
        super.associate(
            sourceInstance: sourceInstance, withDestinationInstance: destinationInstance, for: entityMapping)
    }
}

@Suite struct MappingExpressionTests {
    private static let price = "12345678901234.5"

    /// Author 1-n Book.
    private func older() -> NSManagedObjectModel {
        let author = TestModel.entity("Author", [TestModel.attribute("name", .stringAttributeType)])
        let book = TestModel.entity(
            "Book",
            [
                TestModel.attribute("title", .stringAttributeType), TestModel.attribute("price", .decimalAttributeType),
                TestModel.attribute("link", .URIAttributeType),
            ])
        TestModel.connect(author, "books", .many, book, "author", .one)
        return TestModel.model([author, book])
    }

    /// A book has become a cover and a text. There is an abstract entity, too.
    private func newer() -> NSManagedObjectModel {
        let author = TestModel.entity("Author", [TestModel.attribute("name", .stringAttributeType)])
        let cover = TestModel.entity(
            "Cover",
            [TestModel.attribute("code", .stringAttributeType), TestModel.attribute("link", .URIAttributeType)])
        let text = TestModel.entity("Text", [TestModel.attribute("title", .stringAttributeType)])
        TestModel.connect(author, "covers", .many, cover, "author", .one)
        TestModel.connect(author, "texts", .many, text, "author", .one)
        let work = TestModel.entity("Work", [TestModel.attribute("title", .stringAttributeType)])
        work.isAbstract = true
        return TestModel.model([author, cover, text, work])
    }

    private func store() throws -> MigratingStore {
        try MigratingStore(older()) { context in
            let author = context.insert("Author", ["name": "Ada"])
            context.insert(
                "Book",
                [
                    "title": "a", "price": NSDecimalNumber(string: Self.price), "author": author,
                    "link": try #require(URL(string: "https://example.org/a")),
                ])
            context.insert("Book", ["title": "b", "price": NSDecimalNumber(value: 2), "author": author])
        }
    }

    private func property(_ name: String, _ format: String) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = NSExpression(format: format)
        return mapping
    }

    private func mapping(
        _ source: String, _ destination: String, _ attributes: [NSPropertyMapping] = [],
        _ relationships: [NSPropertyMapping] = [], policy: AnyClass? = nil
    ) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "\(source)To\(destination)"
        mapping.mappingType = .customEntityMappingType
        mapping.sourceEntityName = source
        mapping.destinationEntityName = destination
        mapping.attributeMappings = attributes
        mapping.relationshipMappings = relationships
        mapping.entityMigrationPolicyClassName = policy.map(NSStringFromClass)
        return mapping
    }

    private func model(_ mappings: [NSEntityMapping]) -> NSMappingModel {
        let model = NSMappingModel()
        model.entityMappings = mappings
        return model
    }

    /// Looks into the store that a migration leads to.
    private func migrated<T>(_ mappings: [NSEntityMapping], _ look: (NSManagedObjectContext) throws -> T) throws -> T {
        let store = try store(), result = try MigratingStore()
        let manager = AnsweringManager(sourceModel: older(), destinationModel: newer())
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, with: model(mappings), toDestinationURL: result.url,
            destinationType: NSSQLiteStoreType)
        return try withExtendedLifetime(result) { try look(result.open(newer(), nil)) }
    }

    /// The titles of the texts after a migration.
    private func titles(_ mappings: [NSEntityMapping]) throws -> [String] {
        try migrated(mappings) { try $0.values("Text", "title") }
    }

    // NSEntityMapping.h, `sourceExpression`; the format is that of CoreDataPlus' V2toV3 mapping in code.
    @Test func `a source expression in a format chooses the objects`() throws {
        let text = mapping("Book", "Text", [property("title", "$source.title")])
        text.sourceExpression = NSExpression(
            format: "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Book\", "
                + "\"price > 3\"), $manager.sourceContext, NO)")
        #expect(text.sourceExpression is NSFetchRequestExpression)
        #expect(try titles([text]) == ["a"])
    }

    // Divergence 74.
    @Test func `a mapping without a source expression migrates all objects of its entity`() throws {
        let text = mapping("Book", "Text", [property("title", "$source.title")])
        #expect(text.sourceExpression == nil)
        #expect(try titles([text]) == ["a", "b"])
    }

    @Test func `a source expression may give a request for results of any class`() throws {
        let text = mapping("Book", "Text", [property("title", "$source.title")])
        text.sourceExpression = NSExpression(
            format: "FETCH(FUNCTION($manager, \"booksOver:\", 3), FUNCTION($manager, 'sourceContext'), NO)")
        #expect(try titles([text]) == ["a"])
        text.sourceExpression = NSExpression(format: "FUNCTION($manager, \"booksOver:\", 1)")
        #expect(try titles([text]) == ["a", "b"])
        text.sourceExpression = NSExpression(format: "FETCH($manager, $manager.sourceContext, NO)")
        let error = try #require(throws: CocoaError.self) { try migrated([text]) { _ in } }
        #expect(error.code == .entityMigrationPolicy && error.localizedDescription.contains("'BookToText'"))
    }

    // Apple, "Core Data Model Versioning and Data Migration", "Mapping Overview": the value expression of a property can call
    // functions of the policy. In the wild: FUNCTION($entityPolicy, "changeIdentifierType:", $source.identifier).
    @Test func `a policy answers the functions of its mapping's expressions`() throws {
        let cover = mapping(
            "Book", "Cover",
            [
                property("code", "FUNCTION($entityPolicy, \"codeFromTitle:price:\", $source.title, $source.price)"),
                property("link", "FUNCTION($entityPolicy, \"linkOf:\", $source.link)"),
            ], policy: AnsweringPolicy.self)
        try migrated([cover]) { context throws in
            #expect(try context.values("Cover", "code") == ["a/\(Self.price)", "b/2"])
            #expect(try context.values("Cover", "link") == ["https://example.org/a/new", "nil"])
        }
    }

    @Test(arguments: [
        ("FUNCTION($entityPolicy, \"codeFromText:\", $source.title)", "codeFromText:"),
        ("FUNCTION($manager, \"codeFromText:\", $source.title)", "codeFromText:"),
        ("FUNCTION($source.title, \"codeFromText:\", 1)", "codeFromText:"),
        ("FUNCTION($entityPolicy, \"failWith:\", $source.title)", "'code'"),
    ])
    func `a function that nobody knows, or that fails, ends the migration`(_ format: String, _ name: String) throws {
        let cover = mapping("Book", "Cover", [property("code", format)], policy: AnsweringPolicy.self)
        let error = try #require(throws: CocoaError.self) { try migrated([cover]) { _ in } }
        #expect(error.code == .entityMigrationPolicy)
        for part in ["'BookToCover'", "'code'", name] { #expect(error.localizedDescription.contains(part)) }
        let isUnknown = name == "codeFromText:"
        #expect(error.localizedDescription.contains("value(ofFunction:arguments:)") == isUnknown)
        #expect(isUnknown || (error.underlying as? CocoaError)?.code == .featureUnsupported)
    }

    @Test(arguments: ["$source.price", "$source.price + 1", "$source.author", "{$source.title}"])
    func `a value that an attribute can't hold ends the migration`(_ format: String) throws {
        let cover = mapping("Book", "Cover", [property("code", format)])
        let error = try #require(throws: CocoaError.self) { try migrated([cover]) { _ in } }
        #expect(error.code == .entityMigrationPolicy)
        for part in ["'BookToCover'", "'Cover.code'", "String"] { #expect(error.localizedDescription.contains(part)) }
    }

    @Test(arguments: [
        ("$source.author", "'Author' of the older store"),
        (
            "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'BookToCover', $source)",
            "'Cover' of the newer store"
        ),
    ])
    func `an object that a relationship can't lead to ends the migration`(_ format: String, _ found: String) throws {
        let cover = mapping("Book", "Cover", [], [property("author", format)])
        let error = try #require(throws: CocoaError.self) { try migrated([cover]) { _ in } }
        #expect(error.code == .entityMigrationPolicy)
        for part in ["'BookToCover'", "'Cover.author'", found] { #expect(error.localizedDescription.contains(part)) }
    }

    @Test func `a mapping that makes objects of an abstract entity ends the migration`() throws {
        let work = mapping("Book", "Work", [property("title", "$source.title")])
        let error = try #require(throws: CocoaError.self) { try migrated([work]) { _ in } }
        #expect(error.code == .entityMigrationPolicy)
        for part in ["'BookToWork'", "'Work'", "abstract"] { #expect(error.localizedDescription.contains(part)) }
    }

    // Observed on Apple's: CoreDataPlus' coded mappings carry hashes that can't fit, and migrate.
    @Test func `version hashes find mappings and are no condition for the one that is given`() throws {
        let text = mapping("Book", "Text", [property("title", "$source.title")])
        text.sourceEntityVersionHash = Data([1])
        text.destinationEntityVersionHash = Data([2])
        #expect(try titles([text]) == ["a", "b"])
    }

    @Test func `objects that one object was split into go where a relationship can lead`() throws {
        let books =
            "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"books\", "
            + "$source.books)"
        let author = mapping(
            "Author", "Author", [property("name", "$source.name")],
            [property("covers", books), property("texts", books)])
        let cover = mapping("Book", "Cover", [property("code", "$source.title")])
        let text = mapping("Book", "Text", [property("title", "$source.title")])
        try migrated([author, cover, text]) { context throws in
            #expect(try context.members("Author", "covers", name: "code") == [["a", "b"]])
            #expect(try context.members("Author", "texts", name: "title") == [["a", "b"]])
        }
    }

    // NSMigrationManager.h: open methods, which subclasses override.
    @Test func `a manager's methods are called where it is overridden`() throws {
        let store = try store(), result = try MigratingStore()
        let manager = AnsweringManager(sourceModel: older(), destinationModel: newer())
        let text = mapping("Book", "Text", [property("title", "$source.title")])
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, with: model([text]), toDestinationURL: result.url,
            destinationType: NSSQLiteStoreType)
        #expect(manager.associated == 2)
        #expect(manager.destinationEntity(for: text)?.name == "Text" && manager.sourceEntity(for: text)?.name == "Book")
    }

    // CoreDataPlus, `test_InferringMappingModelFromV1toV2`.
    @Test func `an inferred mapping tells which properties are mapped, added and removed`() throws {
        let next = try older().next { model in
            let book = try model.entity("Book")
            try book.attribute("link").name = "address"
            try book.attribute("address").renamingIdentifier = "link"
            book.properties.removeAll { $0.name == "price" }
            book.properties.append(TestModel.attribute("isbn", .stringAttributeType))
        }
        let mappings = try NSMappingModel.inferredMappingModel(forSourceModel: older(), destinationModel: next)
        let info = try #require(mappings.entityMappings.first { $0.sourceEntityName == "Book" }?.userInfo)
        #expect(info["mappedProperties"] as? Set<String> == ["title", "address", "author"])
        #expect(info["addedProperties"] as? Set<String> == ["isbn"])
        #expect(info["removedProperties"] as? Set<String> == ["price"])
    }
}
