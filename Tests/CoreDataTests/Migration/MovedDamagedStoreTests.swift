// `migratePersistentStore` says that, where it throws, the old store is still there and what had been made of the new one is gone. A row of
// no entity is met when the IDs are listed: the copy has been opened by then, and stays beside the old store. Each object is there twice.

import CoreData
import Foundation
import GRDB
import Testing

@Suite struct MovedDamagedStoreTests {
    @Test func `a move that fails leaves the coordinator and the destination as they were`() throws {
        let model = TestModel.model([TestModel.entity("Item", [TestModel.attribute("name", .stringAttributeType)])])
        let source = try MigratingStore(model) { context in
            context.insert("Item", ["name": "a"])
            context.insert("Item", ["name": "b"])
        }
        let other = try MigratingStore()
        try DatabaseQueue(path: source.url.path).write { db in
            try db.execute(sql: "UPDATE ZITEM SET Z_ENT = 99 WHERE Z_PK = 2")
        }
        let context = try source.open(model, nil)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let own = try #require(coordinator.persistentStores.first)
        #expect(throws: (any Error).self) {
            try coordinator.migratePersistentStore(own, to: other.url, type: .sqlite)
        }
        #expect(coordinator.persistentStores.count == 1)
        #expect(coordinator.persistentStores.first === own)
        #expect(!FileManager.default.fileExists(atPath: other.url.path))
    }
}
