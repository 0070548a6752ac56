// What a migration of a store would have to do, in words, without doing it.

import Foundation

/// The differences between the model that a store was made with and another version of it.
package struct MigrationPreview: Sendable {
    /// All differences, one phrase each.
    package let differences: [String]
    /// Those of them for which no mapping can be inferred.
    package let obstacles: [String]

    /// Compares a store's model with another version, and reads nothing but the store's metadata and model.
    ///
    /// - Throws: `CocoaError`: `.migrationMissingSourceModel` where the store's model isn't found, and what is wrong with
    ///   the file.
    package init(store: URL, destination: NSManagedObjectModel) throws {
        let search = SourceModelSearch(
            store: store, metadata: try SQLiteStoreFile.metadata(at: store), configuration: nil,
            destination: destination
        ).run()
        guard let source = search.model else {
            throw MigrationErrors(store: store).missingSourceModel(searched: search.searched)
        }
        let found = ModelMatching(source: source, destination: destination).differences()
        differences = found.map(\.description)
        obstacles = found.filter { $0.obstacle != nil }.map(\.description)
    }
}
