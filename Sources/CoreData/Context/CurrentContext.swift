// The context whose block a thread is running: what a fetch request without a context is executed in.

import Foundation

enum CurrentContext {
    private static let key = "CoreData.CurrentContext"

    /// The context of the innermost `perform` or `performAndWait` on this thread; nil outside.
    static var current: NSManagedObjectContext? {
        Thread.current.threadDictionary[key] as? NSManagedObjectContext
    }

    /// Runs a block as one of a context's.
    static func run<T, E: Error>(in context: NSManagedObjectContext, _ block: () throws(E) -> T) throws(E) -> T {
        let dictionary = Thread.current.threadDictionary
        let outer = dictionary[key]
        dictionary[key] = context
        defer {
            if let outer { dictionary[key] = outer } else { dictionary.removeObject(forKey: key) }
        }
        return try block()
    }
}
