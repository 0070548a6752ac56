// Noticing changes: notifications, key-value observing and fetched results controllers.

import CoreData
import Foundation
import Synchronization
import Testing

@Suite struct ObservingIdioms {
    private func garden() throws -> Garden {
        let garden = Garden()
        try garden.plant()
        return garden
    }

    /// The first notification that a closure leads to.
    private func notification(
        _ name: Notification.Name, of object: Any?, _ body: () throws -> Void
    ) rethrows -> [AnyHashable: Any]? {
        nonisolated(unsafe) var found: [AnyHashable: Any]?
        let observer = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
            if found == nil { found = $0.userInfo ?? [:] }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try body()
        return found
    }

    @Test func `changes are posted when they are processed`() throws {
        let garden = try garden()
        let userInfo = try notification(.NSManagedObjectContextObjectsDidChange, of: garden.context) {
            try garden.find("dig").title = "dug"
            garden.task("weed")
            garden.context.processPendingChanges()
        }
        #expect((userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>)?.count == 1)
        #expect((userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count == 1)
        #expect(userInfo?[NSDeletedObjectsKey] == nil)
    }

    @Test func `an object that is deleted at once is posted as deleted and never as inserted`() throws {
        let garden = try garden()
        let task = garden.task("weed")
        let userInfo = notification(.NSManagedObjectContextObjectsDidChange, of: garden.context) {
            garden.context.delete(task)
            garden.context.processPendingChanges()
        }
        #expect(userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> == [task])
        #expect(userInfo?[NSInsertedObjectsKey] == nil)
        let saved = try notification(.NSManagedObjectContextDidSave, of: garden.context) {
            garden.context.delete(garden.task("weed"))
            garden.task("water")
            try garden.context.save()
        }
        #expect((saved?[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.isEmpty ?? true)
    }

    @Test func `merged changes are told from a context's own`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        func isMerged(_ body: () throws -> Void) throws -> Bool? {
            let userInfo = try notification(.NSManagedObjectContextObjectsDidChange, of: garden.context, body)
            return userInfo.map { $0["NSObjectsChangedByMergeChangesKey"] != nil }
        }
        let own = try isMerged {
            task.title = "dug"
            try garden.context.save()
        }
        #expect(own == false)
        let deletion = NSBatchDeleteRequest(objectIDs: [task.objectID])
        try garden.context.execute(deletion)
        let merged = try isMerged {
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectIDsKey: [task.objectID]], into: [garden.context])
        }
        #expect(merged == true)
    }

    @Test func `a reset is posted, whether or not there are objects`() throws {
        let garden = try garden()
        for _ in 0..<2 {
            let userInfo = notification(.NSManagedObjectContextObjectsDidChange, of: garden.context) {
                garden.context.reset()
            }
            #expect(userInfo?[NSInvalidatedAllObjectsKey] is [NSManagedObjectID])
        }
    }

    @Test func `a save is posted with its objects and with their identifiers`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        let objects = try notification(.NSManagedObjectContextDidSave, of: garden.context) {
            task.title = "dug"
            try garden.context.save()
        }
        #expect(objects?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [task])
        let identifiers = try notification(NSManagedObjectContext.didSaveObjectIDsNotification, of: garden.context) {
            garden.context.delete(task)
            try garden.context.save()
        }
        #expect(
            identifiers?[NSManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue] as? Set<NSManagedObjectID>
                == [task.objectID])
    }

    @Test func `an observed property calls back with old and new`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        nonisolated(unsafe) var changes: [(old: String?, new: String?)] = []
        let observation = task.observe(\.title, options: [.old, .new]) { _, change in
            changes.append((change.oldValue, change.newValue))
        }
        task.title = "dug"
        observation.invalidate()
        task.title = "again"
        #expect(changes.count == 1 && changes[0].old == "dig" && changes[0].new == "dug")
    }

    @Test func `a remote change is posted for each save where it is asked for`() throws {
        let garden = try garden()
        let posted = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: garden.container.persistentStoreCoordinator, queue: nil
        ) { _ in posted.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        garden.task("weed")
        try garden.context.save()
        #expect(posted.withLock { $0 } >= 1)
    }

    // MARK: Fetched results controllers

    private final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
        var events: [String] = []

        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            events.append("will")
        }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            let title = (anObject as? TaskItem)?.title ?? "?"
            events.append("\(type.rawValue) \(title) \(indexPath?.item ?? -1) \(newIndexPath?.item ?? -1)")
        }

        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            events.append("did")
        }
    }

    private func controller(_ garden: Garden, sections: String? = nil) throws -> NSFetchedResultsController<TaskItem> {
        let request = TaskItem.sortedFetchRequest
        if let sections {
            request.sortDescriptors = [
                NSSortDescriptor(key: sections, ascending: true), NSSortDescriptor(key: "title", ascending: true),
            ]
        }
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: garden.context, sectionNameKeyPath: sections, cacheName: nil)
        try controller.performFetch()
        return controller
    }

    @Test func `a list is told of insertions, moves and deletions`() throws {
        let garden = try garden()
        let controller = try controller(garden)
        let delegate = Delegate()
        controller.delegate = delegate
        garden.task("bake")
        garden.context.processPendingChanges()
        #expect(delegate.events == ["will", "1 bake -1 1", "did"])
        delegate.events = []
        try garden.find("bake").title = "zap"
        garden.context.processPendingChanges()
        #expect(delegate.events == ["will", "3 zap 1 3", "did"])
        delegate.events = []
        garden.context.delete(try garden.find("Sow"))
        garden.context.processPendingChanges()
        #expect(delegate.events == ["will", "2 Sow 0 -1", "did"])
        #expect(controller.fetchedObjects?.map(\.title) == ["dig", "mow", "zap"])
    }

    @Test @MainActor func `a list is told of what comes to fit it where faults are filled before a merge`() throws {
        let garden = try garden()
        garden.context.automaticallyMergesChangesFromParent = false
        garden.context.reset()
        let request = TaskItem.sortedFetchRequest
        request.predicate = NSPredicate(format: "isDone == YES")
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: garden.context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        let delegate = Delegate()
        controller.delegate = delegate
        let other = garden.container.newBackgroundContext()
        nonisolated(unsafe) var saved: Notification?
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { saved = $0 }
        defer { NotificationCenter.default.removeObserver(observer) }
        try other.performAndWait {
            for task in try other.fetch(TaskItem.fetchRequest()) where task.title == "dig" {
                task.isDone = true
            }
            try other.save()
        }
        let notification = try #require(saved)
        for object in notification.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? [] {
            garden.context.object(with: object.objectID).willAccessValue(forKey: nil)
        }
        garden.context.mergeChanges(fromContextDidSave: notification)
        #expect(delegate.events == ["will", "1 dig -1 0", "did"])
    }

    @Test func `sections by a key path`() throws {
        let garden = try garden()
        let controller = try controller(garden, sections: "project.name")
        #expect(controller.sections?.map(\.name) == ["Beds", "Lawn"])
        #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
        #expect(controller.object(at: IndexPath(item: 0, section: 1)).title == "mow")
        let dig = try garden.find("dig")
        #expect(controller.indexPath(forObject: dig) == IndexPath(item: 1, section: 0))
    }
}
