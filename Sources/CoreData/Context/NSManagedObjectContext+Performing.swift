// Getting onto the context's queue.

import Foundation

extension NSManagedObjectContext {
    /// How a context runs its blocks, as newer code spells it.
    public struct ConcurrencyType: Hashable, Sendable {
        let kind: NSManagedObjectContextConcurrencyType

        /// A queue of the context's own.
        public static let privateQueue = ConcurrencyType(kind: .privateQueueConcurrencyType)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(kind: .mainQueueConcurrencyType)
    }

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

    /// ``performAndWait(_:)-(()->Void)`` with what the block returns or throws.
    public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        var result: Result<T, any Error>?
        performAndWait { result = Result(catching: block) }
        guard let result else {
            fatalError("\(type(of: self)) overrides performAndWait(_:) and doesn't run the block. Call super.")
        }
        return try result.value(of: block) { throw $0 }
    }

    /// ``performAndWait(_:)-(()throws->T)`` for what the framework does itself, which never goes through an override.
    func onQueue<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        var result: Result<T, E>?
        runAndWait { result = Result(catching: block) }
        guard let result else { fatalError("A context's queue didn't run a block.") }
        return try result.get()
    }

    func runAndWait(_ block: () -> Void) {
        let waiting = CurrentContext.frame
        // The main queue may wait without a block of a context's: code of the main actor calls `performAndWait` of a child.
        let holdsMainQueue = waiting?.holdsMainQueue ?? false || QueueConfinement.isOnMainQueue
        if confinement.isCurrent || waiting?.has(self) ?? false {
            return CurrentContext.run(in: self, above: waiting, holdsMainQueue: holdsMainQueue, block)
        }
        confinement.sync { CurrentContext.run(in: self, above: waiting, holdsMainQueue: holdsMainQueue, block) }
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
    public func perform<T>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws -> T
    ) async rethrows -> T {
        let result: Transferred<Result<T, any Error>> = await withCheckedContinuation { continuation in
            confinement.queue.async {
                let result = Result { try CurrentContext.run(in: self, block) }
                self.processPendingChanges()
                continuation.resume(returning: Transferred(value: result))
            }
        }
        return try result.value.value(of: block) { throw $0 }
    }
}

extension Result where Failure == any Error {
    /// What a block has returned or thrown. Who hands the block on throws only if that does, as Core Data declares it; a client's
    /// own method takes the place of one that is declared with the same types.
    func value(of block: () throws -> Success, failing: (any Error) throws -> Success) rethrows -> Success {
        switch self {
        case .success(let value): value
        case .failure(let error): try failing(error)
        }
    }
}

/// Carries a block's result to the caller that awaits it. Safe because the queue has done with it by then; that it is no
/// managed object is the caller's part of the contract, as on Apple's platforms.
struct Transferred<Value>: @unchecked Sendable {
    let value: Value
}
