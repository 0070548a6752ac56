// What an expression is evaluated in: the object, the values of variables, and the moment that now() means.

import Foundation

/// The surroundings of an evaluation. A class, because it is handed down through the whole tree.
final class EvaluationScope {
    /// What `SELF` and key paths start from.
    let object: Operand
    /// The object as it was given, for blocks.
    let original: Any?
    /// The values of variables, as given to `evaluate(with:substitutionVariables:)`.
    let variables: [String: Any]?
    /// The context of `expressionValue(with:context:)`, for blocks.
    let context: NSMutableDictionary?
    /// The variables of the subqueries around, innermost last.
    private let locals: [(name: String, value: Operand)]

    init(object: Any?, variables: [String: Any]? = nil, context: NSMutableDictionary? = nil) {
        self.object = Operand(object)
        original = object
        self.variables = variables
        self.context = context
        locals = []
    }

    private init(_ outer: EvaluationScope, adding local: (name: String, value: Operand)) {
        object = outer.object
        original = outer.original
        variables = outer.variables
        context = outer.context
        locals = outer.locals + [local]
    }

    /// The scope with the variable of a subquery set to a member.
    func binding(_ name: String, to value: Operand) -> EvaluationScope {
        EvaluationScope(self, adding: (name, value))
    }

    /// The value of a variable; null for one that nobody has set.
    func value(ofVariable name: String) -> Operand {
        if let local = locals.last(where: { $0.name == name }) { return local.value }
        switch variables?[name] ?? context?.object(forKey: name) {
        case let expression as NSExpression: return ExpressionEvaluator.operand(of: expression, in: self)
        case let value: return Operand(value)
        }
    }

    /// The variables for predicates that aren't ours: blocks.
    var bindings: [String: Any]? {
        if locals.isEmpty { return variables }
        var all = variables ?? [:]
        for local in locals { all[local.name] = local.value.boxed ?? NSNull() }
        return all
    }
}
