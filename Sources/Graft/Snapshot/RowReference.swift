// Where an object stands in a snapshot: 8 bytes, no reference counting.

/// The entity and the row of an object in a ``GraphSnapshot``.
package struct RowReference: Hashable, Sendable {
    private let bits: UInt64

    /// The number of the row among those of its entity, from 0.
    @inline(__always) package var row: Int { Int(bits & 0xFFFF_FFFF) }

    /// The number of the entity in the snapshot.
    @inline(__always) var entity: Int { Int(bits >> 32) }

    @inline(__always)
    init(entity: Int, row: Int) {
        bits = UInt64(truncatingIfNeeded: entity) << 32 | UInt64(truncatingIfNeeded: row)
    }

    private init(bits: UInt64) { self.bits = bits }

    /// No object.
    static let none = RowReference(bits: .max)

    @inline(__always) var isNone: Bool { bits == .max }

    /// How many rows an entity can have.
    static let maximumRow = Int(UInt32.max) - 1
}

extension RowReference: Comparable {
    /// Orders by entity and row.
    package static func < (one: RowReference, other: RowReference) -> Bool { one.bits < other.bits }
}

extension RowReference: Codable {
    /// Decodes a reference.
    package init(from decoder: any Decoder) throws {
        bits = try decoder.singleValueContainer().decode(UInt64.self)
    }

    /// Encodes a reference.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bits)
    }
}

/// Where the members of a to-many relationship stand in a snapshot's list of all members.
struct MemberRange: Hashable, Sendable, Codable {
    var start: UInt32
    var count: UInt32

    static let empty = MemberRange(start: 0, count: 0)

    var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
