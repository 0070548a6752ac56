// What a person compares an attribute with. On a command line or in an annotation, every value that isn't a number is a text; a
// store compares a text with a UUID, a date, bytes or a sum by saying that they differ: an export is empty without a word, and
// orphans are deleted that were to stay. A number beside a date or a UUID is no better.

import CoreData

extension PredicateCheck {
    /// Takes the texts of a comparison for values of the attributes that they are compared with, written as an import reads
    /// them.
    mutating func takeTexts(of comparison: NSComparisonPredicate, left: Meaning, right: Meaning) throws {
        let (leftSide, rightSide) = (comparison.leftExpression, comparison.rightExpression)
        var type = comparison.predicateOperatorType
        // A list isn't searched in: it contains what is in it.
        if type == .contains, leftSide.expressionType == .aggregate { type = .in }
        try compare(left, with: rightSide, isLeft: false, by: type)
        try compare(right, with: leftSide, isLeft: true, by: type)
        // `"2026-01-15" BETWEEN {start, "2026-01-31"}`: what is compared with a text that became a date is one, too.
        if case .anything = left, !Self.constants(in: leftSide).isEmpty {
            try compare(right, with: rightSide, isLeft: true, by: .equalTo)
        }
        if case .anything = right, !Self.constants(in: rightSide).isEmpty {
            try compare(left, with: leftSide, isLeft: false, by: .equalTo)
        }
    }

    /// Takes the texts beside an attribute for values of its type.
    ///
    /// - Parameter isLeft: Whether they are on the left of it.
    /// - Throws: ``GraftError`` for a text that is no such value, and for a search in what isn't text.
    private mutating func compare(
        _ meaning: Meaning, with other: NSExpression, isLeft: Bool, by comparison: NSComparisonPredicate.Operator
    ) throws {
        if case .objects(let entity) = meaning { return try requireObjects(other, of: entity) }
        if case .computed = meaning { return try refuseTexts(in: other) }
        if case .choice(let meanings) = meaning {
            for meaning in meanings { try compare(meaning, with: other, isLeft: isLeft, by: comparison) }
            return try requireTexts(in: other, besideTextsAmong: meanings)
        }
        guard case .value(let part) = meaning, let kind = kind(of: part) else { return }
        switch comparison {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .in,
            .between:
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

    /// Refuses a text that was taken for another value where it may be compared with a text, too.
    private func requireTexts(in expression: NSExpression, besideTextsAmong meanings: [Meaning]) throws {
        let taken = Self.constants(in: expression).first { values[ObjectIdentifier($0)] != nil }
        guard let text = taken?.constantValue as? String else { return }
        for case .value(let part) in meanings {
            guard let attribute = part.property as? NSAttributeDescription, AttributeKind(attribute) == .string else {
                continue
            }
            throw ambiguous(text, beside: part)
        }
    }

    private func ambiguous(_ text: String, beside part: PropertyPart) -> GraftError {
        GraftError(
            .other(
                finding: "the text \"\(text)\" is compared with values of several types or forms",
                remedy: "Compare it with each of them by itself, and join the comparisons by OR."), at: place(of: part))
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
            let value = try value(of: text, for: part, kind)
            if let other = values.updateValue(value, forKey: ObjectIdentifier(constant)), other != value {
                throw ambiguous(text, beside: part)
            }
        }
    }

    private func value(of text: String, for part: PropertyPart, _ kind: AttributeKind) throws -> GraphValue {
        do {
            return try converter(of: part, kind, for: text).value(of: JSONValue.string(text))
        } catch let error as GraftError {
            let finding = error.failureReason ?? "\"\(text)\" is no \(kind)"
            throw GraftError(.other(finding: finding, remedy: "Change the predicate."), at: place(of: part))
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

    /// The constants of an expression, or of the list, the condition or the choice that it is.
    private static func constants(in expression: NSExpression) -> [NSExpression] {
        switch expression.expressionType {
        case .aggregate: (expression.collection as? [NSExpression] ?? []).flatMap(constants)
        case .conditional: constants(in: expression.true) + constants(in: expression.false)
        case .function where expression.isChoice: (expression.arguments ?? []).flatMap(constants)
        case .constantValue: [expression]
        default: []
        }
    }

    private func place(of part: PropertyPart) -> GraftError.Place {
        GraftError.Place(source: source, entity: part.whole.entity.name, property: part.name)
    }
}

extension NSExpression {
    /// Whether a function gives one of the values that it is called with.
    var isChoice: Bool { ["max:", "min:", "noindex:"].contains(function) }
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
