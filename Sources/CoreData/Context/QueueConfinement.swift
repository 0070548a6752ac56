// The queue that a context's objects belong to.

import Dispatch
import Foundation

/// A serial queue that knows whether the caller is already on it.
struct QueueConfinement: Sendable {
    private static let key = DispatchSpecificKey<UUID>()
    /// The main queue's mark: a program that calls `dispatchMain()` has its main queue served by other threads than the main.
    private static let mainToken: UUID = {
        let token = UUID()
        DispatchQueue.main.setSpecific(key: key, value: token)
        return token
    }()

    let isMain: Bool
    let queue: DispatchQueue
    private let token: UUID

    init(isMain: Bool) {
        self.isMain = isMain
        token = isMain ? Self.mainToken : UUID()
        queue = isMain ? .main : DispatchQueue(label: "NSManagedObjectContext")
        if !isMain { queue.setSpecific(key: Self.key, value: token) }
    }

    var isCurrent: Bool {
        isMain ? Self.isOnMainQueue : DispatchQueue.getSpecific(key: Self.key) == token
    }

    /// Whether the caller is on the main queue.
    static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: key) == mainToken || Thread.isMainThread }

    /// Runs a block on the queue and waits. The caller isn't on it.
    func sync<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
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
