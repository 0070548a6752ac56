// The predefined functions on operands. SQLite calls `scalar` through the functions that a store registers, so that both
// compute the same.

import Foundation

enum FunctionEvaluator {
    static func value(of call: FunctionCall, in scope: EvaluationScope) -> Operand {
        if let (target, arguments) = target(call, scope) {
            return Operand(answer(of: target, call.name, arguments, scope))
        }
        let arguments = call.arguments.map { ExpressionEvaluator.operand(of: $0, in: scope) }
        if let target = call.target {
            let target = ExpressionEvaluator.operand(of: target, in: scope)
            return ValueMethod.value(of: call.name, target, arguments)
                ?? scope.fail(UnknownMethod(name: call.name, target: target.boxed, count: arguments.count))
        }
        guard let function = call.function else { return .null }
        if function.isAggregate { return aggregate(function, elements(of: arguments)) }
        if function == .now { return .date(Date().timeIntervalSinceReferenceDate) }
        return scalar(function, arguments)
    }

    /// The members of the one collection, or the arguments themselves.
    private static func elements(of arguments: [Operand]) -> [Operand] {
        if arguments.count == 1, arguments[0].isNull { return [] }
        return CollectionEvaluator.flattened(arguments)
    }

    /// A function of a collection. Missing values don't count, except in `count:`.
    static func aggregate(_ function: PredefinedFunction, _ elements: [Operand]) -> Operand {
        switch function {
        case .count: .integer(Int64(elements.count))
        case .sum: CollectionEvaluator.sum(elements)
        case .min: CollectionEvaluator.extreme(elements, .orderedAscending)
        case .max: CollectionEvaluator.extreme(elements, .orderedDescending)
        case .average: CollectionEvaluator.average(elements)
        case .median: CollectionEvaluator.median(elements)
        case .mode: CollectionEvaluator.mode(elements)
        case .stddev: CollectionEvaluator.standardDeviation(elements)
        default: .null
        }
    }

    /// A function of single values; null for too few of them or for values of the wrong kind.
    static func scalar(_ function: PredefinedFunction, _ arguments: [Operand]) -> Operand {
        if let binary = function.binaryOperator {
            return arguments.count == 2 ? Arithmetic.combine(binary, arguments[0], arguments[1]) : .null
        }
        switch (function, arguments.first) {
        case (.random, _): return .real(Double.random(in: 0..<1))
        case (_, nil): return .null
        case (.noindex, let value?): return value
        case (.randomBelow, let value?):
            guard let limit = Arithmetic.integer(value), limit > 0 else { return .null }
            return .integer(Int64.random(in: 0..<limit))
        case (.cast, let value?):
            guard arguments.count == 2, case .string(let type) = arguments[1] else { return .null }
            return Casting.cast(value, to: type)
        case (.objectAtIndex, let value?): return arguments.count == 2 ? element(of: value, at: arguments[1]) : .null
        case (.uppercase, let value?), (.lowercase, let value?), (.canonical, let value?), (.length, let value?):
            return text(function, value)
        case (_, let value?): return numeric(function, value)
        }
    }

    private static func numeric(_ function: PredefinedFunction, _ value: Operand) -> Operand {
        switch function {
        case .sqrt: Arithmetic.map(value) { $0.squareRoot() }
        case .log: Arithmetic.map(value) { log10($0) }
        case .ln: Arithmetic.map(value) { log($0) }
        case .exp: Arithmetic.map(value) { exp($0) }
        case .floor: Arithmetic.rounded(value, .down)
        case .ceiling: Arithmetic.rounded(value, .up)
        case .trunc: Arithmetic.rounded(value, .towardZero)
        case .abs: Arithmetic.absolute(value)
        case .onesComplement: Arithmetic.integer(value).map { .integer(~$0) } ?? .null
        default: .null
        }
    }

    private static func text(_ function: PredefinedFunction, _ value: Operand) -> Operand {
        guard case .string(let text) = value else {
            if case .data(let data) = value, function == .length { return .integer(Int64(data.count)) }
            return .null
        }
        return switch function {
        case .uppercase: .string(text.uppercased())
        case .lowercase: .string(text.lowercased())
        case .canonical: .string(StringComparison.folded(text, [.caseInsensitive, .diacriticInsensitive]))
        default: .integer(Int64(text.utf16.count))
        }
    }

    /// `array[2]`, `array[FIRST]`, `array[SIZE]`, `dictionary["key"]`.
    private static func element(of value: Operand, at index: Operand) -> Operand {
        switch (value, index) {
        case (.collection(let collection), .string(let symbol)):
            switch symbol {
            case IndexSymbol.first.rawValue: return collection.elements.first ?? .null
            case IndexSymbol.last.rawValue: return collection.elements.last ?? .null
            case IndexSymbol.size.rawValue: return .integer(Int64(collection.elements.count))
            default: return .null
            }
        case (.collection(let collection), _):
            guard let position = Arithmetic.integer(index), let exact = Int(exactly: position) else { return .null }
            return collection.elements.indices.contains(exact) ? collection.elements[exact] : .null
        case (.object, .string(let key)): return value.value(forKey: key)
        default: return .null
        }
    }

    /// The object that a call is for, if it answers itself, and the values of the arguments.
    static func target(
        _ call: FunctionCall, _ scope: EvaluationScope
    ) -> (target: any ExpressionFunctionTarget, arguments: [Any?])? {
        // Nothing but a variable gives one.
        guard let expression = call.target, case .variable = expression.node,
            let target = ExpressionEvaluator.operand(of: expression, in: scope).boxed as? any ExpressionFunctionTarget
        else { return nil }
        return (target, call.arguments.map { ExpressionEvaluator.original(of: $0, in: scope) })
    }

    static func answer(
        of target: any ExpressionFunctionTarget, _ name: String, _ arguments: [Any?], _ scope: EvaluationScope
    ) -> Any? {
        do {
            return try target.value(ofFunction: name, arguments: arguments)
        } catch {
            return scope.fail(error).boxed
        }
    }
}

/// What stands between the brackets of `array[FIRST]`.
enum IndexSymbol: String {
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
}

/// Objects that answer `FUNCTION(target, "selector", …)` themselves: the migration manager and its policies.
protocol ExpressionFunctionTarget: AnyObject {
    /// The method's result.
    ///
    /// - Throws: ``UnknownMethod`` for a method that doesn't exist; what the method throws.
    func value(ofFunction name: String, arguments: [Any?]) throws -> Any?
}

/// A method that a target doesn't have.
struct UnknownMethod: LocalizedError, CustomStringConvertible {
    let name: String
    let target: String
    let count: Int

    init(name: String, target: Any?, count: Int) {
        self.name = name
        self.target = target.map { "\(type(of: $0))" } ?? "nothing"
        self.count = count
    }

    var description: String {
        "FUNCTION calls '\(name)' with \(count) argument(s), which a \(target) doesn't have. Methods can't be found by name "
            + "on this platform, except for the usual ones of texts, dates and collections. Compute the value in code."
    }

    var errorDescription: String? { description }
}
