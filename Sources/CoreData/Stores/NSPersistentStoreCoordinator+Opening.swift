// Opening a store for a coordinator: what has to hold before, the backend of its type, and a migration where the store is of another
// version of the model.

import Foundation

extension NSPersistentStoreCoordinator {
    /// What reads and writes a store of one of the types that are there.
    func makeBackend(for store: NSPersistentStore, configuration: String?) throws -> any StoreBackend {
        switch store.type {
        case NSInMemoryStoreType:
            return InMemoryStoreBackend(model: managedObjectModel, store: store)
        case NSSQLiteStoreType:
            guard let url = store.url else {
                throw CoreDataError.make(.persistentStoreOpen, "An SQLite store needs a URL. Give the one of its file.")
            }
            return try openSQLiteStore(store, at: url, configuration: configuration)
        default:
            if let provider = StoreProviders[store.type] {
                return try provider.open(store, model: managedObjectModel, configuration: configuration)
            }
            try checkNoSQLiteStore(at: store.url, whereExpecting: store.type)
            throw CoreDataError.make(
                .persistentStoreInvalidType,
                "There is no store type '\(store.type)'. Use NSSQLiteStoreType or NSInMemoryStoreType, or register a class "
                    + "for it.")
        }
    }

    /// Throws where a file is a SQLite store and is opened as one of another type.
    private func checkNoSQLiteStore(at url: URL?, whereExpecting type: String) throws {
        guard let url, SQLiteStoreFile.isDatabase(at: url) else { return }
        throw CoreDataError.make(
            .persistentStoreTypeMismatch,
            "\(url.path) is a store of the type '\(NSSQLiteStoreType)' and not '\(type)'. Open it with its own type.")
    }

    private func openSQLiteStore(
        _ store: NSPersistentStore, at url: URL, configuration: String?
    ) throws -> SQLiteStoreBackend {
        func open() throws -> SQLiteStoreBackend {
            try SQLiteStoreBackend(
                url: url, model: managedObjectModel, configuration: configuration,
                options: SQLiteStoreOptions(store.options ?? [:]), store: store)
        }
        do {
            return try open()
        } catch let error as CocoaError where AutomaticMigration.isNeeded(after: error, at: url) {
            let migration = AutomaticMigration(
                url: url, destination: managedObjectModel,
                configuration: configuration == "PF_DEFAULT_CONFIGURATION_NAME" ? nil : configuration,
                options: store.options ?? [:])
            try migration.run(after: error)
            return try open()
        }
    }

    /// Refuses a configuration that the model doesn't have.
    func checkConfiguration(_ configuration: String?) throws {
        guard let configuration, managedObjectModel.entities(forConfigurationName: configuration) == nil else { return }
        throw CoreDataError.make(
            .persistentStoreOpen,
            "The model has no configuration '\(configuration)'. It has: "
                + "\(managedObjectModel.configurations.joined(separator: ", ")).")
    }

    /// Refuses a store that is there: each of its rows would come twice.
    func checkIsNew(_ url: URL?, _ type: String, _ configuration: String?) throws {
        guard let url, type != NSInMemoryStoreType, url.path != "/dev/null", let store = persistentStore(for: url),
            store.configurationName == configuration ?? "PF_DEFAULT_CONFIGURATION_NAME"
        else { return }
        throw CoreDataError.make(
            CocoaError.Code(rawValue: 134081),
            "Can't add the same store twice: \(url.storeName) is one of this coordinator's stores. Remove it first, or use it.",
            userInfo: [NSFilePathErrorKey: url.path])
    }
}
