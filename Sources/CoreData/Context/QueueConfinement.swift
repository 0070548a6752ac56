// The queue that a context's objects belong to.

import Dispatch
import Foundation

/// A serial queue that knows whether the caller is already on it.
struct QueueConfinement: Sendable {
    private static let key = DispatchSpecificKey<UUID>()

    let isMain: Bool
    let queue: DispatchQueue
    private let token = UUID()

    init(isMain: Bool) {
        self.isMain = isMain
        queue = isMain ? .main : DispatchQueue(label: "NSManagedObjectContext")
        if !isMain { queue.setSpecific(key: Self.key, value: token) }
    }

    var isCurrent: Bool {
        isMain ? Thread.isMainThread : DispatchQueue.getSpecific(key: Self.key) == token
    }

    /// Runs a block on the queue and waits; at once if the caller is on it.
    func sync<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        if isCurrent { return try block() }
        let result: Result<T, E> = queue.sync {
            do throws(E) {
                return .success(try block())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
