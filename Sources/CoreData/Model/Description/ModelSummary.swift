// A model as lines of text, in an order that depends on names only. Two models are equal when their lines are; where
// they differ, the lines say in what.
//
//     entity Hero : Character, class Hero, unique [id]
//     attribute Hero.age: Integer 16, optional, default 0, SELF >= 0
//     relationship Hero.powers: 0... Power, inverse heroes, Nullify

import Foundation

/// The text of one model.
package struct ModelSummary {
    private let model: NSManagedObjectModel
    /// Stores' model caches have no class names, so a comparison with one leaves them out.
    private let includesClasses: Bool

    package init(_ model: NSManagedObjectModel, includesClasses: Bool = true) {
        self.model = model
        self.includesClasses = includesClasses
    }

    /// The lines: the model's own, then for each entity, by name, its own and those of its properties and indexes.
    package var lines: [String] {
        let identifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted()
        var lines = ["model \(identifiers)"]
        for name in model.configurations {
            let members = (model.entities(forConfigurationName: name) ?? []).map { $0.name ?? "" }.sorted()
            lines.append("configuration \(name): \(members.joined(separator: ", "))")
        }
        for (name, request) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
            lines.append("fetch request \(name): \(Self.text(request))")
        }
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            lines += Self.lines(of: entity, includesClasses: includesClasses)
        }
        return lines
    }

    // MARK: Entities

    /// An entity's line, those of its own properties and those of its indexes.
    static func lines(of entity: NSEntityDescription, includesClasses: Bool = true) -> [String] {
        [text(entity, includesClasses)] + entity.ownProperties.sorted { $0.name < $1.name }.map(text)
            + entity.indexes.sorted { $0.name < $1.name }.map(text)
    }

    private static func text(_ entity: NSEntityDescription, _ includesClasses: Bool) -> String {
        var parts = ["entity \(entity.name ?? "")" + (entity.superentity.map { " : \($0.name ?? "")" } ?? "")]
        if includesClasses { parts.append("class \(entity.managedObjectClassName ?? "")") }
        if entity.isAbstract { parts.append("abstract") }
        for names in entity.uniquenessConstraintNames { parts.append("unique [\(names.joined(separator: ", "))]") }
        parts += common(entity.renamingIdentifier, entity.name, entity.versionHashModifier, entity.userInfo)
        return parts.joined(separator: ", ")
    }

    private static func common(
        _ identifier: String?, _ name: String?, _ modifier: String?, _ info: [AnyHashable: Any]?
    ) -> [String] {
        var parts: [String] = []
        if let identifier, identifier != name { parts.append("formerly \(identifier)") }
        if let modifier { parts.append("version \(modifier)") }
        if let info, !info.isEmpty { parts.append("user info \(text(ofValue: info))") }
        return parts
    }

    // MARK: Properties

    /// A property's line.
    static func text(_ property: NSPropertyDescription) -> String {
        var parts: [String]
        switch property {
        case let attribute as NSAttributeDescription: parts = attributeParts(attribute)
        case let relationship as NSRelationshipDescription: parts = relationshipParts(relationship)
        case let fetched as NSFetchedPropertyDescription:
            parts = ["fetched property \(property): \(fetched.fetchRequest.map(text) ?? "")"]
        case let computed as NSExpressionDescription:
            parts = ["expression \(property): \(computed.expressionResultType.displayName)"]
            if let expression = computed.expression { parts.append("\(expression)") }
        default: parts = ["property \(property)"]
        }
        if property.isOptional { parts.append("optional") }
        if property.isTransient { parts.append("transient") }
        for rule in property.validationRules {
            parts.append(rule.limit.map { "\($0)" } ?? "\(rule.predicate.formatText) (\(rule.boxedWarning))")
        }
        parts += common(
            property.renamingIdentifier, property.name, property.versionHashModifier, property.userInfo)
        return parts.joined(separator: ", ")
    }

    private static func attributeParts(_ attribute: NSAttributeDescription) -> [String] {
        var parts = ["attribute \(attribute): \(attribute.attributeType.displayName)"]
        if let derived = attribute as? NSDerivedAttributeDescription {
            parts.append("derived \(derived.derivationExpression.map { "\($0)" } ?? "")")
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            parts.append("of {\(composite.elements.map(text).joined(separator: "; "))}")
        }
        if let value = attribute.defaultValue { parts.append("default \(text(ofValue: value))") }
        if let name = attribute.attributeValueClassName, name != attribute.attributeType.valueClassName {
            parts.append("of \(name)")
        }
        if let transformer = attribute.valueTransformerName { parts.append("through \(transformer)") }
        if attribute.allowsExternalBinaryDataStorage { parts.append("external") }
        if attribute.preservesValueInHistoryOnDeletion { parts.append("preserved") }
        if attribute.allowsCloudEncryption { parts.append("encrypted") }
        if attribute.isIndexedBySpotlight { parts.append("in Spotlight") }
        if attribute.isStoredInExternalRecord { parts.append("in record file") }
        return parts
    }

    private static func relationshipParts(_ relationship: NSRelationshipDescription) -> [String] {
        let maximum = relationship.maxCount == 0 ? "" : "\(relationship.maxCount)"
        let destination = relationship.destinationEntity?.name ?? ""
        var parts = ["relationship \(relationship): \(relationship.minCount)..\(maximum) \(destination)"]
        if let inverse = relationship.inverseRelationship { parts.append("inverse \(inverse)") }
        if relationship.isOrdered { parts.append("ordered") }
        return parts + [relationship.deleteRule.modelName]
    }

    // MARK: The rest

    private static func text(_ index: NSFetchIndexDescription) -> String {
        let elements = index.elements.map { element in
            let expression = (element.property as? NSExpressionDescription)?.expression.map { " = \($0)" } ?? ""
            let kind = element.collationType == .rTree ? " range" : ""
            return "\(element)\(expression) \(element.isAscending ? "ascending" : "descending")\(kind)"
        }
        let condition = index.partialIndexPredicate.map { " where \($0.formatText)" } ?? ""
        return "index \(index): \(elements.joined(separator: ", "))\(condition)"
    }

    private static func text(_ request: NSFetchRequest<any NSFetchRequestResult>) -> String {
        var parts = ["\(request.entityName ?? "") where \(request.predicate?.formatText ?? "TRUEPREDICATE")"]
        for order in request.sortDescriptors ?? [] {
            parts.append("by \(order.key ?? "SELF") \(order.ascending ? "ascending" : "descending")")
        }
        if request.fetchLimit > 0 { parts.append("limit \(request.fetchLimit)") }
        if request.fetchOffset > 0 { parts.append("offset \(request.fetchOffset)") }
        if request.fetchBatchSize > 0 { parts.append("batches of \(request.fetchBatchSize)") }
        if request.resultType != .managedObjectResultType { parts.append("result \(request.resultType.rawValue)") }
        for flag in ArchivedRequestFlag.all where request[keyPath: flag.path] != flag.standard {
            parts.append("\(flag.key.dropFirst("Graft".count)) \(!flag.standard)")
        }
        return parts.joined(separator: ", ")
    }

    /// A plain value; dictionaries by key.
    private static func text(ofValue value: Any) -> String {
        switch value {
        case let text as String: return "\"\(text)\""
        case let dictionary as [AnyHashable: Any]:
            let entries = dictionary.map { (key: "\($0.key.base)", value: text(ofValue: $0.value)) }
            return "{\(entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
        case let array as [Any]: return "[\(array.map(text(ofValue:)).joined(separator: ", "))]"
        case let date as Date: return "date \(date.timeIntervalSinceReferenceDate)"
        case let data as Data: return "data \(data.base64EncodedString())"
        // Whether a number came as Swift's `Int`, as `true` or as `NSNumber` is no difference.
        case let number as NSNumber: return number.stringValue
        default: return "\(value)"
        }
    }
}
