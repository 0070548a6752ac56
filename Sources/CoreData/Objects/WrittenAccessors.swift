// From a class to what it and its superclasses have written themselves for their keys. Most classes have written nothing;
// for them, and for `NSManagedObject` itself, asking costs a comparison.

import Foundation
import Synchronization

/// What one class has written itself or inherits.
final class WrittenAccessors {
    /// The class whose objects these are for.
    let owner: NSManagedObject.Type
    private var properties: [String: WrittenProperty] = [:]
    private var validations: [String: WrittenEntry.Validation] = [:]

    /// Collects what the modules of the class and its superclasses name; nil where that is nothing.
    private init?(_ cls: NSManagedObject.Type) {
        owner = cls
        // A subclass comes after its superclass and wins.
        let chain = Self.classes(from: cls).reversed()
        var modules: [String] = []
        for name in chain.compactMap(Self.module) where !modules.contains(name) { modules.append(name) }
        let entries = modules.flatMap(Self.entries)
        for root in chain {
            for entry in entries where entry.root == root {
                switch entry.content {
                case .property(let property): properties[entry.name] = property
                case .validation(let validation): validations[entry.name] = validation
                }
            }
        }
        if properties.isEmpty, validations.isEmpty { return nil }
    }

    func property(_ key: String) -> WrittenProperty? { properties[key] }

    var hasValidations: Bool { !validations.isEmpty }

    /// The method `validate<Key>`.
    func validation(_ key: String) -> WrittenEntry.Validation? {
        validations.isEmpty ? nil : validations[key.prefix(1).uppercased() + key.dropFirst()]
    }

    // MARK: Finding them

    private struct Known: @unchecked Sendable {
        // Safe: after `init` nothing changes it, and its closures hold key paths and functions alone.
        let accessors: WrittenAccessors?
    }

    private static let known = Mutex<[ObjectIdentifier: Known]>([:])

    /// What a class has written itself; nil for nothing. Worked out once per class.
    static func of(_ cls: NSManagedObject.Type) -> WrittenAccessors? {
        if cls == NSManagedObject.self { return nil }
        if let found = known.withLock({ $0[ObjectIdentifier(cls)] }) { return found.accessors }
        // Outside the lock: generated code runs. Two threads may both do it, with the same result.
        let made = Known(accessors: WrittenAccessors(cls))
        known.withLock { $0[ObjectIdentifier(cls)] = made }
        return made.accessors
    }

    /// The class and its superclasses below `NSManagedObject`.
    private static func classes(from cls: NSManagedObject.Type) -> [NSManagedObject.Type] {
        var found: [NSManagedObject.Type] = []
        var next: NSManagedObject.Type? = cls
        while let current = next, current != NSManagedObject.self {
            found.append(current)
            next = _getSuperclass(current) as? NSManagedObject.Type
        }
        return found
    }

    private static func module(of cls: NSManagedObject.Type) -> String? {
        let parts = ClassNames.name(of: cls).split(separator: ".")
        return parts.count > 1 ? String(parts[0]) : nil
    }

    private static func entries(of module: String) -> [WrittenEntry] { accessors(of: module)?.entries ?? [] }

    /// What the plugin has named in a module; nil for one without it.
    private static func accessors(of module: String) -> ManagedObjectAccessors? {
        let found: AnyClass? = NSClassFromString("\(module).WrittenManagedObjectAccessors")
        guard let type = found as? ManagedObjectAccessors.Type else { return nil }
        let accessors = type.init()
        accessors.register()
        return accessors
    }

    /// The modelled properties that the plugin has named, of a class and its superclasses; a subclass's come last.
    static func modelledProperties(of cls: NSManagedObject.Type) -> [ModelledProperty] {
        let chain = Array(classes(from: cls).reversed())
        let modules = Set(chain.compactMap(module))
        let properties = modules.sorted().compactMap(accessors).flatMap(\.modelledProperties)
        return chain.flatMap { root in properties.filter { $0.root == root } }
    }
}

/// What is known of the accessors of an entity's class.
enum KnownAccessors {
    /// Not asked yet, or the class isn't there yet.
    case unknown
    /// It has none of its own.
    case none
    case some(WrittenAccessors)

    init(of cls: NSManagedObject.Type) {
        self = WrittenAccessors.of(cls).map(Self.some) ?? .none
    }
}

extension NSManagedObject {
    /// Stands for no slot in ``answeringSlot``.
    static let noSlot = UInt16.max

    /// What the object's class has written itself.
    var writtenAccessors: WrittenAccessors? {
        switch layout.accessors {
        case .none: nil
        case .some(let accessors) where accessors.owner == type(of: self): accessors
        case .some, .unknown: WrittenAccessors.of(type(of: self))
        }
    }

    /// The accessor to call for a key. Nil for one without, and while that accessor runs: what asks for its own key means the
    /// modelled value.
    func writtenProperty(_ key: String, slot: Int?) -> WrittenProperty? {
        guard let property = writtenAccessors?.property(key) else { return nil }
        if let slot, answeringSlot == slot { return nil }
        return property
    }

    /// Runs a property's accessor.
    func answering<Value>(_ slot: Int?, _ body: () -> Value) -> Value {
        let before = answeringSlot
        if let slot { answeringSlot = UInt16(slot) }
        defer { answeringSlot = before }
        return body()
    }

    /// Calls `validate<Key>`, where the class has it.
    func validateWritten(_ value: inout AnyObject?, forKey key: String) throws {
        guard let validation = writtenAccessors?.validation(key) else { return }
        try validation(self, &value)
    }
}
