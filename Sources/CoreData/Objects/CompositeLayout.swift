// A composite attribute in an object: a dictionary for the outside, a slot for each element inside.

import Foundation

/// Where the elements of a composite attribute stand.
final class CompositeLayout {
    enum Element {
        case slot(Int)
        case composite(CompositeLayout)
    }

    let name: String
    let isOptional: Bool
    let elements: [(name: String, element: Element)]
    /// The slots of all elements, those of composite ones among them included.
    let slots: [Int]

    private init(
        _ composite: NSCompositeAttributeDescription, path: String, depth: Int, _ slotByName: [String: Int]
    ) {
        name = path
        isOptional = composite.isOptional
        // One within itself is an error of the model, which is found elsewhere.
        let known = depth > ModelLimits.compositeDepth ? [] : composite.elements
        elements = known.compactMap { element in
            let path = "\(path).\(element.name)"
            if let inner = element as? NSCompositeAttributeDescription {
                return (element.name, .composite(CompositeLayout(inner, path: path, depth: depth + 1, slotByName)))
            }
            return slotByName[path].map { (element.name, .slot($0)) }
        }
        slots = elements.flatMap { _, element in
            switch element {
            case .slot(let slot): [slot]
            case .composite(let inner): inner.slots
            }
        }
    }

    /// The composite attributes of an entity by name, those within others by the paths that lead to them.
    static func all(of entity: NSEntityDescription, _ slotByName: [String: Int]) -> [String: CompositeLayout] {
        var found: [String: CompositeLayout] = [:]
        func enter(_ layout: CompositeLayout) {
            found[layout.name] = layout
            for case (_, .composite(let inner)) in layout.elements { enter(inner) }
        }
        for case let composite as NSCompositeAttributeDescription in entity.propertiesByName.values {
            enter(CompositeLayout(composite, path: composite.name, depth: 0, slotByName))
        }
        return found
    }

    /// The value of the attribute: the elements that have one, by name; nil where none has.
    func dictionary(_ value: (Int) -> Any?) -> [String: Any]? {
        var dictionary: [String: Any] = [:]
        for (name, element) in elements {
            switch element {
            case .slot(let slot): dictionary[name] = value(slot)
            case .composite(let inner): dictionary[name] = inner.dictionary(value)
            }
        }
        return dictionary.isEmpty ? nil : dictionary
    }

    /// The values of the slots for a dictionary: nil for elements that it doesn't have.
    ///
    /// - Returns: Nil for what is no dictionary, or names what is no element.
    func values(_ value: Any?) -> [(slot: Int, value: Any?)]? {
        var dictionary: [String: Any] = [:]
        if let value = flattened(value), !(value is NSNull) {
            guard let given = value as? [String: Any] else { return nil }
            dictionary = given
        }
        if dictionary.keys.contains(where: { name in !elements.contains { $0.name == name } }) { return nil }
        var values: [(Int, Any?)] = []
        for (name, element) in elements {
            let value = dictionary[name]
            switch element {
            case .slot(let slot): values.append((slot, value is NSNull ? nil : value))
            case .composite(let inner):
                guard let parts = inner.values(value) else { return nil }
                values += parts
            }
        }
        return values
    }
}

extension EntityLayout {
    /// The slots of a property: one, or those of a composite attribute's elements.
    func slots(named name: String) -> [Int] {
        if let slot = slot(named: name) { return [slot] }
        return composites.isEmpty ? [] : composites[name]?.slots ?? []
    }

    /// The composite attribute to which a slot belongs.
    func composite(of slot: Int) -> CompositeLayout? {
        if composites.isEmpty { return nil }
        let name = slots[slot].name
        return name.firstIndex(of: ".").flatMap { composites[String(name[..<$0])] }
    }

    /// The name of the model's property to which a slot belongs.
    package func propertyName(of slot: Int) -> String { composite(of: slot)?.name ?? slots[slot].name }

    /// The names of the properties, as the model has them.
    var nameList: String {
        let names = slots.indices.map(propertyName)
        return names.enumerated().filter { $0 == 0 || names[$0 - 1] != $1 }.map(\.1).joined(separator: ", ")
    }
}

/// Puts together the keys of a path that lead into a composite attribute: `place`, `point`, `x` are one property.
struct CompositeKeys {
    /// The composite attribute at which the path is; nil where it is at none.
    private(set) var composite: String?

    /// The name of a property, once it is whole; nil where the key leads to a composite attribute.
    mutating func name(_ key: String, of entity: NSEntityDescription?) -> String? {
        let name = composite.map { "\($0).\(key)" } ?? key
        composite = entity?.layout.composites[name] == nil ? nil : name
        return composite == nil ? name : nil
    }

    /// What comes after a collection operator, as a path of the members: `places.point.@max.x` is about their `point.x`.
    func completing(_ rest: KeyPathSteps) -> KeyPathSteps {
        composite.map { KeyPathSteps($0).appending(rest) } ?? rest
    }
}

extension NSEntityDescription {
    /// Why a store has nothing of a name, in words.
    func reasonAgainst(_ name: String) -> String {
        if layout.composites[name] != nil { return "is a composite attribute, of which only the elements are stored" }
        return propertiesByName[name] == nil ? "doesn't exist" : "isn't stored"
    }

    /// What a name at the head of a path stands for, or the names there that lead to an element of a composite attribute; nil
    /// where there is no such property.
    ///
    /// - Returns: The property, and how many of the names it takes.
    func property(at names: ArraySlice<String>) -> (property: NSPropertyDescription, count: Int)? {
        guard let name = names.first, let property = propertiesByName[name] else { return nil }
        guard layout.composites[name] != nil else { return (property, 1) }
        var path = name
        for (count, name) in names.dropFirst().enumerated() {
            path += "." + name
            if let slot = layout.slot(named: path) { return (layout.slots[slot].property, count + 2) }
            guard layout.composites[path] != nil else { return nil }
        }
        return (property, names.count)
    }
}

extension NSManagedObject {
    func value(of composite: CompositeLayout) -> [String: Any]? {
        composite.dictionary { values[$0].boxedAttribute }
    }

    /// Sets the elements of a composite attribute; stops for what is no dictionary of them.
    func setComposite(_ value: Any?, _ key: String) {
        guard let composite = layout.composites[key] else { return }
        guard let parts = composite.values(value) else {
            fatalError(
                "\(entity.name ?? "").\(composite.name) can't hold \(type(of: value ?? "nil")) '\(value ?? "nil")'. It takes a "
                    + "dictionary with the keys \(composite.elements.map(\.name).joined(separator: ", ")).")
        }
        for (slot, value) in parts { values[slot] = attributeValue(value, slot: slot) }
    }
}
