// When two values are the same for a diff, and which comes first in its output. Both are total: NaN is itself, texts are
// their bytes, zero has no sign, which no store keeps. Trees are compared as JSON means them, and as an import does: members in any
// order, numbers by value.

import Foundation

extension GraphValue {
    /// Whether a change from one value to the other is none.
    @inline(__always)
    func isSameValue(as other: GraphValue) -> Bool {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one == other
        case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
        case (.date(let one), .date(let other)), (.double(let one), .double(let other)):
            one == other || one.bitPattern == other.bitPattern
        case (.boolean(let one), .boolean(let other)): one == other
        case (.null, .null): true
        default: isOtherValue(sameAs: other)
        }
    }

    @inline(never)
    private func isOtherValue(sameAs other: GraphValue) -> Bool {
        switch (self, other) {
        case (.uri(let one), .uri(let other)): one.absoluteString.hasSameBytes(as: other.absoluteString)
        default: self == other
        }
    }

    /// Which of two values comes first: null, then by type, then numbers by size, texts and bytes bytewise. Nil where they
    /// are the same.
    func precedes(_ other: GraphValue) -> Bool? {
        if rank != other.rank { return rank < other.rank }
        if isSameValue(as: other) { return nil }
        switch (self, other) {
        case (.boolean(let one), .boolean): return !one
        case (.integer(let one), .integer(let other)): return one < other
        case (.double(let one), .double(let other)), (.date(let one), .date(let other)):
            return one.isTotallyOrdered(belowOrEqualTo: other)
        case (.decimal(let one), .decimal(let other)): return one < other
        case (.data(let one), .data(let other)), (.encoded(let one), .encoded(let other)):
            return one.lexicographicallyPrecedes(other)
        case (.string(let one), .string(let other)): return one.precedesInBytes(other)
        case (.json(let one), .json(let other)): return one.canonicalText.precedesInBytes(other.canonicalText)
        default: return description.precedesInBytes(other.description)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .boolean: 1
        case .integer: 2
        case .double: 3
        case .decimal: 4
        case .string: 5
        case .date: 6
        case .data: 7
        case .uuid: 8
        case .uri: 9
        case .json: 10
        case .encoded: 11
        }
    }
}

extension JSONValue {
    /// One text for all trees that are equal: members by key, one form for each number.
    var canonicalText: String { canonical.description }

    private var canonical: JSONValue {
        switch self {
        case .null, .bool, .string: self
        case .number(let number): .number(number.canonical)
        case .array(let elements): .array(elements.map(\.canonical))
        case .object(let object):
            .object(
                JSONValue.Object(
                    members: object.sortedMembers.map { .init(key: $0.key, value: $0.value.canonical) }))
        }
    }
}

extension JSONValue.Number {
    /// One number for each value: an integer or a double where that is exact.
    fileprivate var canonical: JSONValue.Number {
        if let value = int64 { return JSONValue.Number(value) }
        if let value = double, let number = JSONValue.Number(value), number == self { return number }
        return JSONValue.Number(checkedText: canonicalText)
    }
}

extension String {
    /// Whether a text comes before another one by its bytes.
    func precedesInBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
