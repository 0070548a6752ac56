// A store as the coordinator's users see it. What it does with rows is behind `StoreBackend`.

public import Foundation
import Synchronization

/// Rows in an SQLite file, Core Data's layout.
public let NSSQLiteStoreType = "SQLite"
/// Rows in memory, gone with the coordinator.
public let NSInMemoryStoreType = "InMemory"
/// Objects archived in one file. There is no such store here; opening one is an error.
public let NSBinaryStoreType = "Binary"
/// Objects in one XML file, on macOS. There is no such store here; opening one is an error.
public let NSXMLStoreType = "XML"
/// SQLite pragmas to set on opening: a dictionary of name to value.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// The key of how many seconds to wait for a store that others have locked.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Give the space of deleted rows back to the file system on opening (SQLite's `VACUUM`).
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Gather what SQLite's planner knows of the tables on opening (SQLite's `ANALYZE`).
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// How many connections read at once, on Apple's platforms; there is one here.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Delete a store although others have it open, on Apple's platforms; means nothing here.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// How iOS protects the file. Means nothing here.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// The classes that a binary store may hold, on Apple's platforms.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Let a binary store hold any class, on Apple's platforms.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Check an XML store against its document type, on macOS.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// Leave the slow parts of a lightweight migration for later. Here none are left: a migration is done when the store is open.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// Open a store without ever writing to it.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Migrate a store whose model is another version.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// Infer the mapping for an automatic migration.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Open a store although its version hashes aren't the model's.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Keep a persistent history.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// In metadata: the type of the store.
public let NSStoreTypeKey = "NSStoreType"
/// In metadata: the oldest system that can read the store.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// In metadata: the UUID of the store.
public let NSStoreUUIDKey = "NSStoreUUID"
/// In metadata: the version hash of each entity.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// In metadata: the identifiers of the model's version.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// In metadata: the checksum of the model's version; see `NSManagedObjectModel.versionChecksum`.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"

/// The version of Core Data whose stores those made here are like: that of macOS 14.
public let NSCoreDataVersionNumber = Double(StoreMetadata.frameworkVersion)

/// A store of a coordinator. Follows Core Data's `NSPersistentStore`.
open class NSPersistentStore: NSObject {
    /// The type of a store, as newer code spells it.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The type's name, such as `NSSQLiteStoreType`.
        public let rawValue: String

        /// A type by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// ``NSSQLiteStoreType``.
        public static var sqlite: StoreType { StoreType(rawValue: NSSQLiteStoreType) }
        /// ``NSInMemoryStoreType``.
        public static var inMemory: StoreType { StoreType(rawValue: NSInMemoryStoreType) }
        /// ``NSBinaryStoreType``; opening such a store is an error.
        public static var binary: StoreType { StoreType(rawValue: NSBinaryStoreType) }
        /// ``NSXMLStoreType``; opening such a store is an error.
        public static var xml: StoreType { StoreType(rawValue: NSXMLStoreType) }
    }

    /// The coordinator; nil after the store's removal.
    public internal(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?
    /// The model's configuration that the store keeps.
    open private(set) var configurationName: String
    /// The options it was opened with.
    open private(set) var options: [AnyHashable: Any]?
    /// The store's file; nil in memory.
    open var url: URL?
    /// Whether saves are refused. A store whose file was opened without writing stays so.
    open var isReadOnly: Bool
    private let storeType: String

    var backend: (any StoreBackend)?
    /// Whether the next save has metadata to write, although it may have nothing else.
    var hasUnsavedMetadata: Bool {
        get { unsavedMetadata.load(ordering: .acquiring) }
        set { unsavedMetadata.store(newValue, ordering: .releasing) }
    }
    private let unsavedMetadata = Atomic(false)
    /// Announces what others change.
    var remoteChangeWatch: AnyObject?

    init(
        coordinator: NSPersistentStoreCoordinator, type: String, configurationName: String?, url: URL?,
        options: [AnyHashable: Any]?
    ) {
        persistentStoreCoordinator = coordinator
        storeType = type
        self.configurationName = configurationName ?? "PF_DEFAULT_CONFIGURATION_NAME"
        self.url = url
        self.options = options
        isReadOnly = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
    }

    /// A store of a custom class; see ``NSIncrementalStore`` and ``NSAtomicStore``. A coordinator makes it.
    public required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        persistentStoreCoordinator = root
        storeType = ""
        configurationName = name ?? "PF_DEFAULT_CONFIGURATION_NAME"
        self.url = url
        self.options = options
        isReadOnly = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
    }

    /// Reads the metadata when the store is added; a custom store overrides it and sets ``metadata``.
    open func loadMetadata() throws {}

    /// Makes a custom store ready when it is added.
    func open() throws { try loadMetadata() }

    /// The type's name.
    open var type: String { storeType }

    /// What a coordinator answers for a store of this class that isn't open: its metadata. A custom store overrides it.
    ///
    /// - Throws: `CocoaError` (`.persistentStoreInvalidType`) where it isn't overridden.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw missing("metadataForPersistentStore(with:)", url)
    }

    /// Replaces the metadata of a store of this class that isn't open. A custom store overrides it.
    ///
    /// - Throws: `CocoaError` (`.persistentStoreInvalidType`) where it isn't overridden.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw missing("setMetadata(_:forPersistentStoreAt:)", url)
    }

    private static func missing(_ method: String, _ url: URL) -> CocoaError {
        CoreDataError.make(
            .persistentStoreInvalidType,
            "The metadata of \(url.path) can't be reached: the store class \(self) doesn't override \(method). Override it.",
            userInfo: [NSFilePathErrorKey: url.path])
    }

    /// The class of migration managers that migrate stores of this class.
    open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

    /// Called when a coordinator has added the store.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before a coordinator lets go of the store.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// The UUID of the store, as its metadata have it. That of a SQLite store stays.
    open var identifier: String! {
        get { metadata[NSStoreUUIDKey] as? String }
        set { metadata[NSStoreUUIDKey] = newValue }
    }

    /// What the store says about itself: type, UUID, version hashes, and what the application has put there. Setting it
    /// merges nothing: give the whole dictionary. It is written with the next save.
    open var metadata: [String: Any]! {
        get { backend?.metadata ?? [:] }
        set {
            backend?.metadata = newValue ?? [:]
            hasUnsavedMetadata = true
        }
    }

    /// What a context's questions go to.
    ///
    /// - Throws: As ``requiredBackend``.
    func backend(for context: NSManagedObjectContext) throws -> any StoreBackend { try requiredBackend }

    /// The backend of a store that is still there.
    ///
    /// - Throws: `CocoaError` (`.persistentStoreOperation`) after the store was removed.
    var requiredBackend: any StoreBackend {
        get throws {
            if let backend { return backend }
            throw CoreDataError.make(
                .persistentStoreOperation,
                "The store \(url?.storeName ?? "in memory") was removed from its coordinator. Add it again.")
        }
    }
}
