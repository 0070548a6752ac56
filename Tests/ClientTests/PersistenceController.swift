// The stack of an app: as in Apple's template, with history and a store in memory for previews and tests.

import CoreData

final class PersistenceController {
    let container: NSPersistentContainer

    init(inMemory: Bool = false, url: URL? = nil) {
        container = NSPersistentContainer(name: "Tasks")
        guard let description = container.persistentStoreDescriptions.first else {
            fatalError("Failed to retrieve a persistent store description.")
        }
        if inMemory {
            description.url = URL(fileURLWithPath: "/dev/null")
        } else if let url = url {
            description.url = url
        }
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        container.loadPersistentStores { storeDescription, error in
            if let error = error as NSError? {
                fatalError("Unresolved error \(error), \(error.userInfo)")
            }
        }
        container.viewContext.automaticallyMergesChangesFromParent = false
        container.viewContext.name = "viewContext"
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        container.viewContext.shouldDeleteInaccessibleFaults = true
    }

    /// Creates and configures a private queue context.
    func newTaskContext() -> NSManagedObjectContext {
        let taskContext = container.newBackgroundContext()
        taskContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        return taskContext
    }
}

// MARK: - Background work

/// Runs work on a context of its own and saves.
struct BackgroundContext {
    let container: NSPersistentContainer
    var author = "background"

    @discardableResult
    func perform<T>(_ work: @escaping @Sendable (NSManagedObjectContext) throws -> T) async throws -> T {
        let author = self.author
        return try await container.performBackgroundTask { context in
            context.transactionAuthor = author
            context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
            let result = try work(context)
            if context.hasChanges {
                try context.save()
            }
            return result
        }
    }
}

// MARK: - Importing

/// A JSON feed, imported in the background.
final class TaskImporter {
    struct TaskProperties: Decodable {
        let id: Int
        let title: String
        let done: Bool

        var dictionaryValue: [String: Any] { ["serverID": id, "title": title, "isDone": done] }
    }

    enum ImportError: Error {
        case batchInsertError
        case persistentHistoryChangeError
    }

    let persistence: PersistenceController

    init(persistence: PersistenceController) {
        self.persistence = persistence
    }

    /// Decodes managed objects in a background context and saves it.
    func importObjects(from data: Data) async throws {
        let taskContext = persistence.newTaskContext()
        taskContext.name = "importContext"
        taskContext.transactionAuthor = "importTasks"
        try await taskContext.perform {
            let decoder = JSONDecoder()
            decoder.userInfo[.managedObjectContext] = taskContext
            _ = try decoder.decode([TaskItem].self, from: data)
            try taskContext.save()
        }
    }

    /// Uses NSBatchInsertRequest with a dictionary handler.
    func importBatch(_ properties: [TaskProperties]) async throws {
        let taskContext = persistence.newTaskContext()
        try await taskContext.perform {
            var index = 0
            let total = properties.count
            let request = NSBatchInsertRequest(
                entity: TaskItem.entity(),
                dictionaryHandler: { dictionary in
                    guard index < total else { return true }
                    dictionary.addEntries(from: properties[index].dictionaryValue)
                    index += 1
                    return false
                })
            if let fetchResult = try? taskContext.execute(request),
                let batchInsertResult = fetchResult as? NSBatchInsertResult,
                let success = batchInsertResult.result as? Bool, success
            {
                return
            }
            throw ImportError.batchInsertError
        }
    }
}
