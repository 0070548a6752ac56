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

    // CoreDataPlus, NSManagedObjectContext_Tests: a test on the main actor looks through a background child of the view context.
    @MainActor @Test(arguments: [false, true])
    func `code of the main actor waits for a child of the view context`(_ merges: Bool) async throws {
        let context = try Self.container().viewContext
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue("one", forKey: "name")
        try context.save()
        // From here on another thread may serve the main queue.
        try await Task.sleep(for: .milliseconds(1))
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        child.automaticallyMergesChangesFromParent = merges
        let theirs = try child.performAndWait {
            let theirs = try child.existingObject(with: item.objectID)
            #expect(theirs.value(forKey: "name") as? String == "one")
            return theirs
        }
        item.setValue("two", forKey: "name")
        try context.save()
        child.performAndWait { #expect(theirs.value(forKey: "name") as? String == (merges ? "two" : "one")) }
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        try grandchild.performAndWait {
            grandchild.object(with: item.objectID).setValue("three", forKey: "name")
            try grandchild.save()
            try child.performAndWait { try child.save() }
        }
        #expect(item.value(forKey: "name") as? String == "three")
    }
}
