// Observing how far a migration is: by key, or by Swift key path. A manager has two properties that can be observed.

import Foundation

extension NSMigrationManager: KeyValueObservable, ObserverKeeper {
    private static let names = ["migrationProgress", "currentEntityMapping"]

    func drop(where fits: (ObjectObservation.Observer) -> Bool) -> Bool { observation.remove(where: fits) }

    @discardableResult
    func add(
        _ key: String, _ options: NSKeyValueObservingOptions, owner: AnyObject?, _ context: UInt,
        read: (() -> Any?)? = nil, tell: @escaping ([NSKeyValueChangeKey: Any]) -> Void
    ) -> ObjectObservation.Observer {
        guard Self.names.contains(key) else {
            fatalError(
                "'\(key)' of a migration manager can't be observed, only \(Self.names.joined(separator: " and ")).")
        }
        let observer = ObjectObservation.Observer(
            key: key, path: key, options: options, causes: [key], owner: owner, context: context,
            read: { [unowned self] in key == "migrationProgress" ? migrationProgress as Any : currentEntityMapping },
            tell: tell)
        observation.add(observer)
        return observer
    }
}

extension KeyValueObservable where Self: NSMigrationManager {
    /// Calls a closure for each change of `migrationProgress` or `currentEntityMapping`. Stops for other key paths.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: What the closure wants to know.
    ///   - changeHandler: Gets the manager and the change, where the migration runs, while that waits.
    /// - Returns: The observation, which ends when nobody holds it any more.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let key: String =
            switch keyPath as AnyKeyPath {
            case \Self.migrationProgress: "migrationProgress"
            case \Self.currentEntityMapping: "currentEntityMapping"
            default: "\(keyPath)"
            }
        let observer = add(key, options, owner: nil, 0) { [unowned self] change in
            changeHandler(self, NSKeyValueObservedChange(change))
        }
        return NSKeyValueObservation { [weak self] in _ = self?.drop { $0 === observer } }
    }
}
