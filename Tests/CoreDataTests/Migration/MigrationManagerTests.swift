// Migrations by NSMigrationManager: mapping models and policies made in code.

import CoreData
import Foundation
import GRDB
import Synchronization
import TestSupport
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

/// Reads objects that no mapping is about.
final class PetReadingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        for case let pet as NSManagedObject in sInstance.value(forKey: "pets") as? NSOrderedSet ?? [] {
            _ = pet.value(forKey: "price")
        }
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
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

    @Test func `a subclass hears of its progress, and a mapping has a name unless it is given one`() throws {
        final class Listening: NSMigrationManager {
            var keys: Set<String> = []
            var last: Float = 0
            override func didChangeValue(forKey key: String) {
                super.didChangeValue(forKey: key)
                keys.insert(key)
                last = migrationProgress
            }
        }
        let store = try store(), result = try MigratingStore()
        let manager = Listening(sourceModel: older(), destinationModel: newer())
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, with: mappings(), toDestinationURL: result.url,
            destinationType: NSSQLiteStoreType)
        #expect(manager.keys == ["migrationProgress", "currentEntityMapping"])
        #expect(manager.last == 1 && manager.migrationProgress == 0)
        let mapping = NSEntityMapping()
        (mapping.sourceEntityName, mapping.destinationEntityName) = ("Person", "Human")
        #expect(mapping.name == "Person->Human")
        mapping.name = "own"
        #expect(mapping.name == "own")
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

    @Test func `a migration that is cancelled before it begins throws the error, and the next one migrates`() throws {
        let store = try store(), result = try MigratingStore()
        let manager = NSMigrationManager(sourceModel: older(), destinationModel: newer())
        manager.cancelMigrationWithError(CocoaError(.userCancelled))
        func migrate() throws {
            try manager.migrateStore(
                from: store.url, sourceType: NSSQLiteStoreType, with: mappings(), toDestinationURL: result.url,
                destinationType: NSSQLiteStoreType)
        }
        let error = try #require(throws: CocoaError.self) { try migrate() }
        #expect(error.code == .userCancelled)
        #expect(!FileManager.default.fileExists(atPath: result.url.path))
        try migrate()
        #expect(FileManager.default.fileExists(atPath: result.url.path))
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

    // Apple, "NSMigrationManager.migrateStore(from:…)": "If a store does not exist at the destination URL (dURL), a new store
    // is created; otherwise, the migration appends to the existing store."
    @Test func `a migration to where a store of the newer version is adds to it`() throws {
        let first = try store(), second = try store(names: ["Grace Hopper"]), result = try MigratingStore()
        try migrate(first, mappings(), to: result.url)
        try migrate(second, mappings(), to: result.url)
        let context = try result.open(newer(), nil)
        #expect(try context.values("Human", "first") == ["Ada", "Alan", "Grace"])
        #expect(try context.all("Human").map { ($0.value(forKey: "animals") as? NSOrderedSet)?.count } == [2, 2, 2])
        try result.close()
        // One that was inferred moves rows, whose keys the destination's rows may have.
        let inferred = try NSMappingModel.inferredMappingModel(forSourceModel: newer(), destinationModel: newer())
        let other = try MigratingStore(newer()) { $0.insert("Human", ["first": "Kurt"]) }
        try NSMigrationManager(sourceModel: newer(), destinationModel: newer()).migrateStore(
            from: other.url, type: .sqlite, mapping: inferred, to: result.url, type: .sqlite)
        #expect(try result.open(newer(), nil).values("Human", "first") == ["Ada", "Alan", "Grace", "Kurt"])
    }

    @Test func `rows of no entity refuse a migration of objects, whose mappings would never meet them`() throws {
        let store = try MigratingStore(TestModel.heroes()) { $0.insert("Hero", ["name": "Ada"]) }
        try store.close()
        let queue = try DatabaseQueue(path: store.url.path)
        try queue.write { try $0.execute(sql: "UPDATE ZHERO SET Z_ENT = 99") }
        try queue.close()
        let result = try MigratingStore(), model = TestModel.heroes()
        let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
        manager.usesStoreSpecificMigrationManager = false
        let inferred = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model)
        let error = try #require(throws: CocoaError.self) {
            try manager.migrateStore(
                from: store.url, type: .sqlite, mapping: inferred, to: result.url, type: .sqlite)
        }
        #expect(error.code.rawValue == NSMigrationError)
        #expect(error.localizedDescription.contains("Hero, row 1: its entity number (Z_ENT) is integer '99'"))
        #expect(!FileManager.default.fileExists(atPath: result.url.path))
    }

    @Test func `a migration to where a store of another version is fails, and that one stays`() throws {
        let source = try store(), result = try store(names: ["Emmy Noether"])
        let error = try #require(throws: CocoaError.self) { try migrate(source, mappings(), to: result.url) }
        #expect(error.code == .persistentStoreIncompatibleVersionHash)
        #expect(error.localizedDescription.contains(result.url.path))
        #expect(try result.open(older(), nil).values("Person", "name") == ["Emmy Noether"])
    }

    @Test func `a store isn't moved to where it can't be opened, and what is there stays`() throws {
        let source = try store(), other = try store(names: ["Emmy Noether"])
        let context = try source.open(older())
        let coordinator = try #require(context.persistentStoreCoordinator)
        let own = coordinator.persistentStores[0]
        #expect(throws: CocoaError.self) { try coordinator.migratePersistentStore(own, to: source.url, type: .sqlite) }
        #expect(throws: CocoaError.self) {
            try coordinator.migratePersistentStore(
                own, to: other.url, options: [NSSQLitePragmasOption: ["no such pragma": "1; x"]], type: .sqlite)
        }
        #expect(coordinator.persistentStores.first === own && coordinator.persistentStores.count == 1)
        #expect(try context.values("Person", "name") == ["Ada Lovelace", "Alan Turing"])
        #expect(try other.open(older(), nil).values("Person", "name") == ["Emmy Noether"])
        try other.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: other.folder.url.path).allSatisfy { !$0.hasPrefix(".") }
        )
    }

    @Test func `objects that can't be copied into a store leave what was in it`() throws {
        func model() -> NSManagedObjectModel {
            let item = TestModel.entity("Item", [TestModel.attribute("name", .stringAttributeType)])
            item.uniquenessConstraints = [["name"]]
            return TestModel.model([item])
        }
        let other = try MigratingStore(model()) { $0.insert("Item", ["name": "a"]) }
        let library = try Library(.inMemory, model: model())
        _ = library.insert("Item", ["name": "a"])
        try library.context.save()
        let store = library.coordinator.persistentStores[0]
        #expect(throws: (any Error).self) {
            try library.coordinator.migratePersistentStore(store, to: other.url, type: .sqlite)
        }
        #expect(library.coordinator.persistentStores.first === store)
        #expect(try other.open(model(), nil).values("Item", "name") == ["a"])
    }

    // MARK: Values that can't be decoded

    private func boxes(_ name: String) -> NSManagedObjectModel {
        let value = TestModel.attribute(name, .transformableAttributeType)
        value.valueTransformerName = "TransformerThatNobodyHas"
        return TestModel.model([TestModel.entity("Box", [value])])
    }

    /// A store with a value of a transformer that isn't registered.
    private func boxStore() throws -> MigratingStore {
        let store = try MigratingStore(boxes("value")) { $0.insert("Box") }
        try DatabaseQueue(path: store.url.path).write { try $0.execute(sql: "UPDATE ZBOX SET ZVALUE = x'0102ff'") }
        return store
    }

    @Test func `bytes that are no object come along in a migration by objects`() throws {
        let store = try boxStore(), result = try MigratingStore()
        let box = NSEntityMapping()
        box.name = "BoxToBox"
        box.mappingType = .transformEntityMappingType
        box.sourceEntityName = "Box"
        box.destinationEntityName = "Box"
        box.attributeMappings = [property("content", "$source.value")]
        let mappings = NSMappingModel()
        mappings.entityMappings = [box]
        try NSMigrationManager(sourceModel: boxes("value"), destinationModel: boxes("content")).migrateStore(
            from: store.url, type: .sqlite, mapping: mappings, to: result.url, type: .sqlite)
        #expect(try result.sql { try Data.fetchOne($0, sql: "SELECT ZCONTENT FROM ZBOX") } == Data([1, 2, 255]))
    }

    @Test func `bytes that are no object move to another type of store and back`() throws {
        let store = try boxStore(), back = try MigratingStore()
        let coordinator = try #require(try store.open(boxes("value")).persistentStoreCoordinator)
        let memory = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: back.url, type: .inMemory)
        let file = try coordinator.migratePersistentStore(memory, to: back.url, type: .sqlite)
        try coordinator.remove(file)
        #expect(try back.sql { try Data.fetchOne($0, sql: "SELECT ZVALUE FROM ZBOX") } == Data([1, 2, 255]))
    }

    // MARK: Faults that can't be read

    @Test func `an object that can't be read on the way ends a migration by objects, and both stores stay`() throws {
        let store = try store(), result = try MigratingStore()
        try StoreSQL.run("UPDATE ZPET SET ZPRICE = 'x' WHERE Z_PK = 3", at: store.url)
        let mappings = mappings()
        let person = try #require(mappings.entityMappings?.last)
        person.entityMigrationPolicyClassName = NSStringFromClass(PetReadingPolicy.self)
        mappings.entityMappings = [person]
        let error = try #require(throws: CocoaError.self) { try migrate(store, mappings, to: result.url) }
        #expect(error.localizedDescription.contains("ZPET.ZPRICE of row 3"), "\(error.localizedDescription)")
        #expect(!FileManager.default.fileExists(atPath: result.url.path))
    }
}
