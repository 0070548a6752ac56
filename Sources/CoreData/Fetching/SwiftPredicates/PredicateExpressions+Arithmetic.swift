// Arithmetic, and the greatest and least of a collection.

import Foundation

extension PredicateTranslator {
    fileprivate mutating func call<L: PredicateExpression, R: PredicateExpression>(
        _ function: PredefinedFunction, _ left: L, _ right: R
    ) throws -> TranslatedPart {
        .expression(.function(function, [try expression(left), try expression(right)]))
    }
}

extension PredicateExpressions.Arithmetic: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        switch op {
        case .add: try translator.call(.add, lhs, rhs)
        case .subtract: try translator.call(.subtract, lhs, rhs)
        case .multiply: try translator.call(.multiply, lhs, rhs)
        @unknown default: throw translator.unsupported(self)
        }
    }
}

extension PredicateExpressions.FloatDivision: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try translator.call(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.IntDivision: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try translator.call(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        try translator.call(.modulus, lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .expression(
            .function(.multiply, [try translator.expression(wrapped), NSExpression(forConstantValue: -1)]))
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .expression(.function(.max, [try translator.expression(elements)]))
    }
}

extension PredicateExpressions.SequenceMinimum: TranslatablePart {
    func translated(by translator: inout PredicateTranslator) throws -> TranslatedPart {
        .expression(.function(.min, [try translator.expression(elements)]))
    }
}
