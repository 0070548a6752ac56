// Adding and removing observers, for all classes that have any. Each keeps them in its own way, and has its own
// `observe(_:options:changeHandler:)`.

import Foundation

/// What can be observed by key; a protocol, so that closures get the object's own type.
public protocol KeyValueObservable: AnyObject {}

/// What the classes behind it do themselves.
protocol ObserverKeeper: KeyValueObservable {
    /// - Parameter read: Gives the observed value; nil where the object knows it.
    @discardableResult
    func add(
        _ path: String, _ options: NSKeyValueObservingOptions, owner: AnyObject?, _ context: UInt,
        read: (() -> Any?)?, tell: @escaping ([NSKeyValueChangeKey: Any]) -> Void
    ) -> ObjectObservation.Observer

    /// Takes the last observer out that fits; returns whether there was one.
    func drop(where fits: (ObjectObservation.Observer) -> Bool) -> Bool
}

extension KeyValueObservable {
    /// Tells an observer of each change at the end of a path of keys, such as `name` or `author.name`; of a migration manager, of
    /// `migrationProgress` and `currentEntityMapping`. Stops for other keys of that.
    ///
    /// The observer isn't kept alive. It gets values as `value(forKeyPath:)` gives them, `NSNull` for nil; from a migration, where
    /// that runs, while it waits.
    public func addObserver(
        _ observer: any NSKeyValueObserver, forKeyPath keyPath: String, options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer? = nil
    ) {
        // Only handed back, never followed.
        let address = UInt(bitPattern: context)
        keeper.add(keyPath, options, owner: observer, address, read: nil) { [weak observer, unowned self] change in
            let context = unsafe UnsafeMutableRawPointer(bitPattern: address)
            unsafe observer?.observeValue(forKeyPath: keyPath, of: self, change: change, context: context)
        }
    }

    /// Ends what ``addObserver(_:forKeyPath:options:context:)`` began. Stops where it hasn't been called.
    public func removeObserver(_ observer: any NSKeyValueObserver, forKeyPath keyPath: String) {
        remove(observer, keyPath) { _ in true }
    }

    /// Ends what ``addObserver(_:forKeyPath:options:context:)`` began with that context. Stops where it hasn't been called.
    public func removeObserver(
        _ observer: any NSKeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        let address = UInt(bitPattern: context)
        remove(observer, keyPath) { $0.context == address }
    }

    private func remove(_ observer: AnyObject, _ path: String, where fits: (ObjectObservation.Observer) -> Bool) {
        guard keeper.drop(where: { $0.owner === observer && $0.path == path && fits($0) }) else {
            let name = (self as? NSManagedObject).map { "\($0.objectID)" } ?? "this \(Self.self)"
            fatalError("\(type(of: observer)) doesn't observe '\(path)' of \(name) and can't be removed.")
        }
    }

    private var keeper: any ObserverKeeper {
        guard let keeper = self as? any ObserverKeeper else {
            fatalError("\(Self.self) can't be observed. Observe a managed object or a migration manager.")
        }
        return keeper
    }
}
