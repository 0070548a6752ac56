// One import at a time for each coordinator: two that run side by side would both look for an object, both find none, and
// both make it.

import CoreData
import Foundation
import Synchronization

/// Lets imports into the same stores wait for each other.
final class ImportQueue: Sendable {
    private struct Entry {
        weak var queue: ImportQueue?
    }

    /// By coordinator. An entry goes when nobody imports any more.
    private static let queues = Mutex<[ObjectIdentifier: Entry]>([:])

    /// Recursive, because an object's own code may import while it is being imported.
    private let lock = NSRecursiveLock()

    /// The queue of a context's coordinator.
    static func queue(of context: NSManagedObjectContext) -> ImportQueue {
        guard let coordinator = context.persistentStoreCoordinator else { return ImportQueue() }
        let key = ObjectIdentifier(coordinator)
        return queues.withLock { queues in
            if let known = queues[key]?.queue { return known }
            queues = queues.filter { $0.value.queue != nil }
            let queue = ImportQueue()
            queues[key] = Entry(queue: queue)
            return queue
        }
    }

    /// Runs an import when no other one runs.
    func alone<R>(_ body: () throws -> R) rethrows -> R {
        try lock.withLock(body)
    }
}
