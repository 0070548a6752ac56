// Arithmetic as SQLite does it, so that a predicate gives the same answer in memory: integers stay integers until they
// overflow, a division of integers drops the fraction, a division by zero is null, bits are those of 64-bit integers.

import Foundation

enum Arithmetic {
    enum BinaryOperator {
        case add
        case subtract
        case multiply
        case divide
        case modulus
        case power
        case bitAnd
        case bitOr
        case bitXor
        case shiftLeft
        case shiftRight
    }

    static func combine(_ binary: BinaryOperator, _ left: Operand, _ right: Operand) -> Operand {
        if let date = dateArithmetic(binary, left, right) { return date }
        switch binary {
        case .power:
            guard let left = real(left), let right = real(right) else { return .null }
            return .number(pow(left, right))
        case .modulus, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight:
            guard let left = integer(left), let right = integer(right) else { return .null }
            return integers(binary, left, right)
        case .add, .subtract, .multiply, .divide:
            if case .integer(let a) = left, case .integer(let b) = right { return exact(binary, a, b) }
            guard let left = real(left), let right = real(right) else { return .null }
            return reals(binary, left, right)
        }
    }

    /// A date and a number of seconds give a date, two dates the seconds between them.
    private static func dateArithmetic(_ binary: BinaryOperator, _ left: Operand, _ right: Operand) -> Operand? {
        switch (binary, left, right) {
        case (.add, .date(let date), _): real(right).map { .number(date: date + $0) }
        case (.add, _, .date(let date)): real(left).map { .number(date: $0 + date) }
        case (.subtract, .date(let a), .date(let b)): .number(a - b)
        case (.subtract, .date(let date), _): real(right).map { .number(date: date - $0) }
        default: nil
        }
    }

    private static func exact(_ binary: BinaryOperator, _ a: Int64, _ b: Int64) -> Operand {
        let (result, overflow): (Int64, Bool)
        switch binary {
        case .add: (result, overflow) = a.addingReportingOverflow(b)
        case .subtract: (result, overflow) = a.subtractingReportingOverflow(b)
        case .multiply: (result, overflow) = a.multipliedReportingOverflow(by: b)
        default:
            if b == 0 { return .null }
            (result, overflow) = a.dividedReportingOverflow(by: b)
        }
        return overflow ? reals(binary, Double(a), Double(b)) : .integer(result)
    }

    private static func reals(_ binary: BinaryOperator, _ a: Double, _ b: Double) -> Operand {
        switch binary {
        case .add: .number(a + b)
        case .subtract: .number(a - b)
        case .multiply: .number(a * b)
        default: b == 0 ? .null : .number(a / b)
        }
    }

    private static func integers(_ binary: BinaryOperator, _ a: Int64, _ b: Int64) -> Operand {
        switch binary {
        case .bitAnd: .integer(a & b)
        case .bitOr: .integer(a | b)
        case .bitXor: .integer(a ^ b)
        // A shift by a negative number goes the other way; Swift's smart shifts do the same.
        case .shiftLeft: .integer(a << b)
        case .shiftRight: .integer(a >> b)
        default: b == 0 ? .null : .integer(a.remainderReportingOverflow(dividingBy: b).partialValue)
        }
    }

    /// The number as a double; nil for what isn't one.
    static func real(_ operand: Operand) -> Double? {
        switch operand {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    /// The number without its fraction, kept within 64 bits; nil for what isn't one.
    static func integer(_ operand: Operand) -> Int64? {
        switch operand {
        case .integer(let value): value
        case .real(let value): value >= 0x1p63 ? Int64.max : (value < -0x1p63 ? Int64.min : Int64(value))
        default: nil
        }
    }

    /// Applies a function of real numbers.
    static func map(_ operand: Operand, _ function: (Double) -> Double) -> Operand {
        real(operand).map { .number(function($0)) } ?? .null
    }

    /// Applies a function that leaves integers as they are.
    static func rounded(_ operand: Operand, _ rule: FloatingPointRoundingRule) -> Operand {
        if case .real(let value) = operand { return .number(value.rounded(rule)) }
        if case .integer = operand { return operand }
        return .null
    }

    static func absolute(_ operand: Operand) -> Operand {
        switch operand {
        case .integer(let value): value == .min ? .real(0x1p63) : .integer(abs(value))
        case .real(let value): .real(abs(value))
        default: .null
        }
    }
}
