// What a person compares an attribute with. On a command line or in an annotation, every value that isn't a number is a text; a
// store compares a text with a UUID, a date, bytes or a sum by saying that they differ: an export is empty without a word, and
// orphans are deleted that were to stay. A number beside a date or a UUID is no better.

import CoreData

extension PredicateCheck {
    /// Takes the texts beside an attribute for values of its type, written as an import reads them.
    ///
    /// - Parameter isLeft: Whether they are on the left of it.
    /// - Throws: ``GraftError`` for a text that is no such value, and for a search in what isn't text.
    mutating func compare(
        _ meaning: Meaning, with other: NSExpression, isLeft: Bool, by comparison: NSComparisonPredicate.Operator
    ) throws {
        if case .objects(let entity) = meaning { return try requireObjects(other, of: entity) }
        if case .computed = meaning { return try refuseTexts(in: other) }
        guard case .value(let part) = meaning, let kind = kind(of: part) else { return }
        switch comparison {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo:
            try take(other, for: part, kind)
        case _ where isLeft: return
        case .like, .beginsWith, .endsWith, .matches, .contains:
            throw GraftError(
                .other(
                    finding: "\(kind) has no text to search in",
                    remedy: "Compare with ==, !=, <, <=, >, >=, IN or BETWEEN."), at: place(of: part))
        default: try take(other, for: part, kind)
        }
    }

    /// Refuses texts and numbers where objects are compared: none would be equal.
    private func requireObjects(_ expression: NSExpression, of entity: NSEntityDescription) throws {
        for constant in Self.constants(in: expression) {
            guard let value = constant.constantValue, value is String || value is NSNumber else { continue }
            let name = entity.name ?? ""
            let attribute = entity.attributesByName.keys.min().map { ", such as '\($0)'" } ?? ""
            throw GraftError(
                .other(
                    finding: "objects of '\(name)' are compared with \(value), and none is equal to it",
                    remedy: "Compare an attribute of theirs\(attribute), or count them with @count."),
                at: GraftError.Place(source: source, entity: name))
        }
    }

    /// Refuses texts beside what is computed: none would be equal, and nothing says of which type they are meant to be.
    private func refuseTexts(in expression: NSExpression) throws {
        for constant in Self.constants(in: expression) {
            guard let text = constant.constantValue as? String else { continue }
            throw GraftError(
                .other(
                    finding: "the text \"\(text)\" is compared with what is computed, and nothing is equal to it",
                    remedy: "Write a number without quotes, and a date as CAST(\"2024-01-31\", \"NSDate\")."),
                at: GraftError.Place(source: source, entity: entity.name))
        }
    }

    /// The type of an attribute's values; nil where a text may be one.
    private func kind(of part: PropertyPart) -> AttributeKind? {
        guard let attribute = part.property as? NSAttributeDescription else { return nil }
        let kind = AttributeKind(attribute)
        return kind == .string || kind == .transformable ? nil : kind
    }

    private mutating func take(
        _ expression: NSExpression, for part: PropertyPart, _ kind: AttributeKind
    ) throws {
        for constant in Self.constants(in: expression) {
            if let number = constant.constantValue as? NSNumber, !kind.isNumeric {
                throw GraftError(
                    .other(
                        finding: "\(kind) is compared with the number \(number), and none is equal to it",
                        remedy: "Write the value as a text, as in JSON."), at: place(of: part))
            }
            guard let text = constant.constantValue as? String else { continue }
            do {
                let value = try converter(of: part, kind, for: text).value(of: JSONValue.string(text))
                values[ObjectIdentifier(constant)] = NSExpression(forConstantValue: value.object)
            } catch let error as GraftError {
                let finding = error.failureReason ?? "\"\(text)\" is no \(kind)"
                throw GraftError(.other(finding: finding, remedy: "Change the predicate."), at: place(of: part))
            }
        }
    }

    /// What an import reads a text with. A date may be one in ISO 8601, too, where the model has another form for it.
    private func converter(
        of part: PropertyPart, _ kind: AttributeKind, for text: String
    ) throws -> AttributeConverter {
        let entity = part.whole.entity
        guard kind == .date, let model = entity.managedObjectModel as NSManagedObjectModel? else {
            return AttributeConverter(kind)
        }
        let rules = try MappingRules(model)
        let said = rules.part(part, of: rules.property(part.whole, of: entity).said, in: entity)
        var converter = AttributeConverter(kind, said)
        if converter.datePattern?.date(text) == nil, text.withUTF8Span({ Instant(iso8601: $0) }) != nil {
            converter.datePattern = nil
        }
        return converter
    }

    /// The constants of an expression, or of the list that it is.
    private static func constants(in expression: NSExpression) -> [NSExpression] {
        switch expression.expressionType {
        case .aggregate: (expression.collection as? [NSExpression] ?? []).flatMap(constants)
        case .constantValue: [expression]
        default: []
        }
    }

    private func place(of part: PropertyPart) -> GraftError.Place {
        GraftError.Place(source: source, entity: part.whole.entity.name, property: part.name)
    }
}

extension AttributeKind {
    /// Whether values of the type are compared with numbers.
    fileprivate var isNumeric: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal: true
        case .string, .date, .uuid, .uri, .binary, .transformable: false
        }
    }
}
