// Expressions: what stands on either side of a comparison. Foundation's class of this name can't be created on Linux, so the
// module has its own.

public import Foundation

/// A value to be computed from an object: a constant, a key path, a function of other expressions.
///
/// Follows Foundation's `NSExpression` of Apple's platforms.
open class NSExpression: NSObject, NSCopying, NSSecureCoding {
    /// The kinds of expressions.
    public enum ExpressionType: UInt, Sendable {
        /// A constant.
        case constantValue = 0
        /// The object that a predicate is evaluated with, `SELF`.
        case evaluatedObject = 1
        /// `$name`.
        case variable = 2
        /// A path of keys.
        case keyPath = 3
        /// A predefined function or a method.
        case function = 4
        /// The union of two collections.
        case unionSet = 5
        /// The intersection of two collections.
        case intersectSet = 6
        /// A collection without the members of another.
        case minusSet = 7
        /// The path that `valueForKeyPath:` is called with. Foundation has the number, and no public name for it.
        case keyPathSpecifier = 10
        /// The members of a collection that meet a predicate.
        case subquery = 13
        /// A list of expressions in braces.
        case aggregate = 14
        /// Any key of an object.
        case anyKey = 15
        /// A closure.
        case block = 19
        /// `TERNARY`.
        case conditional = 20
        /// A fetch: ``NSFetchRequestExpression``. Core Data calls the number `NSFetchRequestExpressionType`.
        case fetch = 50
    }

    /// Set once; only letting go of a long row takes it apart.
    private(set) var node: ExpressionNode

    init(node: ExpressionNode) {
        self.node = node
        super.init()
    }

    deinit {
        if chainLength > ExpressionChain.shortLength { releaseChain() }
    }

    /// The left operand of a long row, which the expression doesn't have any more.
    private func takeLeftOperand() -> NSExpression? {
        guard case .function(let call) = node, call.chained != nil else { return nil }
        node = .anyKey
        return call.arguments[0]
    }

    /// Lets go of a long row link by link. Otherwise each expression would let the next one go, and the stack would end.
    private func releaseChain() {
        var next = takeLeftOperand()
        // Somebody else's is left alone.
        while next != nil, isKnownUniquelyReferenced(&next) { next = next?.takeLeftOperand() }
    }

    // MARK: Making expressions

    /// An expression of a kind that needs nothing more: ``ExpressionType/evaluatedObject`` or ``ExpressionType/anyKey``.
    public convenience init(expressionType type: ExpressionType) {
        switch type {
        case .evaluatedObject: self.init(node: .evaluatedObject)
        case .anyKey: self.init(node: .anyKey)
        default: fatalError("An expression of the type \(type) needs contents. Use the initialiser made for it.")
        }
    }

    /// A constant; nil is one too.
    public convenience init(forConstantValue obj: Any?) {
        self.init(node: .constant(ConstantValue(obj)))
    }

    /// The object that a predicate is evaluated with.
    public class func expressionForEvaluatedObject() -> NSExpression { NSExpression(node: .evaluatedObject) }

    /// Any key of an object.
    public class func expressionForAnyKey() -> NSExpression { NSExpression(node: .anyKey) }

    /// A variable, without the `$`.
    public convenience init(forVariable string: String) {
        self.init(node: .variable(string))
    }

    /// A path of keys of the evaluated object.
    public convenience init(forKeyPath keyPath: String) {
        self.init(node: .keyPath(operand: .evaluatedObjectExpression, path: KeyPathSteps(keyPath)))
    }

    /// A predefined function, `sum:` or `add:to:` for instance, of expressions or constants. One that there isn't, and another
    /// number of arguments than it takes, stop the program.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        guard let function = PredefinedFunction(rawValue: name) else {
            fatalError(
                "There is no function '\(name)'. The predefined functions are: "
                    + "\(PredefinedFunction.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        guard function.arity.contains(parameters.count) else {
            fatalError(
                "The function '\(name)' takes \(function.arity.lowerBound) argument(s), and not \(parameters.count). Give "
                    + "it as many as its name has colons.")
        }
        self.init(
            node: .function(
                FunctionCall(
                    name: name, arguments: parameters.map(NSExpression.lifting), target: nil, function: function)))
    }

    /// A method of what `target` gives.
    ///
    /// - Note: Divergence 48: only methods that can be found without a runtime work.
    public convenience init(forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?) {
        let arguments = (parameters ?? []).map(NSExpression.lifting)
        if name == Self.pathFunction, arguments.count == 1, let path = (arguments[0] as? KeyPathSpecifier)?.path {
            self.init(node: .keyPath(operand: target, path: path))
        } else {
            self.init(node: .function(FunctionCall(name: name, arguments: arguments, target: target, function: nil)))
        }
    }

    /// A list of expressions or constants.
    public convenience init(forAggregate subexpressions: [Any]) {
        self.init(node: .aggregate(subexpressions.map(NSExpression.lifting)))
    }

    /// The members of either collection.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.union, left, right))
    }

    /// The members of both collections.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.intersect, left, right))
    }

    /// The members of `left` that aren't in `right`.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(node: .set(.minus, left, right))
    }

    /// The members of a collection for which the predicate is true; the variable names the member in it.
    public convenience init(
        forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate
    ) {
        self.init(node: .subquery(collection: expression, variable: variable, predicate: predicate))
    }

    /// One of two expressions.
    public convenience init(
        forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression
    ) {
        self.init(node: .conditional(predicate: predicate, then: trueExpression, otherwise: falseExpression))
    }

    /// A closure of the evaluated object, the values of `arguments` and the context. A store can't evaluate it.
    public convenience init(
        block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?
    ) {
        self.init(node: .block(block, arguments: arguments ?? []))
    }

    // MARK: Evaluating

    /// The value for an object; nil also where it can't be computed.
    ///
    /// - Parameters:
    ///   - object: What key paths start from.
    ///   - context: Values of variables by name, and what blocks are given.
    open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        ExpressionEvaluator.boxedValue(of: self, object: object, context: context)
    }

    /// Allows an expression that came from an archive to be evaluated. Here all may.
    open func allowEvaluation() {}

    // MARK: NSObject, copies, archives

    /// Expressions don't change; the copy is the expression itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func copy() -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || ExpressionStructure.areEqual(self, other)
    }

    open override var hash: Int {
        var hasher = Hasher()
        ExpressionStructure.hash(self, into: &hasher)
        return hasher.finalize()
    }

    open override var description: String { ExpressionPrinter.side(self) }

    /// Expressions are archived as formats.
    public class var supportsSecureCoding: Bool { true }

    /// An expression from an archive; nil, with the coder's error set, for one that can't be read.
    public required init?(coder: NSCoder) {
        guard let decoded: NSExpression = FormatCoding.decodeExpression(coder) else { return nil }
        node = decoded.node
        super.init()
    }

    open func encode(with coder: NSCoder) { FormatCoding.encode(self, coder) }
}

extension NSExpression {
    /// The evaluated object.
    static var evaluatedObjectExpression: NSExpression { NSExpression(node: .evaluatedObject) }

    /// An expression as it is, anything else as a constant.
    static func lifting(_ value: Any) -> NSExpression {
        value as? NSExpression ?? NSExpression(forConstantValue: value)
    }

    static func function(_ function: PredefinedFunction, _ arguments: [NSExpression]) -> NSExpression {
        NSExpression(
            node: .function(
                FunctionCall(name: function.rawValue, arguments: arguments, target: nil, function: function)))
    }
}

// An expression never changes, but its constants may hold anything.
@available(*, unavailable)
extension NSExpression: @unchecked Sendable {}
