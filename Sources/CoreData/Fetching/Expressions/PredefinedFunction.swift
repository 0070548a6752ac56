// The functions that formats and `NSExpression(forFunction:arguments:)` know, under Foundation's names.

import Foundation

/// A predefined function.
enum PredefinedFunction: String, CaseIterable {
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case stddev = "stddev:"
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case sqrt = "sqrt:"
    case log = "log:"
    case ln = "ln:"
    case power = "raise:toPower:"
    case exp = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case abs = "abs:"
    case trunc = "trunc:"
    case random = "random"
    case randomBelow = "random:"
    case now
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    case canonical = "canonical:"
    case length = "length:"
    case bitAnd = "bitwiseAnd:with:"
    case bitOr = "bitwiseOr:with:"
    case bitXor = "bitwiseXor:with:"
    case shiftLeft = "leftshift:by:"
    case shiftRight = "rightshift:by:"
    case onesComplement = "onesComplement:"
    case noindex = "noindex:"
    case cast = "castObject:toType:"
    case objectAtIndex = "objectFrom:withIndex:"

    /// How many arguments it takes. The functions of a collection also take several values.
    var arity: ClosedRange<Int> {
        if isAggregate { return 1...Int.max }
        return parameterCount...parameterCount
    }

    private var parameterCount: Int { rawValue.count { $0 == ":" } }

    /// Whether it takes a collection.
    var isAggregate: Bool {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .stddev: true
        default: false
        }
    }

    /// The operator that the function computes.
    var binaryOperator: Arithmetic.BinaryOperator? {
        switch self {
        case .add: .add
        case .subtract: .subtract
        case .multiply: .multiply
        case .divide: .divide
        case .modulus: .modulus
        case .power: .power
        case .bitAnd: .bitAnd
        case .bitOr: .bitOr
        case .bitXor: .bitXor
        case .shiftLeft: .shiftLeft
        case .shiftRight: .shiftRight
        default: nil
        }
    }

    /// The function that a format calls by this name: the full name, or its first word (`modulus(a, b)`).
    init?(formatName name: String, argumentCount: Int) {
        let named = Self.allCases.filter { $0.rawValue == name || $0.firstWord == name.lowercased() }
        // `random` and `random:` differ in the number of arguments alone.
        guard let found = named.first(where: { $0.arity.contains(argumentCount) }) ?? named.first else { return nil }
        self = found
    }

    private var firstWord: String {
        switch self {
        case .bitAnd: "bitwiseand"
        case .bitOr: "bitwiseor"
        case .bitXor: "bitwisexor"
        case .cast: "cast"
        case .subtract: "subtract"
        default: (rawValue.split(separator: ":").first.map(String.init) ?? rawValue).lowercased()
        }
    }
}
