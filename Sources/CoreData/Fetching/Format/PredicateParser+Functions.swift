// Functions and what looks like them: SUBQUERY, FUNCTION, CAST, TERNARY, FETCH.

import Foundation

extension PredicateParser {
    /// `name(argument, …)`
    mutating func call(_ name: String) throws -> NSExpression {
        let place = token
        advance()
        advance()
        let arguments = try expressions(until: .close)
        guard let function = PredefinedFunction(formatName: name, argumentCount: arguments.count) else {
            throw unknownFunction(name, arguments.count, at: place)
        }
        guard function.arity.contains(arguments.count) else {
            throw PredicateError.make(
                format, at: place.offset, found: "\(name) with \(arguments.count) arguments",
                expected: "\(function.arity.lowerBound)", remedy: "\(function.rawValue) takes that many.")
        }
        return .function(function, arguments)
    }

    private func unknownFunction(_ name: String, _ count: Int, at place: PredicateToken) -> PredicateError {
        let names = PredefinedFunction.allCases.map(\.rawValue).sorted().joined(separator: ", ")
        return .make(
            format, at: place.offset, found: "the function '\(name)' with \(count) arguments",
            expected: "a function that exists", remedy: "The functions are \(names).")
    }

    /// A keyword with arguments of its own kinds.
    mutating func specialForm(_ keyword: Keyword) throws -> NSExpression {
        advance()
        advance()
        return switch keyword {
        case .subquery: try subquery()
        case .function: try method()
        case .ternary: try ternary()
        case .fetch: try fetch()
        default: try cast()
        }
    }

    /// `SUBQUERY(collection, $variable, predicate)`
    private mutating func subquery() throws -> NSExpression {
        let usage = "Write SUBQUERY(items, $item, $item.price > 1)."
        let collection = try nextExpression { try $0.term() }
        try require(.comma, usage)
        guard case .variable(let name) = token.kind else { throw error(expected: "a variable", remedy: usage) }
        advance()
        try require(.comma, usage)
        let condition = try nextPredicate { try $0.term() }
        try require(.close, usage)
        return NSExpression(forSubquery: collection, usingIteratorVariable: name, predicate: condition)
    }

    /// `FUNCTION(target, "selector", argument, …)`
    private mutating func method() throws -> NSExpression {
        let usage = "Write FUNCTION(target, \"name\", argument)."
        let target = try nextExpression { try $0.term() }
        try require(.comma, usage)
        let nameToken = token
        let nameExpression = try nextExpression { try $0.term() }
        guard case .constant(let constant) = nameExpression.node, let name = constant.value as? String else {
            throw error(at: nameToken, expected: "the name of a method in quotes", remedy: usage)
        }
        var arguments: [NSExpression] = []
        if take(.comma) { arguments = try expressions(until: .close) } else { try require(.close, usage) }
        return NSExpression(forFunction: target, selectorName: name, arguments: arguments)
    }

    /// `TERNARY(predicate, value, value)`
    private mutating func ternary() throws -> NSExpression {
        let usage = "Write TERNARY(price > 1, \"dear\", \"cheap\")."
        let condition = try nextPredicate { try $0.term() }
        try require(.comma, usage)
        let values = try expressions(until: .close)
        guard values.count == 2 else { throw error(expected: "a condition and two values", remedy: usage) }
        return NSExpression(forConditional: condition, trueExpression: values[0], falseExpression: values[1])
    }

    /// `FETCH(request, context, NO)`; `YES` for the number of objects.
    private mutating func fetch() throws -> NSExpression {
        let place = token
        let arguments = try expressions(until: .close)
        guard arguments.count == 3, case .constant(let flag) = arguments[2].node, let isCount = flag.value as? NSNumber
        else {
            throw error(
                at: place, expected: "a request, a context, and YES or NO",
                remedy: "Write FETCH($request, $context, NO), or YES for the number of objects.")
        }
        return NSFetchRequestExpression(
            request: arguments[0], context: arguments[1], isCount: isCount.boolValue)
    }

    /// `CAST(value, "type")`; of a literal it is a constant.
    private mutating func cast() throws -> NSExpression {
        let place = token
        let argumentsBefore = nextArgument
        let arguments = try expressions(until: .close)
        guard arguments.count == 2, case .constant(let typeName) = arguments[1].node,
            let name = typeName.value as? String, let casting = Casting(rawValue: name)
        else {
            let names = Casting.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw error(
                at: place, expected: "a value and a type",
                remedy: "Write CAST(value, type) with one of the types \(names).")
        }
        guard case .constant(let constant) = arguments[0].node else { return .function(.cast, arguments) }
        guard let value = casting.constant(constant.value) else {
            // An argument is data, and nobody's mistake.
            if nextArgument > argumentsBefore {
                let value: Any? = constant.value == nil ? nil : Casting.Unfit(constant.value, casting)
                return NSExpression(forConstantValue: value)
            }
            throw error(
                at: place, expected: "a value that can be converted to \(name)",
                remedy: "Dates are seconds since 2001 or ISO 8601, data are Base64.")
        }
        return NSExpression(forConstantValue: value)
    }
}
