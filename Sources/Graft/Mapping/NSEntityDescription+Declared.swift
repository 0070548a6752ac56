// What an entity declares itself, and what of it has values of its own.

import CoreData

/// A property as the schema has it: one of the model's, or an element of a composite attribute.
struct PropertyPart {
    /// The property's name, or the path that leads to the element: `location.x`.
    let name: String
    /// The property, or the element.
    let property: NSPropertyDescription
    /// The entity's own property: the composite attribute, or the same.
    let whole: NSPropertyDescription
    /// The elements on the way from one to the other, the last one included.
    let elements: [NSPropertyDescription]

    /// Without a composite value, none of its elements has one.
    var isOptional: Bool { property.isOptional || whole.isOptional }
}

extension NSPropertyDescription {
    /// The property by itself, or the elements of a composite attribute.
    fileprivate var parts: [PropertyPart] { Self.parts(name, self, of: self, [], depth: 0) }

    private static func parts(
        _ name: String, _ property: NSPropertyDescription, of whole: NSPropertyDescription,
        _ elements: [NSPropertyDescription], depth: Int
    ) -> [PropertyPart] {
        guard let composite = property as? NSCompositeAttributeDescription else {
            return [PropertyPart(name: name, property: property, whole: whole, elements: elements)]
        }
        // One that contains itself is an error of the model.
        if depth > 32 { return [] }
        return composite.elements.flatMap {
            parts("\(name).\($0.name)", $0, of: whole, elements + [$0], depth: depth + 1)
        }
    }
}

extension NSEntityDescription {
    /// The properties without the inherited ones, in the order of ``properties``, which has both in most models.
    var declaredProperties: [NSPropertyDescription] {
        guard let inherited = superentity?.propertiesByName else { return properties }
        return properties.filter { inherited[$0.name] == nil }
    }

    /// The entity and those that it inherits from, the nearest first.
    var lineage: [NSEntityDescription] { Array(sequence(first: self, next: \.superentity)) }

    /// The properties without the inherited ones, by name.
    var sortedDeclaredProperties: [NSPropertyDescription] { declaredProperties.sorted { $0.name < $1.name } }

    /// The same with the elements of composite attributes in their place.
    var declaredParts: [PropertyPart] { declaredProperties.flatMap(\.parts) }

    /// What the schema has of the entity, inherited properties included, by the schema's names.
    var partsByName: [String: PropertyPart] {
        Dictionary(propertiesByName.values.flatMap(\.parts).map { ($0.name, $0) }) { first, _ in first }
    }

    /// The attributes by the schema's names.
    var attributePartsByName: [String: NSAttributeDescription] {
        partsByName.compactMapValues { $0.property as? NSAttributeDescription }
    }
}
