// Mapping models from files: both forms say the same, each is found for its own two versions alone, and a migration runs by it.

import Foundation
import GRDB
import Testing

@testable import CoreData

/// What the project of the real mapping model does: cars had their maker's name, and get a maker.
final class V2to3MakerPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let name = sInstance.value(forKey: "maker") as? String,
            let car = manager.destinationInstances(
                forEntityMappingName: mapping.name, sourceInstances: [sInstance]
            ).first
        else { return }
        let context = manager.destinationContext
        let made = context.insertedObjects.first {
            $0.entity.name == "Maker" && $0.value(forKey: "name") as? String == name
        }
        let maker = made ?? NSEntityDescription.insertNewObject(forEntityName: "Maker", into: context)
        maker.setValue(name, forKey: "name")
        car.setValue(maker, forKey: "createdBy")
    }
}

@Suite struct MappingModelTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static var data: URL { ModelTestData.stores.deletingLastPathComponent() }
    private static var real: URL { data.appendingPathComponent("more-stores/Mapping") }
    private static var compiled: URL { real.appendingPathComponent("V2toV3.cdm") }

    private func copy(_ url: URL) throws -> URL {
        let copy = folder.url.appendingPathComponent(url.lastPathComponent)
        try FileManager.default.copyItem(at: url, to: copy)
        return copy
    }

    /// A version of the real model.
    private func version(_ name: String) throws -> NSManagedObjectModel {
        let path = "CoreDataPlus-SampleModel/SampleModel.xcdatamodeld/\(name).xcdatamodel"
        return try #require(NSManagedObjectModel(contentsOf: ModelTestData.stores.appendingPathComponent(path)))
    }

    /// Everything in a mapping model, in words.
    private func words(_ model: NSMappingModel) -> [String] {
        model.entityMappings.flatMap { mapping in
            func words(_ mappings: [NSPropertyMapping]?) -> [String] {
                (mappings ?? []).map { "  \($0.name ?? "-"): \($0.valueExpression?.description ?? "-")" }
            }
            let hashes = [mapping.sourceEntityVersionHash, mapping.destinationEntityVersionHash]
                .map { $0?.base64EncodedString() ?? "-" }
            let names = [
                mapping.sourceEntityName, mapping.destinationEntityName, mapping.entityMigrationPolicyClassName,
            ]
            .map { $0 ?? "-" }
            let source = mapping.sourceExpression?.description ?? "-"
            return ["\(mapping.name ?? "-") \(mapping.mappingType.rawValue) \(names) \(hashes) \(source)"]
                + words(mapping.attributeMappings) + words(mapping.relationshipMappings)
        }
    }

    // MARK: Real ones

    @Test(.needsReferenceData) func `a mapping model is the same from its source and compiled`() throws {
        _ = try copy(ModelTestData.stores.appendingPathComponent("CoreDataPlus-SampleModel/SampleModel.xcdatamodeld"))
        let compiled = try NSMappingModel(readingContentsOf: Self.compiled)
        let source = try NSMappingModel(
            readingContentsOf: copy(Self.real.appendingPathComponent("V2toV3.xcmappingmodel")))
        #expect(words(compiled) == words(source))
        #expect(compiled.entityMappingsByName.keys.sorted() == source.entityMappingsByName.keys.sorted())
        let car = try #require(compiled.entityMappingsByName["CarToCar"])
        #expect(car.mappingType == .customEntityMappingType && car.relationshipMappings?.count == 3)
        #expect(
            car.sourceExpression?.description == #"FETCH(FUNCTION($manager, "#
                + #""fetchRequestForSourceEntityNamed:predicateString:", "Car", "TRUEPREDICATE"), $manager.sourceContext, NO)"#
        )
    }

    @Test func `mapping models are equal where they say the same`() throws {
        func make(_ change: (NSEntityMapping, NSPropertyMapping) -> Void = { _, _ in }) -> NSMappingModel {
            let property = NSPropertyMapping(), mapping = NSEntityMapping(), model = NSMappingModel()
            property.name = "title"
            property.valueExpression = NSExpression(format: "$source.name")
            mapping.name = "HeroToHero"
            mapping.sourceEntityName = "Hero"
            mapping.sourceEntityVersionHash = Data([1])
            mapping.attributeMappings = [property]
            mapping.userInfo = ["version": 2]
            model.entityMappings = [mapping]
            change(mapping, property)
            return model
        }
        #expect(make() == make() && make().hash == make().hash)
        let others = [
            make { mapping, _ in mapping.name = "Other" }, make { mapping, _ in mapping.sourceEntityVersionHash = nil },
            make { mapping, _ in mapping.mappingType = .copyEntityMappingType },
            make { mapping, _ in mapping.userInfo = nil }, make { _, property in property.name = "name" },
            make { _, property in property.valueExpression = NSExpression(format: "$source.title") },
        ]
        for other in others { #expect(other != make()) }
    }

    @Test(.needsReferenceData) func `a mapping model is found for its own versions, in either form`() throws {
        let first = try version("SampleModel")
        let (second, third) = (try version("SampleModel2"), try version("SampleModel3"))
        for name in ["V2toV3.cdm", "V2toV3.xcmappingmodel"] {
            let place = folder.url.appendingPathComponent("\(name).resources")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Self.real.appendingPathComponent(name), to: place.appendingPathComponent(name))
            let bundle = try #require(Bundle(url: place))
            func find(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> NSMappingModel? {
                NSMappingModel(from: [bundle], forSourceModel: source, destinationModel: destination)
            }
            let found = try #require(find(second, third), "\(name)")
            #expect(words(found) == words(try NSMappingModel(readingContentsOf: Self.compiled)))
            #expect(find(third, second) == nil)
            #expect(find(first, second) == nil)
            #expect(find(second, second) == nil)
        }
        #expect(NSMappingModel(contentsOf: folder.url.appendingPathComponent("missing.cdm")) == nil)
    }

    @Test(.needsReferenceData) func `a mapping model whose models aren't there says what it can`() throws {
        let url = Self.real.appendingPathComponent("CareKit-2.0_2.1.xcmappingmodel")
        let model = try NSMappingModel(readingContentsOf: url)
        #expect(model.entityMappings.count == 16)
        #expect(model.entityMappings.count { $0.sourceEntityName == nil } == 5)
        #expect(model.entityMappings.count { $0.entityMigrationPolicyClassName != nil } == 5)
        #expect(model.entityMappings.flatMap { $0.attributeMappings ?? [] }.count == 162)
        #expect(model.entityMappings.flatMap { $0.relationshipMappings ?? [] }.count == 82)
    }

    @Test(.needsReferenceData) func `a real store is migrated by a compiled mapping model and the project's policy`()
        throws
    {
        let store = try copy(
            ModelTestData.stores.appendingPathComponent("CoreDataPlus-SampleModel/Fixtures/SampleModel_V2.sqlite"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.path)
        let (old, new) = (try version("SampleModel2"), try version("SampleModel3"))
        func cars(_ model: NSManagedObjectModel, _ maker: String) throws -> [String: [String?]] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let opened = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: store)
            defer { _ = try? coordinator.remove(opened) }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return try context.performAndWait {
                let cars = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
                return Dictionary(
                    uniqueKeysWithValues: cars.map { car in
                        let owner = car.value(forKeyPath: "owner.firstName") as? String
                        let before = model === new ? car.value(forKeyPath: "previousOwners.firstName") as? NSSet : nil
                        let previous = model === new ? before?.anyObject() as? String : owner
                        return (
                            car.value(forKey: "numberPlate") as? String ?? "",
                            [car.entity.name, car.value(forKeyPath: maker) as? String, owner, previous]
                        )
                    })
            }
        }
        let before = try cars(old, "maker")
        #expect(before.count == 125)
        let mapping = try NSMappingModel(readingContentsOf: Self.compiled)
        // The project does the same: its policy is in another module in its tests.
        for entity in mapping.entityMappings where entity.entityMigrationPolicyClassName != nil {
            entity.entityMigrationPolicyClassName = NSStringFromClass(V2to3MakerPolicy.self)
        }
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
            from: store, type: .sqlite, mapping: mapping, to: store, type: .sqlite)
        #expect(try cars(new, "createdBy.name") == before)
    }

    // MARK: One of our own

    /// - Parameter more: Further properties.
    private static func model(_ attribute: String, _ more: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
          <entity name="Person">
            <attribute name="\(attribute)" optional="YES" attributeType="Integer 32"/>
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person"
              inverseName="friends" inverseEntity="Person"/>\(more)
          </entity>
        </model>
        """
    }

    private static func mapping(_ more: String = "") -> String {
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        <database>
            <object type="XDDEVMAPPINGMODEL" id="z1">
                <attribute name="sourcemodelpath" type="string">App/People.xcdatamodeld/One.xcdatamodel</attribute>
                <attribute name="destinationmodelpath" type="string">App/People.xcdatamodeld/Two.xcdatamodel</attribute>
                <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship>
            </object>
            <object type="XDDEVENTITYMAPPING" id="z2">
                <attribute name="sourcename" type="string">Person</attribute>
                <attribute name="destinationname" type="string">Person</attribute>
                <attribute name="sourcefilterpredicatestring" type="string">age &gt; 10</attribute>\(more)
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z4 z3"></relationship>
                <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z5"></relationship>
            </object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z3"><attribute name="name" type="string">name</attribute></object>
            <object type="XDDEVATTRIBUTEMAPPING" id="z4"><attribute name="name" type="string">years</attribute></object>
            <object type="XDDEVRELATIONSHIPMAPPING" id="z5"><attribute name="name" type="string">friends</attribute></object>
        </database>
        """
    }

    /// The model with both versions, and the mapping model beside it.
    private func project(mapping: String = mapping(), more: String = "") throws -> URL {
        func write(_ text: String, _ path: String) throws {
            let file = folder.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try write(Self.model("age", more), "People.xcdatamodeld/One.xcdatamodel/contents")
        try write(Self.model("years", more), "People.xcdatamodeld/Two.xcdatamodel/contents")
        try write(mapping, "Grown.xcmappingmodel/xcmapping.xml")
        return folder.url.appendingPathComponent("People.xcdatamodeld")
    }

    @Test func `a store is migrated by the mapping model beside its model's versions`() throws {
        let project = try project()
        func version(_ name: String) throws -> NSManagedObjectModel {
            try #require(NSManagedObjectModel(contentsOf: project.appendingPathComponent("\(name).xcdatamodel")))
        }
        let store = try MigratingStore(version("One")) { context in
            let people = [("Ada", 36), ("Bob", 7), ("Cay", 50)].map { name, age in
                let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                person.setValue(name, forKey: "name")
                person.setValue(age, forKey: "age")
                return person
            }
            people[0].setValue(NSSet(array: [people[1], people[2]]), forKey: "friends")
        }
        let context = try store.open(version("Two"))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let people = try context.performAndWait {
            try context.fetch(request).map { person in
                let friends = (person.value(forKeyPath: "friends.name") as? NSSet)?.allObjects as? [String]
                return "\(person.value(forKey: "name") ?? "") \(person.value(forKey: "years") ?? "-") \(friends ?? [])"
            }
        }
        // The predicate leaves Bob out; `years` has no source of its name.
        #expect(people == [#"Ada - ["Cay"]"#, #"Cay - ["Ada"]"#])
    }

    /// The people who are left of a store of the first version that is opened with the second one. The mapping model leaves Bob out.
    private func grown(_ project: URL, _ change: (URL) throws -> Void = { _ in }) throws -> [String] {
        func version(_ name: String) throws -> NSManagedObjectModel {
            try #require(NSManagedObjectModel(contentsOf: project.appendingPathComponent("\(name).xcdatamodel")))
        }
        let store = try MigratingStore(version("One")) { context in
            for (name, age) in [("Ada", 36), ("Bob", 7)] { context.insert("Person", ["name": name, "age": age]) }
        }
        try change(store.url)
        return try store.open(version("Two")).values("Person", "name").sorted()
    }

    @Test func `a mapping model is used for a store with a hash of Apple's that can't be computed`() throws {
        let loud = """
            <attribute name="loud" optional="YES" attributeType="String" derived="YES"
            derivationExpression="uppercase:(name)"/>
            """
        let people = try grown(project(more: loud)) { url in
            try DatabaseQueue(path: url.path).write { db in
                var metadata = try StoreMetadata.read(db, errors: SQLiteErrors(path: url.path))
                metadata.entries[NSStoreModelVersionHashesKey] = ["Person": Data(repeating: 0xA5, count: 32)]
                try metadata.update(db)
            }
        }
        #expect(people == ["Ada"])
    }

    @Test func `what isn't known in a mapping model is no matter where it is for other versions`() throws {
        let magic = Self.mapping("<attribute name=\"magic\" type=\"string\">x</attribute>")
        let project = try project()
        let other = folder.url.appendingPathComponent("Another.xcmappingmodel/xcmapping.xml")
        try FileManager.default.createDirectory(
            at: other.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(magic.replacing("Person", with: "Robot").utf8).write(to: other)
        #expect(try grown(project) == ["Ada"])
        try Data(magic.utf8).write(to: other)
        let error = #expect(throws: ModelError.self) { try grown(project) }
        #expect(error?.description.contains("Another.xcmappingmodel") == true)
    }

    // Divergence 76.
    @Test func `a mapping model goes into no archive`() {
        let parts: [Any] = [NSMappingModel(), NSEntityMapping(), NSPropertyMapping()]
        #expect(!parts.contains { $0 is any NSCoding })
    }

    @Test func `what isn't known in a mapping model is an error that names it`() throws {
        _ = try project(mapping: Self.mapping("<attribute name=\"magic\" type=\"string\">x</attribute>"))
        let url = folder.url.appendingPathComponent("Grown.xcmappingmodel")
        #expect(NSMappingModel(contentsOf: url) == nil)
        let error = #expect(throws: ModelError.self) { try NSMappingModel(readingContentsOf: url) }
        #expect(error?.description.contains("Grown.xcmappingmodel") == true)
        #expect(error?.description.contains("the attribute 'magic', which isn't known") == true)
    }

    @Test(.needsReferenceData) func `damaged mapping models are errors, and end nothing`() throws {
        var random = SeededGenerator(seed: 14)
        for original in [try Data(contentsOf: Self.compiled), Data(Self.mapping().utf8)] {
            for _ in 0..<200 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                let file = folder.url.appendingPathComponent("Damaged.cdm")
                try bytes.write(to: file)
                do {
                    _ = try NSMappingModel(readingContentsOf: file)
                } catch {
                    #expect(error is ModelError)
                }
            }
        }
    }
}
