// What an archive keeps of attributes, of properties in general, and of indexes.

import Foundation

/// The bits of `_P`, which say in one number what the other fields of a property say.
private struct PropertyBits: OptionSet {
    let rawValue: Int64

    static let always = PropertyBits(rawValue: 0x01)
    static let optional = PropertyBits(rawValue: 0x02)
    static let readOnly = PropertyBits(rawValue: 0x04)
    static let transient = PropertyBits(rawValue: 0x08)
    static let noValidation: PropertyBits = [PropertyBits(rawValue: 0x10), PropertyBits(rawValue: 0x20)]
    static let noUserInfo = PropertyBits(rawValue: 0x40)
    static let noModifier = PropertyBits(rawValue: 0x80)
    static let ordered = PropertyBits(rawValue: 0x400)
}

extension ModelArchiver {
    mutating func commonFields(
        _ property: NSPropertyDescription, of entity: NSEntityDescription
    ) throws -> [Field] {
        var bits: PropertyBits = [.always]
        var fields = [
            Field("NSPropertyName", builder.text(property.name)),
            Field("NSEntity", reference(entity)),
            Field("NSRenamingIdentifier", builder.text(property.renamingIdentifier)),
        ]
        func set(_ isSet: Bool, _ bit: PropertyBits, _ key: String) {
            guard isSet else { return }
            bits.insert(bit)
            fields.append(Field(key, .boolean(true)))
        }
        set(property.isOptional, .optional, "NSIsOptional")
        set(property.isTransient, .transient, "NSIsTransient")
        set(property is NSDerivedAttributeDescription, .readOnly, "NSIsReadOnly")
        set(property is NSAttributeDescription && entity.hasIndex(of: [property.name]), [], "NSIsIndexed")
        if (property as? NSRelationshipDescription)?.isOrdered == true { bits.insert(.ordered) }

        if let info = property.userInfo, !info.isEmpty {
            fields.append(Field("NSUserInfo", try userInfo(info)))
        } else {
            bits.insert(.noUserInfo)
        }
        if let modifier = property.versionHashModifier, !modifier.isEmpty {
            fields.append(Field("NSVersionHashModifier", builder.text(modifier)))
        } else {
            bits.insert(.noModifier)
        }
        if property.validationRules.isEmpty {
            bits.insert(.noValidation)
        } else {
            fields += try validationFields(property.validationRules)
        }
        return fields + [Field("_P", .integer(bits.rawValue))]
    }

    private mutating func validationFields(_ rules: [ValidationRule]) throws -> [Field] {
        var predicates: [PropertyListValue] = []
        var warnings: [PropertyListValue] = []
        for rule in rules {
            predicates.append(try add(rule.predicate))
            switch rule.warning {
            case .text(let text): warnings.append(builder.text(text))
            case .code(let code): warnings.append(builder.integer(Int64(code)))
            }
        }
        return [
            Field("NSValidationPredicates", builder.array(predicates)),
            Field("NSValidationWarnings", builder.array(warnings)),
        ]
    }

    // MARK: Attributes

    mutating func attributeFields(
        _ attribute: NSAttributeDescription, of entity: NSEntityDescription
    ) throws -> [Field] {
        var flags: AttributeFlags = []
        if attribute.isIndexedBySpotlight { flags.insert(.spotlight) }
        if attribute.isStoredInExternalRecord { flags.insert(.externalRecord) }
        if attribute.allowsExternalBinaryDataStorage { flags.insert(.externalStorage) }
        if attribute.preservesValueInHistoryOnDeletion { flags.insert(.preservedAfterDeletion) }
        var fields = [
            Field("NSAttributeType", .integer(Int64(attribute.attributeType.rawValue))),
            Field("NSAttributeValueClassName", builder.text(attribute.attributeValueClassName)),
            Field("NSDefaultValue", try add(plain: attribute.defaultValue, setting: "default value")),
            Field("NSValueTransformerName", builder.text(attribute.valueTransformerName)),
            Field("NSFlagsKey", .integer(flags.rawValue)),
        ]
        if attribute.allowsCloudEncryption { fields.append(Field("NSAllowsCloudEncryption", .boolean(true))) }
        if let derived = attribute as? NSDerivedAttributeDescription {
            fields.append(Field("NSDerivationExpression", try add(derived.derivationExpression)))
            fields.append(Field("NSFilteringPredicate", KeyedArchiveBuilder.null))
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            var elements: [PropertyListValue] = []
            for element in composite.elements {
                let elementFields = try commonFields(element, of: entity) + attributeFields(element, of: entity)
                elements.append(builder.add(classes: element.archivedClasses, elementFields))
            }
            fields.append(Field("NSElements", builder.array(elements)))
        }
        return fields
    }

    // MARK: Indexes

    mutating func indexes(of entity: NSEntityDescription) throws -> PropertyListValue {
        var indexes: [PropertyListValue] = []
        for index in entity.indexes {
            let uid = builder.reserve()
            var elements: [PropertyListValue] = []
            for element in index.elements { elements.append(try add(element, of: uid)) }
            builder.fill(
                uid, classes: ["NSFetchIndexDescription", "NSObject"],
                [
                    Field("NSIndexName", builder.text(index.name)), Field("NSEntity", reference(entity)),
                    Field("NSIndexElements", builder.array(elements)),
                    Field("NSPartialIndexPredicate", try add(index.partialIndexPredicate)),
                ])
            indexes.append(.uid(uid))
        }
        return builder.array(indexes, isMutable: true)
    }

    private mutating func add(
        _ element: NSFetchIndexElementDescription, of index: Int
    ) throws -> PropertyListValue {
        var fields = [
            Field("NSPropertyName", builder.text(element.propertyName)),
            Field("NSFetchIndexElementType", .integer(Int64(element.collationType.rawValue))),
            Field("NSFetchIndexDescription", .uid(index)),
        ]
        if element.isAscending { fields.append(Field("NSAscending", .boolean(true))) }
        if let expression = element.property as? NSExpressionDescription {
            let described = [
                Field("NSPropertyName", builder.text(expression.name)),
                Field("NSExpression", try add(expression.expression)),
                Field("NSExpressionType", .integer(Int64(expression.expressionResultType.rawValue))),
                Field("_P", .integer(PropertyBits([.always, .noValidation, .noUserInfo, .noModifier]).rawValue)),
            ]
            fields.append(Field("NSIndexedProperty", builder.add(classes: expression.archivedClasses, described)))
        }
        return builder.add(classes: ["NSFetchIndexElementDescription", "NSObject"], fields)
    }
}
