// The contexts whose blocks a thread is running: in the innermost one a fetch request without a context is executed, and
// the queues of all of them are the thread's.

import Foundation

enum CurrentContext {
    private static let key = "CoreData.CurrentContext"

    /// A running block of a context.
    final class Frame {
        let context: NSManagedObjectContext
        /// The block that waits for this one; it may be another thread's that waits for the main queue.
        let waiting: Frame?
        /// Whether the main queue waits for this block, be it for a context's block or not.
        let holdsMainQueue: Bool

        init(context: NSManagedObjectContext, waiting: Frame?, holdsMainQueue: Bool) {
            self.context = context
            self.waiting = waiting
            self.holdsMainQueue = holdsMainQueue
        }

        /// Whether a block of a context is running or waiting, so that its queue is the caller's.
        func has(_ context: NSManagedObjectContext) -> Bool {
            self.context === context || waiting?.has(context) ?? false
                || holdsMainQueue && context.concurrencyType == .mainQueueConcurrencyType
        }
    }

    /// The innermost block on this thread; nil outside.
    static var frame: Frame? { Thread.current.threadDictionary[key] as? Frame }

    /// The context of the innermost `perform` or `performAndWait` on this thread; nil outside.
    static var current: NSManagedObjectContext? { frame?.context }

    /// Runs a block as one of a context's.
    ///
    /// - Parameters:
    ///   - waiting: The block that waits for this one.
    ///   - holdsMainQueue: Whether the main queue waits for it.
    static func run<T, E: Error>(
        in context: NSManagedObjectContext, above waiting: Frame? = nil, holdsMainQueue: Bool = false,
        _ block: () throws(E) -> T
    ) throws(E) -> T {
        let dictionary = Thread.current.threadDictionary
        let outer = dictionary[key]
        dictionary[key] = Frame(context: context, waiting: waiting, holdsMainQueue: holdsMainQueue)
        defer {
            if let outer { dictionary[key] = outer } else { dictionary.removeObject(forKey: key) }
        }
        return try block()
    }
}
