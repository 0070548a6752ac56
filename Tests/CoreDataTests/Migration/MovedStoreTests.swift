// Stores that a coordinator moves to another place.

import CoreData
import Foundation
import Testing

@Suite struct MovedStoreTests {
    private func store(_ name: String) throws -> MigratingStore {
        try MigratingStore(TestModel.heroes()) { $0.insert("Hero", ["name": name]) }
    }

    private func metadata(_ store: MigratingStore) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store.url)
    }

    // FreeCoreData, testMigratePersistentStoreCopiesObjectsRelationshipsAndMetadata.
    @Test func `a copied file is a store of its own, with what the application has noted`() throws {
        let source = try store("Ada"), other = try MigratingStore(), last = try MigratingStore()
        let context = try source.open(TestModel.heroes(), nil)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let old = coordinator.persistentStores[0], identifier = try #require(old.identifier)
        old.metadata["Mine"] = "kept"
        try context.save()
        let told = PostedNotifications(.NSPersistentStoreCoordinatorStoresDidChange, from: coordinator)
        let copy = try coordinator.migratePersistentStore(old, to: other.url, type: .sqlite)
        #expect(copy.identifier != identifier && copy.metadata["Mine"] as? String == "kept")
        let exchanged = told.notifications.compactMap { $0.userInfo?[NSUUIDChangedPersistentStoresKey] as? [Any] }
        let ids = try #require(exchanged.first?.last as? [NSManagedObjectID])
        #expect(
            ids.map { $0.uriRepresentation().absoluteString }
                == [identifier, copy.identifier ?? ""].map { "x-coredata://\($0)/Hero/p1" })
        let readOnly = try coordinator.migratePersistentStore(
            copy, to: last.url, options: [NSReadOnlyPersistentStoreOption: true], type: .sqlite)
        #expect(readOnly.isReadOnly)
        try coordinator.remove(readOnly)
        let found = try [source, other, last].map { try metadata($0)[NSStoreUUIDKey] as? String }
        #expect(found[0] == identifier && Set(found).count == 3)
        #expect(try last.open(TestModel.heroes(), nil).values("Hero", "name") == ["Ada"])
    }

    // FreeCoreData. Divergence 77.
    @Test func `a file is copied as it is, whatever a stricter model would refuse`() throws {
        let source = try MigratingStore(TestModel.heroes()) { $0.insert("Hero") }, other = try MigratingStore()
        let stricter = TestModel.heroes()
        try stricter.entity("Hero").attribute("name").isOptional = false
        let context = try source.open(stricter, [NSIgnorePersistentStoreVersioningOption: true])
        let coordinator = try #require(context.persistentStoreCoordinator)
        let copy = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: other.url,
            options: [NSIgnorePersistentStoreVersioningOption: true], type: .sqlite)
        #expect(try copy.url == other.url && context.values("Hero", "name") == ["nil"])
    }

    @Test func `a file that is moved to where a store is adds its objects to that one's`() throws {
        let source = try store("Ada"), other = try store("Emmy")
        let identifier = try metadata(other)[NSStoreUUIDKey] as? String
        let coordinator = try #require(try source.open(TestModel.heroes(), nil).persistentStoreCoordinator)
        let moved = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: other.url, type: .sqlite)
        #expect(moved.identifier == identifier)
        try coordinator.remove(moved)
        #expect(try other.open(TestModel.heroes(), nil).values("Hero", "name") == ["Emmy", "Ada"])
        #expect(try source.open(TestModel.heroes(), nil).values("Hero", "name") == ["Ada"])
    }
}
