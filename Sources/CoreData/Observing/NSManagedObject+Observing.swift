// Observing the properties of managed objects, by key or by Swift key path. Every change tells, whether or not the value
// differs, also of the other side of a relationship, and a refresh, rollback or undo of all that is observed.

public import Foundation

extension NSManagedObject: KeyValueObservable, NSKeyValueObserver, ObserverKeeper {
    func drop(where fits: (ObjectObservation.Observer) -> Bool) -> Bool {
        defer { if observation?.observers.isEmpty ?? false { observation = nil } }
        return observation?.remove(where: fits) ?? false
    }
}

extension KeyValueObservable where Self: NSManagedObject {
    /// Calls a closure for each change of a property.
    ///
    /// The property is one whose name is known: an `@NSManaged` one with generated accessors, or one registered with
    /// ``KeyPathNames``. For one that is computed, `keyPathsForValuesAffectingValue(forKey:)` says of what. Stops for others.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: What the closure wants to know.
    ///   - changeHandler: Gets the object and the change.
    /// - Returns: The observation, which ends when nobody holds it any more.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let path = KeyPathNames.name(of: keyPath)
        return observe(path, options, read: { [unowned self] in self[keyPath: keyPath] }) {
            [unowned self] change in
            changeHandler(self, NSKeyValueObservedChange(change))
        }
    }

    /// As ``NSManagedObject/willChangeValue(forKey:)``, for a property whose name is known; see `observe(_:options:changeHandler:)`.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        willChangeValue(forKey: KeyPathNames.name(of: keyPath))
    }

    /// As ``NSManagedObject/didChangeValue(forKey:)``, for a property whose name is known; see `observe(_:options:changeHandler:)`.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        didChangeValue(forKey: KeyPathNames.name(of: keyPath))
    }
}

extension NSManagedObject {
    private func reader(of keyPath: String) -> () -> Any? {
        // A key that isn't modelled has a value for its class alone.
        let head = Self.head(of: keyPath)
        guard !layout.slots(named: head).isEmpty || writtenProperty(head, slot: nil) != nil else { return { nil } }
        return { [unowned self] in value(forKeyPath: keyPath) }
    }

    fileprivate static func head(of keyPath: String) -> String {
        keyPath.firstIndex(of: ".").map { String(keyPath[..<$0]) } ?? keyPath
    }

    // MARK: Observers

    fileprivate func observe(
        _ path: String, _ options: NSKeyValueObservingOptions, behind chain: [ObservedKey] = [],
        read: @escaping () -> Any?, tell: @escaping ([NSKeyValueChangeKey: Any]) -> Void
    ) -> NSKeyValueObservation {
        let observer = add(path, options, owner: nil, 0, behind: chain, read: read, tell: tell)
        // The observation may outlive the object, and mustn't keep what observes others for it.
        return NSKeyValueObservation { [weak self, weak observer] in
            _ = self?.drop { $0 === observer }
        }
    }

    @discardableResult
    func add(
        _ path: String, _ options: NSKeyValueObservingOptions, owner: AnyObject?, _ context: UInt,
        read: (() -> Any?)?, tell: @escaping ([NSKeyValueChangeKey: Any]) -> Void
    ) -> ObjectObservation.Observer {
        add(path, options, owner: owner, context, behind: [], read: read ?? reader(of: path), tell: tell)
    }

    private func add(
        _ path: String, _ options: NSKeyValueObservingOptions, owner: AnyObject?, _ context: UInt,
        behind chain: [ObservedKey], read: @escaping () -> Any?, tell: @escaping ([NSKeyValueChangeKey: Any]) -> Void
    ) -> ObjectObservation.Observer {
        let head = Self.head(of: path), causes = causes(of: head)
        let link = ObservedKey(object: ObjectIdentifier(self), key: head)
        var tails = causes.sorted().filter { $0.contains(".") }.map { cause in
            PathTail(owner: self, path: cause, chain + [link], options, read, tell)
        }
        if head.utf8.count < path.utf8.count {
            tails.append(PathTail(owner: self, path: path, chain, options, read, tell))
        }
        let observer = ObjectObservation.Observer(
            key: head, path: path, options: options, causes: Set(causes.map(Self.head)), owner: owner, context: context,
            read: read,
            tell: { [tails] change in
                tails.forEach { $0.follow() }
                tell(change)
            })
        let observation = observation ?? ObjectObservation()
        self.observation = observation
        observation.add(observer)
        return observer
    }

    /// The key and all keys and paths that its value depends on.
    private func causes(of key: String) -> Set<String> {
        var causes: Set<String> = []
        var open = [key]
        while let next = open.popLast() {
            guard causes.insert(next).inserted else { continue }
            open += type(of: self).keyPathsForValuesAffectingValue(forKey: Self.head(of: next))
        }
        return causes
    }

    // MARK: Changes

    /// Makes a change of a slot and tells its observers.
    @inline(__always)
    func announcingChange(_ slot: Int, _ change: () -> Void) {
        guard let observation else { return change() }
        let key = layout.propertyName(of: slot)
        observation.begin(key)
        change()
        observation.end(key)
    }

    /// Changes everything and tells the observers of all keys.
    @inline(__always)
    func announcingChanges(_ change: () -> Void) {
        guard let observation else { return change() }
        observation.changeAll(change)
    }

    /// Announces a change of an ordered relationship's members at some positions.
    public func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        observation?.begin(key, .init(kind: changeKind, indexes: indexes))
        willChangeValue(forKey: key)
    }

    /// Marks an ordered relationship as changed.
    public func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        didChangeValue(forKey: key)
        observation?.end(key)
    }
}

extension NSManagedObject {
    func beginSetMutation(_ key: String, _ mutationKind: NSKeyValueSetMutationKind, _ objects: Set<AnyHashable>) {
        let kind: NSKeyValueChange =
            switch mutationKind {
            case .union: .insertion
            case .minus, .intersect: .removal
            case .set: .setting
            }
        let told: Set<AnyHashable>? = mutationKind == .union || mutationKind == .minus ? objects : nil
        observation?.begin(key, .init(kind: told == nil ? .setting : kind, indexes: nil, members: told))
    }
}

/// A key that an observer is told of because another one depends on it.
private struct ObservedKey: Equatable {
    let object: ObjectIdentifier
    let key: String
}

/// The rest of a path behind its first key: observed on whatever object the first key leads to.
private final class PathTail {
    private unowned let owner: NSManagedObject
    private let key: String
    private let rest: String
    /// The keys that depend on this one. What depends on itself, around a circle of objects, is observed once.
    private let chain: [ObservedKey]
    private let options: NSKeyValueObservingOptions
    private let read: () -> Any?
    private let tell: ([NSKeyValueChangeKey: Any]) -> Void
    private var observation: NSKeyValueObservation?

    init(
        owner: NSManagedObject, path: String, _ chain: [ObservedKey], _ options: NSKeyValueObservingOptions,
        _ read: @escaping () -> Any?, _ tell: @escaping ([NSKeyValueChangeKey: Any]) -> Void
    ) {
        self.owner = owner
        key = NSManagedObject.head(of: path)
        rest = String(path.dropFirst(key.count + 1))
        self.chain = chain
        self.options = options.subtracting(.initial)
        self.read = read
        self.tell = tell
        follow()
    }

    /// Observes the object that the key leads to now.
    func follow() {
        observation = nil
        guard let next = owner.value(forKey: key) as? NSManagedObject,
            !chain.contains(ObservedKey(object: ObjectIdentifier(next), key: NSManagedObject.head(of: rest)))
        else { return }
        observation = next.observe(rest, options, behind: chain, read: read, tell: tell)
    }
}
