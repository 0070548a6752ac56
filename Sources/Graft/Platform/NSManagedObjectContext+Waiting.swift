// Work on a context's queue with what only one thread may have at a time, such as objects. Apple declares that what
// `performAndWait` runs is `@Sendable`, as if somebody could go on meanwhile.

package import CoreData

extension NSManagedObjectContext {
    /// Runs work on the context's queue with what it needs there, and waits for it.
    package func performAndWait<Input, Result>(
        with input: Input, _ work: @Sendable (Input) throws -> Result
    ) rethrows -> Result {
        // Safe: the only one who has it waits here.
        nonisolated(unsafe) let input = input
        return try performAndWait { try work(unsafe input) }
    }
}
