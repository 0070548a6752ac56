// What `execute(_:)` of a context returns. The results of batch requests are subclasses beside those requests.

public import Foundation

/// The result of a request to a store. Follows Core Data's `NSPersistentStoreResult`.
open class NSPersistentStoreResult: NSObject {}

/// The result of a request that may still be running. Follows Core Data's `NSPersistentStoreAsynchronousResult`.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The context that was asked.
    open private(set) var managedObjectContext: NSManagedObjectContext
    /// Why the request failed; nil where it didn't.
    open private(set) var operationError: (any Error)?
    /// How far the request is; nil where it reports none.
    open private(set) var progress: Progress?

    init(context: NSManagedObjectContext, error: (any Error)?, progress: Progress? = nil) {
        managedObjectContext = context
        operationError = error
        self.progress = progress
    }

    /// Asks the request to stop.
    open func cancel() { progress?.cancel() }
}
