// @count, @sum and the other operators on collections, and the functions that do the same. As in SQL, missing values don't
// count: the sum of nothing is 0, its average, minimum and maximum are null.

import Foundation

enum CollectionEvaluator {
    /// The value of a key path's collection operator.
    static func value(_ collection: CollectionOperator, of value: Operand, rest: KeyPathSteps) -> Operand {
        let elements: [Operand]
        switch value {
        case .collection(let members): elements = members.elements
        // Nothing has no members.
        case .null: elements = []
        default: return .null
        }
        if collection == .count { return .integer(Int64(elements.count)) }
        // As everywhere in a path: members without the object on the way are left out.
        let starts = rest.isEmpty ? elements : elements.filter { !$0.isNull }
        let values = flattened(starts.map { KeyPathEvaluator.value(at: rest, of: $0) })
        switch collection {
        case .sum: return sum(values)
        case .avg: return average(values)
        case .min: return extreme(values, .orderedAscending)
        case .max: return extreme(values, .orderedDescending)
        default:
            let union = collection.isDistinct ? distinct(values) : values
            return .collection(OperandCollection(elements: union, isOrdered: true))
        }
    }

    /// The members of members of collections.
    static func flattened(_ values: [Operand]) -> [Operand] {
        values.flatMap { value in
            if case .collection(let inner) = value { return inner.elements }
            return [value]
        }
    }

    static func distinct(_ values: [Operand]) -> [Operand] {
        var seen: Set<OperandKey> = []
        return values.filter { seen.insert(OperandKey($0)).inserted }
    }

    /// The sum: an integer if all are and it fits, else a real number.
    static func sum(_ values: [Operand]) -> Operand {
        if let exact = exactSum(values) {
            return Int64(exactly: exact).map { .integer($0) } ?? .real(Double(exact))
        }
        return .number(numbers(values).reduce(0, +))
    }

    /// A sum, average, minimum or maximum of decimals, of which there is one at least.
    static func exact(_ collection: CollectionOperator, of decimals: [Decimal]) -> Decimal {
        switch collection {
        case .min: decimals.reduce(decimals[0], Swift.min)
        case .max: decimals.reduce(decimals[0], Swift.max)
        case .avg: decimals.reduce(0, +) / Decimal(decimals.count)
        default: decimals.reduce(0, +)
        }
    }

    static func average(_ values: [Operand]) -> Operand {
        let numbers = numbers(values)
        if numbers.isEmpty { return .null }
        let sum = exactSum(values).map { Double($0) } ?? numbers.reduce(0, +)
        return .number(sum / Double(numbers.count))
    }

    /// The numbers, ascending. A sum of doubles depends on their order, and members of a set have none.
    private static func numbers(_ values: [Operand]) -> [Double] { values.compactMap(Arithmetic.real).sorted() }

    /// The sum of integers; nil if there are real numbers among them.
    private static func exactSum(_ values: [Operand]) -> Int128? {
        var sum: Int128 = 0
        for value in values {
            switch value {
            case .integer(let integer): sum += Int128(integer)
            case .real: return nil
            default: break
            }
        }
        return sum
    }

    /// The first value in the order given; values that have no order among each other are left out.
    static func extreme(_ values: [Operand], _ order: ComparisonResult) -> Operand {
        values.reduce(.null) { best, value in
            if best.isNull { return value.hasOrder ? value : .null }
            return value.order(relativeTo: best) == order ? value : best
        }
    }

    static func median(_ values: [Operand]) -> Operand {
        let numbers = numbers(values)
        guard !numbers.isEmpty else { return .null }
        let middle = numbers.count / 2
        return .number(numbers.count % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2)
    }

    /// The numbers that occur most often, ascending.
    static func mode(_ values: [Operand]) -> Operand {
        var counts: [Double: Int] = [:]
        for number in numbers(values) { counts[number, default: 0] += 1 }
        let most = counts.values.max() ?? 0
        let modes = counts.filter { $0.value == most }.keys.sorted()
        return .collection(OperandCollection(elements: modes.map { .number($0) }, isOrdered: true))
    }

    /// The standard deviation of the whole population.
    static func standardDeviation(_ values: [Operand]) -> Operand {
        let numbers = numbers(values)
        guard !numbers.isEmpty else { return .null }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return .number((squares / Double(numbers.count)).squareRoot())
    }
}

extension Operand {
    /// Whether the value can be less than another.
    fileprivate var hasOrder: Bool { order(relativeTo: self) != nil }
}
