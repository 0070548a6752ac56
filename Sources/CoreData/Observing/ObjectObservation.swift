// The observers of one object. An object without any has nothing of this but a nil, which is all that its changes look at.

import Foundation

/// Who observes which key of an object, and which changes are under way.
final class ObjectObservation {
    /// One observer of one key.
    final class Observer {
        let key: String
        let options: NSKeyValueObservingOptions
        /// The modelled keys whose change is a change of the key.
        let causes: Set<String>
        let read: () -> Any?
        let tell: ([NSKeyValueChangeKey: Any]) -> Void
        /// Who it is, for removing it.
        weak var owner: AnyObject?
        let path: String
        /// The address that the observer gave with itself.
        let context: UInt
        /// The value before each change that is under way, by the key that causes it.
        fileprivate var old: [String: Any] = [:]

        init(
            key: String, path: String, options: NSKeyValueObservingOptions, causes: Set<String>, owner: AnyObject?,
            context: UInt, read: @escaping () -> Any?,
            tell: @escaping ([NSKeyValueChangeKey: Any]) -> Void
        ) {
            self.key = key
            self.path = path
            self.options = options
            self.causes = causes
            self.owner = owner
            self.context = context
            self.read = read
            self.tell = tell
        }
    }

    /// What a change of members is, where it is told apart from a setting.
    struct MemberChange {
        var kind: NSKeyValueChange
        var indexes: IndexSet?
        var members: Any?
    }

    private(set) var observers: [Observer] = []
    /// How many calls that announce a change of a key haven't been ended.
    private var depths: [String: Int] = [:]
    private var memberChanges: [String: MemberChange] = [:]

    func add(_ observer: Observer) {
        observers.append(observer)
        if observer.options.contains(.initial) {
            var change: [NSKeyValueChangeKey: Any] = [.kindKey: NSKeyValueChange.setting.rawValue]
            if observer.options.contains(.new) { change[.newKey] = observer.read() ?? NSNull() }
            observer.tell(change)
        }
    }

    /// Takes the last observer out that fits; returns whether there was one.
    func remove(where fits: (Observer) -> Bool) -> Bool {
        guard let index = observers.lastIndex(where: fits) else { return false }
        observers.remove(at: index)
        return true
    }

    // MARK: Changes

    /// A change of a key begins. Nested beginnings are one.
    func begin(_ key: String, _ memberChange: MemberChange? = nil) {
        let depth = depths[key, default: 0]
        depths[key] = depth + 1
        guard depth == 0 else { return }
        memberChanges[key] = memberChange
        for observer in observers where observer.causes.contains(key) {
            if observer.options.contains(.old) { observer.old[key] = observer.read() }
            guard observer.options.contains(.prior) else { continue }
            var change = Self.change(observer, observer.old[key], memberChange)
            change[.notificationIsPriorKey] = true
            change[.newKey] = nil
            observer.tell(change)
        }
    }

    /// A change of a key ends.
    func end(_ key: String) {
        guard let depth = depths[key] else { return }
        depths[key] = depth == 1 ? nil : depth - 1
        guard depth == 1 else { return }
        let memberChange = memberChanges.removeValue(forKey: key)
        // Who is told may change the key once more.
        let told = observers.filter { $0.causes.contains(key) }.map { ($0, $0.old.removeValue(forKey: key)) }
        for (observer, old) in told { observer.tell(Self.change(observer, old, memberChange)) }
    }

    private static func change(
        _ observer: Observer, _ old: Any?, _ members: MemberChange?
    ) -> [NSKeyValueChangeKey: Any] {
        var change: [NSKeyValueChangeKey: Any] = [:]
        change[.kindKey] = (members?.kind ?? .setting).rawValue
        change[.indexesKey] = members?.indexes
        if observer.options.contains(.old), members?.kind != .insertion {
            change[.oldKey] = members?.members ?? old ?? NSNull()
        }
        if observer.options.contains(.new), members?.kind != .removal {
            change[.newKey] = members?.members ?? observer.read() ?? NSNull()
        }
        return change
    }

    /// Changes all observed keys at once, as a refresh does.
    func changeAll(_ body: () -> Void) {
        let keys = Set(observers.flatMap(\.causes)).sorted()
        for key in keys { begin(key) }
        body()
        for key in keys { end(key) }
    }
}
