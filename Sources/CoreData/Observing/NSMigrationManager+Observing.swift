// Observing how far a migration is: by key, or by Swift key path. A manager has two properties that can be observed.

import Foundation

extension NSMigrationManager: KeyValueObservable {
    private static let names = ["migrationProgress", "currentEntityMapping"]

    /// Tells an observer of each change of `migrationProgress` or `currentEntityMapping`. Stops for other keys.
    ///
    /// The observer isn't kept alive. It is called where the migration runs, while that waits.
    public func addObserver(
        _ observer: any NSKeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer? = nil
    ) {
        // Only handed back, never followed.
        let address = UInt(bitPattern: context)
        add(keyPath, options, owner: observer, address) { [weak observer, unowned self] change in
            let context = unsafe UnsafeMutableRawPointer(bitPattern: address)
            unsafe observer?.observeValue(forKeyPath: keyPath, of: self, change: change, context: context)
        }
    }

    /// Ends what ``addObserver(_:forKeyPath:options:context:)`` began. Stops where it hasn't been called.
    public func removeObserver(_ observer: any NSKeyValueObserver, forKeyPath keyPath: String) {
        remove(keyPath, of: observer) { _ in true }
    }

    /// Ends what ``addObserver(_:forKeyPath:options:context:)`` began with that context. Stops where it hasn't been called.
    public func removeObserver(
        _ observer: any NSKeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        let address = UInt(bitPattern: context)
        remove(keyPath, of: observer) { $0.context == address }
    }

    private func remove(_ key: String, of owner: AnyObject, where fits: (ObjectObservation.Observer) -> Bool) {
        guard observation.remove(where: { $0.owner === owner && $0.path == key && fits($0) }) else {
            fatalError("\(type(of: owner)) doesn't observe '\(key)' of the migration manager and can't be removed.")
        }
    }

    @discardableResult
    fileprivate func add(
        _ key: String, _ options: NSKeyValueObservingOptions, owner: AnyObject?, _ context: UInt,
        tell: @escaping ([NSKeyValueChangeKey: Any]) -> Void
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
        return NSKeyValueObservation { [weak self] in _ = self?.observation.remove { $0 === observer } }
    }
}
