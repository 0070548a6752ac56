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
    /// Whether a constant number is equal to its text, as it is to a store that looks for it in a column.
    let isFetch: Bool
    /// Where what can't be evaluated is noted; where nobody looks, it stops the program.
    private let failure: EvaluationFailure?
    /// The variables of the subqueries around, innermost last.
    private let locals: [(name: String, value: Operand)]

    init(
        object: Any?, variables: [String: Any]? = nil, context: NSMutableDictionary? = nil,
        isFetch: Bool = false, failure: EvaluationFailure? = nil
    ) {
        self.object = Operand(object)
        original = object
        self.variables = variables
        self.context = context
        self.isFetch = isFetch
        self.failure = failure
        locals = []
    }

    private init(_ outer: EvaluationScope, adding local: (name: String, value: Operand)) {
        object = outer.object
        original = outer.original
        variables = outer.variables
        context = outer.context
        isFetch = outer.isFetch
        failure = outer.failure
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

    /// Ends what is being evaluated with an error, as far as anybody can be told.
    func fail(_ error: any Error) -> Operand {
        guard let failure else { fatalError("\(error)") }
        failure.note(error)
        return .null
    }

    /// The variables for predicates that aren't ours: blocks.
    var bindings: [String: Any]? {
        if locals.isEmpty { return variables }
        var all = variables ?? [:]
        for local in locals { all[local.name] = local.value.boxed ?? NSNull() }
        return all
    }
}

/// What went wrong in an evaluation, for callers that can throw.
final class EvaluationFailure {
    private var error: (any Error)?

    /// The first error counts.
    func note(_ error: any Error) { self.error = self.error ?? error }

    /// - Throws: What was noted.
    func check() throws {
        if let error { throw error }
    }
}
