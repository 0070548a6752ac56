// From words to predicates: this file has the logic (AND, OR, NOT, comparisons), PredicateParser+Expressions.swift the rest.
// From loose to tight:
//
//     OR   AND   NOT   comparison   UNION INTERSECT MINUS   |   ^   &   << >>   + -   * /   **   -x ~x   x[i] x.key
//
// A parenthesis may hold a predicate or an expression, and only its end tells; so every level returns a `Term`, which is
// either, and whoever needs one of the two asks for it.

import Foundation

/// Reads one format.
struct PredicateParser {
    /// What has been read: either a condition or a value.
    enum Term {
        case predicate(NSPredicate)
        case expression(NSExpression)
    }

    /// A limit on nesting, so that a format can't exhaust the stack.
    static let depthLimit = 100

    let format: String
    private let tokens: [PredicateToken]
    private let arguments: [Any]
    private var position = 0
    private(set) var nextArgument = 0
    private var depth = 0

    init(_ format: String, arguments: [Any]) throws {
        self.format = format
        self.arguments = arguments
        tokens = try PredicateTokenizer.tokens(of: format)
    }

    /// The whole format as a predicate.
    mutating func predicate() throws -> NSPredicate {
        let result = try nextPredicate { try $0.term() }
        try end()
        return result
    }

    /// The whole format as an expression.
    mutating func wholeExpression() throws -> NSExpression {
        let result = try nextExpression { try $0.term() }
        try end()
        return result
    }

    private mutating func end() throws {
        guard case .end = token.kind else {
            throw error(
                expected: "an operator or the end of the format", remedy: "Join two comparisons with AND or OR.")
        }
        // More arguments than the format takes are no mistake: C's variable arguments ignore them too.
    }

    // MARK: Words

    var token: PredicateToken { tokens[position] }

    var following: PredicateToken { tokens[min(position + 1, tokens.count - 1)] }

    /// `<null>` is how `NSNull` is written.
    var isAtNSNull: Bool {
        guard position + 2 < tokens.count, tokens[position + 1].keyword == .null,
            case .symbol(.greater) = tokens[position + 2].kind
        else { return false }
        return true
    }

    mutating func advance() {
        if position < tokens.count - 1 { position += 1 }
    }

    func isAt(_ symbol: PredicateToken.Symbol) -> Bool {
        if case .symbol(symbol) = token.kind { true } else { false }
    }

    /// Steps over a symbol if it is there.
    mutating func take(_ symbol: PredicateToken.Symbol) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    mutating func require(_ symbol: PredicateToken.Symbol, _ remedy: String) throws {
        if !take(symbol) { throw error(expected: "'\(symbol.rawValue)'", remedy: remedy) }
    }

    func error(at token: PredicateToken? = nil, expected: String, remedy: String) -> PredicateError {
        let place = token ?? self.token
        return .make(format, at: place.offset, found: place.found, expected: expected, remedy: remedy)
    }

    /// The next argument, for `%@` and its like.
    mutating func argument() throws -> Any {
        guard nextArgument < arguments.count else {
            throw PredicateError.make(
                format, at: token.offset, found: "\(token.found) without an argument",
                expected: "argument number \(nextArgument + 1) of \(arguments.count)",
                remedy: "Pass one argument for each %@, %K and %d.")
        }
        defer { nextArgument += 1 }
        return arguments[nextArgument]
    }

    /// Runs `body` one level deeper.
    mutating func nested<T>(_ body: (inout PredicateParser) throws -> T) throws -> T {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.depthLimit { throw tooDeep() }
        return try body(&self)
    }

    func tooDeep() -> PredicateError {
        error(expected: "at most \(Self.depthLimit) levels of nesting", remedy: "Split the predicate into several.")
    }

    /// Reads something that has to be a condition.
    mutating func nextPredicate(_ read: (inout PredicateParser) throws -> Term) throws -> NSPredicate {
        try condition(read(&self))
    }

    /// Reads something that has to be a value.
    mutating func nextExpression(_ read: (inout PredicateParser) throws -> Term) throws -> NSExpression {
        let start = token
        let term = try read(&self)
        return try expression(from: term, startingAt: start)
    }

    /// A term that has to be a condition; if it isn't one, an operator is missing where the parser stands now.
    mutating func condition(_ term: Term) throws -> NSPredicate {
        switch term {
        case .predicate(let predicate): return predicate
        case .expression:
            throw error(
                expected: "a comparison operator (==, <, IN, CONTAINS, …)",
                remedy: token.keyword == .not
                    ? "Write NOT before the whole comparison: NOT (a IN b)."
                    : "A value alone is no condition; compare it, with == TRUE for instance.")
        }
    }

    func expression(from term: Term, startingAt start: PredicateToken) throws -> NSExpression {
        switch term {
        case .expression(let expression): return expression
        case .predicate:
            throw error(
                at: start, expected: "a value",
                remedy: "A condition can't be compared or computed with; join conditions with AND or OR.")
        }
    }

    // MARK: Logic

    mutating func term() throws -> Term {
        try nested { try $0.compound(.or) { try $0.compound(.and) { try $0.negation() } } }
    }

    /// One or more terms joined by AND or OR; `a AND b AND c` makes one compound of three, and so does `(a AND b) AND c`, but not
    /// `a AND (b AND c)`. Observed: CosmicMind Graph's tests of its predicates' formats.
    private mutating func compound(
        _ type: NSCompoundPredicate.LogicalType, _ part: (inout PredicateParser) throws -> Term
    ) throws -> Term {
        let first = try part(&self)
        guard isAtJoint(type) else { return first }
        let start = try condition(first)
        var parts = [start]
        if let joined = start as? NSCompoundPredicate, joined.compoundPredicateType == type {
            parts = joined.subpredicates
        }
        while isAtJoint(type) {
            advance()
            parts.append(try nextPredicate(part))
        }
        return .predicate(CompoundPredicate(type: type, subpredicates: parts))
    }

    private func isAtJoint(_ type: NSCompoundPredicate.LogicalType) -> Bool {
        type == .and ? token.keyword == .and || isAt(.and) : token.keyword == .or || isAt(.or)
    }

    private mutating func negation() throws -> Term {
        guard token.keyword == .not || isAt(.not) else { return try comparison() }
        advance()
        let negated = try nested { try $0.nextPredicate { try $0.negation() } }
        return .predicate(CompoundPredicate(type: .not, subpredicates: [negated]))
    }

    // MARK: Comparisons

    private mutating func comparison() throws -> Term {
        let quantifier = token
        var modifier = NSComparisonPredicate.Modifier.direct
        switch token.keyword {
        case .anyOf, .someOf, .noneOf: modifier = .any
        case .allOf: modifier = .all
        default: break
        }
        if modifier != .direct { advance() }
        let start = token
        let left = try setExpression()
        guard let type = comparisonOperator() else {
            if modifier == .direct { return left }
            throw error(
                expected: "a comparison operator",
                remedy: "After \(quantifier.found) comes a key path, an operator and a value: ANY tags.name == \"x\".")
        }
        let leftExpression = try expression(from: left, startingAt: start)
        let options = try comparisonOptions()
        let rightStart = token
        let argumentsBefore = nextArgument
        let right = try nextExpression { try $0.setExpression() }
        // An argument is data: a pattern that is none fits nothing.
        if nextArgument == argumentsBefore { try check(type, right, at: rightStart) }
        let comparison = NSComparisonPredicate(
            leftExpression: leftExpression, rightExpression: right, modifier: modifier, type: type, options: options)
        if quantifier.keyword == .noneOf {
            return .predicate(CompoundPredicate(type: .not, subpredicates: [comparison]))
        }
        return .predicate(comparison)
    }

    /// Steps over a comparison operator.
    private mutating func comparisonOperator() -> NSComparisonPredicate.Operator? {
        let type: NSComparisonPredicate.Operator
        switch (token.kind, token.keyword) {
        case (.symbol(.equal), _), (.symbol(.doubleEqual), _): type = .equalTo
        case (.symbol(.notEqual), _), (.symbol(.unequal), _): type = .notEqualTo
        case (.symbol(.less), _): type = .lessThan
        case (.symbol(.lessOrEqual), _), (.symbol(.equalOrLess), _): type = .lessThanOrEqualTo
        case (.symbol(.greater), _): type = .greaterThan
        case (.symbol(.greaterOrEqual), _), (.symbol(.equalOrGreater), _): type = .greaterThanOrEqualTo
        case (_, .between?): type = .between
        case (_, .in?): type = .in
        case (_, .contains?): type = .contains
        case (_, .beginsWith?): type = .beginsWith
        case (_, .endsWith?): type = .endsWith
        case (_, .like?): type = .like
        case (_, .matches?): type = .matches
        default: return nil
        }
        advance()
        return type
    }

    /// `[cd]` and its like after an operator.
    private mutating func comparisonOptions() throws -> NSComparisonPredicate.Options {
        guard take(.openBracket) else { return [] }
        var options: NSComparisonPredicate.Options = []
        guard case .word(let letters) = token.kind else { throw optionsError() }
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw optionsError()
            }
        }
        advance()
        try require(.closeBracket, "Close the options, as in ==[cd].")
        return options
    }

    private func optionsError() -> PredicateError {
        error(
            expected: "options of the comparison",
            remedy: "Use [c] to ignore case, [d] to ignore diacritics, [cd] for both, [n] or [l].")
    }

    /// Mistakes in constants that would make a comparison never true.
    private func check(_ type: NSComparisonPredicate.Operator, _ right: NSExpression, at token: PredicateToken) throws {
        guard case .constant(let constant) = right.node else { return }
        if type == .matches, let pattern = constant.value as? String,
            let problem = PatternMatching.problem(inExpression: pattern)
        {
            throw PredicateError.make(
                format, at: token.offset, found: "the text \"\(pattern.prefix(60))\", which is \(problem)",
                expected: "a regular expression", remedy: "In quotes, write each backslash twice: '\\\\d+'.")
        }
    }
}
