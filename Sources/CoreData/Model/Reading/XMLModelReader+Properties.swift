// Attributes, relationships, fetched properties and indexes of an .xcdatamodel.

import Foundation
import ModelDocuments

extension XMLModelReader {
    // MARK: Attributes

    mutating func readAttribute(
        _ element: XMLElementNode, of entity: NSEntityDescription, compositeDepth: Int
    ) -> NSAttributeDescription {
        let name = element["name"] ?? ""
        let type = readType(element, of: entity)
        if type == .compositeAttributeType { return readComposite(element, of: entity, depth: compositeDepth) }
        let attribute: NSAttributeDescription
        if element.says("derived") {
            attribute = readDerived(element, of: entity)
        } else {
            attribute = NSAttributeDescription()
        }
        attribute.attributeType = type
        if let className = element["customClassName"] { attribute.attributeValueClassName = className }
        attribute.valueTransformerName = element["valueTransformerName"].flatMap { $0.isEmpty ? nil : $0 }
        attribute.allowsExternalBinaryDataStorage = element.says("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.says("preserveAfterDeletion")
        attribute.allowsCloudEncryption = element.says("allowsCloudEncryption")
        attribute.usesScalarValueType = element.says("usesScalarValueType")
        let values = XMLAttributeValues(element: element, type: type)
        do throws(XMLAttributeValues.Unreadable) {
            attribute.defaultValue = try values.defaultValue()
            if let text = values.unusualDefault, let value = attribute.defaultValue {
                model.readDefaults.append(
                    UnusualDefault(entity: entity.name ?? "", attribute: name, text: text, value: "\(value)"))
            }
            attribute.validationRules = try values.limits().map(ValidationRule.init)
        } catch {
            report(.badValue(of: error.setting, text: error.text, expected: error.expected), entity, name)
        }
        return attribute
    }

    private mutating func readType(_ element: XMLElementNode, of entity: NSEntityDescription) -> NSAttributeType {
        guard let name = element["attributeType"], !name.isEmpty else { return .undefinedAttributeType }
        if let type = NSAttributeType.allCases.first(where: { $0.modelName == name }) { return type }
        let closest = ClosestName.to(name, among: NSAttributeType.allCases.compactMap(\.modelName))
        report(.unknownType(name, closest: closest), entity, element["name"])
        return .undefinedAttributeType
    }

    private mutating func readDerived(
        _ element: XMLElementNode, of entity: NSEntityDescription
    ) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        guard let text = element["derivationExpression"] else { return attribute }
        do throws(ModelTextError) {
            attribute.derivationExpression = try ModelTexts.expression(text)
        } catch {
            report(.badExpression(text: text, reason: error.reason), entity, element["name"])
        }
        return attribute
    }

    private mutating func readComposite(
        _ element: XMLElementNode, of entity: NSEntityDescription, depth: Int
    ) -> NSAttributeDescription {
        let attribute = NSCompositeAttributeDescription()
        let name = element["composite"] ?? ""
        guard let definition = composites[name] else {
            let closest = ClosestName.to(name, among: composites.keys)
            report(.unknownComposite(name, closest: closest), entity, element["name"])
            return attribute
        }
        guard depth < min(composites.count, ModelLimits.compositeDepth) else {
            report(.compositeCycle(name), entity, element["name"])
            return attribute
        }
        let children = definition.children(named: "attribute")
        let isFirst = elementCount <= ModelLimits.mostCompositeElements
        elementCount += children.count
        guard elementCount <= ModelLimits.mostCompositeElements else {
            if isFirst {
                report(.tooManyElements(most: ModelLimits.mostCompositeElements), entity, element["name"])
            }
            return attribute
        }
        attribute.elements = children.map { child in
            let made = readAttribute(child, of: entity, compositeDepth: depth + 1)
            Self.setCommon(of: made, from: child)
            return made
        }
        return attribute
    }

    // MARK: Relationships

    mutating func readRelationship(
        _ element: XMLElementNode, of entity: NSEntityDescription
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.minCount = readCount("minCount", element, of: entity)
        relationship.maxCount = readCount("maxCount", element, of: entity)
        if !PropertyOutline.isToMany(element) { relationship.maxCount = 1 }
        relationship.isOrdered = element.says("ordered")
        if let name = element["deletionRule"] {
            if let rule = NSDeleteRule.allCases.first(where: { $0.modelName == name }) {
                relationship.deleteRule = rule
            } else {
                report(.unknownDeleteRule(name), entity, element["name"])
            }
        } else {
            relationship.deleteRule = .noActionDeleteRule
        }
        return relationship
    }

    private mutating func readCount(
        _ setting: String, _ element: XMLElementNode, of entity: NSEntityDescription
    ) -> Int {
        guard let text = element[setting] else { return 0 }
        if let count = Int(text) { return count }
        report(.badValue(of: setting, text: text, expected: "a whole number"), entity, element["name"])
        return 0
    }

    // MARK: Fetched properties and indexes

    mutating func readFetchedProperty(
        _ element: XMLElementNode, of entity: NSEntityDescription
    ) -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        guard let request = element.children(named: "fetchRequest").first else { return property }
        do throws(ModelTextError) {
            property.fetchRequest = try ModelTexts.request(request)
        } catch {
            report(.badPredicate(text: error.text, reason: error.reason), entity, element["name"])
        }
        return property
    }

    mutating func readIndex(_ element: XMLElementNode, of entity: NSEntityDescription) -> NSFetchIndexDescription {
        let elements = element.children(named: "fetchIndexElement").compactMap { readIndexElement($0, of: entity) }
        let index = NSFetchIndexDescription(name: element["name"] ?? "", elements: elements)
        guard let text = element["partialIndexPredicate"] else { return index }
        do throws(ModelTextError) {
            index.partialIndexPredicate = try ModelTexts.predicate(text)
        } catch {
            report(.badPredicate(text: text, reason: error.reason), entity, index.name)
        }
        return index
    }

    private mutating func readIndexElement(
        _ element: XMLElementNode, of entity: NSEntityDescription
    ) -> NSFetchIndexElementDescription? {
        let collation: NSFetchIndexElementType = element["type"] == "RTree" ? .rTree : .binary
        let made: NSFetchIndexElementDescription
        if let name = element["property"] {
            made = NSFetchIndexElementDescription(propertyName: name, collationType: collation)
            made.property = entity.propertiesByName[name]
        } else if let text = element["expression"] {
            guard let expression = readIndexExpression(text, element, of: entity) else { return nil }
            made = NSFetchIndexElementDescription(property: expression, collationType: collation)
        } else {
            return nil
        }
        made.isAscending = element["order"] != "descending"
        return made
    }

    private mutating func readIndexExpression(
        _ text: String, _ element: XMLElementNode, of entity: NSEntityDescription
    ) -> NSExpressionDescription? {
        let description = NSExpressionDescription()
        description.name = text
        description.expressionResultType =
            element["expressionType"].flatMap(NSAttributeType.init(modelText:))
            ?? .undefinedAttributeType
        do throws(ModelTextError) {
            description.expression = try ModelTexts.expression(text)
            return description
        } catch {
            report(.badExpression(text: text, reason: error.reason), entity)
            return nil
        }
    }
}

extension NSAttributeType {
    /// The type of an editor's name or of a raw number; both are in use for expressions.
    fileprivate init?(modelText text: String) {
        if let type = Self.allCases.first(where: { $0.modelName == text }) {
            self = type
        } else if let number = UInt(text), let type = NSAttributeType(rawValue: number) {
            self = type
        } else {
            return nil
        }
    }
}
