// What existing code relies on and no other suite here says. Everything runs unchanged against Apple's Core Data; where no page says so,
// it is marked as assumed.

import CoreData
import Testing

@Suite struct ClientIdiomTests {
    // MARK: Dictionaries

    private static func sum(of key: String, named name: String) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: key)])
        description.expressionResultType = .integer64AttributeType
        return description
    }

    private static func dictionaries(
        _ library: Library, _ entity: String, _ change: (NSFetchRequest<NSDictionary>) -> Void
    ) throws -> [NSDictionary] {
        let request = NSFetchRequest<NSDictionary>(entityName: entity)
        request.resultType = .dictionaryResultType
        change(request)
        return try library.context.fetch(request)
    }

    // Eight clients' suites: one of them sums what it shows sorted.
    @Test(arguments: StoreKind.allCases)
    func `[assumed] a sum of all rows may be asked for with sort descriptors`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for pages in [3, 4] { _ = library.insert("Book", ["pages": pages]) }
        try library.context.save()
        let found = try Self.dictionaries(library, "Book") {
            $0.propertiesToFetch = [Self.sum(of: "pages", named: "all")]
            $0.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
        }
        #expect(found == [["all": 7]])
    }

    @Test(arguments: StoreKind.allCases)
    func `[assumed] an expression description without an expression stands for the attribute of its name`(
        _ kind: StoreKind
    ) throws {
        let library = try Library(kind)
        _ = library.insert("Book", ["title": "b"])
        try library.context.save()
        let description = NSExpressionDescription()
        description.name = "title"
        #expect(try Self.dictionaries(library, "Book") { $0.propertiesToFetch = [description] } == [["title": "b"]])
    }

    /// What a key path counts in the groups of books with one title, of which two are called a.
    private func counts(_ path: String, _ kind: StoreKind) throws -> [NSDictionary] {
        let library = try Library(kind)
        let tags = ["x", "y"].map { library.insert("Tag", ["label": $0]) }
        for (title, count) in [("a", 2), ("a", 1), ("b", 0)] {
            _ = library.insert("Book", ["title": title, "tags": Set(tags.prefix(count))])
        }
        try library.context.save()
        let description = NSExpressionDescription()
        description.name = "count"
        description.expression = NSExpression(forKeyPath: path)
        description.expressionResultType = .integer64AttributeType
        return try Self.dictionaries(library, "Book") {
            $0.propertiesToGroupBy = ["title"]
            $0.propertiesToFetch = ["title", description]
            $0.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `[assumed] the number of members of a group is that of all its rows`(_ kind: StoreKind) throws {
        #expect(try counts("tags.@count", kind) == [["title": "a", "count": 3], ["title": "b", "count": 0]])
    }

    // A client's suite groups by a name and counts what a path through a to-many relationship leads to.
    @Test(arguments: StoreKind.allCases)
    func `[assumed] the number of values behind a to-many relationship is that of all rows of a group`(
        _ kind: StoreKind
    ) throws {
        #expect(try counts("tags.label.@count", kind) == [["title": "a", "count": 3], ["title": "b", "count": 0]])
    }

    // MARK: Predicates

    // The documentation of NSNull's description says <null>; predicates print constants by their descriptions.
    @Test func `NSNull is written as null in angle brackets`() {
        #expect(NSPredicate(format: "name == %@", argumentArray: [NSNull()]).description == "name == <null>")
        #expect(NSPredicate(format: "name == nil").description == "name == nil")
        #expect("\(CoreData.NSExpression(forConstantValue: NSNull()))" == "<null>")
        let written = NSPredicate(format: "name IN %@", argumentArray: [["a", NSNull()] as [Any]]).description
        #expect(written == #"name IN {"a", <null>}"#)
        #expect(NSPredicate(format: written).description == written)
    }

    // Apple's SQLite store raises "keypath colour not found in entity Book"; that the one in memory refuses it, too, is assumed.
    @Test(arguments: StoreKind.allCases)
    func `a predicate with a key that the entity doesn't have fails the fetch`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        _ = library.insert("Book")
        try library.context.save()
        for format in ["colour == 'red'", "author.colour == nil", "NOT (colour == 'red')", "ANY tags.colour == 'red'"] {
            #expect(throws: CocoaError.self, "\(format)") {
                try library.fetch("Book", where: NSPredicate(format: format))
            }
        }
    }

    // MARK: Models

    // [assumed] A public client's suite has one.
    @Test(arguments: StoreKind.allCases)
    func `an empty uniqueness constraint constrains nothing`(_ kind: StoreKind) throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [[]]
        let library = try Library(kind, model: model)
        for policy in [NSMergePolicy.error, .mergeByPropertyObjectTrump] {
            library.context.mergePolicy = policy
            for label in ["a", "b"] { _ = library.insert("Tag", ["label": label]) }
            try library.context.save()
        }
        #expect(try library.fetch("Tag").count == 4)
    }

    // Groot's own tests do it, and pass on Apple's platforms, whatever the documentation says.
    @Test func `what a model's author noted can be changed while the model is in use`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let entity = try #require(library.coordinator.managedObjectModel.entitiesByName["Author"])
        entity.userInfo = ["identityAttributes": "name"]
        entity.attributesByName["name"]?.userInfo = ["JSONKeyPath": "full_name"]
        #expect(entity.userInfo?["identityAttributes"] as? String == "name" && author.text("name") == "Ada")
        try library.context.save()
    }

    // MARK: Requests

    // Divergence 34: a cast gives the request on Apple's platforms, also where the compiler sees here that it can't. What the page says to
    // write instead works on both.
    @Test func `a request for objects of a class is made anew for objects of any class`() throws {
        let library = try Library(.inMemory)
        _ = library.insert("Author", ["name": "Ada"])
        let request = NSFetchRequest<Witness>(entityName: "Author")
        request.predicate = NSPredicate(format: "name == 'Ada'")
        let plain = NSFetchRequest<NSManagedObject>(entityName: try #require(request.entityName))
        plain.predicate = request.predicate
        plain.sortDescriptors = request.sortDescriptors
        #expect(try library.context.fetch(plain).count == 1)

        func fetched<T>(_ request: NSFetchRequest<T>) throws -> Int { try library.context.fetch(request).count }
        #expect(try fetched(plain) == 1)
        let untyped: NSPersistentStoreRequest = plain
        let result = try library.context.execute(untyped) as? NSAsynchronousFetchResult<NSManagedObject>
        #expect(result?.finalResult?.map { $0.text("name") } == ["Ada"])
    }

    // Tests make models as often as stacks; a class's entity may then be that of another one than the object's.
    @Test func `descriptions and requests are equal where they say the same`() throws {
        let models = (0..<2).map { _ in LibraryModel.make() }
        let books = try models.map { try #require($0.entitiesByName["Book"]) }
        #expect(books[0] == books[1] && Set(books).count == 1)
        let titles = books.map { $0.attributesByName["title"] },
            authors = books.map { $0.relationshipsByName["author"] }
        #expect(titles[0] == titles[1] && authors[0] == authors[1] && titles[0] != books[0].attributesByName["isbn"])
        titles[1]?.isOptional = false
        #expect(titles[0] != titles[1] && books[0] != books[1] && authors[0] == authors[1])
        #expect(models[0].entitiesByName["Tag"] == models[1].entitiesByName["Tag"])

        func request() -> NSFetchRequest<NSManagedObject> {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSCompoundPredicate(
                andPredicateWithSubpredicates: [NSPredicate(format: "pages > 5"), NSPredicate(format: "isbn != nil")])
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            request.propertiesToFetch = ["title"]
            return request
        }
        let (first, second) = (request(), request())
        #expect(
            first == second && first.hash == second.hash && first == first.copy() as? NSFetchRequest<NSManagedObject>)
        for change: (NSFetchRequest<NSManagedObject>) -> Void in [
            { $0.fetchLimit = 1 }, { $0.predicate = NSPredicate(format: "pages > 5 AND isbn == nil") },
            { $0.includesSubentities = false }, { $0.propertiesToFetch = ["isbn"] }, { $0.sortDescriptors = [] },
            { $0.affectedStores = [] },
        ] {
            let other = request()
            change(other)
            #expect(first != other)
        }
        #expect(first as NSPersistentStoreRequest != NSAsynchronousFetchRequest(fetchRequest: second))

        let url = URL(fileURLWithPath: "/dev/null")
        let (here, there) = (NSPersistentStoreDescription(url: url), NSPersistentStoreDescription(url: url))
        #expect(here == there && here.hash == there.hash)
        there.isReadOnly = true
        #expect(here != there)
    }

    @Test func `generic code makes an object by the designated initialiser of its class`() throws {
        func make<Object: NSManagedObject>(_ type: Object.Type, in context: NSManagedObjectContext) -> Object {
            Object(context: context)
        }
        let entity = TestModel.entity("Prepared")
        entity.managedObjectClassName = NSStringFromClass(Prepared.self)
        let context = try Library(.inMemory, model: TestModel.model([entity])).context
        #expect(Prepared(context: context).steps == ["designated", "own"])
        #expect(make(Prepared.self, in: context).steps == ["designated"])
    }

    // Divergence 54: on Apple's platforms the other initialiser is asked for when such an object is fetched.
    @Test func `a class with a designated initialiser of its own overrides the other one, too`() throws {
        let entity = TestModel.entity("Named", [TestModel.attribute("name", .stringAttributeType)])
        entity.managedObjectClassName = NSStringFromClass(Named.self)
        let library = try Library(.sqlite, model: TestModel.model([entity]))
        let object = Named(name: "Ada", in: library.context)
        #expect(object.isInserted && object.text("name") == "Ada")
        try library.context.save()
        #expect(try library.fetch("Named", in: library.newContext()) is [Named])
    }

    @Test func `a path leads to the relationship that is changed`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author"), book = library.insert("Book", ["author": author]),
            tag = library.insert("Tag")
        let chapter = library.insert("Chapter", ["book": book])
        chapter.mutableSetValue(forKeyPath: "book.tags").add(tag)
        chapter.mutableSetValue(forKeyPath: "book.author.books").add(library.insert("Book"))
        let last = library.insert("Chapter")
        book.mutableOrderedSetValue(forKeyPath: "chapters").insert(last, at: 0)
        chapter.mutableOrderedSetValue(forKeyPath: "book.chapters").remove(chapter)
        #expect(book.many("tags") == [tag] && author.many("books").count == 2 && book.ordered("chapters") == [last])
    }

    // MARK: Small things

    // The headers NSPersistentStore.h, NSManagedObjectContext.h, NSPersistentStoreCoordinator.h and NSMergePolicy.h have them.
    @Test func `store types, keys and conflicts have all their names`() {
        #expect(NSPersistentStore.StoreType.binary.rawValue == NSBinaryStoreType)
        #expect(NSManagedObjectContext.NotificationKey.queryGeneration.rawValue == "newQueryGeneration")
        #expect(NSUUIDChangedPersistentStoresKey != NSRemovedPersistentStoresKey)
        #expect(NSConstraintConflict().conflictingObjects.isEmpty)
        let conflict = NSConstraintConflict(
            constraint: ["isbn"], database: nil, databaseSnapshot: ["isbn": "1"], conflicting: [],
            conflictingSnapshots: [["isbn": "2"]])
        #expect(conflict.databaseSnapshot?["isbn"] as? String == "1" && conflict.conflictingSnapshots.count == 1)
        #expect(NSPersistentStoreDeferredLightweightMigrationOptionKey != NSValidateXMLStoreOption)
        #expect(NSXMLStoreType != NSBinaryStoreType && NSCoreDataVersionNumber > 0)
        #expect(NSManagedObject.contextShouldIgnoreUnmodeledPropertyChanges)
    }

    // Apple, "registeredStoreTypes", "registerStoreClass(_:type:)": nil takes a class away. That there is never anything to finish is ours.
    @Test func `a coordinator knows of which types stores can be, and leaves no migration for later`() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[NSSQLiteStoreType] != nil)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["Paper"] == nil)
        let paper = NSPersistentStore.StoreType(rawValue: "Slate")
        NSPersistentStoreCoordinator.registerStoreClass(NSIncrementalStore.self, type: paper)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[paper.rawValue] != nil)
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: paper.rawValue)
        #expect(NSPersistentStore.StoreType.xml.rawValue == NSXMLStoreType)
        #expect(coordinator.currentPersistentHistoryToken(fromStores: coordinator.persistentStores as [Any]) == nil)
        try coordinator.finishDeferredLightweightMigration()
        try coordinator.finishDeferredLightweightMigrationTask()
    }

    @Test func `an expression that stands alone prints whole numbers without a point`() {
        #expect(NSExpression(forConstantValue: 20.0).description == "20")
        #expect(NSExpression(forConstantValue: [1.0, 1.5]).description == "{1, 1.5}")
    }
}

/// Has a designated initialiser of its own.
final class Named: NSManagedObject {
    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }

    init(name: String, in context: NSManagedObjectContext) {
        super.init(entity: Self.entity(), insertInto: context)
        setValue(name, forKey: "name")
    }
}

/// Has an initialiser of its own beside the designated one.
final class Prepared: NSManagedObject {
    private(set) var steps: [String] = []

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        steps.append("designated")
    }

    convenience init(context: NSManagedObjectContext) {
        self.init(entity: Self.entity(), insertInto: context)
        steps.append("own")
    }
}
