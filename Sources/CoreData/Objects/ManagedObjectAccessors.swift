// What the classes of a module have written themselves for their keys. Without Objective-C no method can be looked up by
// its name, so the plugin `ManagedObjectClasses` writes for each target a class that names them:
//
//     public final class WrittenManagedObjectAccessors: ManagedObjectAccessors {
//         public override func register() {
//             modelled("name", \Person.name)
//             property("fullName", \Person.fullName)
//             property("nickname", \Person.nickname) { $0.nickname = $1 }
//             unsafe validation("Name", of: Person.self) { try unsafe $0.validateName($1) }
//         }
//     }
//
// It is found by that name, in the modules of an object's class and of its superclasses (WrittenAccessors.swift).

import Foundation

/// The properties and `validate<Key>` methods that a module's classes have written themselves; overridden by generated code.
open class ManagedObjectAccessors {
    private(set) var entries: [WrittenEntry] = []
    private(set) var modelledProperties: [ModelledProperty] = []

    /// Made where an object of the module's classes is first asked for a value by key.
    public required init() {}

    /// Calls ``modelled(_:_:)``, ``property(_:_:set:)`` and ``validation(_:of:_:)`` for everything that is to be found by name.
    open func register() {}

    /// Makes the name of a modelled property known, so that key paths have names before there is a model.
    ///
    /// - Parameters:
    ///   - key: Its name.
    ///   - path: The property.
    public final func modelled<Root: NSManagedObject, Value>(_ key: String, _ path: KeyPath<Root, Value>) {
        modelledProperties.append(ModelledProperty(root: Root.self, key: key, type: Value.self, path: path))
    }

    /// Makes a property known, so that `value(forKey:)` and `setValue(_:forKey:)` call it.
    ///
    /// A property whose type Objective-C couldn't represent stays unknown, as it does on Apple's platforms; enumerations
    /// with raw values stand for those.
    ///
    /// - Parameters:
    ///   - key: Its name.
    ///   - path: The property.
    ///   - set: Sets it; nil for one that can't be set. The path alone doesn't do: writing through it calls the getter first.
    public final func property<Root: NSManagedObject, Value>(
        _ key: String, _ path: KeyPath<Root, Value>, set: ((Root, Value) -> Void)? = nil
    ) {
        guard KeyedForm.exists(of: Value.self) else { return }
        let setter: ((NSManagedObject, Any?) -> Void)? = set.map { set in
            { object, value in
                guard let object = object as? Root else { return }
                guard let converted: Value = KeyedForm.value(from: value) else {
                    fatalError(
                        "\(Root.self).\(key) is \(Value.self) and can't hold \(value.map { "'\($0)'" } ?? "nil"). Convert it "
                            + "to the property's type first.")
                }
                set(object, converted)
            }
        }
        let property = WrittenProperty(
            get: { object in (object as? Root).flatMap { KeyedForm.boxed($0[keyPath: path]) } }, set: setter)
        entries.append(WrittenEntry(root: Root.self, name: key, content: .property(property)))
    }

    /// Makes a method known that validates a property, so that `validateValue(_:forKey:)` and saving call it.
    ///
    /// - Parameters:
    ///   - name: What the method's name has after `validate`: `Name` for `validateName(_:)`.
    ///   - root: The class.
    ///   - body: Calls the method.
    public final func validation<Root: NSManagedObject>(
        _ name: String, of root: Root.Type,
        _ body: @escaping (Root, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
    ) {
        let validation: WrittenEntry.Validation = { object, value in
            guard let object = object as? Root else { return }
            try unsafe withUnsafeMutablePointer(to: &value) { pointer in try unsafe body(object, pointer) }
        }
        entries.append(WrittenEntry(root: root, name: name, content: .validation(validation)))
    }
}

/// A property whose accessors come from the plugin.
struct ModelledProperty {
    let root: NSManagedObject.Type
    let key: String
    let type: Any.Type
    let path: AnyKeyPath
}

/// A property that a class has written itself.
struct WrittenProperty {
    /// The value, boxed as by `value(forKey:)`.
    let get: (NSManagedObject) -> Any?
    /// Nil for one that can't be set.
    let set: ((NSManagedObject, Any?) -> Void)?
}

/// Something that a class has written itself.
struct WrittenEntry {
    typealias Validation = (NSManagedObject, inout AnyObject?) throws -> Void

    enum Content {
        case property(WrittenProperty)
        case validation(Validation)
    }

    let root: NSManagedObject.Type
    let name: String
    let content: Content
}
