// What a container needs to know to open a store.

public import Foundation

/// How to open a store. Follows Core Data's `NSPersistentStoreDescription`.
open class NSPersistentStoreDescription: NSObject, NSCopying {
    /// The type of the store.
    open var type: String = NSSQLiteStoreType
    /// The model's configuration that the store keeps; nil for all entities.
    open var configuration: String?
    /// The store's file.
    open var url: URL?
    /// The options as ``NSPersistentStoreCoordinator`` takes them.
    open private(set) var options: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]
    /// Whether the container's `loadPersistentStores` returns before the store is open.
    open var shouldAddStoreAsynchronously = false

    /// Which container of iCloud the store is mirrored to; nil for none. See ``NSPersistentCloudKitContainer``.
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions?

    /// An SQLite store; the URL has to be set.
    public convenience override init() { self.init(url: URL(fileURLWithPath: "/dev/null")) }

    /// An SQLite store in a file. `/dev/null` is a private store in memory.
    ///
    /// A URL of a registered type's scheme (`postgresql://…`) makes a description of that type.
    public init(url: URL) {
        self.url = url
        if let provider = StoreProviders.provider(for: url) { type = provider.type }
    }

    /// Sets or, with nil, removes an option.
    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    /// Sets an SQLite pragma.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        options[NSSQLitePragmasOption] = NSDictionary(dictionary: pragmas)
    }

    /// The SQLite pragmas to set on opening.
    open var sqlitePragmas: [String: NSObject] { options[NSSQLitePragmasOption] as? [String: NSObject] ?? [:] }

    /// Whether the store is opened without ever being written.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSReadOnlyPersistentStoreOption) }
    }

    /// Whether a store of another version of the model is migrated.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSMigratePersistentStoresAutomaticallyOption) }
    }

    /// Whether the mapping of a migration is inferred.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set { setOption(NSNumber(value: newValue), forKey: NSInferMappingModelAutomaticallyOption) }
    }

    /// How many seconds to wait for a store that others have locked; 240 where nothing is set.
    open var timeout: TimeInterval {
        get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? SQLiteStoreOptions.usualTimeout }
        set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
    }

    private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }

    /// Returns an equal description.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
        copy.url = url
        copy.type = type
        copy.configuration = configuration
        copy.options = options
        copy.cloudKitContainerOptions = cloudKitContainerOptions
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        return copy
    }

    /// Whether the other object describes the same store, opened in the same way.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return other === self
            || (type == other.type && configuration == other.configuration && url == other.url
                && options == other.options && cloudKitContainerOptions == other.cloudKitContainerOptions
                && shouldAddStoreAsynchronously == other.shouldAddStoreAsynchronously)
    }

    open override var hash: Int { url.hashValue }

    open override var description: String {
        "<NSPersistentStoreDescription \(type): \(url?.absoluteString ?? "no URL")>"
    }
}
