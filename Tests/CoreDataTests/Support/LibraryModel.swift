// A small model with every kind of relationship, built in code, and stacks on it for the two store types.

import CoreData
import Testing

enum LibraryModel {
    /// Author 1-n Book (cascade), Book 1-n Chapter (ordered, cascade), Book n-n Tag, Author 1-1 Passport,
    /// Author 1-n Prize (deny), Novel: Book.
    static func make() -> NSManagedObjectModel {
        let author = entity("Author"), book = entity("Book"), novel = entity("Novel"), chapter = entity("Chapter")
        let tag = entity("Tag"), passport = entity("Passport"), prize = entity("Prize")
        author.properties = [
            attribute("name", .stringAttributeType, optional: false), attribute("born", .dateAttributeType),
            attribute("rating", .doubleAttributeType), attribute("mood", .undefinedAttributeType, transient: true),
        ]
        book.properties = [
            attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType, default: 7),
            attribute("price", .decimalAttributeType), attribute("isLent", .booleanAttributeType, default: false),
            attribute("cover", .binaryDataAttributeType), attribute("uuid", .UUIDAttributeType),
            attribute("link", .URIAttributeType), attribute("notes", .transformableAttributeType),
            attribute("isbn", .stringAttributeType),
        ]
        novel.properties = [attribute("genre", .stringAttributeType)]
        chapter.properties = [attribute("heading", .stringAttributeType)]
        tag.properties = [attribute("label", .stringAttributeType)]
        passport.properties = [attribute("number", .stringAttributeType)]
        prize.properties = [attribute("title", .stringAttributeType)]
        connect(author, "books", many: true, .cascadeDeleteRule, book, "author", many: false)
        connect(book, "chapters", many: true, .cascadeDeleteRule, chapter, "book", many: false, ordered: true)
        connect(book, "tags", many: true, .nullifyDeleteRule, tag, "books", many: true)
        connect(author, "passport", many: false, .cascadeDeleteRule, passport, "owner", many: false)
        connect(author, "prizes", many: true, .denyDeleteRule, prize, "winner", many: false)
        book.subentities = [novel]
        book.uniquenessConstraints = [["isbn"]]
        let model = NSManagedObjectModel()
        model.entities = [author, book, novel, chapter, tag, passport, prize]
        return model
    }

    /// Owner 1-1 Part and 1-n Part, without inverses, and both go with their owner.
    static func makeOwners() -> NSManagedObjectModel {
        let owner = entity("Owner"), part = entity("Part")
        part.properties = [attribute("name", .stringAttributeType)]
        owner.properties = [("part", 1), ("parts", 0)].map { name, maxCount in
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = part
            relationship.maxCount = maxCount
            relationship.deleteRule = .cascadeDeleteRule
            return relationship
        }
        let model = NSManagedObjectModel()
        model.entities = [owner, part]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }

    static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, default value: Any? = nil,
        transient: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.isTransient = transient
        attribute.defaultValue = value
        return attribute
    }

    static func connect(
        _ a: NSEntityDescription, _ x: String, many: Bool, _ rule: NSDeleteRule,
        _ b: NSEntityDescription, _ y: String, many inverseMany: Bool, ordered: Bool = false
    ) {
        let forth = NSRelationshipDescription(), back = NSRelationshipDescription()
        forth.name = x
        back.name = y
        forth.destinationEntity = b
        back.destinationEntity = a
        forth.maxCount = many ? 0 : 1
        back.maxCount = inverseMany ? 0 : 1
        forth.isOptional = true
        back.isOptional = true
        forth.isOrdered = ordered
        forth.deleteRule = rule
        back.deleteRule = .nullifyDeleteRule
        forth.inverseRelationship = back
        back.inverseRelationship = forth
        a.properties += [forth]
        b.properties += [back]
    }
}

/// Which store a test runs on. PostgreSQL where there is a server: `make test-postgresql`.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case inMemory, sqlite, postgreSQL

    static let allCases: [StoreKind] = [.inMemory, .sqlite] + (TestServer.url == nil ? [] : [.postgreSQL])

    /// The database for what only a database has: batches, a history.
    static let database: StoreKind = TestServer.url == nil ? .sqlite : .postgreSQL

    /// Those that keep whatever a value can be, and do with texts and decimals what the evaluation in memory does; docs/postgresql.md
    /// says what PostgreSQL doesn't.
    static let matching: [StoreKind] = [.inMemory, .sqlite]

    var testDescription: String { rawValue }

    /// The type and a URL for a new store.
    func newStore() throws -> (type: String, url: URL?) {
        switch self {
        case .inMemory: (NSInMemoryStoreType, nil)
        case .sqlite: (NSSQLiteStoreType, URL(fileURLWithPath: "/dev/null"))
        case .postgreSQL: ("PostgreSQL", try TestServer.newStore())
        }
    }
}

/// A coordinator with one store; contexts as many as a test wants.
final class Library {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    /// Objects don't keep their context alive; a test's library does.
    private var contexts: [NSManagedObjectContext] = []

    convenience init(
        _ kind: StoreKind, model: NSManagedObjectModel = LibraryModel.make(), options: [String: Any]? = nil
    ) throws {
        let (type, url) = try kind.newStore()
        try self.init(ofType: type, at: url, model, options)
    }

    /// A stack on a SQLite file.
    convenience init(at url: URL, model: NSManagedObjectModel, options: [String: Any]? = nil) throws {
        try self.init(ofType: NSSQLiteStoreType, at: url, model, options)
    }

    private init(
        ofType type: String, at url: URL?, _ model: NSManagedObjectModel, _ options: [String: Any]?
    ) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        contexts.append(context)
        return context
    }

    func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValuesForKeys(values)
        return object
    }

    func fetch(
        _ entity: String, sortedBy key: String? = nil, where predicate: NSPredicate? = nil,
        in other: NSManagedObjectContext? = nil
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return try (other ?? context).fetch(request)
    }
}

extension NSManagedObject {
    func text(_ key: String) -> String? { value(forKey: key) as? String }
    func one(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
    func many(_ key: String) -> Set<NSManagedObject> { value(forKey: key) as? Set<NSManagedObject> ?? [] }
    func ordered(_ key: String) -> [NSManagedObject] {
        (value(forKey: key) as? NSOrderedSet)?.array.compactMap { $0 as? NSManagedObject } ?? []
    }
}

extension Library {
    /// A saved owner, and four parts: one alone, two in its list, and one that it hasn't.
    static func owned(
        _ kind: StoreKind
    ) throws -> (library: Library, owner: NSManagedObject, parts: [NSManagedObject]) {
        let library = try Library(kind, model: LibraryModel.makeOwners())
        let parts = ["a", "b", "c", "d"].map { library.insert("Part", ["name": $0]) }
        let owner = library.insert("Owner", ["part": parts[0], "parts": NSSet(array: [parts[1], parts[2]])])
        try library.context.save()
        return (library, owner, parts)
    }

    /// A context on top of another one; on top of the library's own if none is given.
    func newChild(
        of parent: NSManagedObjectContext? = nil,
        _ type: NSManagedObjectContextConcurrencyType = .privateQueueConcurrencyType
    ) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: type)
        child.parent = parent ?? context
        return child
    }
}
