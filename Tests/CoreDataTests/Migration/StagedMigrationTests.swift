// Staged migrations: lightweight steps with the program's own work between them.

import CoreData
import Foundation
import Testing

@Suite struct StagedMigrationTests {
    private struct Refusal: Error {}

    /// Version 1: a hero with a name. 2: a nickname too. 3: the nickname is mandatory. 4: a motto too.
    private func version(_ number: Int) -> NSManagedObjectModel {
        let hero = TestModel.entity("Hero", [TestModel.attribute("name", .stringAttributeType)])
        if number >= 2 {
            let nickname = TestModel.attribute("nickname", .stringAttributeType)
            nickname.isOptional = number == 2
            nickname.defaultValue = number == 2 ? nil : "nobody"
            hero.properties.append(nickname)
        }
        if number >= 4 { hero.properties.append(TestModel.attribute("motto", .stringAttributeType)) }
        return TestModel.model([hero])
    }

    private func reference(_ number: Int) -> NSManagedObjectModelReference {
        let model = version(number)
        return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    private func manager(
        _ work: @escaping (NSManagedObjectContext) throws -> Void
    ) -> (NSStagedMigrationManager, NSCustomMigrationStage) {
        let custom = NSCustomMigrationStage(migratingFrom: reference(2), to: reference(3))
        custom.label = "nicknames"
        custom.willMigrateHandler = { manager, stage in
            #expect(stage.label == "nicknames")
            guard let context = manager.container?.newBackgroundContext() else { throw Refusal() }
            try context.performAndWait {
                try work(context)
                try context.save()
            }
        }
        let stages = [
            NSLightweightMigrationStage([version(1).versionChecksum, version(2).versionChecksum]), custom,
            NSLightweightMigrationStage([version(3).versionChecksum, version(4).versionChecksum]),
        ]
        return (NSStagedMigrationManager(stages), custom)
    }

    private func store(_ number: Int = 1) throws -> MigratingStore {
        try MigratingStore(version(number)) { $0.insert("Hero", ["name": "Ada"]) }
    }

    private func options(_ manager: NSStagedMigrationManager) -> [String: Any] {
        [NSPersistentStoreStagedMigrationManagerOptionKey: manager]
    }

    @Test(arguments: [1, 2]) func `[A] stages lead over versions, with work before and after a custom one`(
        _ start: Int
    ) throws {
        let store = try store(start)
        let (manager, custom) = manager { context in
            for hero in try context.all("Hero") {
                hero.setValue("the \(hero.value(forKey: "name") ?? "")", forKey: "nickname")
            }
        }
        custom.didMigrateHandler = { manager, _ in
            guard let context = manager.container?.viewContext else { throw Refusal() }
            #expect(try context.values("Hero", "nickname") == ["the Ada"])
            #expect(
                context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Hero"]?
                    .attributesByName["nickname"]?.isOptional == false)
        }
        let context = try store.open(version(4), options(manager))
        #expect(try context.values("Hero", "nickname") == ["the Ada"])
        #expect(try context.values("Hero", "motto") == ["nil"])
        #expect(manager.container == nil)
    }

    @Test func `an error of a handler ends the migration between two stages, and it can go on from there`() throws {
        let store = try store()
        let (failing, _) = manager { _ in throw Refusal() }
        #expect(throws: Refusal.self) { try store.open(version(4), options(failing)) }
        #expect(try store.open(version(2), nil).values("Hero", "name") == ["Ada"])
        try store.close()
        let (manager, _) = manager { _ in }
        #expect(try store.open(version(4), options(manager)).values("Hero", "nickname") == ["nobody"])
    }

    @Test func `[A] stages don't lead backward, nor from a version that none of them begins with`() throws {
        let newer = try store(3)
        let (manager, _) = manager { _ in }
        let error = try newer.refusal(version(1), options(manager))
        #expect(error.code.rawValue == NSStagedMigrationBackwardMigrationError)
        let unknown = try store(1)
        let late = NSStagedMigrationManager([NSLightweightMigrationStage([version(3).versionChecksum])])
        #expect(try unknown.refusal(version(4), options(late)).code.rawValue == NSMigrationError)
        let missing = NSStagedMigrationManager([
            NSCustomMigrationStage(
                migratingFrom: reference(1),
                to: NSManagedObjectModelReference(model: version(4), versionChecksum: "another"))
        ])
        #expect(
            try unknown.refusal(version(4), options(missing)).code.rawValue
                == NSManagedObjectModelReferenceNotFoundError)
    }

    @Test func `an entity with a derived attribute is led through stages`() throws {
        func version(_ number: Int) -> NSManagedObjectModel {
            let loud = NSDerivedAttributeDescription()
            loud.name = "loud"
            loud.attributeType = .stringAttributeType
            loud.derivationExpression = NSExpression(format: "uppercase:(name)")
            let names = ["name", "nickname", "motto"].prefix(number)
            let hero = TestModel.entity("Hero", names.map { TestModel.attribute($0, .stringAttributeType) })
            hero.properties.append(loud)
            return TestModel.model([hero])
        }
        func reference(_ number: Int) -> NSManagedObjectModelReference {
            let model = version(number)
            return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let custom = NSCustomMigrationStage(migratingFrom: reference(2), to: reference(3))
        custom.willMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { throw Refusal() }
            try context.performAndWait {
                for hero in try context.all("Hero") { hero.setValue("Countess", forKey: "nickname") }
                try context.save()
            }
        }
        let stages = [NSLightweightMigrationStage([1, 2].map { version($0).versionChecksum }), custom]
        let store = try MigratingStore(version(1)) { $0.insert("Hero", ["name": "Ada"]) }
        let context = try store.open(version(3), options(NSStagedMigrationManager(stages)))
        #expect(try context.values("Hero", "nickname") == ["Countess"])
        #expect(try context.values("Hero", "motto") == ["nil"])
        #expect(try context.values("Hero", "loud") == ["ADA"])
    }

    @Test func `versions that differ in elements of a composite attribute alone are told apart`() throws {
        func version(_ elements: [String]) -> NSManagedObjectModel {
            let place = NSCompositeAttributeDescription()
            place.name = "place"
            place.elements = elements.map { TestModel.attribute($0, .stringAttributeType) }
            return TestModel.model([TestModel.entity("Shop", [place])])
        }
        let older = version(["city"]), newer = version(["city", "zip"])
        #expect(older.versionChecksum == newer.versionChecksum)
        let store = try MigratingStore(older) { $0.insert("Shop", ["place": ["city": "Rome"]]) }
        let stages = NSStagedMigrationManager([NSLightweightMigrationStage([older.versionChecksum])])
        let shops = try store.open(newer, options(stages)).all("Shop")
        #expect(shops.first?.value(forKey: "place") as? [String: String] == ["city": "Rome"])
        try store.close()
        #expect(try store.open(newer, nil).all("Shop").count == 1)
    }

    /// Versions 1 and 2 have one checksum, in which neither a derivation nor an element shows.
    private func version(_ number: Int, isDerived: Bool) -> NSManagedObjectModel {
        let hero = TestModel.entity("Hero", [TestModel.attribute("name", .stringAttributeType)])
        if isDerived {
            let shown = NSDerivedAttributeDescription()
            shown.name = "shown"
            shown.attributeType = .stringAttributeType
            shown.derivationExpression = NSExpression(format: number == 1 ? "uppercase:(name)" : "lowercase:(name)")
            hero.properties.append(shown)
            if number == 3 { hero.properties.append(TestModel.attribute("motto", .stringAttributeType)) }
        } else {
            let place = NSCompositeAttributeDescription()
            place.name = "place"
            place.elements = ["city", "zip", "street"].prefix(number).map {
                TestModel.attribute($0, .stringAttributeType)
            }
            hero.properties.append(place)
        }
        return TestModel.model([hero])
    }

    @Test(arguments: [true, false], [1, 2])
    func `a store begins with the stage of its version, although an earlier one has the same checksum`(
        isDerived: Bool, start: Int
    ) throws {
        func reference(_ number: Int) -> NSManagedObjectModelReference {
            let model = version(number, isDerived: isDerived)
            return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        #expect(reference(1).versionChecksum == reference(2).versionChecksum)
        var begun: [Int] = []
        let stages = [1, 2].map { number in
            let stage = NSCustomMigrationStage(migratingFrom: reference(number), to: reference(number + 1))
            stage.willMigrateHandler = { _, _ in begun.append(number) }
            return stage
        }
        let store = try MigratingStore(version(start, isDerived: isDerived)) { $0.insert("Hero", ["name": "Ada"]) }
        let context = try store.open(version(3, isDerived: isDerived), options(NSStagedMigrationManager(stages)))
        #expect(begun == Array(start...2))
        #expect(try context.values("Hero", "name") == ["Ada"])
    }

    @Test func `a store isn't led backward to a version of its checksum`() throws {
        func reference(_ number: Int) -> NSManagedObjectModelReference {
            let model = version(number, isDerived: false)
            return NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let stages = [1, 2].map { NSCustomMigrationStage(migratingFrom: reference($0), to: reference($0 + 1)) }
        let store = try MigratingStore(version(2, isDerived: false)) { $0.insert("Hero", ["name": "Ada"]) }
        let error = try store.refusal(version(1, isDerived: false), options(NSStagedMigrationManager(stages)))
        #expect(error.code.rawValue == NSStagedMigrationBackwardMigrationError)
    }

    // NSManagedObjectModelReference.h, `initWithEntityVersionHashes:inBundle:versionChecksum:`
    @Test func `a reference finds a model of a bundle by its version hashes`() throws {
        let folder = try TemporaryFolder()
        for (name, attribute) in [("One", "name"), ("Two", "title")] {
            let text = """
                <?xml version="1.0" encoding="UTF-8"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="Hero" representedClassName="Hero">
                        <attribute name="\(attribute)" optional="YES" attributeType="String"/>
                    </entity>
                </model>
                """
            let url = folder.url.appendingPathComponent("Heroes.momd/\(name).mom")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        let url = folder.url.appendingPathComponent("Heroes.momd/Two.mom")
        let two = try #require(NSManagedObjectModel(contentsOf: url))
        let reference = NSManagedObjectModelReference(
            entityVersionHashes: two.entityVersionHashesByName, in: Bundle(path: folder.url.path),
            versionChecksum: two.versionChecksum)
        #expect(reference.resolvedModel.entitiesByName["Hero"]?.attributesByName["title"] != nil)
    }

    @Test(.needsReferenceData) func `a reference finds a version in a folder by its checksum`() throws {
        let folder = ModelTestData.stores.appendingPathComponent("CoreDataPlus-SampleModel3/Fixtures/SampleModel3.momd")
        for name in ["SampleModel3", "SampleModel3_v2", "SampleModel3_v3"] {
            let url = folder.appendingPathComponent("\(name).mom")
            let checksum = try #require(NSManagedObjectModel(contentsOf: url)).versionChecksum
            let found = NSManagedObjectModelReference(fileURL: folder, versionChecksum: checksum).resolvedModel
            #expect(found.versionChecksum == checksum)
        }
    }
}
