// Belongs into Tests/CoreDataTests/Migration. (WrittenPerson, with the accessors that the plugin would have found, is that of
// Tests/CoreDataTests/Objects/WrittenAccessorTests.swift.)
//
// Core Data Model Versioning and Data Migration, "Three-Stage Migration": "It uses a copy of the source and destination models in which
// the validation rules are disabled and the class of all entities is changed to NSManagedObject." Here the objects of the destination are
// plain ones (`NSManagedObject.plain`: "migrations run no code of classes"), those of the source aren't: the program's present class runs
// on the older model. What its accessors make of a value goes into the new store, and an awakeFromFetch() that asks for a property which
// came with the newer version ends the process.

import CoreData
import Foundation
import Synchronization
import Testing

/// Counts how often an object of it is read.
final class WakingGuest: NSManagedObject {
    static let woken = Mutex(0)

    override func awakeFromFetch() {
        super.awakeFromFetch()
        Self.woken.withLock { $0 += 1 }
    }
}

/// Notes whether the source's objects are plain ones.
final class ClassNotingPolicy: NSEntityMigrationPolicy {
    static let arePlain = Mutex<[Bool]>([])

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let isPlain = type(of: sInstance) == NSManagedObject.self
        Self.arePlain.withLock { $0.append(isPlain) }
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }
}

@Suite(.serialized) struct ClassCodeMigrationTests {
    private func model(_ className: String) -> NSManagedObjectModel {
        let person = TestModel.entity("Person", [TestModel.attribute("name", .stringAttributeType)])
        person.managedObjectClassName = className
        return TestModel.model([person])
    }

    /// The next version, whose objects are plain ones, so that nothing comes between the test and what is stored.
    private func next(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        try model.next { model in
            let person = try model.entity("Person")
            person.managedObjectClassName = "NSManagedObject"
            person.properties.append(TestModel.attribute("rank", .integer64AttributeType))
        }
    }

    private func migrate(
        _ store: MigratingStore, from older: NSManagedObjectModel, to newer: NSManagedObjectModel,
        policy: String? = nil, movesRows: Bool = false
    ) throws -> MigratingStore {
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        for entity in mapping.entityMappings { entity.entityMigrationPolicyClassName = policy }
        let result = try MigratingStore()
        let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
        manager.usesStoreSpecificMigrationManager = movesRows
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: result.url,
            destinationType: NSSQLiteStoreType)
        return result
    }

    @Test(arguments: [true, false])
    func `a class's accessors have no say in what a migration carries over`(_ movesRows: Bool) throws {
        let older = model(NSStringFromClass(WrittenPerson.self)), newer = try next(older)
        let store = try MigratingStore(older) { $0.insert("Person", ["name": "Ada"]) }
        let result = try migrate(store, from: older, to: newer, movesRows: movesRows)
        // WrittenPerson shows names in capitals.
        #expect(try result.open(newer, nil).values("Person", "name") == ["Ada"])
    }

    @Test func `a migration wakes no object of a class`() throws {
        let older = model(NSStringFromClass(WakingGuest.self)), newer = try next(older)
        let store = try MigratingStore(older) { $0.insert("Person", ["name": "Ada"]) }
        WakingGuest.woken.withLock { $0 = 0 }
        ClassNotingPolicy.arePlain.withLock { $0 = [] }
        let policy = NSStringFromClass(ClassNotingPolicy.self)
        let result = try migrate(store, from: older, to: newer, policy: policy)
        #expect(try result.open(newer, nil).values("Person", "name") == ["Ada"])
        #expect(WakingGuest.woken.withLock { $0 } == 0)
        #expect(ClassNotingPolicy.arePlain.withLock { $0 } == [true])
    }
}
