// The hash of an identity. Its own rather than the standard library's, which is made for any type and costs several times
// as much; seeded per process as that one is, because identities come from foreign data.

import Foundation

/// Mixes the values of an identity into one number.
struct IdentityHash {
    private static let seed = UInt64.random(in: .min ... .max)

    private(set) var value = IdentityHash.seed

    @inline(__always)
    private mutating func mix(_ word: UInt64) {
        let product = (value ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        value = product.high ^ product.low
    }

    /// Mixes in one value; values that are equal give the same hash.
    @inline(__always)
    mutating func combine(_ part: GraphValue) {
        switch part {
        case .integer(let number): mix(UInt64(bitPattern: number))
        case .string(let text): combine(text)
        default: combineOther(part)
        }
    }

    private mutating func combine(_ text: String) {
        text.withUTF8Span { bytes in
            var offset = 0
            while offset &+ 8 <= bytes.count {
                mix(bytes.word(at: offset))
                offset &+= 8
            }
            var rest = UInt64(truncatingIfNeeded: bytes.count)
            while offset < bytes.count {
                rest = rest &<< 8 | UInt64(bytes[offset])
                offset &+= 1
            }
            mix(rest)
        }
    }

    @inline(never)
    private mutating func combineOther(_ part: GraphValue) {
        mix(UInt64(truncatingIfNeeded: part.hashValue))
    }
}

extension GraphValue {
    /// Whether two identities are the same. Strings are compared by their bytes, as a store compares them.
    @inline(__always)
    func isSameIdentity(as other: GraphValue) -> Bool {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one == other
        case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
        default: self == other
        }
    }
}

/// A value as an identity is compared: texts by their bytes, where `GraphValue` takes `é` in two normal forms as one.
struct ExactValue: Hashable {
    let value: GraphValue

    init(_ value: GraphValue) { self.value = value }

    static func == (one: ExactValue, other: ExactValue) -> Bool { one.value.isSameIdentity(as: other.value) }

    func hash(into hasher: inout Hasher) {
        var hash = IdentityHash()
        hash.combine(value)
        hasher.combine(hash.value)
    }
}

extension String {
    /// Whether two texts consist of the same bytes; `==` takes different normal forms as equal.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        withUTF8Span { one in other.withUTF8Span { one.hasSameBytes(as: $0) } }
    }
}

extension Span<UInt8> {
    /// Whether the first bytes are these.
    func begins(with others: [UInt8]) -> Bool {
        count >= others.count && extracting(0..<others.count).hasSameBytes(as: others.span)
    }

    /// Whether two spans hold the same bytes.
    @inline(__always)
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index &+ 8 <= count {
            if word(at: index) != other.word(at: index) { return false }
            index &+= 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index &+= 1
        }
        return true
    }
}
