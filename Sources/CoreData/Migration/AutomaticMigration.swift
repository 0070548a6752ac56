// What happens when a store turns out to be of another version of the model while it is added to a coordinator.

import Foundation

/// The migration of a store that is being opened.
struct AutomaticMigration {
    let url: URL
    let destination: NSManagedObjectModel
    let configuration: String?
    let options: [AnyHashable: Any]

    /// Whether an error on opening a store says that it is of another version. Where there is no store yet, it says what is
    /// wrong with the model.
    static func isNeeded(after error: CocoaError, at url: URL) -> Bool {
        [.persistentStoreIncompatibleVersionHash, .persistentStoreIncompatibleSchema].contains(error.code)
            && SQLiteStoreFile.isDatabase(at: url)
    }

    /// Migrates the store, if the options allow it.
    ///
    /// - Parameter error: What opening the store gave.
    /// - Throws: `CocoaError`: the given error, with the differences between the versions, where migrating isn't allowed;
    ///   `.migrationMissingSourceModel`, `.migrationMissingMappingModel` with `.inferredMappingModel` underneath, or
    ///   what went wrong. The store is then as it was.
    func run(after error: CocoaError) throws {
        let storeOptions = SQLiteStoreOptions(options)
        if let manager = options[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager,
            !storeOptions.isReadOnly
        {
            try StagedMigration(
                manager: manager, url: url, destination: destination, configuration: configuration,
                options: storeOptions
            ).run()
            return
        }
        let metadata = try SQLiteStoreFile.metadata(at: url)
        let found = SourceModelSearch(
            store: url, metadata: metadata, configuration: configuration, destination: destination
        ).run()
        guard flag(NSMigratePersistentStoresAutomaticallyOption), !storeOptions.isReadOnly else {
            let differences = found.model.map { ModelMatching(source: $0, destination: destination).differences() }
            throw MigrationErrors.notAllowed(error, differences: differences)
        }
        let errors = MigrationErrors(store: url)
        guard let source = found.model else { throw errors.missingSourceModel(searched: found.searched) }
        if let mapping = try mappingModel(from: source) {
            try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
                from: url, sourceType: NSSQLiteStoreType, options: options, with: mapping, toDestinationURL: url,
                destinationType: NSSQLiteStoreType, destinationOptions: options)
            return
        }
        try requireInference(from: source, errors)
        try StoreMigration(
            url: url, source: source, destination: destination, configuration: configuration, options: storeOptions
        ).run()
    }

    /// The mapping model that somebody has made goes before an inferred one. It is for all entities.
    private func mappingModel(from source: NSManagedObjectModel) throws -> NSMappingModel? {
        let isWhole = configuration.map { $0 == "PF_DEFAULT_CONFIGURATION_NAME" } ?? true
        return isWhole ? try MappingModelSearch(source: source, destination: destination).run() : nil
    }

    private func requireInference(from source: NSManagedObjectModel, _ errors: MigrationErrors) throws {
        guard flag(NSInferMappingModelAutomaticallyOption) else {
            throw errors.missingMapping(source, destination, underlying: nil)
        }
        do {
            _ = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        } catch let error as CocoaError {
            throw errors.missingMapping(source, destination, underlying: error)
        }
    }

    private func flag(_ key: String) -> Bool {
        (options[key] as? NSNumber)?.boolValue ?? options[key] as? Bool ?? false
    }
}
