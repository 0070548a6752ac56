// A store's file from outside: other metadata for one that isn't open, another place for one that is.

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Replaces the metadata of a store that needn't be open; a custom one's class does it. What describes the file itself, such as
    /// its version hashes, stays.
    ///
    /// - Throws: `CocoaError` if there is no store of that type, or the metadata are no property list.
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        if let storeClass = StoreClasses[storeType] {
            return try storeClass.setMetadata(metadata, forPersistentStoreAt: url)
        }
        if let provider = StoreProviders[storeType] { return try provider.setMetadata(metadata ?? [:], at: url) }
        guard storeType == NSSQLiteStoreType else { throw noFile(storeType) }
        try SQLiteStoreFile.setMetadata(metadata ?? [:], at: url)
    }

    /// ``setMetadata(_:forPersistentStoreOfType:at:options:)`` as newer code spells it.
    public class func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
    }

    /// The model that a SQLite store, or one on a server, was last opened with, as the store keeps it.
    ///
    /// - Throws: `CocoaError` if there is no store, or it keeps no model that can be read.
    public class func cachedModelForPersistentStore(
        at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel {
        let reason: String
        do {
            if let provider = StoreProviders.provider(for: url) {
                // Where there is no store, its error says so.
                _ = try provider.metadata(at: url)
                if let model = try provider.model(at: url) { return model }
            } else if let model = try SQLiteStoreFile.model(at: url) {
                return model
            }
            reason = "keeps no model"
        } catch let error as ModelError {
            reason = "keeps a model that can't be read (\(error.localizedDescription))"
        }
        throw CoreDataError.make(
            .persistentStoreOpen, "The store at \(url.storeName) \(reason). Read it from the model's file.",
            userInfo: [NSFilePathErrorKey: url.path])
    }

    func move(_ store: NSPersistentStore, to url: URL) -> Bool {
        saveLock.withLock {
            guard store.persistentStoreCoordinator === self, let former = store.backend else { return false }
            let place = store.url
            store.url = url
            let provider = StoreProviders[store.type]
            guard store.type == NSSQLiteStoreType || provider != nil else { return true }
            do {
                if let provider {
                    _ = try provider.metadata(at: url)
                } else if !FileManager.default.fileExists(atPath: url.path) {
                    throw SQLiteErrors(path: url.path).missing()
                }
                store.backend = try makeBackend(for: store, configuration: store.configurationName)
                store.watchForRemoteChanges()
                return true
            } catch {
                // Core Data's answer has no room for the reason.
                store.url = place
                store.backend = former
                return false
            }
        }
    }
}
