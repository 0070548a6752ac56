// A store of one configuration has the version hashes of that configuration's entities. Stages name versions by the checksums of whole
// models, with which the checksum of those hashes is compared: no stage ever begins with the version of such a store, and even one that is
// at the newest version is never recognised as that.

import CoreData
import Foundation
import Testing

@Suite struct StagedConfigurationTests {
    private func model(_ version: Int) -> NSManagedObjectModel {
        let cache = TestModel.entity("Cache", [TestModel.attribute("name", .stringAttributeType)])
        let note = TestModel.entity("Note", [TestModel.attribute("name", .stringAttributeType)])
        if version > 1 { cache.properties.append(TestModel.attribute("size", .integer64AttributeType)) }
        let model = TestModel.model([cache, note])
        model.setEntities([cache], forConfigurationName: "Local")
        model.setEntities([note], forConfigurationName: "User")
        return model
    }

    @Test(arguments: [false, true])
    func `a store of one configuration is led through stages`(_ isCustom: Bool) throws {
        let store = try MigratingStore()
        let context = try store.open(model(1), configuration: "Local")
        context.insert("Cache", ["name": "page"])
        try context.save()
        try store.close()
        let first = model(1), second = model(2)
        let stage: NSMigrationStage =
            isCustom
            ? NSCustomMigrationStage(
                migratingFrom: NSManagedObjectModelReference(model: first, versionChecksum: first.versionChecksum),
                to: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum))
            : NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum])
        let options: [String: Any] = [
            NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])
        ]
        let migrated = try store.open(model(2), options, configuration: "Local")
        #expect(try migrated.values("Cache", "name") == ["page"])
        #expect(try migrated.values("Cache", "size") == ["nil"])
    }
}
