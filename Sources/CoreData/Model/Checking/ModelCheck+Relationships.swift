// Checks of relationships, and of what combines several properties: uniqueness constraints and indexes.

import Foundation

extension ModelCheck {
    mutating func check(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription) {
        guard let destination = relationship.destinationEntity else {
            report(.noDestination, entity, relationship)
            return
        }
        if !isMember(destination) { report(.foreignDestination(destination.name ?? ""), entity, relationship) }
        checkInverse(of: relationship, entity, destination)
        checkCounts(of: relationship, entity)
    }

    private mutating func checkInverse(
        of relationship: NSRelationshipDescription, _ entity: NSEntityDescription, _ destination: NSEntityDescription
    ) {
        guard let inverse = relationship.inverseRelationship else { return }
        guard let owner = inverse.owner else {
            let name = destination.name ?? ""
            let closest = ClosestName.to(inverse.name, among: destination.relationshipsByName.keys)
            report(.unknownInverse(inverse.name, entity: name, closest: closest), entity, relationship)
            return
        }
        if inverse.inverseRelationship !== relationship {
            let found = inverse.inverseRelationship.map { "\($0.owner?.name ?? "?").\($0.name)" }
            report(.inverseElsewhere(inverse: "\(inverse)", found: found), entity, relationship)
        } else if !destination.isKindOf(entity: owner) {
            report(
                .inverseOfOtherEntity(
                    inverse: inverse.name, found: owner.name ?? "", expected: destination.name ?? ""),
                entity, relationship)
        }
    }

    private mutating func checkCounts(of relationship: NSRelationshipDescription, _ entity: NSEntityDescription) {
        let (minimum, maximum) = (relationship.minCount, relationship.maxCount)
        // Version hashes hold counts in 32 bits; -1 is what the largest integer becomes there.
        for (what, count) in [("smallest", minimum), ("largest", maximum)] {
            if UInt32(exactly: count) == nil, count != -1, count != .max {
                report(.badCount(of: what, count), entity, relationship)
            }
        }
        if maximum > 0, minimum > maximum {
            report(
                .emptyRange(of: "number of objects", minimum: "\(minimum)", maximum: "\(maximum)"), entity, relationship
            )
        }
    }

    mutating func checkCombinations(of entity: NSEntityDescription) {
        var properties = entity.propertiesByName
        for (name, element) in properties.values.flatMap(\.storedParts) { properties[name] = element }
        for name in entity.uniquenessConstraintNames.joined() {
            guard let property = properties[name] else {
                let closest = ClosestName.to(name, among: properties.keys)
                report(.unknownUniqueProperty(name, closest: closest), entity)
                continue
            }
            if let reason = property.reasonAgainstColumn {
                report(.unsuitableUniqueProperty(name, reason: reason), entity)
            }
        }
        for index in entity.indexes { check(index, of: entity, properties) }
    }

    private mutating func check(
        _ index: NSFetchIndexDescription, of entity: NSEntityDescription, _ properties: [String: NSPropertyDescription]
    ) {
        for element in index.elements where !(element.property is NSExpressionDescription) {
            let name = element.propertyName ?? ""
            guard let property = properties[name] else {
                let closest = ClosestName.to(name, among: properties.keys)
                report(.unknownIndexProperty(index: index.name, name: name, closest: closest), entity)
                continue
            }
            if element.collationType == .rTree, let type = (property as? NSAttributeDescription)?.attributeType,
                !type.hasRanges
            {
                report(.unsuitableRangeProperty(index: index.name, name: name, found: type.expectedValue), entity)
            }
        }
    }
}

extension NSPropertyDescription {
    /// Why the property has no single column of its own; nil where it has.
    fileprivate var reasonAgainstColumn: String? {
        if isTransient { return "is transient" }
        switch self {
        case is NSCompositeAttributeDescription: return "is composite"
        case is NSDerivedAttributeDescription: return "is derived, so that nobody can choose another value"
        case is NSAttributeDescription: return nil
        case let relationship as NSRelationshipDescription: return relationship.isToMany ? "is to-many" : nil
        default: return "is no attribute"
        }
    }
}

extension NSAttributeType {
    /// Whether the store keeps values as numbers, of which an R-tree is made.
    fileprivate var hasRanges: Bool {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType, .booleanAttributeType, .dateAttributeType:
            true
        default: false
        }
    }
}
