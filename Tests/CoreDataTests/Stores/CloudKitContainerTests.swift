// Code that names CloudKit's container compiles, and its stores are local ones, as on a device on which nobody is signed in. Divergence 80.

import CoreData
import Testing

@Suite struct CloudKitContainerTests {
    private func container(_ options: NSPersistentCloudKitContainerOptions?) -> NSPersistentCloudKitContainer {
        let container = NSPersistentCloudKitContainer(name: "Library", managedObjectModel: LibraryModel.make())
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        description.cloudKitContainerOptions = options
        container.persistentStoreDescriptions = [description]
        return container
    }

    private func load(_ container: NSPersistentCloudKitContainer) {
        container.loadPersistentStores { _, error in #expect(error == nil) }
    }

    @Test func `a store to be mirrored opens with a history, and an event tells that it is a local one`() async throws {
        let container = container(NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.org.example"))
        let (events, posted) = AsyncStream.makeStream(of: NSPersistentCloudKitContainer.Event.self)
        let token = NotificationCenter.default.addObserver(
            forName: NSPersistentCloudKitContainer.eventChangedNotification, object: container, queue: nil
        ) { notification in
            let event = notification.userInfo?[NSPersistentCloudKitContainer.eventNotificationUserInfoKey]
            if let event = event as? NSPersistentCloudKitContainer.Event { posted.yield(event) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        load(container)
        let context = container.viewContext
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        try context.save()
        let history = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        let transactions = (history as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
        #expect(transactions?.count == 1)

        var told = events.makeAsyncIterator()
        let start = try #require(await told.next()), end = try #require(await told.next())
        #expect(start.type == .setup && start.endDate == nil && start.error == nil)
        #expect(end.identifier == start.identifier && end.endDate != nil && !end.succeeded)
        #expect((end.error as? CocoaError)?.code.rawValue == 134400)
        #expect(end.storeIdentifier == container.persistentStoreCoordinator.persistentStores.first?.identifier)

        #expect(container.canUpdateRecord(forManagedObjectWith: tag.objectID))
        #expect(throws: CocoaError.self) { try container.initializeCloudKitSchema(options: [.dryRun]) }
    }

    @Test func `a store that isn't to be mirrored is as in any container`() throws {
        let container = container(nil)
        load(container)
        #expect(container.persistentStoreDescriptions[0].options[NSPersistentHistoryTrackingKey] == nil)
        try container.initializeCloudKitSchema()
    }

    @Test func `descriptions are equal and copied with the container of iCloud`() {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        let other = description.copy() as? NSPersistentStoreDescription
        #expect(other == description)
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
            containerIdentifier: "iCloud.org.example")
        #expect(other != description && description.copy() as? NSPersistentStoreDescription == description)
    }
}
