import CoreData
import Testing

@Suite struct StoreSemanticsTests {
    private func withFolder<T>(_ body: (URL) throws -> T) throws -> T {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    // MARK: Models

    @Test func `[F] a relationship is to-many unless its maximum count is 1`() {
        let relationship = NSRelationshipDescription()
        for (count, isToMany) in [(0, true), (1, false), (2, true)] {
            relationship.maxCount = count
            #expect(relationship.isToMany == isToMany)
        }
    }

    @Test func `[F] version hashes don't depend on user info or class names, but on names, types and optionality`() {
        func hashes(_ change: (NSEntityDescription, NSAttributeDescription) -> Void) -> [String: Data] {
            let model = LibraryModel.make()
            if let author = model.entitiesByName["Author"], let name = author.attributesByName["name"] {
                change(author, name)
            }
            return model.entityVersionHashesByName
        }
        let plain = hashes { _, _ in }
        #expect(plain.count == 7)
        #expect(hashes { author, name in (author.userInfo, name.userInfo) = (["a": "b"], ["c": "d"]) } == plain)
        #expect(hashes { author, _ in author.managedObjectClassName = "Somebody" } == plain)
        #expect(hashes { _, name in name.isOptional = true }["Author"] != plain["Author"])
        #expect(hashes { _, name in name.attributeType = .dateAttributeType }["Author"] != plain["Author"])
        #expect(hashes { _, name in name.name = "title" }["Author"] != plain["Author"])
        #expect(hashes { _, name in name.versionHashModifier = "2" }["Author"] != plain["Author"])
    }

    // MARK: Opening

    @Test func `[F] a store of another version throws 134100, one of another type 134010`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make()).addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            let model = LibraryModel.make()
            model.entitiesByName["Tag"]?.properties += [LibraryModel.attribute("color", .stringAttributeType)]
            let other = NSPersistentStoreCoordinator(managedObjectModel: model)
            func open(_ options: [String: Any]?) throws {
                _ = try other.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
            }
            let error = #expect(throws: CocoaError.self) { try open(nil) }
            #expect(error?.code.rawValue == NSPersistentStoreIncompatibleVersionHashError)
            try open([NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
            let wrong = #expect(throws: CocoaError.self) {
                try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
                    ofType: NSBinaryStoreType, configurationName: nil, at: url, options: nil)
            }
            #expect(wrong?.code.rawValue == NSPersistentStoreTypeMismatchError)
        }
    }

    // There are no binary and XML stores here: what has the type's name says so, and touches no file.
    @Test(arguments: [NSPersistentStore.StoreType.binary, .xml])
    func `opening a store of a type that isn't there is an error that names it, whatever is at the URL`(
        _ type: NSPersistentStore.StoreType
    ) throws {
        try withFolder { folder in
            let new = folder.appendingPathComponent("New.store"), list = folder.appendingPathComponent("List.store")
            let bytes = try PropertyListSerialization.data(
                fromPropertyList: ["NSStoreType": type.rawValue], format: .binary, options: 0)
            try bytes.write(to: list)
            for url in [new, list] {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
                let error = #expect(throws: CocoaError.self) {
                    try coordinator.addPersistentStore(type: type, at: url)
                }
                #expect(error?.code.rawValue == NSPersistentStoreInvalidTypeError)
                let words = try #require(error).localizedDescription
                #expect(words.contains("no store type '\(type.rawValue)'") && words.contains("NSSQLiteStoreType"))
                #expect(coordinator.persistentStores.isEmpty)
                #expect(throws: CocoaError.self) {
                    try NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["List.store"])
            #expect(try Data(contentsOf: list) == bytes)
        }
    }

    @Test func `metadata are written by a save that has nothing else to write, whichever of the stores they are of`()
        throws
    {
        try withFolder { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            let urls = ["a", "b"].map { folder.appendingPathComponent("\($0).sqlite") }
            let stores = try urls.map { try coordinator.addPersistentStore(type: .sqlite, at: $0) }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            func note(_ text: String, _ store: NSPersistentStore) {
                coordinator.setMetadata(coordinator.metadata(for: store).merging(["note": text]) { $1 }, for: store)
            }
            func written() throws -> [String?] {
                try urls.map {
                    try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: $0)["note"]
                        as? String
                }
            }
            note("1", stores[1])
            #expect(try written() == [nil, nil])
            try context.save()
            #expect(try written() == [nil, "1"])
            note("2", stores[1])
            context.assign(NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context), to: stores[0])
            try context.save()
            #expect(try written() == [nil, "2"])
        }
    }

    @Test func `metadata that nobody could read again aren't saved`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            func save(nested depth: Int) throws {
                let value = (1..<depth).reduce([] as [Any]) { list, _ in [list] }
                coordinator.setMetadata(coordinator.metadata(for: store).merging(["Mine": value]) { $1 }, for: store)
                try context.save()
            }
            try save(nested: 63)
            let error = try #require(throws: CocoaError.self) { try save(nested: 64) }
            #expect(error.code == .persistentStoreSave)
            #expect(error.localizedDescription.contains("under 'Mine' that is nested more than 64 deep"))
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
            #expect(metadata["Mine"] is [Any])
        }
    }

    @Test func `metadata need no model and have the type, the UUID and the hashes`() throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            let model = LibraryModel.make()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: nil)
            #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
            #expect(metadata[NSStoreUUIDKey] as? String == coordinator.metadata(for: store)[NSStoreUUIDKey] as? String)
            #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == model.entityVersionHashesByName)
            #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            #expect(coordinator.persistentStore(for: url) === store && coordinator.url(for: store) == url)
            #expect(coordinator.managedObjectID(forURIRepresentation: url) == nil)
        }
    }

    @Test func `a container opens nothing before loadPersistentStores, then calls the handler once for each store`() {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: LibraryModel.make())
        #expect(container.persistentStoreDescriptions.count == 1)
        let first = container.persistentStoreDescriptions[0]
        #expect(first.type == NSSQLiteStoreType && first.url?.lastPathComponent == "Library.sqlite")
        #expect(first.shouldMigrateStoreAutomatically && first.shouldInferMappingModelAutomatically)
        #expect(first.timeout == 240)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        container.persistentStoreDescriptions = [description]
        var handled: [NSPersistentStoreDescription] = []
        container.loadPersistentStores { description, error in
            #expect(error == nil)
            handled.append(description)
        }
        #expect(handled == [description] && container.persistentStoreCoordinator.persistentStores.count == 1)
        #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
        #expect(container.newBackgroundContext().concurrencyType == .privateQueueConcurrencyType)
    }

    // MARK: Errors

    private func book(_ change: (NSEntityDescription) -> Void) throws -> (Library, NSManagedObject) {
        let model = LibraryModel.make()
        if let book = model.entitiesByName["Book"] { change(book) }
        let library = try Library(.inMemory, model: model)
        return (library, library.insert("Book", ["title": "a"]))
    }

    @Test func `[F] one failure has the object, key and value, a model's predicate too`() throws {
        let (library, book) = try book {
            $0.attributesByName["title"]?.setValidationPredicates(
                [NSPredicate(format: "length > 3")], withValidationWarnings: ["The title is too short."])
        }
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        let info = (error as NSError?)?.userInfo
        #expect(error?.code.rawValue == 1550)
        #expect(info?[NSValidationObjectErrorKey] as? NSManagedObject === book)
        #expect(info?[NSValidationKeyErrorKey] as? String == "title")
        #expect(info?[NSValidationValueErrorKey] as? String == "a")
        #expect(info?[NSValidationPredicateErrorKey] is NSPredicate)
        #expect((error as NSError?)?.localizedDescription == "The title is too short.")
        #expect((error as NSError?)?.domain == NSCocoaErrorDomain)
    }

    @Test func `[A][F] several failures are NSValidationMultipleErrorsError with the list`() throws {
        let (library, _) = try book { book in
            for name in ["cover", "uuid"] { book.attributesByName[name]?.isOptional = false }
        }
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code.rawValue == NSValidationMultipleErrorsError)
        let details = (error as NSError?)?.userInfo[NSDetailedErrorsKey] as? [NSError]
        #expect(details?.map(\.code) == [1570, 1570])
        #expect(
            Set(details?.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String } ?? []) == ["cover", "uuid"])
    }

    @Test func `[F] counts: 1580 below the minimum and 1590 above the maximum, with the relationship's key`() throws {
        let (library, book) = try book { book in
            book.relationshipsByName["chapters"]?.minCount = 1
            book.relationshipsByName["chapters"]?.maxCount = 2
            book.relationshipsByName["chapters"]?.isOptional = false
        }
        func failure() -> NSError? { #expect(throws: CocoaError.self) { try library.context.save() } as NSError? }
        #expect(failure()?.code == 1580)
        #expect(failure()?.userInfo[NSValidationKeyErrorKey] as? String == "chapters")
        book.setValue(NSOrderedSet(array: (0..<3).map { _ in library.insert("Chapter") }), forKey: "chapters")
        #expect(failure()?.code == 1590)
        #expect(failure()?.userInfo[NSValidationKeyErrorKey] as? String == "chapters")
        library.context.delete(book.ordered("chapters")[0])
        try library.context.save()
    }

    @Test func `validateValue checks one property and may replace the value`() throws {
        let (library, book) = try book { $0.attributesByName["title"]?.isOptional = false }
        var value: AnyObject?
        let error = #expect(throws: CocoaError.self) { try unsafe book.validateValue(&value, forKey: "title") }
        #expect(error?.code == .validationMissingMandatoryProperty)
        value = "b" as NSString
        try unsafe book.validateValue(&value, forKey: "title")
        try library.context.save()
    }

    // MARK: Derived values

    @Test func `[F] a derived value is computed by the store at save and seen after a refresh`() throws {
        let model = LibraryModel.make()
        let derived = NSDerivedAttributeDescription()
        derived.name = "bookCount"
        derived.attributeType = .integer64AttributeType
        derived.derivationExpression = NSExpression(format: "books.@count")
        derived.isOptional = true
        model.entitiesByName["Author"]?.properties += [derived]
        let library = try Library(.sqlite, model: model)
        let author = library.insert("Author", ["name": "Ada"])
        _ = library.insert("Book", ["author": author])
        _ = library.insert("Book", ["author": author])
        try library.context.save()
        library.context.refresh(author, mergeChanges: false)
        #expect(author.value(forKey: "bookCount") as? Int == 2)
    }

    @Test func `[assumed] a save that a read-only store refuses writes no other store either`() throws {
        try withFolder { folder in
            let model = LibraryModel.make()
            let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
            let (open, closed) = (folder.appendingPathComponent("open"), folder.appendingPathComponent("closed"))
            let library = try Library(at: closed, model: LibraryModel.make())
            _ = library.insert("Author", ["name": "Ada"])
            try library.context.save()
            container.persistentStoreDescriptions = [
                NSPersistentStoreDescription(url: open), NSPersistentStoreDescription(url: closed),
            ]
            container.persistentStoreDescriptions[1].isReadOnly = true
            container.loadPersistentStores { #expect($1 == nil) }
            let context = container.viewContext
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            try context.fetch(request).first?.setValue("Bea", forKey: "name")
            let new = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            new.setValue("Cid", forKey: "name")
            context.assign(new, to: container.persistentStoreCoordinator.persistentStores[0])
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code == .fileWriteNoPermission && error?.info["storeURL"] as? URL == closed)
            let later = container.newBackgroundContext()
            #expect(
                try later.fetch(request).map { $0.value(forKey: "name") as? String } == [
                    "Ada"
                ])
            #expect(context.insertedObjects == [new] && context.updatedObjects.count == 1)
        }
    }

    @Test(arguments: [NSInMemoryStoreType, NSSQLiteStoreType])
    func `[F] a read-only store takes no new object, which stays in its context`(_ type: String) throws {
        try withFolder { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            _ = try Library(at: url, model: LibraryModel.make())
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true])
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let new = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == NSFileWriteNoPermissionError && context.insertedObjects == [new])
        }
    }
}
