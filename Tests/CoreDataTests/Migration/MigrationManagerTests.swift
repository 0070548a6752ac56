// Migrations by NSMigrationManager: mapping models and policies made in code.

import CoreData
import Foundation
import Synchronization
import Testing

/// Splits a person's name into two attributes, and counts its calls.
final class SplittingPolicy: NSEntityMigrationPolicy {
    static let calls = Mutex<[String]>([])

    private func note(_ call: String) { Self.calls.withLock { $0.append(call) } }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws { note("begin") }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        note("create")
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let words = (sInstance.value(forKey: "name") as? String ?? "").split(separator: " ").map(String.init)
        if words.contains("Nobody") { throw CocoaError(.featureUnsupported) }
        made.first?.setValue(words.first, forKey: "first")
        made.first?.setValue(words.last, forKey: "last")
    }

    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        note("end of instances")
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        note("relationships of \(dInstance.value(forKey: "first") ?? "")")
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        note("end of relationships")
    }

    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        note("validation")
    }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { note("end") }
}

/// Ends the migration at its first object.
final class CancellingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        manager.cancelMigrationWithError(CocoaError(.userCancelled))
    }
}

/// Notes how far a migration is.
private final class ProgressWatcher: NSKeyValueObserver {
    var steps: [Float] = []
    var isOfManager = true

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        isOfManager = isOfManager && keyPath == "migrationProgress" && object is NSMigrationManager
        if let step = change?[.newKey] as? Float { steps.append(step) }
    }
}

@Suite(.serialized) struct MigrationManagerTests {
    private func older() -> NSManagedObjectModel {
        let person = TestModel.entity("Person", [TestModel.attribute("name", .stringAttributeType)])
        let pet = TestModel.entity("Pet", [TestModel.attribute("price", .decimalAttributeType)])
        TestModel.connect(person, "pets", .ordered, pet, "owner", .one)
        return TestModel.model([person, pet])
    }

    private func newer() -> NSManagedObjectModel {
        let person = TestModel.entity(
            "Human",
            [TestModel.attribute("first", .stringAttributeType), TestModel.attribute("last", .stringAttributeType)])
        let pet = TestModel.entity("Pet", [TestModel.attribute("cost", .decimalAttributeType)])
        TestModel.connect(person, "animals", .ordered, pet, "keeper", .one)
        return TestModel.model([person, pet])
    }

    private static let price = "12345678901234.5"

    private func store(names: [String] = ["Ada Lovelace", "Alan Turing"]) throws -> MigratingStore {
        try MigratingStore(older()) { context in
            for name in names {
                let pets = (0..<2).map { _ in
                    context.insert("Pet", ["price": NSDecimalNumber(string: Self.price)])
                }
                context.insert("Person", ["name": name, "pets": NSOrderedSet(array: pets)])
            }
        }
    }

    private func property(_ name: String, _ format: String? = nil) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = format.map { NSExpression(format: $0) }
        return mapping
    }

    /// As the mapping editor would make it.
    private func mappings() -> NSMappingModel {
        let person = NSEntityMapping()
        person.name = "PersonToHuman"
        person.mappingType = .customEntityMappingType
        person.sourceEntityName = "Person"
        person.destinationEntityName = "Human"
        person.entityMigrationPolicyClassName = NSStringFromClass(SplittingPolicy.self)
        person.relationshipMappings = [
            property(
                "animals",
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"PetToPet\", $source.pets)"
            )
        ]
        let pet = NSEntityMapping()
        pet.name = "PetToPet"
        pet.mappingType = .transformEntityMappingType
        pet.sourceEntityName = "Pet"
        pet.destinationEntityName = "Pet"
        pet.attributeMappings = [property("cost", "$source.price")]
        let model = NSMappingModel()
        model.entityMappings = [pet, person]
        return model
    }

    private func migrate(
        _ store: MigratingStore, _ mappings: NSMappingModel?, to url: URL,
        _ change: (NSMigrationManager) -> Void = { _ in }
    ) throws {
        let manager = NSMigrationManager(sourceModel: older(), destinationModel: newer())
        change(manager)
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, with: mappings, toDestinationURL: url,
            destinationType: NSSQLiteStoreType)
    }

    @Test func `[A] three passes call a policy in order, and expressions give what it doesn't`() throws {
        SplittingPolicy.calls.withLock { $0 = [] }
        let store = try store(), result = try MigratingStore()
        try migrate(store, mappings(), to: result.url)
        let context = try result.open(newer(), nil)
        #expect(try context.values("Human", "first") == ["Ada", "Alan"])
        #expect(try context.values("Human", "last") == ["Lovelace", "Turing"])
        #expect(try context.values("Pet", "cost") == Array(repeating: Self.price, count: 4))
        #expect(try context.all("Human").map { ($0.value(forKey: "animals") as? NSOrderedSet)?.count } == [2, 2])
        let calls = SplittingPolicy.calls.withLock { $0 }
        #expect(
            calls == [
                "begin", "create", "create", "end of instances", "relationships of Ada", "relationships of Alan",
                "end of relationships", "validation", "end",
            ])
        // The old one is as it was.
        #expect(try store.open(older(), nil).values("Person", "name") == ["Ada Lovelace", "Alan Turing"])
    }

    // Apple, "NSMigrationManager.migrationProgress": "You can observe this value using key-value observing."
    @Test func `progress can be observed, by key and by key path`() throws {
        let store = try store(), result = try MigratingStore(), watcher = ProgressWatcher()
        var steps: [Float] = [], mappings: [String] = [], observations: [NSKeyValueObservation] = []
        try migrate(store, self.mappings(), to: result.url) { manager in
            unsafe manager.addObserver(watcher, forKeyPath: "migrationProgress", options: [.new])
            observations.append(
                manager.observe(\.migrationProgress, options: [.old, .new]) { _, change in
                    #expect((change.oldValue ?? 2) <= (change.newValue ?? -1) || change.newValue == 0)
                    steps.append(change.newValue ?? -1)
                })
            observations.append(
                manager.observe(\.currentEntityMapping, options: [.new]) { _, change in
                    mappings.append(change.newValue?.name ?? "")
                })
        }
        #expect(steps.count > 4 && steps == steps.sorted() && steps.first == 0 && steps.last == 1)
        #expect(watcher.steps == steps && watcher.isOfManager)
        #expect(Set(mappings) == ["PersonToHuman", "PetToPet"])
        withExtendedLifetime(observations) {}
    }

    @Test func `an observer of progress is told until it is removed`() throws {
        let store = try store(), result = try MigratingStore(), watcher = ProgressWatcher()
        var count = 0
        try migrate(store, mappings(), to: result.url) { manager in
            unsafe manager.addObserver(watcher, forKeyPath: "migrationProgress", options: [.new])
            manager.removeObserver(watcher, forKeyPath: "migrationProgress")
            manager.observe(\.migrationProgress) { _, _ in count += 1 }.invalidate()
        }
        #expect(watcher.steps.isEmpty && count == 0)
    }

    @Test func `an error of a policy leaves both stores as they were`() throws {
        let store = try store(names: ["Ada Lovelace", "Nobody Atall"]), result = try MigratingStore()
        let earlier = try result.open(newer())
        earlier.insert("Human", ["first": "Earlier"])
        try earlier.save()
        try result.close()
        let error = try #require(throws: CocoaError.self) { try migrate(store, mappings(), to: result.url) }
        #expect(error.code == .featureUnsupported)
        #expect(try result.open(newer(), nil).values("Human", "first") == ["Earlier"])
        try result.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: result.folder.url.path).allSatisfy {
                !$0.hasPrefix(".")
            })
        #expect(try store.open(older(), nil).all("Person").count == 2)
    }

    @Test func `a cancelled migration throws the error that it was cancelled with`() throws {
        let store = try store(), result = try MigratingStore()
        let cancelling = mappings()
        cancelling.entityMappings[0].entityMigrationPolicyClassName = NSStringFromClass(CancellingPolicy.self)
        let error = try #require(throws: CocoaError.self) { try migrate(store, cancelling, to: result.url) }
        #expect(error.code == .userCancelled)
        #expect(!FileManager.default.fileExists(atPath: result.url.path))
    }

    @Test func `a migration without a mapping model, of another version or to another type is refused`() throws {
        let store = try store(), result = try MigratingStore()
        func code(_ body: () throws -> Void) throws -> Int {
            try #require(throws: CocoaError.self) { try body() }.code.rawValue
        }
        #expect(try code { try migrate(store, nil, to: result.url) } == NSMigrationMissingMappingModelError)
        let manager = NSMigrationManager(sourceModel: newer(), destinationModel: older())
        #expect(
            try code {
                try manager.migrateStore(
                    from: store.url, sourceType: NSSQLiteStoreType, with: NSMappingModel(),
                    toDestinationURL: result.url, destinationType: NSSQLiteStoreType)
            } == NSPersistentStoreIncompatibleVersionHashError)
        #expect(
            try code {
                try manager.migrateStore(
                    from: store.url, sourceType: NSSQLiteStoreType, with: NSMappingModel(),
                    toDestinationURL: result.url, destinationType: NSInMemoryStoreType)
            } == NSPersistentStoreInvalidTypeError)
        let unknown = mappings()
        unknown.entityMappings[1].entityMigrationPolicyClassName = "Nowhere.Policy"
        #expect(try code { try migrate(store, unknown, to: result.url) } == NSEntityMigrationPolicyError)
        #expect(!FileManager.default.fileExists(atPath: result.url.path))
    }

    // MARK: Other places and types

    @Test(arguments: [NSInMemoryStoreType, NSSQLiteStoreType])
    func `a store moves to another place and type with all its objects`(_ type: String) throws {
        let store = try store(), other = try MigratingStore()
        let context = try store.open(older())
        let coordinator = try #require(context.persistentStoreCoordinator)
        let old = coordinator.persistentStores[0]
        let moved = try coordinator.migratePersistentStore(old, to: other.url, options: nil, withType: type)
        #expect(coordinator.persistentStores.count == 1)
        #expect(coordinator.persistentStores.first === moved)
        #expect(moved.persistentStoreCoordinator === coordinator)
        let fresh = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        fresh.persistentStoreCoordinator = coordinator
        #expect(try fresh.values("Person", "name").sorted() == ["Ada Lovelace", "Alan Turing"])
        #expect(try fresh.members("Pet", "owner").flatMap(\.self).count == 4)
        fresh.insert("Person", ["name": "New"])
        try fresh.save()
        #expect(try fresh.all("Person").count == 3)
        // And back into a file.
        let back = try MigratingStore()
        let written = try coordinator.migratePersistentStore(moved, to: back.url, type: .sqlite)
        try coordinator.remove(written)
        #expect(try back.open(older(), nil).all("Person").count == 3)
        try coordinator.destroyPersistentStore(at: store.url, type: .sqlite)
        #expect(!FileManager.default.fileExists(atPath: store.url.path))
        #expect(
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: back.url)[NSStoreTypeKey]
                as? String == NSSQLiteStoreType)
    }
}
