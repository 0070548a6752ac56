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

        init(context: NSManagedObjectContext, waiting: Frame?) {
            self.context = context
            self.waiting = waiting
        }

        /// Whether a block of a context is running or waiting, so that its queue is the caller's.
        func has(_ context: NSManagedObjectContext) -> Bool {
            self.context === context || waiting?.has(context) ?? false
        }
    }

    /// The innermost block on this thread; nil outside.
    static var frame: Frame? { Thread.current.threadDictionary[key] as? Frame }

    /// The context of the innermost `perform` or `performAndWait` on this thread; nil outside.
    static var current: NSManagedObjectContext? { frame?.context }

    /// Runs a block as one of a context's.
    ///
    /// - Parameter waiting: The block that waits for this one.
    static func run<T, E: Error>(
        in context: NSManagedObjectContext, above waiting: Frame? = nil, _ block: () throws(E) -> T
    ) throws(E) -> T {
        let dictionary = Thread.current.threadDictionary
        let outer = dictionary[key]
        dictionary[key] = Frame(context: context, waiting: waiting)
        defer {
            if let outer { dictionary[key] = outer } else { dictionary.removeObject(forKey: key) }
        }
        return try block()
    }
}
