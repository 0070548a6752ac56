import CoreData
import Testing

/// An author whose class stores something of its own.
final class StoringAuthor: NSManagedObject {
    var count = 7
}

@Suite(.serialized) struct ManagedObjectSemanticsTests {
    @Test(arguments: StoreKind.allCases)
    func `[F] with a context: temporary ID, isInserted, model defaults, then awakeFromInsert once`(_ kind: StoreKind)
        throws
    {
        let library = try Library.witnessed(kind)
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Author", in: library.context))
        let author = Witness(entity: entity, insertInto: library.context)
        #expect(author.objectID.isTemporaryID && author.isInserted)
        #expect(library.context.takeLog() == ["awakeFromInsert"])
        let book = library.insert("Book")
        #expect(book.value(forKey: "pages") as? Int == 7)
    }

    @Test func `with nil: no context, no awakeFromInsert until insert`() throws {
        let library = try Library.witnessed(.inMemory)
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Author", in: library.context))
        let author = Witness(entity: entity, insertInto: nil)
        #expect(author.managedObjectContext == nil && !author.isInserted)
        library.context.insert(author)
        #expect(author.isInserted && library.context.takeLog() == ["awakeFromInsert"])
    }

    // Ray Wenderlich's first tutorial on Core Data makes objects so; the tests of its readers fetch them by their class.
    @Test(arguments: StoreKind.allCases)
    func `the plain initialiser makes an object of the entity's class`(_ kind: StoreKind) throws {
        let library = try Library.witnessed(kind)
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Author", in: library.context))
        let author = NSManagedObject(entity: entity, insertInto: library.context)
        #expect(author is Witness && library.context.takeLog() == ["awakeFromInsert"])
        author.setValue("Ada", forKey: "name")
        #expect(try library.context.fetch(NSFetchRequest<Witness>(entityName: "Author")) == [author])
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext()).first is Witness)
        let loose = NSManagedObject(entity: entity, insertInto: nil)
        #expect(loose is Witness && loose.managedObjectContext == nil)
        let book = try #require(NSEntityDescription.entity(forEntityName: "Book", in: library.context))
        #expect(type(of: NSManagedObject(entity: book, insertInto: nil)) == NSManagedObject.self)
    }

    // Divergence 81.
    @Test func `an object of a class with stored properties is made by that class alone`() throws {
        let model = LibraryModel.make()
        let entity = try #require(model.entitiesByName["Author"])
        entity.managedObjectClassName = NSStringFromClass(StoringAuthor.self)
        let library = try Library(.inMemory, model: model)
        #expect(!(NSManagedObject(entity: entity, insertInto: nil) is StoringAuthor))
        #expect(StoringAuthor(entity: entity, insertInto: library.context).count == 7)
        #expect((library.insert("Author", ["name": "Ada"]) as? StoringAuthor)?.count == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] isDeleted is true only between delete and save`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        #expect(!author.isDeleted)
        library.context.delete(author)
        #expect(author.isDeleted && author.hasChanges)
        try library.context.save()
        #expect(!author.isDeleted)
        #expect(author.managedObjectContext == nil)
    }

    @Test func `hasChanges is true after setting an equal value, hasPersistentChangedValues compares`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        author.setValue("Ada", forKey: "name")
        #expect(author.hasChanges && author.isUpdated && !author.hasPersistentChangedValues)
        author.setValue("fine", forKey: "mood")
        #expect(!author.hasPersistentChangedValues)
        author.setValue("Bea", forKey: "name")
        #expect(author.hasPersistentChangedValues)
    }

    @Test(arguments: StoreKind.allCases)
    func `[F] reading a property fires the fault, reading identity and flags doesn't`(_ kind: StoreKind) throws {
        let library = try Library.witnessed(kind)
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let context = library.newContext()
        let author = try library.fetch("Author", in: context)[0]
        #expect(author.isFault && author.entity.name == "Author" && !author.objectID.isTemporaryID)
        _ = (author.hash, author.isEqual(author), author.hasChanges, author.isDeleted)
        #expect(author.isFault && context.takeLog().isEmpty)
        #expect(author.text("name") == "Ada" && !author.isFault)
        _ = author.value(forKey: "born")
        #expect(context.takeLog() == ["awakeFromFetch"])
    }

    @Test func `[M] primitive values: no notification, no inverse, not in changedValues`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book", ["title": "a"])
        try library.context.save()
        book.setPrimitiveValue("b", forKey: "title")
        book.setPrimitiveValue(author, forKey: "author")
        #expect(book.text("title") == "b" && book.one("author") === author)
        #expect(author.many("books").isEmpty && book.changedValues().isEmpty && !book.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func `[F][M] changedValues are empty after save and after refresh without merge`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        #expect(author.changedValues()["name"] as? String == "Ada")
        try library.context.save()
        #expect(author.changedValues().isEmpty)
        author.setValue("Bea", forKey: "name")
        #expect(author.changedValues().keys.sorted() == ["name"])
        library.context.refresh(author, mergeChanges: false)
        #expect(author.changedValues().isEmpty && author.isFault)
        #expect(author.text("name") == "Ada")
    }

    @Test func `[M] committedValues are those last fetched or saved, NSNull for nil, all for a nil argument`() throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada", "rating": 3.0])
        let book = library.insert("Book", ["author": author])
        try library.context.save()
        author.setValue("Bea", forKey: "name")
        author.setValue(nil, forKey: "rating")
        let one = author.committedValues(forKeys: ["name", "born"])
        #expect(one["name"] as? String == "Ada" && one["born"] is NSNull && one.count == 2)
        let all = author.committedValues(forKeys: nil)
        #expect(all["rating"] as? Double == 3 && all["books"] as? Set<NSManagedObject> == [book])
        #expect(Set(all.keys).isSuperset(of: ["name", "born", "rating", "books", "passport", "prizes"]))
    }

    @Test(arguments: StoreKind.allCases)
    func `an object that was never saved has no committed values`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let book = library.insert("Book", ["title": "A"])
        #expect(
            book.committedValues(forKeys: ["title", "pages"]).isEmpty && book.committedValues(forKeys: nil).isEmpty)
        try library.context.save()
        #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "A")
    }

    @Test func `[F] prepareForDeletion runs inside delete, again for a repeated one, with relationships intact`() throws
    {
        let library = try Library.witnessed(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Book", ["author": author])
        try library.context.save()
        _ = library.context.takeLog()
        library.context.delete(author)
        #expect(library.context.takeLog() == ["prepareForDeletion 1"])
        library.context.delete(author)
        #expect(library.context.takeLog() == ["prepareForDeletion 1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `[M] willSave may change the object, runs until nothing changes, and its changes are saved`(_ kind: StoreKind)
        throws
    {
        let library = try Library.witnessed(kind)
        _ = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        #expect(library.context.takeLog() == ["awakeFromInsert", "willSave", "willSave", "willSave"])
        #expect(try library.fetch("Author", in: library.newContext())[0].value(forKey: "rating") as? Double == 2)
        #expect(!library.context.hasChanges)
    }

    @Test func `[A] an overriding class calls super first and combines the errors`() throws {
        let library = try Library.witnessed(.inMemory)
        _ = library.insert("Author")
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .validationMultipleErrors)
        let details = (error as NSError?)?.userInfo[NSDetailedErrorsKey] as? [NSError]
        #expect(details?.map(\.code) == [NSValidationMissingMandatoryPropertyError, NSManagedObjectValidationError])
    }

    @Test(arguments: StoreKind.allCases)
    func `[P] a transient property is never stored and back to its default after a refresh or reset`(_ kind: StoreKind)
        throws
    {
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.attributesByName["mood"]?.defaultValue = "fine"
        let library = try Library(kind, model: model)
        let author = library.insert("Author", ["name": "Ada"])
        #expect(author.text("mood") == "fine")
        author.setValue("sad", forKey: "mood")
        try library.context.save()
        #expect(author.text("mood") == "sad")
        library.context.refresh(author, mergeChanges: false)
        #expect(author.text("mood") == "fine")
        author.setValue("glad", forKey: "mood")
        library.context.reset()
        #expect(try library.fetch("Author")[0].text("mood") == "fine")
    }

    @Test func `a mutable set is a proxy: each mutation tracks the change and keeps the inverse`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"]), book = library.insert("Book")
        try library.context.save()
        let books = author.mutableSetValue(forKey: "books")
        books.add(book)
        #expect(book.one("author") === author && author.isUpdated && book.isUpdated)
        books.remove(book)
        #expect(book.one("author") == nil && author.many("books").isEmpty)
    }

    @Test func `an object's ID and context after a deletion that was saved`() throws {
        let library = try Library(.sqlite)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let id = author.objectID
        library.context.delete(author)
        try library.context.save()
        #expect(author.objectID == id && author.managedObjectContext == nil)
        #expect(library.context.registeredObject(for: id) == nil)
    }

    @Test func `[F] an ID's URI leads to the object on a fresh stack that never saw it`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("library.sqlite")
        func stack() throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return (coordinator, context)
        }
        let (_, context) = try stack()
        let novel = NSEntityDescription.insertNewObject(forEntityName: "Novel", into: context)
        novel.setValue("n", forKey: "title")
        #expect(novel.objectID.uriRepresentation().absoluteString.contains("/Novel/t"))
        try context.save()
        let uri = novel.objectID.uriRepresentation()
        let (coordinator, other) = try stack()
        let uuid = coordinator.metadata(for: coordinator.persistentStores[0])[NSStoreUUIDKey] as? String ?? "?"
        #expect(uri.absoluteString == "x-coredata://\(uuid)/Novel/p1")
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(id.entity.name == "Novel" && !id.isTemporaryID)
        #expect(try other.existingObject(with: id).text("title") == "n")
    }
}
