// Groot's helper for a stack of one store.

public import CoreData
public import Foundation

/// A coordinator with one store.
public final class GRTManagedStore: NSObject {
    /// The coordinator.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator

    /// The model.
    public var managedObjectModel: NSManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

    /// Where the store is; for one in memory, what Core Data says of it.
    public var url: URL {
        let store = persistentStoreCoordinator.persistentStores.first
        return store?.url ?? URL(fileURLWithPath: "/dev/null")
    }

    /// Opens a SQLite store, migrating it where the model has changed; in memory without a URL.
    ///
    /// - Throws: The errors of `addPersistentStore`.
    public init(url: URL?, model: NSManagedObjectModel) throws {
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        super.init()
        _ = try persistentStoreCoordinator.addPersistentStore(
            ofType: url == nil ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
    }

    /// Opens a store in the folder of caches, which the system may delete.
    ///
    /// - Parameter cacheName: The name of its file.
    /// - Throws: The errors of `addPersistentStore`, and those of making the folder.
    public convenience init(cacheName: String, model: NSManagedObjectModel) throws {
        let folder = try FileManager.default.url(
            for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true
        ).appendingPathComponent("com.groot")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try self.init(url: folder.appendingPathComponent(cacheName), model: model)
    }

    /// Makes a store in memory.
    ///
    /// - Throws: The errors of `addPersistentStore`.
    public convenience init(model: NSManagedObjectModel) throws { try self.init(url: nil, model: model) }

    /// Opens a SQLite store with the models of the main bundle.
    ///
    /// - Throws: `CocoaError` with `fileReadNoSuchFile` where there is no model; the errors of `addPersistentStore`.
    public convenience init(url: URL) throws { try self.init(url: url, model: Self.mergedModel()) }

    /// Opens a store in the folder of caches with the models of the main bundle.
    ///
    /// - Throws: As ``init(url:)``.
    public convenience init(cacheName: String) throws {
        try self.init(cacheName: cacheName, model: Self.mergedModel())
    }

    private static func mergedModel() throws -> NSManagedObjectModel {
        if let model = NSManagedObjectModel.mergedModel(from: nil), !model.entities.isEmpty { return model }
        throw CocoaError(
            .fileReadNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "The main bundle has no model. Give one."])
    }

    /// A new context of the store.
    public func context(with concurrencyType: NSManagedObjectContextConcurrencyType) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: concurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }
}
