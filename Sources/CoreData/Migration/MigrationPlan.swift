// What a migration of a store has to do: in words, without doing it, and by which mapping.

import Foundation

/// The migration of a store from the model that it was made with to another version of it.
package struct MigrationPlan {
    /// By what mapping model a store is migrated.
    package enum Mapping {
        /// By the one beside the model's versions; where there is none, by an inferred one.
        case automatic
        case inferred
        case file(URL)
    }

    /// All differences, one phrase each.
    package let differences: [String]
    /// Those of them for which no mapping can be inferred; none where there is a mapping model.
    package let obstacles: [String]
    /// The file of the mapping model; nil where the mapping is inferred.
    package let mappingFile: String?

    private let url: URL
    private let source: NSManagedObjectModel
    private let destination: NSManagedObjectModel
    private let mappingModel: NSMappingModel?

    /// Compares a store's model with another version, and reads nothing but the store's metadata and model.
    ///
    /// - Throws: `CocoaError`: `.migrationMissingSourceModel` where the store's model isn't found, and what is wrong with
    ///   the file; ``ModelError`` for a mapping model that can't be read.
    package init(store: URL, destination: NSManagedObjectModel, mapping: Mapping = .automatic) throws {
        let search = SourceModelSearch(
            store: store, metadata: try SQLiteStoreFile.metadata(at: store), configuration: nil,
            destination: destination
        ).run()
        guard let source = search.model else {
            throw MigrationErrors(store: store).missingSourceModel(searched: search.searched)
        }
        url = store
        self.source = source
        self.destination = destination
        switch mapping {
        case .automatic: mappingModel = try MappingModelSearch(source: source, destination: destination).run()
        case .inferred: mappingModel = nil
        case .file(let file): mappingModel = try Self.mappingModel(in: file, source, destination)
        }
        mappingFile = mappingModel?.file
        let matching = ModelMatching(source: source, destination: destination)
        let found = matching.differences()
        differences = found.map(\.description)
        obstacles =
            mappingModel == nil
            ? found.filter { $0.obstacle != nil }.map(\.description) + matching.unnoticed(found) : []
    }

    /// Whether there is nothing to do.
    package var isEmpty: Bool { differences.isEmpty }

    private static func mappingModel(
        in file: URL, _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
    ) throws -> NSMappingModel {
        if let mappings = try MappingModelFile(url: file).mappings(from: source, to: destination) {
            return NSMappingModel(mappings, file: file)
        }
        throw ModelError(.otherMappingModel, source: file.path)
    }

    /// Migrates the store.
    ///
    /// - Parameters:
    ///   - copy: The store's copy that is migrated instead, to see whether it can be.
    ///   - timeout: How many seconds to wait for a lock; nil for as long as usual.
    /// - Throws: `CocoaError`; the store is then as it was.
    package func run(on copy: URL? = nil, timeout: TimeInterval?) throws {
        let file = copy ?? url
        var options: [AnyHashable: Any] = [:]
        if let timeout { options[NSPersistentStoreTimeoutOption] = NSNumber(value: timeout) }
        guard let mappingModel else {
            let options = SQLiteStoreOptions(options)
            return try StoreMigration(
                url: file, source: source, destination: destination, options: options,
                errors: MigrationErrors(store: url)
            ).run()
        }
        try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
            from: file, sourceType: NSSQLiteStoreType, options: options, with: mappingModel, toDestinationURL: file,
            destinationType: NSSQLiteStoreType, destinationOptions: options)
    }
}
