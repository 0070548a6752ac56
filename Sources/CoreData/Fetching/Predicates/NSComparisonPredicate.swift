// A comparison of two expressions. Foundation's class of this name can't be created on Linux, so the module has its own.

public import Foundation

/// A predicate that compares two expressions. Follows Foundation's `NSComparisonPredicate` of Apple's platforms.
open class NSComparisonPredicate: NSPredicate {
    /// How strings are compared.
    public struct Options: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt

        /// Options by their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// `[c]`: `A` is the same as `a`.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: `é` is the same as `e`.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: strings are compared as they are stored.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: by the rules of the user's locale.
        static let localeSensitive = Options(rawValue: 8)
    }

    /// Which members of a collection on the left have to meet the comparison.
    public enum Modifier: UInt, Sendable {
        /// The left side is a single value.
        case direct = 0
        /// All members.
        case all = 1
        /// At least one member.
        case any = 2
    }

    /// The operators.
    public enum Operator: UInt, Sendable {
        /// `<`
        case lessThan = 0
        /// `<=`
        case lessThanOrEqualTo = 1
        /// `>`
        case greaterThan = 2
        /// `>=`
        case greaterThanOrEqualTo = 3
        /// `==`
        case equalTo = 4
        /// `!=`
        case notEqualTo = 5
        /// A regular expression that the whole string has to match.
        case matches = 6
        /// A pattern with `*` and `?`.
        case like = 7
        /// `BEGINSWITH`
        case beginsWith = 8
        /// `ENDSWITH`
        case endsWith = 9
        /// Membership in a collection, or being part of a string.
        case `in` = 10
        /// A method of Objective-C; never true here.
        case customSelector = 11
        /// The reverse of ``in``.
        case contains = 99
        /// Between two values, both included.
        case between = 100
    }

    /// The left side.
    public let leftExpression: NSExpression
    /// The right side.
    public let rightExpression: NSExpression
    /// Whether the left side is a single value, or which of its members count.
    public let comparisonPredicateModifier: Modifier
    /// The operator.
    public let predicateOperatorType: Operator
    /// How strings are compared.
    public let options: Options

    /// A comparison of two expressions.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator,
        options: Options = []
    ) {
        leftExpression = lhs
        rightExpression = rhs
        comparisonPredicateModifier = modifier
        predicateOperatorType = type
        self.options = options
        super.init(value: false)
    }

    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        PredicateEvaluator.matches(self, in: EvaluationScope(object: object, variables: bindings))
    }

    /// The comparison as a format that parses to an equal one.
    open override var predicateFormat: String { PredicatePrinter.text(of: self) }

    open override var description: String { predicateFormat }

    /// Comparisons don't change; the copy is the comparison itself.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool { PredicateStructure.isEqual(self, to: object) }

    open override var hash: Int { PredicateStructure.hash(of: self) }
}
