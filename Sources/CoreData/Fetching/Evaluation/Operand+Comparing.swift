// Equality and order of operands: the one definition for memory and SQLite.

import Foundation

extension Operand {
    /// Whether two values are equal. Nothing equals nothing; values of different kinds are never equal (see ``otherSpelling``).
    func equals(_ other: Operand, options: NSComparisonPredicate.Options = []) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.string(let a), .string(let b)): StringComparison.areEqual(a, b, options)
        case (.object(let a), .object(let b)): a.isSame(as: b)
        case (.opaque(let a), .opaque(let b)): a == b || order(relativeTo: other) == .orderedSame
        case (.collection(let a), .collection(let b)): a.equals(b, options: options)
        default: order(relativeTo: other) == .orderedSame
        }
    }

    /// A whole number as its text, and such a text as the number; nil of all else. As a constant either is equal to the other, because
    /// SQLite compares a column's values with it in the column's type.
    var otherSpelling: Operand? {
        switch self {
        case .integer(let number): .string(String(number))
        case .string(let text): Int64(text).flatMap { String($0) == text ? .integer($0) : nil }
        default: nil
        }
    }

    /// A whole number as its text, or such a text as the number; all else as it is.
    func respelled(asText: Bool) -> Operand {
        switch self {
        case .integer where asText, .string where !asText: otherSpelling ?? self
        default: self
        }
    }

    /// The order of two values; nil where they have none: with no value on either side, or values of different kinds.
    func order(relativeTo other: Operand, options: NSComparisonPredicate.Options = []) -> ComparisonResult? {
        switch (self, other) {
        case (.integer(let a), .integer(let b)): Self.order(a, b)
        case (.real(let a), .real(let b)): Self.order(a, b)
        case (.integer(let a), .real(let b)): Self.order(a, b)
        case (.real(let a), .integer(let b)): Self.order(b, a).reversed
        case (.string(let a), .string(let b)): StringComparison.order(a, b, options)
        case (.date(let a), .date(let b)): Self.order(a, b)
        case (.data(let a), .data(let b)): Self.order(a, b)
        case (.uuid(let a), .uuid(let b)): Self.order(a, b)
        case (.opaque(let a), .opaque(let b)): Self.placeOrder(a.base, b.base)
        default: nil
        }
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult {
        a < b ? .orderedAscending : (b < a ? .orderedDescending : .orderedSame)
    }

    /// Exact, also beyond 2⁵³, where converting the integer to a double would lose digits.
    private static func order(_ a: Int64, _ b: Double) -> ComparisonResult {
        if b >= 0x1p63 { return .orderedAscending }
        if b < -0x1p63 { return .orderedDescending }
        let whole = Int64(b)
        if a != whole { return a < whole ? .orderedAscending : .orderedDescending }
        let fraction = b - Double(whole)
        return fraction > 0 ? .orderedAscending : (fraction < 0 ? .orderedDescending : .orderedSame)
    }

    private static func order(_ a: Data, _ b: Data) -> ComparisonResult {
        if a.lexicographicallyPrecedes(b) { return .orderedAscending }
        return b.lexicographicallyPrecedes(a) ? .orderedDescending : .orderedSame
    }

    /// Of the things that have no kind of their own, the places in a history have an order.
    private static func placeOrder(_ a: Any, _ b: Any) -> ComparisonResult? {
        guard let a = a as? NSPersistentHistoryToken, let b = b as? NSPersistentHistoryToken else { return nil }
        return a.order(relativeTo: b)
    }

    private static func order(_ a: UUID, _ b: UUID) -> ComparisonResult {
        if a < b { return .orderedAscending }
        return b < a ? .orderedDescending : .orderedSame
    }
}

extension ReadableObject {
    /// Whether both are the same object: by object ID where there is one, else by identity, dictionaries by contents.
    func isSame(as other: ReadableObject) -> Bool {
        if case .managed(let a) = self, case .managed(let b) = other, a === b { return true }
        if let id = objectID { return RowIdentity(id) == other.objectID.map(RowIdentity.init) }
        if other.objectID != nil { return false }
        switch (self, other) {
        case (.keyed(let a), .keyed(let b)): return a === b
        case (.reflected(let a), .reflected(let b)): return Self.areIdentical(a, b)
        default:
            guard let a = asDictionary, let b = other.asDictionary else { return false }
            return a.isEqual(to: b as? [AnyHashable: Any] ?? [:])
        }
    }

    private static func areIdentical(_ a: Any, _ b: Any) -> Bool {
        if let a = a as? any Hashable, let b = b as? any Hashable { return AnyHashable(a) == AnyHashable(b) }
        guard type(of: a) is AnyClass, type(of: b) is AnyClass else { return false }
        return (a as AnyObject) === (b as AnyObject)
    }

    private var asDictionary: NSDictionary? {
        switch self {
        case .dictionary(let dictionary): dictionary
        case .swiftDictionary(let dictionary): NSDictionary(dictionary: dictionary)
        default: nil
        }
    }
}

extension OperandCollection {
    func contains(_ operand: Operand, options: NSComparisonPredicate.Options = []) -> Bool {
        elements.contains { $0.equals(operand, options: options) }
    }

    func equals(_ other: OperandCollection, options: NSComparisonPredicate.Options) -> Bool {
        guard elements.count == other.elements.count else { return false }
        if isOrdered && other.isOrdered {
            return zip(elements, other.elements).allSatisfy { $0.equals($1, options: options) }
        }
        var rest = other.elements
        for element in elements {
            guard let index = rest.firstIndex(where: { $0.equals(element, options: options) }) else { return false }
            rest.remove(at: index)
        }
        return true
    }
}

extension ComparisonResult {
    var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        case .orderedSame: .orderedSame
        }
    }
}
