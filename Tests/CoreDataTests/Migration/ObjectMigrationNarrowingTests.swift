// An inferred mapping model that is run by rows refuses several objects where there is room for one (divergence 19). The same one, run by
// objects (as it is where a store of the newer version is at the destination), keeps any one of them, and drops the others in silence.

import CoreData
import Foundation
import Testing

@Suite struct ObjectMigrationNarrowingTests {
    @Test(arguments: [true, false], [true, false])
    func `several objects where one has room are refused, whichever way a mapping is run`(
        _ movesRows: Bool, _ hasInverse: Bool
    ) throws {
        let person = TestModel.entity("Person", [TestModel.attribute("name", .stringAttributeType)])
        let pet = TestModel.entity("Pet", [TestModel.attribute("name", .stringAttributeType)])
        if hasInverse {
            TestModel.connect(person, "pets", .many, pet, "owner", .one)
        } else {
            TestModel.relate(person, "pets", .many, pet)
        }
        let source = TestModel.model([person, pet])
        let store = try MigratingStore(source) { context in
            let pets = ["cat", "dog"].map { context.insert("Pet", ["name": $0]) }
            context.insert("Person", ["name": "Ada", "pets": NSSet(array: pets)])
        }
        let destination = try source.next { try $0.entity("Person").relationship("pets").maxCount = 1 }
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let result = try MigratingStore()
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        manager.usesStoreSpecificMigrationManager = movesRows
        let error = #expect(throws: CocoaError.self) {
            try manager.migrateStore(
                from: store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: result.url,
                destinationType: NSSQLiteStoreType)
        }
        #expect(error?.localizedDescription.contains("pets") == true)
        #expect(!FileManager.default.fileExists(atPath: result.url.path))
    }

    /// Nothing of the older version is what the tag's only post is: the posts alone tell.
    @Test(arguments: [true, false])
    func `an object that several have is refused where its own side is new and has room for one`(
        movesRows: Bool
    ) throws {
        func model(_ name: String, _ count: TestModel.Count) -> NSManagedObjectModel {
            let post = TestModel.entity("Post", [TestModel.attribute("name", .stringAttributeType)])
            let tag = TestModel.entity("Tag", [TestModel.attribute("name", .stringAttributeType)])
            TestModel.connect(post, "tags", .many, tag, name, count)
            return TestModel.model([post, tag])
        }
        let older = model("posts", .many), newer = model("post", .one)
        let store = try MigratingStore(older) { context in
            let tag = context.insert("Tag", ["name": "t"])
            for name in ["p1", "p2"] { context.insert("Post", ["name": name, "tags": NSSet(object: tag)]) }
        }
        let error = #expect(throws: CocoaError.self) {
            try store.migrated(from: older, to: newer, movesRows: movesRows)
        }
        #expect(error?.localizedDescription.contains("Tag.post leads to one object") == true)
        let single = try MigratingStore(older) { context in
            let tag = context.insert("Tag", ["name": "t"])
            context.insert("Post", ["name": "p1", "tags": NSSet(object: tag)])
        }
        let result = try single.migrated(from: older, to: newer, movesRows: movesRows)
        #expect(try result.open(newer, nil).members("Tag", "post") == [["p1"]])
    }
}
