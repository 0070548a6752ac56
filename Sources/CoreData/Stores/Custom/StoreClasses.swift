// Which class opens which type of store.

import Foundation

/// The classes of custom stores by type.
enum StoreClasses {
    private static let known = Known()

    private final class Known: @unchecked Sendable {
        // Safe to share: touched under the lock, and classes don't change.
        private let lock = NSLock()
        private var types: [String: NSPersistentStore.Type] = [:]

        var all: [String: NSPersistentStore.Type] { lock.withLock { types } }

        subscript(type: String) -> NSPersistentStore.Type? {
            get { lock.withLock { types[type] } }
            set { lock.withLock { types[type] = newValue } }
        }
    }

    static subscript(type: String) -> NSPersistentStore.Type? {
        get { known[type] }
        set { known[type] = newValue }
    }

    /// All types that there are classes for.
    static var all: [String: NSPersistentStore.Type] { known.all }
}

extension NSPersistentStoreCoordinator {
    /// The types that stores can be added of, each with the address of its class.
    public class var registeredStoreTypes: [String: NSValue] {
        let own: [String: AnyClass] = [
            NSSQLiteStoreType: NSPersistentStore.self, NSInMemoryStoreType: NSPersistentStore.self,
        ]
        let others = StoreClasses.all.mapValues { $0 as AnyClass }
            .merging(StoreProviders.types.map { ($0, NSPersistentStore.self) }) { known, _ in known }
        return own.merging(others) { own, _ in own }
            .mapValues { NSNumber(value: UInt(bitPattern: ObjectIdentifier($0))) }
    }

    /// Makes a class of stores known, so that stores of its type can be added; nil for the class forgets the type.
    ///
    /// Stops for a class that is neither an ``NSIncrementalStore`` nor an ``NSAtomicStore``, and for the types that are there already.
    public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        guard ![NSSQLiteStoreType, NSInMemoryStoreType].contains(storeType) else {
            fatalError("The store type '\(storeType)' can't be given to another class. Choose another name.")
        }
        guard let storeClass else {
            StoreClasses[storeType] = nil
            return
        }
        guard let custom = (storeClass as? NSIncrementalStore.Type) ?? (storeClass as? NSAtomicStore.Type) else {
            fatalError(
                "\(storeClass) can't be registered as a store class: it is no subclass of NSIncrementalStore or NSAtomicStore."
            )
        }
        StoreClasses[storeType] = custom
    }

    /// ``registerStoreClass(_:forStoreType:)`` as newer code spells it.
    public class func registerStoreClass(_ storeClass: AnyClass, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }

    /// A new store of a registered class.
    ///
    /// - Throws: What its `loadMetadata()` or `load()` throws; `CocoaError`: `.persistentStoreInvalidType` where that leaves no UUID or no
    ///   type, `.persistentStoreTypeMismatch` for another type than the one asked for.
    func makeStore(
        _ storeClass: NSPersistentStore.Type, type: String, configuration: String?, url: URL?,
        options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        let store = storeClass.init(
            persistentStoreCoordinator: self, configurationName: configuration,
            at: url ?? URL(fileURLWithPath: "/dev/null"), options: options)
        try store.open()
        guard store.identifier != nil, let found = store.metadata[NSStoreTypeKey] as? String else {
            throw CoreDataError.make(
                .persistentStoreInvalidType,
                "loadMetadata() of the store class \(storeClass) has to set the metadata's NSStoreUUIDKey, and NSStoreTypeKey "
                    + "to '\(type)'.")
        }
        guard found == type else {
            throw CoreDataError.make(
                .persistentStoreTypeMismatch,
                "The metadata of the store class \(storeClass) have the type '\(found)', and the store was added with the type "
                    + "'\(type)'. Set NSStoreTypeKey to that in loadMetadata(), or add the store with the other one.")
        }
        return store
    }
}
