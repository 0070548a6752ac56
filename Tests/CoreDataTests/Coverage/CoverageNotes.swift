// What a declared symbol of Core Data's API lacks here: the only part of docs/coverage.md that is written by hand.

enum CoverageNotes {
    /// What is missing, by the symbol's path.
    static let missing = [
        "NSManagedObject.observeValue(forKeyPath:of:change:context:)":
            "overridden in managed objects; other classes conform to `NSKeyValueObserver`",
        "NSManagedObjectContext.stalenessInterval": "kept; a refresh always reads the store",
        "NSBinaryStoreType": "declared; opening such a store is an error",
        "NSPersistentCloudKitContainer": "its stores are local ones; what needs CloudKit's own types isn't there",
    ]
}
