// `NSPredicate(#Predicate<Hero> { $0.age > 3 })`: Foundation's Swift predicates as predicates that stores can run. The
// tree under a `Predicate` consists of generic values, one type for each operation; each says beside this file how it is
// put (PredicateTranslator.swift).

public import Foundation

extension PredicateFormatReading {
    /// The predicate that a Swift predicate over managed objects stands for; nil where a part of it has no counterpart.
    ///
    /// Properties are found by their key paths, for which a coordinator must have loaded the model. Comparisons, logic,
    /// arithmetic, ranges, optional chaining, texts and the operations on collections are put.
    ///
    /// - Complexity: O(*n*) for *n* operations.
    public init?<Input: NSObject>(_ predicate: Predicate<Input>) {
        guard let translated = try? NSPredicate.translating(predicate), let typed = translated as? Self else {
            return nil
        }
        self = typed
    }
}

extension NSPredicate {
    /// The predicate that a Swift predicate stands for.
    ///
    /// - Throws: ``PredicateTranslationError`` with the part that can't be put, and what to do.
    package static func translating<Input>(_ predicate: Predicate<Input>) throws -> NSPredicate {
        var translator = PredicateTranslator(input: predicate.variable.key)
        return try translator.predicate(predicate.expression)
    }
}

extension NSExpression {
    /// The expression that a Swift expression over managed objects stands for; nil where a part of it has no counterpart.
    public convenience init?<Input: NSObject, Output>(_ expression: Expression<Input, Output>) {
        var translator = PredicateTranslator(input: expression.variable.key)
        guard let translated = try? translator.expression(expression.expression) else { return nil }
        self.init(node: translated.node)
    }
}

/// Why a Swift predicate can't be put as an `NSPredicate`.
package enum PredicateTranslationError: Error, Equatable, CustomStringConvertible {
    /// The name of the operation's type.
    case unsupportedOperation(String)
    /// The value's type.
    case unsupportedConstant(String)
    /// The type that has the property.
    case unknownProperty(of: String)

    package var description: String {
        switch self {
        case .unsupportedOperation(let type):
            "The predicate has a part that no NSPredicate can stand for: \(type). Fetch without it and filter the objects."
        case .unsupportedConstant(let type):
            "The predicate compares with a \(type), which no attribute can hold. Compare with a property of it instead."
        case .unknownProperty(let type):
            "A key path of \(type) doesn't lead to a property of the model. Name a modelled property, and load the model "
                + "with a coordinator first."
        }
    }
}
