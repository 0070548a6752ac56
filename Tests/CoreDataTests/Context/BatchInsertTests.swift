// Batch insertions: rows from dictionaries and objects, and uniqueness under each merge policy.

import CoreData
import Foundation
import GRDB
import Synchronization
import Testing

@Suite struct BatchInsertTests {
    private func books(_ library: Library) throws -> [[String: Any]] {
        try library.fetch("Book", sortedBy: "objectID", in: library.newContext()).map { book in
            book.dictionaryWithValues(forKeys: ["title", "pages", "isbn"])
        }
    }

    private func texts(_ library: Library) throws -> [String] {
        try books(library).map { "\($0["isbn"] ?? "") \($0["title"] ?? "") \($0["pages"] ?? "")" }
    }

    @Test func `dictionaries become rows, with the model's defaults for what they leave out`() throws {
        let library = try Library(.database)
        let request = NSBatchInsertRequest(
            entityName: "Book",
            objects: [["title": "one", "isbn": "1"], ["title": "two", "pages": 9, "isbn": NSNull()]])
        request.resultType = .objectIDs
        let result = try #require(try library.context.execute(request) as? NSBatchInsertResult)
        let ids = try #require(result.result as? [NSManagedObjectID])
        #expect(ids.map { library.context.object(with: $0).text("title") } == ["one", "two"])
        #expect(try texts(library) == ["1 one 7", "<null> two 9"])
        // Keys are the store's next ones, for objects too.
        let next = library.insert("Book")
        try library.context.save()
        #expect(next.objectID.uriRepresentation().lastPathComponent == "p3")
    }

    @Test func `rows go into the store whose configuration has the entity, not into one that has its table, too`()
        throws
    {
        let model = TestModel.model(
            ["Prize", "Tag"].map { TestModel.entity($0, [TestModel.attribute("name", .stringAttributeType)]) })
        for entity in model.entities { model.setEntities([entity], forConfigurationName: "\(entity.name ?? "")s") }
        let folder = try TemporaryFolder()
        func add(
            _ file: String, _ name: String?, to coordinator: NSPersistentStoreCoordinator
        ) throws -> NSPersistentStore {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: folder.url.appendingPathComponent(file))
        }
        // A file of the whole model that is opened as one of a part.
        let whole = NSPersistentStoreCoordinator(managedObjectModel: model)
        try whole.remove(add("Whole.sqlite", nil, to: whole))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let tags = try add("Whole.sqlite", "Tags", to: coordinator)
        let prizes = try add("Prizes.sqlite", "Prizes", to: coordinator)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let request = NSBatchInsertRequest(entityName: "Prize", objects: [["name": "Nobel"]])
        request.resultType = .objectIDs
        let ids = try #require(
            (try context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID])
        #expect(ids.map { $0.persistentStore === prizes } == [true])
        let other = NSBatchInsertRequest(entityName: "Prize", objects: [["name": "Turing"]])
        other.affectedStores = [tags]
        #expect(throws: CocoaError.self) { try context.execute(other) }
    }

    @Test func `a closure fills dictionaries until it returns true`() throws {
        let library = try Library(.database)
        let entity = try #require(library.coordinator.managedObjectModel.entitiesByName["Novel"])
        var number = 0
        let request = NSBatchInsertRequest(
            entity: entity,
            dictionaryHandler: { dictionary in
                guard number < 2500 else { return true }
                dictionary["title"] = "\(number)"
                dictionary["genre"] = "crime"
                number += 1
                return false
            })
        request.resultType = .count
        #expect((try library.context.execute(request) as? NSBatchInsertResult)?.result as? Int == 2500)
        let novels = try library.fetch("Novel", where: NSPredicate(format: "genre == 'crime' AND title == '2499'"))
        #expect(novels.count == 1)
    }

    @Test func `a closure fills objects until it returns true`() throws {
        let library = try Library(.database)
        var titles = ["c", "b", "a"]
        let request = NSBatchInsertRequest(
            entityName: "Book",
            managedObjectHandler: { object in
                guard let title = titles.popLast() else { return true }
                object.setValue(title, forKey: "title")
                return false
            })
        #expect((try library.context.execute(request) as? NSBatchInsertResult)?.result as? Bool == true)
        #expect(try texts(library) == ["<null> a 7", "<null> b 7", "<null> c 7"])
        #expect(library.context.registeredObjects.isEmpty)
    }

    /// The store has 1: "old", 10 pages. Inserted are 1: "new" without pages, and 2 twice.
    private func upserted(_ policy: NSMergePolicy) throws -> [String] {
        let library = try Library(.database)
        _ = library.insert("Novel", ["isbn": "1", "title": "old", "pages": 10])
        try library.context.save()
        library.context.mergePolicy = policy
        try library.context.execute(
            NSBatchInsertRequest(
                entityName: "Book",
                objects: [
                    ["isbn": "1", "title": "new"], ["isbn": "2", "title": "first", "pages": 3],
                    ["isbn": "2", "title": "second"],
                ]))
        return try texts(library)
    }

    @Test func `under the error policy a uniqueness constraint fails the request`() throws {
        let error = #expect(throws: CocoaError.self) { try upserted(.error) }
        #expect(error?.code == .managedObjectConstraintMerge)
        #expect(error?.localizedDescription.contains("Two objects of 'Novel' have the same isbn") == true)
        let library = try Library(.database)
        let twice = NSBatchInsertRequest(entityName: "Book", objects: [["isbn": "1"], ["isbn": "1"]])
        #expect(throws: CocoaError.self) { try library.context.execute(twice) }
        #expect(try books(library).isEmpty)
    }

    @Test func `under object trump the given values are written into the row that is there`() throws {
        #expect(try upserted(.mergeByPropertyObjectTrump) == ["1 new 10", "2 second 3"])
    }

    @Test func `under overwrite all values are, the defaults among them`() throws {
        #expect(try upserted(.overwrite) == ["1 new 7", "2 second 7"])
    }

    @Test func `under store trump and rollback the row that is there stays`() throws {
        #expect(try upserted(.mergeByPropertyStoreTrump) == ["1 old 10", "2 first 3"])
        #expect(try upserted(.rollback) == ["1 old 10", "2 first 3"])
    }

    @Test func `what a row can't hold is an error that names it, and no row is inserted`() throws {
        let library = try Library(.database)
        for (row, word) in [(["titel": "x"], "titel"), (["pages": "x"], "pages"), (["author": 1], "author")]
            as [([String: Any], String)]
        {
            let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "fine"], row])
            let error = #expect(throws: CocoaError.self) { try library.context.execute(request) }
            #expect(error?.localizedDescription.contains(word) == true)
            #expect(error?.localizedDescription.contains("Row 1") == true)
        }
        #expect(try books(library).isEmpty)
        #expect(throws: CocoaError.self) {
            try library.context.execute(NSBatchInsertRequest(entityName: "Boook", objects: []))
        }
    }

    @Test func `a row without a mandatory value is an error that names it, and no row is inserted`() throws {
        let library = try Library(.database)
        for row in [["rating": 1.5], ["name": NSNull()]] as [[String: Any]] {
            let request = NSBatchInsertRequest(entityName: "Author", objects: [["name": "Ada"], row])
            let error = #expect(throws: CocoaError.self) { try library.context.execute(request) }
            #expect(error?.code == .validationMissingMandatoryProperty)
            #expect(error?.info[NSValidationKeyErrorKey] as? String == "name")
            #expect(error?.localizedDescription.contains("Row 1") == true)
        }
        let made = NSBatchInsertRequest(entityName: "Author", managedObjectHandler: { _ in false })
        #expect(throws: CocoaError.self) { try library.context.execute(made) }
        #expect(try library.fetch("Author").isEmpty)
    }

    @Test func `inserted IDs are merged into contexts`() throws {
        let library = try Library(.database)
        let request = NSBatchInsertRequest(entityName: "Book", objects: [["title": "one"]])
        request.resultType = .objectIDs
        let result = try library.context.execute(request) as? NSBatchInsertResult
        let titles = Mutex<[String?]>([])
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: library.context, queue: nil
        ) { note in
            let inserted = note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
            titles.withLock { $0 += inserted.map { $0.text("title") } }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSInsertedObjectsKey: result?.result as Any], into: [library.context])
        #expect(titles.withLock { $0 } == ["one"])
    }

    @Test func `affected stores that don't keep the entity refuse an insertion`() throws {
        let entities = ["One", "Two"].map { TestModel.entity($0, [TestModel.attribute("name", .stringAttributeType)]) }
        let model = TestModel.model(entities)
        for entity in entities { model.setEntities([entity], forConfigurationName: entity.name ?? "") }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let stores = try ["One", "Two"].map { name in
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: URL(fileURLWithPath: "/dev/null"))
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let request = NSBatchInsertRequest(entityName: "Two", objects: [["name": "a"]])
        request.affectedStores = [stores[0]]
        let error = #expect(throws: CocoaError.self) { try context.execute(request) }
        #expect(error?.localizedDescription.contains("'Two'") == true)
        request.affectedStores = [stores[1]]
        try context.execute(request)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Two")) == 1)
    }

    @Test func `a row of another entity that a constraint finds takes only what it has`() throws {
        let model = LibraryModel.make()
        let atlas = NSEntityDescription()
        atlas.name = "Atlas"
        atlas.properties = [LibraryModel.attribute("scale", .stringAttributeType)]
        model.entitiesByName["Book"]?.subentities.append(atlas)
        model.entities.append(atlas)
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        let library = try Library(at: url, model: model)
        _ = library.insert("Book", ["title": "plain", "isbn": "1"])
        _ = library.insert("Atlas", ["title": "maps", "isbn": "2", "scale": "1:100"])
        try library.context.save()
        library.context.mergePolicy = NSMergePolicy.overwrite
        _ = try library.context.execute(
            NSBatchInsertRequest(
                entityName: "Novel",
                objects: [
                    ["title": "a", "isbn": "1", "genre": "crime"], ["title": "b", "isbn": "2", "genre": "crime"],
                ]))
        #expect(try texts(library) == ["1 a 7", "2 b 7"])
        let rows = try DatabaseQueue(path: url.path).read {
            try String.fetchAll(
                $0, sql: "SELECT IFNULL(ZGENRE, '-') || ' ' || IFNULL(ZSCALE, '-') FROM ZBOOK ORDER BY Z_PK")
        }
        #expect(rows == ["- -", "- 1:100"])
    }
}
