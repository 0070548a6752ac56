// What is written over a longer time, batch by batch, has to be one state of the store, whatever others save meanwhile.

import CoreData

extension NSManagedObjectContext {
    /// Goes on reading the state that the next read finds. For contexts that only read, and that nobody else uses.
    ///
    /// Stores that can't keep a state give their latest (Core Data: *Accessing data when the store changes*).
    func readOneState() throws {
        isObserved = false
        try setQueryGenerationFrom(.current)
    }

    /// Forgets all objects, and goes on reading the same state.
    func resetInSameState() throws {
        let state = queryGenerationToken
        reset()
        try setQueryGenerationFrom(state)
    }
}
