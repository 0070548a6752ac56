// What translators read of an expression. A property that an expression's type doesn't have stops the program, as
// Foundation's raises.

public import Foundation

extension NSExpression {
    /// The kind of the expression.
    public var expressionType: ExpressionType {
        switch node {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath where self is KeyPathSpecifier: .keyPathSpecifier
        // Observed (archived models): a path from anything but the evaluated object is a call.
        case .keyPath(let operand, _): operand.isEvaluatedObject ? .keyPath : .function
        case .function: .function
        case .aggregate: .aggregate
        case .subquery: .subquery
        case .conditional: .conditional
        case .set(.union, _, _): .unionSet
        case .set(.intersect, _, _): .intersectSet
        case .set(.minus, _, _): .minusSet
        case .anyKey: .anyKey
        case .block: .block
        case .fetch: .fetch
        }
    }

    /// The constant; numbers are `NSNumber`.
    public var constantValue: Any? {
        if case .constant(let constant) = node { return constant.value }
        absent("constantValue")
    }

    /// The path of keys, without the operand.
    public var keyPath: String {
        if case .keyPath(_, let path) = node { return path.text }
        absent("keyPath")
    }

    /// The name of the function or method.
    public var function: String {
        switch node {
        case .function(let call): return call.name
        case .keyPath where expressionType == .function: return Self.pathFunction
        default: absent("function")
        }
    }

    /// The variable's name, without the `$`.
    public var variable: String {
        switch node {
        case .variable(let name): return name
        case .subquery(_, let name, _): return name
        default: absent("variable")
        }
    }

    /// What a method is called on, or where a key path starts.
    public var operand: NSExpression {
        switch node {
        case .keyPath(let operand, _): return operand
        case .function(let call): return call.target ?? .evaluatedObjectExpression
        default: absent("operand")
        }
    }

    /// The arguments of a function or a block.
    public var arguments: [NSExpression]? {
        switch node {
        case .function(let call): return call.arguments
        case .keyPath(_, let path) where expressionType == .function: return [KeyPathSpecifier(path)]
        case .block(_, let arguments): return arguments
        default: absent("arguments")
        }
    }

    /// The expressions of an aggregate, or the collection of a subquery.
    public var collection: Any {
        switch node {
        case .aggregate(let elements): return elements
        case .subquery(let collection, _, _): return collection
        default: absent("collection")
        }
    }

    /// The predicate of a subquery or a condition.
    public var predicate: NSPredicate {
        switch node {
        case .subquery(_, _, let predicate): return predicate
        case .conditional(let predicate, _, _): return predicate
        default: absent("predicate")
        }
    }

    /// The left of two collections.
    public var left: NSExpression {
        if case .set(_, let left, _) = node { return left }
        absent("left")
    }

    /// The right of two collections.
    public var right: NSExpression {
        if case .set(_, _, let right) = node { return right }
        absent("right")
    }

    /// What a condition gives when it is true.
    public var `true`: NSExpression {
        if case .conditional(_, let expression, _) = node { return expression }
        absent("true")
    }

    /// What a condition gives when it is false.
    public var `false`: NSExpression {
        if case .conditional(_, _, let expression) = node { return expression }
        absent("false")
    }

    /// The closure of a block expression.
    public var expressionBlock: (Any?, [Any], NSMutableDictionary?) -> Any {
        if case .block(let block, _) = node { return block }
        absent("expressionBlock")
    }

    private func absent(_ property: String) -> Never {
        fatalError("An expression of the type \(expressionType) has no \(property). Look at expressionType first.")
    }
}

extension NSExpression {
    /// What a variable, a subquery or another expression is called with where a path starts there.
    static let pathFunction = "valueForKeyPath:"

    private var isEvaluatedObject: Bool {
        if case .evaluatedObject = node { true } else { false }
    }
}

/// The path that `valueForKeyPath:` is called with: translators of predicates ask it for its `keyPath`.
final class KeyPathSpecifier: NSExpression {
    let path: KeyPathSteps

    init(_ path: KeyPathSteps) {
        self.path = path
        super.init(node: .keyPath(operand: .evaluatedObjectExpression, path: path))
    }

    required init?(coder: NSCoder) { nil }
}
