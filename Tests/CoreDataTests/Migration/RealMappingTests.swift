// A real project's mapping model, as Xcode edits it: it has the entities that came and those that went on, says of no property
// where its value is from, and leaves what is new to the project's policy.

import CoreData
import Foundation
import Testing

/// Gives objects what the newer version of CareKit's model wants of them, as the project's policy does.
final class CareKitPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        for object in made {
            object.setValue(UUID(), forKey: "uuid")
            guard object.entity.name == "OCKCDOutcome" else { continue }
            object.setValue(UUID().uuidString, forKey: "id")
            for key in ["effectiveDate", "startDate", "endDate"] {
                object.setValue(sInstance.value(forKey: "date"), forKey: key)
            }
        }
    }
}

@Suite(.needsReferenceData) struct RealMappingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func version(_ number: String) throws -> NSManagedObjectModel {
        let path = "CareKit/CareKitStore.xcdatamodeld/CareKitStore\(number).xcdatamodel"
        return try #require(NSManagedObjectModel(contentsOf: ModelTestData.stores.appendingPathComponent(path)))
    }

    /// The objects by what they hold of properties that both versions have, and how many objects hold that.
    private func objects(_ model: NSManagedObjectModel, _ other: NSManagedObjectModel, _ store: URL) throws
        -> [String: Int]
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: store)
        defer { _ = try? coordinator.remove(opened) }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            var found: [String: Int] = [:]
            for name in Set(model.entitiesByName.keys).intersection(other.entitiesByName.keys) {
                let twin = try #require(other.entitiesByName[name])
                for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name)) {
                    let links = object.entity.relationshipsByName.keys.sorted()
                        .filter { twin.relationshipsByName[$0] != nil }
                        .map { link in
                            let value = object.value(forKey: link)
                            let many = (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array
                            let ends = (many ?? [value as Any]).compactMap { $0 as? NSManagedObject }
                            return "\(link): \(ends.map { values($0, other) }.sorted())"
                        }
                    found["\(values(object, other)) \(links)", default: 0] += 1
                }
            }
            return found
        }
    }

    private func values(_ object: NSManagedObject, _ other: NSManagedObjectModel) -> String {
        let shared = other.entitiesByName[object.entity.name ?? ""]?.attributesByName ?? [:]
        let values = object.entity.attributesByName.keys.sorted().filter { shared[$0] != nil }
            .map { "\($0)=\(object.value(forKey: $0).map { "\($0)" } ?? "nil")" }
        return "\(object.entity.name ?? "")(\(values.joined(separator: " ")))"
    }

    @Test func `a real store is migrated by a mapping model's source and a policy, with all values and links`() throws {
        let store = folder.url.appendingPathComponent("CareKit.sqlite")
        try FileManager.default.copyItem(
            at: ModelTestData.stores.appendingPathComponent("CareKit/SampleStore2.0.sqlite"), to: store)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.path)
        let (old, new) = (try Self.version("2.0"), try Self.version("2.1"))
        let before = try objects(old, new, store)
        #expect(before.values.reduce(0, +) == 19)

        let file = "more-stores/Mapping/CareKit-2.0_2.1.xcmappingmodel"
        let mapping = try #require(
            NSMappingModel(
                contentsOf: ModelTestData.stores.deletingLastPathComponent().appendingPathComponent(file)))
        var policies = 0
        // The project's own class isn't here.
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            #expect(entity.entityMigrationPolicyClassName == "CareKitStore.OCKStoreMigration2_0To2_1Policy")
            entity.entityMigrationPolicyClassName = NSStringFromClass(CareKitPolicy.self)
            policies += 1
        }
        #expect(policies == 5)
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: store, type: .sqlite, mapping: mapping, to: store, type: .sqlite)
        #expect(try objects(new, old, store) == before)
    }
}
