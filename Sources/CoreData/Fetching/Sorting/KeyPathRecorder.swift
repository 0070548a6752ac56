// The name of a key path that nobody registered: the path is followed on an object made for that purpose, which notes the
// keys it is asked for. So `\Book.author?.name` is `author.name`.

import Foundation

/// Notes what the objects of one key path are asked for.
final class KeyPathRecorder {
    /// The recorder whose objects are being asked, on this thread.
    @TaskLocal private static var current: Unshared?

    private struct Unshared: @unchecked Sendable {
        // Safe: a recorder is used by the thread alone that made it, until the call returns.
        let recorder: KeyPathRecorder
    }

    private var steps: [(object: NSManagedObject, key: String)] = []

    /// The names of the properties on the way, joined by dots; nil where the path isn't one of modelled properties alone:
    /// one that computes its value from several, or changes it.
    static func name(of keyPath: AnyKeyPath) -> String? {
        guard let cls = type(of: keyPath).rootType as? NSManagedObject.Type,
            let entity = entity(for: cls)
        else { return nil }
        // Entities don't keep those that they lead to.
        return withExtendedLifetime(entity.model) {
            let recorder = KeyPathRecorder()
            let root = recorder.makeObject(of: cls, entity)
            let value = $current.withValue(Unshared(recorder: recorder)) { (root as Any)[keyPath: keyPath] }
            return recorder.name(from: root, to: value) ?? recorder.composedName(of: keyPath)
        }
    }

    /// An entity with the properties of a class. A loaded model may lack some: another version's, or one for another purpose.
    private static func entity(for cls: NSManagedObject.Type) -> NSEntityDescription? {
        guard let known = ManagedObjectClasses.knownEntity(for: cls, in: nil) else {
            return StandInEntities.entity(for: cls)
        }
        let properties = known.propertiesByName
        let hasAll = WrittenAccessors.modelledProperties(of: cls).allSatisfy { properties[$0.key] != nil }
        return hasAll ? known : StandInEntities.entity(for: cls) ?? known
    }

    private func makeObject(of cls: NSManagedObject.Type, _ entity: NSEntityDescription) -> NSManagedObject {
        let object = cls.init(making: entity, in: nil)
        object.state = .recording
        return object
    }

    /// An object is about to be asked for a property.
    static func note(_ object: NSManagedObject, _ key: String?) {
        guard let key, let slot = object.layout.slot(named: key), let recorder = current?.recorder else { return }
        recorder.steps.append((object, key))
        recorder.fill(object, slot)
    }

    /// Gives a property a value that can be recognised.
    private func fill(_ object: NSManagedObject, _ slot: Int) {
        switch object.layout.slots[slot].kind {
        case .attribute(let type): object.values[slot] = Self.sample(of: type)
        case .toOne:
            guard case .null = object.values[slot],
                let entity = object.layout.slots[slot].relationship?.destinationEntity
            else { return }
            object.values[slot] = .object(makeObject(of: entity.layout.objectClass, entity))
        case .toMany: object.values[slot] = .objects(ToManyMembers())
        }
    }

    private static func sample(of type: NSAttributeType) -> ManagedValue {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .integer(12_345)
        case .doubleAttributeType, .floatAttributeType: .double(12_345)
        case .decimalAttributeType: .decimal(12_345)
        case .booleanAttributeType: .boolean(true)
        case .stringAttributeType: .string("a text that only a recorder has")
        case .dateAttributeType: .date(12_345)
        case .binaryDataAttributeType: .data(Data("a text that only a recorder has".utf8))
        case .UUIDAttributeType: .uuid(UUID())
        case .URIAttributeType: URL(string: "recorded:key").map(ManagedValue.uri) ?? .null
        default: .null
        }
    }

    // MARK: What was noted

    private func name(from root: NSManagedObject, to value: Any?) -> String? {
        let value = flattened(value)
        var object = root
        var names: [String] = []
        for (index, step) in steps.enumerated() {
            guard step.object === object, let slot = object.layout.slot(named: step.key) else { return nil }
            names.append(step.key)
            if case .object(let next) = object.values[slot] {
                object = next
            } else if index + 1 < steps.count {
                return nil
            }
        }
        guard let last = steps.last, let slot = last.object.layout.slot(named: last.key) else {
            return Self.ownName(of: root, value)
        }
        if object !== last.object, let own = Self.ownName(of: object, value) {
            return own == "self" ? names.joined(separator: ".") : (names + [own]).joined(separator: ".")
        }
        return isValue(value, of: last.object, slot) ? names.joined(separator: ".") : nil
    }

    /// The names of the steps, where their key paths, which the plugin has named, are joined to the very path. For what no value can
    /// be recognised of: a transformable attribute at its end.
    private func composedName(of keyPath: AnyKeyPath) -> String? {
        var joined: AnyKeyPath?
        for step in steps {
            let named = WrittenAccessors.modelledProperties(of: type(of: step.object)).last { $0.key == step.key }
            guard let path = named?.path else { return nil }
            joined = joined.map { $0.appending(path: path) } ?? path
        }
        return joined == keyPath ? steps.map(\.key).joined(separator: ".") : nil
    }

    /// The names of what every object answers to.
    private static func ownName(of object: NSManagedObject, _ value: Any?) -> String? {
        switch value {
        case let other as NSManagedObject where other === object: "self"
        case let id as NSManagedObjectID where id === object.id: "objectID"
        default: nil
        }
    }

    /// Whether a value is the one that the object was asked for, and not something made of it.
    private func isValue(_ value: Any?, of object: NSManagedObject, _ slot: Int) -> Bool {
        switch object.layout.slots[slot].kind {
        case .toOne: return false
        case .toMany: return value is NSSet || value is NSOrderedSet || (value as? any Collection)?.isEmpty ?? false
        case .attribute:
            guard let value, let stored = object.boxedValue(slot) else { return value == nil }
            if value is any RawRepresentable { return true }
            return OperandKey(Operand(value)) == OperandKey(Operand(stored))
        }
    }
}
