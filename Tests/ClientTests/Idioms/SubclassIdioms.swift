// What apps and their tests override, and what they ask that few others do.

import CoreData
import Foundation
import Testing

/// A test's context whose saves fail.
final class FailingContext: NSManagedObjectContext, @unchecked Sendable {
    struct Failure: Error {}
    var saves = 0
    override var hasChanges: Bool { true }
    override func save() throws {
        saves += 1
        throw Failure()
    }
}

/// A test's context that counts.
final class CountingContext: NSManagedObjectContext, @unchecked Sendable {
    var deletions = 0
    override func delete(_ object: NSManagedObject) {
        deletions += 1
        super.delete(object)
    }
}

final class Stamped: NSManagedObject {
    var wasMade = false

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        wasMade = true
    }

    convenience init(title: String, context: NSManagedObjectContext) {
        self.init(context: context)
        setValue(title, forKey: "title")
    }

    var isDeletedInDidSave: Bool?

    override func willSave() {
        super.willSave()
        setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 5), forKey: "stamp")
    }

    override func didSave() {
        super.didSave()
        isDeletedInDidSave = isDeleted
    }
}

/// Counts the new objects of each notification.
@MainActor final class ChangeObserver: NSObject {
    private(set) var insertedCounts: [Int] = []
    private var token: (any NSObjectProtocol)?
    /// Kept: a context is told by its address, which one of another queue could get.
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) {
        self.context = context
        super.init()
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { [weak self] note in
            let inserted = note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
            let count = inserted?.count ?? 0
            MainActor.assumeIsolated { self?.insertedCounts.append(count) }
        }
    }

    func stop() { token.map(NotificationCenter.default.removeObserver) }
}

@Suite struct SubclassIdioms {
    @Test func `a class that no model claims has an entity without a name`() {
        let garden = Garden()
        withExtendedLifetime(garden.container) {
            #expect(Unclaimed.entity().name == nil && TaskItem.entity().name == "Task")
        }
        #expect(Unclaimed.description().hasSuffix("Unclaimed") && TaskItem.description() == "ClientTests.TaskItem")
    }

    @Test func `an entity of plain objects is one whose class is named by the class`() throws {
        let entity = NSEntityDescription()
        entity.name = "Plain"
        entity.managedObjectClassName = NSStringFromClass(NSManagedObject.self)
        #expect(entity.managedObjectClassName == "NSManagedObject")
    }

    @Test func `a migration manager that says itself what its models are`() {
        final class Manager: NSMigrationManager {
            override init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) { super.init() }
        }
        let manager = Manager(sourceModel: Journal.model, destinationModel: Journal.model)
        #expect(manager.sourceModel.entities.isEmpty && manager.migrationProgress == 0)
    }

    /// A store of stamped objects, of which each can have parts that go with it.
    private func container() throws -> NSPersistentContainer {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        let (stamped, part) = (NSEntityDescription(), NSEntityDescription())
        let (parts, whole) = (NSRelationshipDescription(), NSRelationshipDescription())
        stamped.name = "Stamped"
        stamped.managedObjectClassName = NSStringFromClass(Stamped.self)
        part.name = "Part"
        parts.name = "parts"
        parts.destinationEntity = part
        parts.deleteRule = .cascadeDeleteRule
        parts.isOptional = true
        whole.name = "whole"
        whole.destinationEntity = stamped
        whole.maxCount = 1
        whole.isOptional = true
        (parts.inverseRelationship, whole.inverseRelationship) = (whole, parts)
        stamped.properties = [attribute("title", .stringAttributeType), attribute("stamp", .dateAttributeType), parts]
        part.properties = [attribute("name", .stringAttributeType), whole]
        let model = NSManagedObjectModel()
        model.entities = [stamped, part]
        let container = NSPersistentContainer(name: "Stamps", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }

    @Test func `a test's context lets saves fail`() throws {
        let context = FailingContext(concurrencyType: .privateQueueConcurrencyType)
        let anyContext: NSManagedObjectContext = context
        #expect(anyContext.hasChanges)
        #expect(throws: FailingContext.Failure.self) { try anyContext.save() }
        #expect(context.saves == 1)
    }

    @Test func `a test's context sees deletions and passes them on`() throws {
        let container = try container()
        let context = CountingContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = container.persistentStoreCoordinator
        context.performAndWait {
            let object = Stamped(context: context)
            (context as NSManagedObjectContext).delete(object)
            #expect(context.deletions == 1 && context.insertedObjects.isEmpty)
        }
    }

    @Test func `a class overrides the designated initialiser alone, and generic code makes it`() throws {
        func make<Object: NSManagedObject>(_ type: Object.Type, _ context: NSManagedObjectContext) -> Object {
            Object(context: context)
        }
        let container = try container()
        let context = container.newBackgroundContext()
        context.performAndWait {
            let made = [
                make(Stamped.self, context), Stamped(title: "x", context: context),
                NSEntityDescription.insertNewObject(forEntityName: "Stamped", into: context) as? Stamped,
            ]
            #expect(made.allSatisfy { $0?.wasMade == true })
            #expect(context.insertedObjects.count == 3)
        }
    }

    @Test func `a value that willSave sets primitively is stored with the others`() throws {
        let container = try container()
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let object = Stamped(title: "one", context: context)
            try context.save()
            object.setPrimitiveValue(nil, forKey: "stamp")
            #expect(!context.hasChanges)
            object.setValue("two", forKey: "title")
            try context.save()
            context.reset()
            let stored = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Stamped"))
            #expect(stored.first?.value(forKey: "stamp") as? Date == Date(timeIntervalSinceReferenceDate: 5))
        }
    }

    @Test func `an object tells in didSave that it was deleted`() throws {
        let container = try container()
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let object = Stamped(title: "one", context: context)
            try context.save()
            #expect(object.isDeletedInDidSave == false)
            context.delete(object)
            try context.save()
            #expect(object.isDeletedInDidSave == true && !object.isDeleted)
        }
    }

    @Test func `what a deletion takes with it isn't found any more, before a save`() throws {
        let container = try container()
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let object = Stamped(title: "one", context: context)
            let part = NSEntityDescription.insertNewObject(forEntityName: "Part", into: context)
            part.setValue(object, forKey: "whole")
            try context.save()
            context.delete(object)
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Part")) == 0)
            #expect(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Part")).isEmpty)
        }
    }

    @Test @MainActor func `changes on the main queue are announced without a save`() async throws {
        let container = try container()
        let observer = ChangeObserver(container.viewContext)
        defer { observer.stop() }
        _ = Stamped(title: "one", context: container.viewContext)
        #expect(observer.insertedCounts.isEmpty)
        for _ in 0..<200 where observer.insertedCounts.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(observer.insertedCounts == [1])
    }

    @Test func `the coordinator executes requests and opens stores by their descriptions`() throws {
        let container = try container()
        let context = container.newBackgroundContext()
        try context.performAndWait {
            _ = Stamped(title: "one", context: context)
            try context.save()
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Stamped")
            let found = try container.persistentStoreCoordinator.execute(request, with: context) as? [NSManagedObject]
            #expect(found?.count == 1)
            let deletion = NSBatchDeleteRequest(fetchRequest: request)
            try container.persistentStoreCoordinator.execute(deletion, with: context)
            #expect(try context.count(for: request) == 0)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("client-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Second.sqlite"))
        var failures: [(any Error)?] = []
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: container.managedObjectModel)
        for _ in 0..<2 { coordinator.addPersistentStore(with: description) { failures.append($1) } }
        #expect(failures.count == 2 && failures[0] == nil)
        #expect((failures[1] as? CocoaError)?.errorCode == 134081)
        #expect(coordinator.persistentStores.count == 1)
        try coordinator.remove(coordinator.persistentStores[0])
    }

    @Test func `a context's policy is compared by identity`() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        #expect(context.mergePolicy as AnyObject === NSMergeByPropertyObjectTrumpMergePolicy)
    }
}

private final class Unclaimed: NSManagedObject {}
