// The numbers of rows, for those who copy stores row by row: which were given out, which shall be, and whose they are.

extension NSPersistentStore {
    /// The largest number that was ever given to a row, by the name of the root entity; nil for a store without such numbers.
    package func largestRowNumbers() throws -> [String: Int64]? {
        try (requiredBackend as? SQLiteStoreBackend)?.largestKeys()
    }

    /// Makes the store a copy of another one: its UUID, its counters, and entries of the metadata. The rows have the numbers
    /// that they have there.
    package func adopt(identifier: String, largestRowNumbers: [String: Int64], entries: [String: Any]) throws {
        try (requiredBackend as? SQLiteStoreBackend)?
            .adopt(identifier, largestKeys: largestRowNumbers, entries: entries)
    }
}

extension NSManagedObjectContext {
    /// Wishes for the number that the row of an unsaved object shall get if no other row has it.
    package func want(row number: Int64, for object: NSManagedObject) {
        if object.id.isTemporaryID { wantedRows[object.id.key] = number }
    }
}
