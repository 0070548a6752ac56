// The value part of the format language: operators, key paths, literals. Functions are in PredicateParser+Functions.swift.

import Foundation

extension PredicateParser {
    /// A value: everything that may stand beside a comparison operator.
    mutating func setExpression() throws -> Term {
        let start = token
        var left = try binary(level: 0)
        var count = 0
        while let setOperator = token.keyword.flatMap({ SetOperator(rawValue: $0.rawValue) }) {
            count += 1
            if count > Self.depthLimit { throw tooDeep() }
            advance()
            let right = try nextExpression { try $0.binary(level: 0) }
            left = .expression(
                NSExpression(node: .set(setOperator, try expression(from: left, startingAt: start), right)))
        }
        return left
    }

    private static let levels: [[PredicateToken.Symbol: PredefinedFunction]] = [
        [.bitOr: .bitOr],
        [.bitXor: .bitXor],
        [.bitAnd: .bitAnd],
        [.shiftLeft: .shiftLeft, .shiftRight: .shiftRight],
        [.plus: .add, .minus: .subtract],
        [.times: .multiply, .divided: .divide],
    ]

    /// Operators of one level and all tighter ones, from left to right.
    private mutating func binary(level: Int) throws -> Term {
        guard level < Self.levels.count else { return try power() }
        let start = token
        var left = try binary(level: level + 1)
        while case .symbol(let symbol) = token.kind, let function = Self.levels[level][symbol] {
            advance()
            let right = try nextExpression { try $0.binary(level: level + 1) }
            left = .expression(.function(function, [try expression(from: left, startingAt: start), right]))
        }
        return left
    }

    /// `a ** b ** c` is `a ** (b ** c)`.
    private mutating func power() throws -> Term {
        let start = token
        let base = try unary()
        guard take(.power) else { return base }
        let exponent = try nested { try $0.nextExpression { try $0.power() } }
        return .expression(.function(.power, [try expression(from: base, startingAt: start), exponent]))
    }

    private mutating func unary() throws -> Term {
        if take(.minus) {
            return .expression(negated(try nested { try $0.nextExpression { try $0.unary() } }))
        }
        if take(.bitNot) {
            let operand = try nested { try $0.nextExpression { try $0.unary() } }
            return .expression(.function(.onesComplement, [operand]))
        }
        return try postfix()
    }

    /// A literal changes its sign; there is no function for it, so `-x` is `0 - x`.
    private func negated(_ expression: NSExpression) -> NSExpression {
        if case .constant(let constant) = expression.node, let number = constant.value as? NSNumber {
            if let decimal = number as? NSDecimalNumber {
                return NSExpression(forConstantValue: NSDecimalNumber.zero.subtracting(decimal))
            }
            if case .integer(let value) = constant.operand, value != .min {
                return NSExpression(forConstantValue: NSNumber(value: -value))
            }
            return NSExpression(forConstantValue: NSNumber(value: -number.doubleValue))
        }
        return .function(.subtract, [NSExpression(forConstantValue: NSNumber(value: 0)), expression])
    }

    // MARK: What follows a value

    private mutating func postfix() throws -> Term {
        let start = token
        var term = try primary()
        var count = 0
        while true {
            if isAt(.openBracket) { count += 1 }
            if count > Self.depthLimit { throw tooDeep() }
            if isAt(.dot) {
                let operand = try expression(from: term, startingAt: start)
                // All of them at once: a path is split anew each time that it gets longer.
                var path: [String] = []
                while take(.dot) { path.append(try pathComponent()) }
                term = .expression(appending(path.joined(separator: "."), to: operand))
            } else if isAt(.openBracket) {
                let operand = try expression(from: term, startingAt: start)
                term = .expression(try index(of: operand))
            } else {
                return term
            }
        }
    }

    /// A component of a key path after the dot; after a dot every word is a name.
    private mutating func pathComponent() throws -> String {
        switch token.kind {
        case .word(let name), .escapedWord(let name):
            advance()
            return name
        case .at(let name):
            advance()
            return "@\(name)"
        case .argument(.keyPath): return try keyPathArgument()
        default:
            throw error(
                expected: "a name after the dot",
                remedy: "Key paths are names joined by dots: author.name, items.@count.")
        }
    }

    private func appending(_ components: String, to expression: NSExpression) -> NSExpression {
        if case .keyPath(let operand, let path) = expression.node {
            return NSExpression(node: .keyPath(operand: operand, path: path.appending(KeyPathSteps(components))))
        }
        return NSExpression(node: .keyPath(operand: expression, path: KeyPathSteps(components)))
    }

    /// `[3]`, `[FIRST]`, `[LAST]`, `[SIZE]`, `["key"]`.
    private mutating func index(of operand: NSExpression) throws -> NSExpression {
        advance()
        let position: NSExpression
        if case .word(let word) = token.kind, let symbol = IndexSymbol(rawValue: word.uppercased()) {
            advance()
            position = NSExpression(forConstantValue: symbol.rawValue)
        } else {
            position = try nextExpression { try $0.term() }
        }
        try require(.closeBracket, "Close the index, as in items[0] or items[FIRST].")
        return .function(.objectAtIndex, [operand, position])
    }

    // MARK: Values

    private mutating func primary() throws -> Term {
        switch token.kind {
        case .symbol(.open):
            advance()
            let inner = try term()
            try require(.close, "Close the parenthesis.")
            return inner
        case .symbol(.openBrace):
            advance()
            return .expression(NSExpression(node: .aggregate(try expressions(until: .closeBrace))))
        case .string(let text): return constant(text)
        case .number(let number): return constant(number)
        case .variable(let name):
            advance()
            return .expression(NSExpression(forVariable: name))
        case .at, .escapedWord: return .expression(NSExpression(forKeyPath: try pathComponent()))
        case .argument(let specifier): return .expression(try argumentExpression(specifier))
        case .word(let word): return try named(word)
        case .symbol(.less) where isAtNSNull:
            for _ in 0..<3 { advance() }
            return .expression(NSExpression(forConstantValue: NSNull()))
        case .symbol, .end:
            throw error(
                expected: "a value",
                remedy: "A value is a key path, a literal (12, 'text', TRUE, nil), an argument (%@) or a function.")
        }
    }

    private mutating func constant(_ value: Any?) -> Term {
        advance()
        return .expression(NSExpression(forConstantValue: value))
    }

    /// A keyword, a function, or a key.
    private mutating func named(_ word: String) throws -> Term {
        let isCall = if case .symbol(.open) = following.kind { true } else { false }
        switch token.keyword {
        case .null?, .nil?: return constant(nil)
        case .true?, .yes?: return constant(NSNumber(value: true))
        case .false?, .no?: return constant(NSNumber(value: false))
        case .itself?:
            advance()
            return .expression(.evaluatedObjectExpression)
        case .anyKey?:
            advance()
            return .expression(.expressionForAnyKey())
        case .truePredicate?:
            advance()
            return .predicate(NSPredicate(value: true))
        case .falsePredicate?:
            advance()
            return .predicate(NSPredicate(value: false))
        case let keyword? where keyword.needsParenthesis:
            if isCall { return .expression(try specialForm(keyword)) }
        case .some:
            throw error(
                expected: "a value",
                remedy: "'\(word)' is a keyword; a property of that name is written #\(word).")
        case nil: if isCall { return .expression(try call(word)) }
        }
        advance()
        return .expression(NSExpression(forKeyPath: word))
    }

    private mutating func argumentExpression(_ specifier: FormatSpecifier) throws -> NSExpression {
        let place = token
        switch specifier {
        case .keyPath: return NSExpression(forKeyPath: try keyPathArgument())
        case .object:
            let value = try argument()
            advance()
            return NSExpression.lifting(value)
        case .text:
            let value = try argument()
            advance()
            // In an array of arguments it is an object, as for `%@`.
            return NSExpression.lifting(unsafe CText.string(at: value) ?? value)
        case .integer, .real, .character:
            let value = try argument()
            advance()
            // A number is what is asked for; other values are taken as `%@` would, as with an array of arguments.
            if case .integer = specifier, let number = value as? Double, let whole = Int64(exactly: number) {
                return NSExpression(forConstantValue: NSNumber(value: whole))
            }
            if value is NSNumber || value is String || value is NSNull { return NSExpression.lifting(value) }
            throw error(
                at: place, expected: "an argument that is a number, not a \(type(of: value))",
                remedy: "Use %@ for values that are no numbers.")
        }
    }

    private mutating func keyPathArgument() throws -> String {
        let place = token
        let value = try argument()
        guard let path = value as? String else {
            throw error(
                at: place, expected: "an argument that is a key path, not a \(type(of: value))",
                remedy: "Use %@ for values; %K takes the name of a property as a string.")
        }
        advance()
        return path
    }

    /// Expressions between commas, up to a closing symbol.
    mutating func expressions(until close: PredicateToken.Symbol) throws -> [NSExpression] {
        if take(close) { return [] }
        var list: [NSExpression] = []
        repeat {
            list.append(try nextExpression { try $0.term() })
        } while take(.comma)
        try require(close, "Separate values with commas and close the list with '\(close.rawValue)'.")
        return list
    }
}
