// Telling that a store has changed, for those who follow its history.

public import Foundation

/// Post `NSPersistentStoreRemoteChange` after every change of a store; an option for opening it.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// In a notification: the URL of the store.
public let NSPersistentStoreURLKey = "storeURL"
/// In a notification: the place in the store's history, an `NSPersistentHistoryToken`.
public let NSPersistentHistoryTokenKey = "historyToken"

extension Notification.Name {
    /// A store was changed, by a save or a batch of any context, by another coordinator or another process; posted by the
    /// coordinator where the store was opened with `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. What others have
    /// changed is noticed within half a second, several changes at once, and on a thread of its own.
    public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
    /// A store will be removed from a coordinator.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

extension NSPersistentStoreCoordinator {
    /// Tells of a change of some stores, where they are opened so. Not under the coordinator's lock.
    ///
    /// - Parameter transactions: The numbers of the change in the stores' histories, by their UUID, where they are known.
    func announceChange(of stores: [NSPersistentStore], _ transactions: [String: Int64] = [:]) {
        for store in stores where store.announcesChanges {
            var info: [AnyHashable: Any] = [NSStoreUUIDKey: store.identifier ?? ""]
            info[NSPersistentStoreURLKey] = store.url
            info[NSPersistentHistoryTokenKey] = historyToken(of: [store], behind: transactions)
            NotificationCenter.default.post(name: .NSPersistentStoreRemoteChange, object: self, userInfo: info)
        }
    }
}

extension NSPersistentStore {
    /// Whether it was opened to keep a history.
    var tracksHistory: Bool {
        SQLiteStoreOptions.flag(options?[NSPersistentHistoryTrackingKey])
            && (type == NSSQLiteStoreType || StoreProviders[type] != nil)
    }

    fileprivate var announcesChanges: Bool {
        SQLiteStoreOptions.flag(options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey])
    }

    /// Begins to announce what others change, where the options ask for it.
    func watchForRemoteChanges() {
        guard announcesChanges else { return }
        let store = WeakStore(store: self)
        remoteChangeWatch = backend?.watch {
            guard let store = store.store else { return }
            store.persistentStoreCoordinator?.announceChange(of: [store])
        }
    }
}

/// A store that a watch has to do with only as long as somebody else keeps it.
private struct WeakStore: @unchecked Sendable {
    // Safe: the store is only read, and asks its coordinator, which has a lock.
    weak var store: NSPersistentStore?
}
