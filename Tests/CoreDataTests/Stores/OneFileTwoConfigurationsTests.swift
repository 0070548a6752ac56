// A coordinator takes one file twice, under two configurations (`checkIsNew`). The two stores have one UUID, and one history.

import CoreData
import Testing

@Suite struct OneFileTwoConfigurationsTests {
    private static func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = ["Tag", "Prize"].map { name in
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = [LibraryModel.attribute("title", .stringAttributeType)]
            return entity
        }
        for entity in model.entities { model.setEntities([entity], forConfigurationName: "\(entity.name ?? "")s") }
        return model
    }

    /// A context on a file of the whole model that is open under both configurations.
    private func makeContext(_ folder: TemporaryFolder) throws -> NSManagedObjectContext {
        let url = folder.url.appendingPathComponent("both.sqlite")
        let options = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        let whole = try Library(at: url, model: Self.model(), options: options)
        for store in whole.coordinator.persistentStores { try whole.coordinator.remove(store) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        for name in ["Tags", "Prizes"] {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: name, at: url, options: options)
        }
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test func `a URI is looked up in each of the stores that have its UUID`() throws {
        let folder = try TemporaryFolder()
        let context = try makeContext(folder)
        let coordinator = try #require(context.persistentStoreCoordinator)
        for entity in ["Tag", "Prize"] {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue("t", forKey: "title")
            try context.save()
            let uri = object.objectID.uriRepresentation()
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == object.objectID, "\(entity)")
        }
    }

    @Test func `a transaction of the file is there once`() throws {
        let folder = try TemporaryFolder()
        let context = try makeContext(folder)
        let prize = NSEntityDescription.insertNewObject(forEntityName: "Prize", into: context)
        try context.save()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let found = try #require(result?.result as? [NSPersistentHistoryTransaction])
        #expect(found.count == 1)
        #expect(found.flatMap { $0.changes ?? [] }.map(\.changedObjectID) == [prize.objectID])

        let deletion = NSPersistentHistoryChangeRequest.deleteHistory(before: nil as NSPersistentHistoryToken?)
        deletion.resultType = .count
        #expect((try context.execute(deletion) as? NSPersistentHistoryResult)?.result as? Int == 1)
    }
}
