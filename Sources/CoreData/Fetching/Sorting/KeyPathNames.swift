// The names of Swift key paths. Without Objective-C a key path doesn't know the name of its property. It is found by following
// the path on an object that notes what it is asked for (KeyPathRecorder.swift), or was registered here: by hand, or because
// the plugin ManagedObjectClasses names the properties of the class.

import Foundation
import Synchronization

/// The names of the properties behind key paths.
public enum KeyPathNames {
    /// Makes the names of key paths known. Generated code calls it; a later name for the same path replaces the former.
    public static func register(_ names: [AnyKeyPath: String]) {
        let entries = names.map { Entry(path: $0.key, name: $0.value) }
        registry.withLock { known in
            for entry in entries { known[entry.path] = entry.name }
        }
    }

    /// The name that was registered, or found by following the path; nil for one that leads to no modelled property.
    static func knownName(of keyPath: AnyKeyPath) -> String? {
        let entry = Entry(path: keyPath, name: "")
        if let name = registry.withLock({ $0[entry.path] }) { return name }
        if let cls = type(of: keyPath).rootType as? NSManagedObject.Type {
            let named = WrittenAccessors.modelledProperties(of: cls)
            register(Dictionary(named.map { ($0.path, $0.key) }, uniquingKeysWith: { $1 }))
            if let name = registry.withLock({ $0[entry.path] }) { return name }
        }
        guard let name = KeyPathRecorder.name(of: keyPath) ?? printedName(of: keyPath) else { return nil }
        register([keyPath: name])
        return name
    }

    /// What a key path of stored properties prints of itself (`\Dummy.id`), for classes that no model knows. It doesn't know those that
    /// a subclass may override.
    private static func printedName(of keyPath: AnyKeyPath) -> String? {
        let root = type(of: keyPath).rootType
        guard root is AnyClass, !(root is NSManagedObject.Type) else { return nil }
        let (text, start) = ("\(keyPath)", "\\\(root).")
        guard text.hasPrefix(start), text.allSatisfy({ !"<?![".contains($0) }) else { return nil }
        return String(text.dropFirst(start.count))
    }

    /// The name of a key path; an unknown one stops the program.
    static func name(of keyPath: AnyKeyPath) -> String {
        if let name = keyPath._kvcKeyPathString { return name }
        fatalError(
            "The name of the key path \(keyPath) isn't known: it doesn't lead to a modelled property of "
                + "\(type(of: keyPath).rootType), or no coordinator has loaded the model. Give the target the plugin "
                + "ManagedObjectClasses, load the model first, register the name with KeyPathNames.register(_:), or write "
                + "the key as a string.")
    }

    private struct Entry: @unchecked Sendable {
        // Safe: key paths don't change.
        let path: AnyKeyPath
        let name: String
    }

    private static let registry = Registry()

    /// All known names, behind a lock.
    private final class Registry: @unchecked Sendable {
        // Safe: the dictionary is touched under the lock only, and key paths don't change.
        private let lock = Mutex<Void>(())
        private var names: [AnyKeyPath: String] = [:]

        func withLock<T>(_ body: (inout [AnyKeyPath: String]) -> T) -> T {
            lock.withLock { _ in body(&names) }
        }
    }
}

extension AnyKeyPath {
    /// The name of the property that the key path leads to, as Objective-C would know it; nil for an unknown one.
    public var _kvcKeyPathString: String? { KeyPathNames.knownName(of: self) }
}

extension NSExpression {
    /// A path of keys of the evaluated object, from a Swift key path with a known name; see ``KeyPathNames``.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(forKeyPath: KeyPathNames.name(of: keyPath))
    }
}
