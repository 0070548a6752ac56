// Stores in PostgreSQL: what an application calls. The rest of the module is behind `StoreBackend`.
//
//     PostgreSQLStore.register()
//     container.persistentStoreDescriptions = [
//         NSPersistentStoreDescription(url: URL(string: "postgresql://app@db.example.org/shop?schema=shop")!)
//     ]

#if PostgreSQL

    public import CoreData
    import Foundation

    /// Rows in a schema of a PostgreSQL database.
    public let NSPostgreSQLStoreType = SQLDialect.postgreSQLStoreType

    /// The store type ``NSPostgreSQLStoreType``.
    public enum PostgreSQLStore {
        /// Makes the type known to Core Data: from then on, an `NSPersistentStoreDescription` of a URL
        /// `postgresql://user@host/database?schema=name` describes such a store. Calling it again changes nothing.
        public static func register() { StoreProviders.register(PostgreSQLProvider()) }
    }

    extension NSPersistentStore.StoreType {
        /// Rows in a schema of a PostgreSQL database; ``PostgreSQLStore/register()`` makes it known.
        public static let postgreSQL = NSPersistentStore.StoreType(rawValue: NSPostgreSQLStoreType)
    }

    private struct PostgreSQLProvider: StoreProvider {
        let type = NSPostgreSQLStoreType
        let schemes = ["postgresql", "postgres"]

        func open(
            _ store: NSPersistentStore, model: NSManagedObjectModel, configuration: String?
        ) throws -> any StoreBackend {
            guard let url = store.url else {
                throw CoreDataError.make(
                    .persistentStoreOpen,
                    "A PostgreSQL store needs a URL. Give one like postgresql://user@host/database?schema=name.")
            }
            return try PostgreSQLStoreBackend(url: url, model: model, configuration: configuration, store: store)
        }

        func metadata(at url: URL) throws -> [String: Any] {
            try PostgreSQLOpening.metadata(of: PostgreSQLAddress(url))
        }

        func setMetadata(_ metadata: [String: Any], at url: URL) throws {
            try PostgreSQLOpening.setMetadata(metadata, of: PostgreSQLAddress(url))
        }

        func model(at url: URL) throws -> NSManagedObjectModel? {
            try PostgreSQLOpening.model(of: PostgreSQLAddress(url))
        }

        func destroy(at url: URL) throws { try PostgreSQLOpening.destroy(PostgreSQLAddress(url)) }
    }

#endif
