// The container of stores that Apple's systems mirror to iCloud. There is no CloudKit here: its stores are what they are on a device on which
// nobody is signed in. They open and can be written; setting up the mirroring fails some time later, which an event tells. Divergence 80.

public import Foundation

/// A container whose stores may be mirrored to iCloud elsewhere. Follows Core Data's `NSPersistentCloudKitContainer`.
///
/// - Note: Nothing is mirrored here. Divergence 80.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {
    /// Opens the stores, those with ``NSPersistentStoreDescription/cloudKitContainerOptions`` with a history, from which they can be
    /// mirrored elsewhere. An event tells of each of these that it isn't mirrored here.
    open override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions where description.cloudKitContainerOptions != nil {
            if description.options[NSPersistentHistoryTrackingKey] == nil {
                description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
            }
        }
        super.loadPersistentStores { description, error in
            block(description, error)
            guard error == nil, description.cloudKitContainerOptions != nil else { return }
            let store = self.persistentStoreCoordinator.persistentStores.first { $0.url == description.url }
            self.failSetup(of: store?.identifier ?? "")
        }
    }

    private func failSetup(of store: String) {
        let started = Event(store: store)
        let ended = Event(ending: started, with: Self.noAccount)
        DispatchQueue.global().async {
            for event in [started, ended] {
                NotificationCenter.default.post(
                    name: Self.eventChangedNotification, object: self,
                    userInfo: [Self.eventNotificationUserInfoKey: event])
            }
        }
    }

    private static var noAccount: CocoaError {
        let reason = "Unable to initialize without an iCloud account (CKAccountStatusNoAccount)."
        return CoreDataError.make(
            CocoaError.Code(rawValue: 134400),
            "\(reason) There is no CloudKit on this platform; the store is a local one.",
            userInfo: [NSLocalizedFailureReasonErrorKey: reason])
    }

    /// Would make the model's record types in iCloud.
    ///
    /// - Throws: `CocoaError` (134400) where a store would be mirrored.
    open func initializeCloudKitSchema(options: NSPersistentCloudKitContainerSchemaInitializationOptions = []) throws {
        if persistentStoreDescriptions.contains(where: { $0.cloudKitContainerOptions != nil }) { throw Self.noAccount }
    }

    /// Whether the user may change an object: always, as those of a private database are.
    open func canUpdateRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Whether the user may delete an object: always, as those of a private database are.
    open func canDeleteRecord(forManagedObjectWith objectID: NSManagedObjectID) -> Bool { true }

    /// Whether the user may change the objects of a store: always, as those of a private database are.
    open func canModifyManagedObjects(in store: NSPersistentStore) -> Bool { true }

    // MARK: Events

    /// What an event is about.
    public enum EventType: Int, Sendable {
        /// The mirroring of a store is set up.
        case setup
        /// A store takes over what others have changed.
        case `import`
        /// A store hands over what has changed in it.
        case export
    }

    /// Something that goes on between a store and iCloud. Follows Core Data's `NSPersistentCloudKitContainer.Event`.
    open class Event: NSObject, NSCopying, @unchecked Sendable {
        // Safe to share: constants.

        /// The same for the beginning and the end.
        public final let identifier: UUID
        /// The UUID of the store.
        public final let storeIdentifier: String
        /// What the event is about.
        public final let type: EventType
        /// When it began.
        public final let startDate: Date
        /// When it ended; nil before.
        public final let endDate: Date?
        /// Whether it has ended well.
        public final let succeeded: Bool
        /// Why it failed.
        public final let error: (any Error)?

        init(store: String) {
            (identifier, storeIdentifier, type, startDate) = (UUID(), store, .setup, Date())
            (endDate, succeeded, error) = (nil, false, nil)
            super.init()
        }

        init(ending event: Event, with error: any Error) {
            (identifier, storeIdentifier, type, startDate) = (
                event.identifier, event.storeIdentifier, event.type, event.startDate
            )
            (endDate, succeeded, self.error) = (Date(), false, error)
            super.init()
        }

        /// Returns the event itself, which never changes.
        open func copy(with zone: NSZone? = nil) -> Any { self }
    }

    /// Posted when an event begins and when it ends, by the container, on any thread.
    public class var eventChangedNotification: Notification.Name {
        Notification.Name("NSPersistentCloudKitContainerEventChangedNotification")
    }

    /// In the user info of ``eventChangedNotification``: the ``Event``.
    public class var eventNotificationUserInfoKey: String { "event" }
}

/// What `initializeCloudKitSchema(options:)` does besides, or instead.
public struct NSPersistentCloudKitContainerSchemaInitializationOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Nothing is sent.
    public static var dryRun: Self { .init(rawValue: 1 << 1) }
    /// The record types are printed.
    public static var printSchema: Self { .init(rawValue: 1 << 2) }
}

/// Which container of iCloud a store is mirrored to. Follows Core Data's `NSPersistentCloudKitContainerOptions`.
open class NSPersistentCloudKitContainerOptions: NSObject {
    /// The container's identifier.
    public final let containerIdentifier: String

    /// - Parameter containerIdentifier: The container's identifier.
    public init(containerIdentifier: String) {
        self.containerIdentifier = containerIdentifier
        super.init()
    }
}
