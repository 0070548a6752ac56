// Getting onto the context's queue.

import Foundation

extension NSManagedObjectContext {
    /// When an `async` block runs.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// As soon as the queue gets to it.
        case immediate
        /// Behind everything that was enqueued before.
        case enqueued
    }

    func enqueue(_ block: @escaping @Sendable () -> Void) {
        confinement.queue.async {
            CurrentContext.run(in: self, block)
            self.processPendingChanges()
        }
    }

    /// Runs a block on the context's queue and waits for it. On the caller's thread; reentrant, also from within the block
    /// of another context that waits for this one.
    public func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        let waiting = CurrentContext.frame
        if confinement.isCurrent || waiting?.has(self) ?? false {
            return try CurrentContext.run(in: self, above: waiting, block)
        }
        return try confinement.sync { () throws(E) -> T in
            try CurrentContext.run(in: self, above: waiting, block)
        }
    }

    /// Whether the caller may touch the context's objects.
    var isOnQueue: Bool {
        concurrencyType == .confinementConcurrencyType || confinement.isCurrent
            || CurrentContext.frame?.has(self) ?? false
    }

    /// Runs a block on the context's queue and returns what it returns.
    ///
    /// Managed objects must not leave it; return their IDs.
    @preconcurrency
    public func perform<T, E: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws(E) -> T
    ) async throws(E) -> T {
        let result: Transferred<Result<T, E>> = await withCheckedContinuation { continuation in
            confinement.queue.async {
                let result: Result<T, E>
                do throws(E) {
                    result = .success(try CurrentContext.run(in: self, block))
                } catch {
                    result = .failure(error)
                }
                self.processPendingChanges()
                continuation.resume(returning: Transferred(value: result))
            }
        }
        return try result.value.get()
    }
}

/// Carries a block's result to the caller that awaits it. Safe because the queue has done with it by then; that it is no
/// managed object is the caller's part of the contract, as on Apple's platforms.
private struct Transferred<Value>: @unchecked Sendable {
    let value: Value
}
