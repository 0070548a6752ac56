// The main queue's context in a program whose `main` is asynchronous, as this test's process is: the main queue isn't run by the main
// thread then.

import CoreData
import Foundation
import Testing

@Suite struct MainQueueTests {
    private static func container() throws -> NSPersistentContainer {
        let attribute = NSAttributeDescription()
        attribute.name = "name"
        attribute.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "Item"
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let container = NSPersistentContainer(name: "Test", managedObjectModel: model)
        let store = NSPersistentStoreDescription()
        store.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [store]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    @MainActor @Test func `the view context is used from the main actor, before and after a suspension`() async throws {
        let context = try Self.container().viewContext
        for round in 1...2 {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue("one", forKey: "name")
            try context.performAndWait { try context.save() }
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item")) == round)
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test func `the view context is used from elsewhere`() async throws {
        let container = try Self.container()
        let count = await container.viewContext.perform {
            container.viewContext.performAndWait { container.viewContext.registeredObjects.count }
        }
        #expect(count == 0)
    }
}
