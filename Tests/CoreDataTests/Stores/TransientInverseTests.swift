// A stored relationship whose inverse is transient: the store has this side alone, and has to be told of it.

import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct TransientInverseTests {
    @Test(arguments: StoreKind.allCases, [TestModel.Count.one, .many])
    func `members are stored although their own side is transient`(_ kind: StoreKind, _ count: TestModel.Count) throws {
        let owner = TestModel.entity("Owner", [TestModel.attribute("name", .stringAttributeType)])
        let pet = TestModel.entity("Pet", [TestModel.attribute("name", .stringAttributeType)])
        TestModel.connect(owner, "pets", .many, pet, "owner", count)
        pet.relationshipsByName["owner"]?.isTransient = true
        let library = try Library(kind, model: TestModel.model([owner, pet]))
        let ann = library.insert("Owner", ["name": "Ann"])
        let first = library.insert("Pet", ["name": "Rex"])
        ann.setValue(NSSet(array: [first]), forKey: "pets")
        try library.context.save()
        let second = library.insert("Pet", ["name": "Tom"])
        ann.setValue(NSSet(array: [first, second]), forKey: "pets")
        try library.context.save()
        let stored = try #require(try library.fetch("Owner", in: library.newContext()).first)
        #expect(Set(stored.many("pets").map { $0.text("name") }) == ["Rex", "Tom"])
        ann.setValue(NSSet(array: [second]), forKey: "pets")
        try library.context.save()
        let later = try #require(try library.fetch("Owner", in: library.newContext()).first)
        #expect(later.many("pets").map { $0.text("name") } == ["Tom"])
    }

    @Test func `links whose other side is a transient list come along to another store`() throws {
        func model() -> NSManagedObjectModel {
            let list = TestModel.entity("List", [TestModel.attribute("name", .stringAttributeType)])
            let song = TestModel.entity("Song", [TestModel.attribute("name", .stringAttributeType)])
            TestModel.connect(list, "songs", .ordered, song, "lists", .many)
            list.relationshipsByName["songs"]?.isTransient = true
            return TestModel.model([list, song])
        }
        let source = try MigratingStore(model()) { context in
            let list = context.insert("List", ["name": "mix"])
            context.insert("Song", ["name": "one", "lists": NSSet(object: list)])
        }
        // Objects are added to a store that is there one by one.
        let other = try MigratingStore(model()) { _ in }
        let coordinator = try #require(try source.open(model(), nil).persistentStoreCoordinator)
        let moved = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: other.url, type: .sqlite)
        try coordinator.remove(moved)
        #expect(try other.open(model(), nil).members("Song", "lists") == [["mix"]])
    }
}
