// Operations on collections, and on texts, which are collections too.

import Foundation

extension PredicateExpressions.SequenceContains: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let members = try translator.expression(sequence), element = try translator.expression(element)
        if LHS.Output.self is any StringProtocol.Type { return .predicate(.comparing(members, .contains, element)) }
        return .predicate(.comparing(element, .in, members))
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let matching = try translator.subquery(sequence, variable.key, test)
        return .predicate(.comparing(matching.appending("@count"), .notEqualTo, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let failing = try translator.subquery(sequence, variable.key, test, isNegated: true)
        return .predicate(.comparing(failing.appending("@count"), .equalTo, NSExpression(forConstantValue: 0)))
    }
}

extension PredicateExpressions.Filter: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .expression(try translator.subquery(sequence, variable.key, filter))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .expression(.function(.objectAtIndex, [try translator.expression(wrapped), try translator.expression(index)]))
    }
}

// MARK: - Texts

extension PredicateExpressions.CollectionContainsCollection: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard Base.Output.self is any StringProtocol.Type else { throw translator.unsupported(self) }
        return .predicate(.comparing(try translator.expression(base), .contains, try translator.expression(other)))
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard Base.Output.self is any StringProtocol.Type else { throw translator.unsupported(self) }
        return .predicate(.comparing(try translator.expression(base), .beginsWith, try translator.expression(prefix)))
    }
}

extension PredicateExpressions.StringContainsRegex: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        guard let regex = regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex> else {
            throw translator.unsupported(self)
        }
        // MATCHES is about the whole text.
        let pattern = "(?s:.*)(?:\(regex.value.stringRepresentation))(?s:.*)"
        let subject = try translator.expression(subject)
        return .predicate(.comparing(subject, .matches, NSExpression(forConstantValue: pattern)))
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let root = try translator.expression(root), other = try translator.expression(other)
        return .predicate(.comparing(root, .contains, other, [.caseInsensitive, .diacriticInsensitive]))
    }
}

/// A comparison of texts that gives an order. As predicates know no order, it is put together with what it is compared to.
protocol TextComparing {
    func compared(_ order: ComparisonResult, by translator: inout PredicateTranslator) throws -> NSPredicate
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TextComparing {
    func compared(_ order: ComparisonResult, by translator: inout PredicateTranslator) throws -> NSPredicate {
        let root = try translator.expression(root), other = try translator.expression(other)
        let type: NSComparisonPredicate.Operator =
            switch order {
            case .orderedAscending: .lessThan
            case .orderedSame: .equalTo
            case .orderedDescending: .greaterThan
            }
        return .comparing(root, type, other, .caseInsensitive)
    }
}
