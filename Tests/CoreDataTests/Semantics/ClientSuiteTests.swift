// What suites of public clients demand that no other suite here says. Each test names the client whose own tests, which pass on Apple's
// platforms, say that Core Data behaves so.

import CoreData
import Testing

@Suite struct ClientSuiteTests {
    // MARK: Primitive values

    // CoreDataPlus, NSManagedObjectUpdateTimestampable_Tests: a date that `awakeFromInsert()` sets by its primitive value is among the
    // changed values of the new object.
    @Test func `what is set by primitive values counts among a new object's changed values`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author")
        #expect(author.changedValues().isEmpty)
        author.setPrimitiveValue(1.5, forKey: "rating")
        #expect(author.changedValues()["rating"] as? Double == 1.5 && author.hasPersistentChangedValues)
        author.setValue("Ada", forKey: "name")
        try library.context.save()
        #expect(author.changedValues().isEmpty)
    }

    // MIOCoreData, AppleParityTests and NSManagedTests.testMOCChanges.
    @Test(arguments: StoreKind.allCases)
    func `what is set by primitive values is no change, but counts among others`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        author.setPrimitiveValue(2.5, forKey: "rating")
        #expect(author.changedValues().isEmpty && !author.hasPersistentChangedValues && !author.hasChanges)
        author.setValue("Bo", forKey: "name")
        #expect(author.changedValues().keys.sorted() == ["name", "rating"])
        #expect(author.committedValues(forKeys: ["rating"])["rating"] is NSNull)
        try library.context.save()
        #expect(try library.fetch("Author", in: library.newContext())[0].value(forKey: "rating") as? Double == 2.5)
    }

    // MARK: Validation

    // CoreDataEvolution, AttributeValidationTests: an empty text that is too short and doesn't fit the pattern is both. CoreDataPlus,
    // ProgrammaticMigration_Tests: so it is where one value is validated by itself.
    @Test func `a value that breaks several rules fails with each`() throws {
        let model = LibraryModel.make()
        let title = try #require(model.entitiesByName["Book"]?.attributesByName["title"])
        title.setValidationPredicates(
            [NSPredicate(format: "length >= 1"), NSPredicate(format: "SELF MATCHES %@", #".*\S.*"#)],
            withValidationWarnings: ["too short", "blank"])
        let library = try Library(.inMemory, model: model)
        let book = library.insert("Book", ["title": "", "pages": 1])
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        let details = (error as NSError?)?.userInfo[NSDetailedErrorsKey] as? [NSError]
        #expect(details?.map(\.localizedDescription) == ["too short", "blank"])
        #expect(details?.allSatisfy { $0.userInfo[NSValidationKeyErrorKey] as? String == "title" } ?? false)
        let alone = #expect(throws: CocoaError.self) {
            var value: AnyObject? = "" as NSString
            try unsafe book.validateValue(&value, forKey: "title")
        }
        #expect(alone?.code == .validationMultipleErrors)
        book.setValue(" ", forKey: "title")
        let one = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(one?.localizedDescription == "blank")
    }

    // MARK: Predicates

    // RCDataKit, PredicateTests: the bounds of BETWEEN are expressions in a constant list.
    @Test(arguments: StoreKind.allCases)
    func `the bounds of BETWEEN may be expressions in a constant list`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        for pages in 1...5 { _ = library.insert("Book", ["pages": pages]) }
        try library.context.save()
        func predicate(_ type: NSComparisonPredicate.Operator) -> NSPredicate {
            NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "pages"),
                rightExpression: NSExpression(forConstantValue: [2, 4].map { NSExpression(forConstantValue: $0) }),
                modifier: .direct, type: type)
        }
        let between = try library.fetch("Book", sortedBy: "pages", where: predicate(.between))
        #expect(between.map { $0.value(forKey: "pages") as? Int } == [2, 3, 4])
        let members = try library.fetch("Book", sortedBy: "pages", where: predicate(.in))
        #expect(members.map { $0.value(forKey: "pages") as? Int } == [2, 4])
        #expect(predicate(.between).evaluate(with: between[0]))
    }

    // MARK: Stacks

    private final class Badge: NSObject {}

    // CoreDataPlus, ProgrammaticallyDefinedModel_Tests: a transformable attribute whose default is an object of the app's.
    @Test func `a store is made for a model whose default values and user info are the app's own objects`() throws {
        let folder = try TemporaryFolder()
        let model = LibraryModel.make()
        let book = try #require(model.entitiesByName["Book"])
        let badge = LibraryModel.attribute("badge", .transformableAttributeType, default: Badge())
        book.properties.append(badge)
        book.userInfo = ["badge": Badge(), "plain": "kept"]
        let url = folder.url.appending(path: "library.sqlite")
        let library = try Library(at: url, model: model)
        #expect(library.insert("Book").value(forKey: "badge") is Badge)
    }

    // woocommerce-ios, CoreDataIterativeMigratorTests: `NSPersistentStoreCoordinator()` moves and destroys stores.
    @Test func `a coordinator without a model replaces and destroys stores`() throws {
        let folder = try TemporaryFolder()
        let here = folder.url.appending(path: "here.sqlite"), there = folder.url.appending(path: "there.sqlite")
        do {
            let library = try Library(at: here, model: LibraryModel.make())
            _ = library.insert("Author", ["name": "Ada"])
            try library.context.save()
        }
        let coordinator = NSPersistentStoreCoordinator()
        #expect(coordinator.managedObjectModel.entities.isEmpty && coordinator.persistentStores.isEmpty)
        try coordinator.replacePersistentStore(
            at: there, destinationOptions: nil, withPersistentStoreFrom: here, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
        try coordinator.destroyPersistentStore(at: here, ofType: NSSQLiteStoreType, options: nil)
        #expect(try Library(at: there, model: LibraryModel.make()).fetch("Author").count == 1)
        #expect(try Library(at: here, model: LibraryModel.make()).fetch("Author").isEmpty)
    }

    // Apps that migrate in stages look up the version of a store that isn't open by this key of its metadata.
    @Test func `the metadata of a store have the checksum of its model's version`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "library.sqlite")
        let model = LibraryModel.make()
        _ = try Library(at: url, model: model)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        #expect(metadata[NSPersistentStoreModelVersionChecksumKey] as? String == model.versionChecksum)
    }

    // The overlay of Core Data for Swift (CocoaError.swift): code constants with names deprecated late in Swift 3.
    @available(*, deprecated)
    @Test func `error codes have their older names`() {
        let codes: [CocoaError.Code] = [
            .managedObjectValidationError, .managedObjectMergeError, .persistentStoreSaveError, .coreDataError,
            .migrationError, .sqliteError,
        ]
        #expect(
            codes == [
                .managedObjectValidation, .managedObjectMerge, .persistentStoreSave, .coreData, .migration, .sqlite,
            ])
    }

    // A reimplementation's testPredicatesTestAnObjectsEntityInEveryStore: what kind an object is may be asked for of a list of entities.
    @Test(arguments: StoreKind.allCases)
    func `an object's entity is looked for in a list, in every store`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let author = library.insert("Author", ["name": "Ada"])
        for (entity, title) in [("Book", "b"), ("Novel", "n")] {
            _ = library.insert(entity, ["title": title, "author": author])
        }
        try library.context.save()
        let entities = library.coordinator.managedObjectModel.entitiesByName
        let book = try #require(entities["Book"]), novel = try #require(entities["Novel"])
        func titles(_ format: String, _ list: Any) throws -> [String?] {
            let predicate = NSPredicate(format: format, argumentArray: [list])
            return try library.fetch("Book", where: predicate, in: library.newContext()).map { $0.text("title") }.sorted
            { ($0 ?? "") < ($1 ?? "") }
        }
        #expect(try titles("entity IN %@", [novel]) == ["n"])
        #expect(try titles("entity IN %@", Set([book, novel])) == ["b", "n"])
        #expect(try titles("NOT (entity IN %@)", [novel]) == ["b"])
        #expect(try titles("entity IN %@", [entities["Author"]]) == [])
        let owners = NSPredicate(format: "ANY books.entity IN %@", [novel])
        #expect(try library.fetch("Author", where: owners, in: library.newContext()).count == 1)
    }

    // Apple's NSPredicate(block:): stores in memory support closures; clients cast what a closure is shown to their class.
    @Test func `a closure in a fetch from memory is shown objects of the context`() throws {
        let library = try Library(.inMemory)
        for pages in 1...4 { _ = library.insert("Book", ["pages": pages]) }
        let closure = NSPredicate { object, _ in ((object as? NSManagedObject)?.value(forKey: "pages") as? Int ?? 0) > 1
        }
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(format: "pages < 4"), closure])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        for isSaved in [false, true] {
            if isSaved { try library.context.save() }
            request.predicate = both
            for context in [library.context, library.newChild()] {
                for includesPendingChanges in isSaved ? [true, false] : [true] {
                    request.includesPendingChanges = includesPendingChanges
                    #expect(try context.fetch(request).map { $0.value(forKey: "pages") as? Int } == [3, 2])
                    #expect(try context.count(for: request) == 2)
                    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
                    (ids.predicate, ids.sortDescriptors) = (request.predicate, request.sortDescriptors)
                    (ids.resultType, ids.includesPendingChanges) = (.managedObjectIDResultType, includesPendingChanges)
                    #expect(try context.fetch(ids) == context.fetch(request).map(\.objectID))
                }
                request.includesPendingChanges = true
            }
            request.predicate = closure
            (request.fetchOffset, request.fetchLimit) = (1, 1)
            #expect(try library.context.fetch(request).map { $0.value(forKey: "pages") as? Int } == [3])
            (request.fetchOffset, request.fetchLimit) = (0, 0)
        }
    }

    // MARK: Sets of members

    // CloudCore, and the app of the EU's Digital COVID Certificate: the value of a to-many relationship is cast to the mutable class, gets
    // a member more, and is set back.
    @Test(arguments: StoreKind.allCases)
    func `the members of a relationship can be added to and set back`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        let book = library.insert("Book", ["tags": [library.insert("Tag"), library.insert("Tag")] as NSSet])
        book.setValue(NSOrderedSet(array: [library.insert("Chapter")]), forKey: "chapters")
        try library.context.save()
        let tags = try #require(book.value(forKey: "tags") as? NSMutableSet)
        tags.add(library.insert("Tag"))
        #expect(book.many("tags").count == 2)
        book.setValue(tags, forKey: "tags")
        #expect(book.many("tags").count == 3)
        let chapters = try #require(book.value(forKey: "chapters") as? NSMutableOrderedSet)
        chapters.insert(library.insert("Chapter", ["heading": "first"]), at: 0)
        book.setValue(chapters, forKey: "chapters")
        #expect(book.ordered("chapters").map { $0.text("heading") } == ["first", nil])
        // Divergence 67.
        #expect((book.mutableSetValue(forKey: "tags") as? Set<NSManagedObject>)?.isEmpty ?? false)
        #expect(Set(book.mutableSetValue(forKey: "tags").compactMap { $0 as? NSManagedObject }).count == 3)
        library.context.checkInvariants()
    }

    // MARK: Identifiers

    // WordPress-iOS, ContextManagerTests: what had an ID before a store was migrated has it afterwards.
    @Test func `an ID of a store that was closed finds the object in the store that was opened again`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "library.sqlite")
        let library = try Library(at: url, model: LibraryModel.make())
        let ada = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        let id = ada.objectID
        let store = try #require(library.coordinator.persistentStores.first)
        try library.coordinator.remove(store)
        let model = LibraryModel.make()
        model.entitiesByName["Author"]?.properties.append(LibraryModel.attribute("town", .stringAttributeType))
        let later = try Library(
            at: url, model: model,
            options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
        let author = try later.context.existingObject(with: id)
        #expect(author.text("name") == "Ada" && author.managedObjectContext === later.context)
        #expect(later.context.object(with: id) === author && later.context.registeredObject(for: id) === author)
        author.setValue("York", forKey: "town")
        try later.context.save()
        #expect(try later.fetch("Author", in: later.newContext()).map { $0.text("town") } == ["York"])
    }

    @Test func `an ID finds its object in the context that has known it, after the store was opened again`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "library.sqlite")
        let library = try Library(at: url, model: LibraryModel.make())
        let ids = try ["Ada", "Bea"].map {
            let author = library.insert("Author", ["name": $0])
            try library.context.save()
            return author.objectID
        }
        let context = library.newContext()
        let known = try context.existingObject(with: ids[0])
        for isKept in [false, true] {
            let store = try #require(library.coordinator.persistentStores.first)
            try library.coordinator.remove(store)
            #expect(throws: CocoaError.self) { try context.existingObject(with: ids[1]) }
            try library.coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
            // Whether or not somebody keeps the removed one.
            let kept = isKept ? store : nil
            let author = try context.existingObject(with: ids[1])
            #expect(author.text("name") == "Bea" && author.objectID.persistentStore !== kept)
            #expect(author.objectID.uriRepresentation() == ids[1].uriRepresentation())
        }
        // What was read before is no object of the store that is open.
        known.setValue("Cid", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .persistentStoreSave)
        context.reset()
        try context.existingObject(with: ids[0]).setValue("Cid", forKey: "name")
        try context.save()
        let later = try library.fetch("Author", sortedBy: "name", in: library.newContext())
        #expect(later.map { $0.text("name") } == ["Bea", "Cid"])
    }

    @Test func `changes of a removed store's objects aren't written into another store`() throws {
        let folder = try TemporaryFolder()
        let library = try Library(at: folder.url.appending(path: "one.sqlite"), model: LibraryModel.make())
        let ada = library.insert("Author", ["name": "Ada"])
        try library.context.save()
        try library.coordinator.remove(try #require(library.coordinator.persistentStores.first))
        try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url.appending(path: "two.sqlite"))
        let other = library.newContext()
        let bea = NSEntityDescription.insertNewObject(forEntityName: "Author", into: other)
        bea.setValue("Bea", forKey: "name")
        try other.save()
        ada.setValue("Cid", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try library.context.save() }
        #expect(error?.code == .persistentStoreSave)
        #expect(error?.localizedDescription.contains(ada.objectID.uriRepresentation().absoluteString) == true)
        #expect(try library.fetch("Author", in: library.newContext()).map { $0.text("name") } == ["Bea"])
    }

    @Test func `an ID of another coordinator finds the object, and one of another store none`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "library.sqlite")
        let model = LibraryModel.make()
        let one = try Library(at: url, model: model), two = try Library(at: url, model: model)
        let ada = one.insert("Author", ["name": "Ada"])
        try one.context.save()
        #expect(try two.context.existingObject(with: ada.objectID).text("name") == "Ada")
        let child = two.newChild()
        #expect(try child.existingObject(with: ada.objectID).text("name") == "Ada")
        let other = try Library(at: folder.url.appending(path: "other.sqlite"), model: model)
        #expect(throws: CocoaError.self) { try other.context.existingObject(with: ada.objectID) }
    }
}

// coherence, TestModel1: models in code that can be read from an archive.
final class ArchivedModel: NSManagedObjectModel {
    override init() { super.init() }
    required init?(coder: NSCoder) { super.init(coder: coder) }
}

final class ArchivedEntity: NSEntityDescription {
    override init() { super.init() }
    required init?(coder: NSCoder) { super.init(coder: coder) }
}

final class ArchivedAttribute: NSAttributeDescription {
    override init() { super.init() }
    required init?(coder: NSCoder) { super.init(coder: coder) }
}

// objc.io's book on Core Data: a coordinator of its own class to destroy a store with.
extension NSPersistentStoreCoordinator {
    fileprivate static func empty() -> Self { self.init(managedObjectModel: NSManagedObjectModel()) }
}

extension ClientSuiteTests {
    @Test func `models, entities and attributes in code can be archived, and coordinators made by their class`() throws
    {
        let entity = ArchivedEntity(), attribute = ArchivedAttribute(), model = ArchivedModel()
        attribute.name = "name"
        attribute.attributeType = .stringAttributeType
        entity.name = "Person"
        entity.properties = [attribute]
        model.entities = [entity]
        let archive = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: false)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive)
        unarchiver.requiresSecureCoding = false
        let copy = try #require(unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? ArchivedModel)
        #expect(copy.entitiesByName["Person"]?.attributesByName.keys.sorted() == ["name"])
        #expect(NSPersistentStoreCoordinator.empty().persistentStores.isEmpty)
    }
}
