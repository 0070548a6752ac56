// Attributes, fetched properties and indexes of a compiled model.

import Foundation

extension ModelUnarchiver {
    // MARK: Attributes

    func readAttribute(_ object: KeyedArchive.Object, depth: Int) throws(Damage) -> NSAttributeDescription {
        let attribute: NSAttributeDescription
        switch object.className {
        case "NSDerivedAttributeDescription": attribute = try readDerived(object)
        case "NSCompositeAttributeDescription": attribute = try readComposite(object, depth: depth)
        default: attribute = NSAttributeDescription()
        }
        let number = try archive.integer(object["NSAttributeType"]) ?? 0
        guard let type = UInt(exactly: number).flatMap(NSAttributeType.init(rawValue:)) else {
            throw Damage(reason: "an attribute has the unknown type \(number)")
        }
        attribute.attributeType = type
        attribute.attributeValueClassName = try archive.text(object["NSAttributeValueClassName"])
        attribute.defaultValue = try ArchivedValues.defaultValue(object["NSDefaultValue"], of: type, in: archive)
        let transformer = try archive.text(object["NSValueTransformerName"])
        attribute.valueTransformerName = transformer?.isEmpty == true ? nil : transformer
        attribute.allowsCloudEncryption = try archive.flag(object["NSAllowsCloudEncryption"])
        let flags = AttributeFlags(rawValue: try archive.integer(object["NSFlagsKey"]) ?? 0)
        attribute.isIndexedBySpotlight = flags.contains(.spotlight)
        attribute.isStoredInExternalRecord = flags.contains(.externalRecord)
        attribute.allowsExternalBinaryDataStorage = flags.contains(.externalStorage)
        attribute.preservesValueInHistoryOnDeletion = flags.contains(.preservedAfterDeletion)
        return attribute
    }

    private func readDerived(_ object: KeyedArchive.Object) throws(Damage) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.derivationExpression = try ArchivedPredicates.expression(
            object["NSDerivationExpression"], in: archive)
        return attribute
    }

    private func readComposite(
        _ object: KeyedArchive.Object, depth: Int
    ) throws(Damage) -> NSCompositeAttributeDescription {
        guard depth < ModelLimits.compositeDepth else { throw Damage(reason: "a composite attribute contains itself") }
        let attribute = NSCompositeAttributeDescription()
        var elements: [NSAttributeDescription] = []
        for member in try archive.members(object["NSElements"]) ?? [] {
            guard let found = try archive.object(member) else { continue }
            let element = try readAttribute(found, depth: depth + 1)
            element.name = try archive.text(found["NSPropertyName"]) ?? ""
            try readCommon(found, element)
            elements.append(element)
        }
        attribute.elements = elements
        return attribute
    }

    // MARK: Fetched properties and indexes

    func readFetchedProperty(_ object: KeyedArchive.Object) throws(Damage) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        guard let request = try archive.object(object["NSFetchRequest"]) else { return property }
        property.fetchRequest = try ArchivedPredicates.request(
            request, entityName: archive.text(object["_NSFetchRequestEntityName"]), in: archive)
        return property
    }

    func readIndexes(_ object: KeyedArchive.Object, _ entity: NSEntityDescription) throws(Damage) {
        var indexes: [NSFetchIndexDescription] = []
        for member in try archive.members(object["NSFetchIndexDescriptions"]) ?? [] {
            guard let found = try archive.object(member) else { continue }
            var elements: [NSFetchIndexElementDescription] = []
            for element in try archive.members(found["NSIndexElements"]) ?? [] {
                if let described = try archive.object(element) {
                    elements.append(try readIndexElement(described, of: entity))
                }
            }
            let name = try archive.text(found["NSIndexName"]) ?? ""
            // Models in stores may list an index twice.
            if indexes.contains(where: { $0.name == name }) { continue }
            let index = NSFetchIndexDescription(name: name, elements: elements)
            index.partialIndexPredicate = try ArchivedPredicates.predicate(
                found["NSPartialIndexPredicate"], in: archive)
            indexes.append(index)
        }
        entity.indexes = indexes
        // Where there are fetch indexes, the older lists only repeat them in part: without directions, and expressions by
        // name. Only models from before 2017 have nothing but those.
        if try archive.members(object["NSFetchIndexDescriptions"]) == nil { try readOlderIndexes(object, entity) }
        // What a compiled model indexes is no reason not to read its data.
        entity.indexes.removeAll { index in !index.elements.allSatisfy(\.isResolved) }
    }

    private func readOlderIndexes(_ object: KeyedArchive.Object, _ entity: NSEntityDescription) throws(Damage) {
        for name in indexedAttributes[ObjectIdentifier(entity)] ?? [] { entity.addIndex(of: [name]) }
        let inherited = entity.lineage.dropFirst().flatMap { $0.indexes.compactMap(\.plainNames) }
        for names in try nameLists(object["NSCompoundIndexes"]) where !inherited.contains(names) {
            entity.addIndex(of: names)
        }
    }

    private func readIndexElement(
        _ object: KeyedArchive.Object, of entity: NSEntityDescription
    ) throws(Damage) -> NSFetchIndexElementDescription {
        let type = UInt(exactly: try archive.integer(object["NSFetchIndexElementType"]) ?? 0)
        let collation = type.flatMap(NSFetchIndexElementType.init(rawValue:)) ?? .binary
        let name = try archive.text(object["NSPropertyName"]) ?? ""
        let element = NSFetchIndexElementDescription(propertyName: name, collationType: collation)
        element.isAscending = try archive.flag(object["NSAscending"])
        if let property = try archive.object(object["NSIndexedProperty"]),
            property.className == "NSExpressionDescription"
        {
            element.property = try readExpression(property, name: name)
        } else {
            element.property = entity.propertiesByName[name]
        }
        return element
    }

    private func readExpression(
        _ object: KeyedArchive.Object, name: String
    ) throws(Damage) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = try archive.text(object["NSPropertyName"]) ?? name
        description.expression = try ArchivedPredicates.expression(object["NSExpression"], in: archive)
        let type = UInt(exactly: try archive.integer(object["NSExpressionType"]) ?? 0)
        description.expressionResultType = type.flatMap(NSAttributeType.init(rawValue:)) ?? .undefinedAttributeType
        return description
    }
}

extension NSFetchIndexElementDescription {
    /// Whether the element's property or expression is there.
    fileprivate var isResolved: Bool { property != nil }
}

/// The bits of `NSFlagsKey`.
struct AttributeFlags: OptionSet {
    let rawValue: Int64

    static let spotlight = AttributeFlags(rawValue: 1)
    static let externalRecord = AttributeFlags(rawValue: 2)
    static let externalStorage = AttributeFlags(rawValue: 4)
    static let preservedAfterDeletion = AttributeFlags(rawValue: 16)
}
