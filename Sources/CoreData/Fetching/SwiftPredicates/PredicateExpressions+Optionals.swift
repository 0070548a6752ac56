// Optional chaining, `if let`, `??`, `!` and casts.

import Foundation

extension PredicateExpressions.OptionalFlatMap: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        let wrapped = try translator.expression(wrapped)
        let result = try translator.with(variable.key, as: wrapped) { try $0.part(transform) }
        let presence = NSPredicate.hasValue(wrapped)
        switch result {
        case .predicate(let value): return .optional(presence: presence, value: value)
        case .optional(let inner, let value): return .optional(presence: .all(presence, inner), value: value)
        case .expression(let value):
            // A path of the value leads to nothing where that is missing; other expressions need telling.
            if value.isPath(of: wrapped) { return result }
            return .expression(.conditional(presence, then: value, otherwise: NSExpression(forConstantValue: nil)))
        }
    }
}

extension NSExpression {
    /// Whether it is what another expression gives, or a path from there.
    fileprivate func isPath(of start: NSExpression) -> Bool {
        if isEqual(start) { return true }
        guard case .keyPath(let operand, let path) = node, !path.computesCollections else { return false }
        if operand.isEqual(start) { return true }
        guard case .keyPath(let other, let former) = start.node else { return false }
        return operand.isEqual(other) && path.text.hasPrefix("\(former.text).")
    }
}

extension PredicateExpressions.NilCoalesce: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        switch try translator.part(lhs) {
        case .optional(let presence, let value):
            let otherwise = try translator.predicate(rhs)
            return .predicate(.any(.all(presence, value), .all(.not(presence), otherwise)))
        case .expression(let value):
            let otherwise = try translator.expression(rhs)
            return .expression(.conditional(.hasValue(value), then: value, otherwise: otherwise))
        case .predicate(let predicate): return .predicate(predicate)
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try translator.part(inner)
    }
}

extension PredicateExpressions.ForceCast: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try translator.part(input)
    }
}
