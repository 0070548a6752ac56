// Whose rows the objects of a snapshot are. Stores that are copies of each other have the same UUID, and a row has the same number
// in both, as far as it was there when one was made of the other.

import Foundation

extension GraphSnapshot {
    /// Which store some objects are rows of, and how many it has given out.
    public struct Lineage: Hashable, Sendable, Codable {
        /// The store's UUID, which its copies share.
        public var store: String
        /// The largest number that was ever given to a row, by the name of the topmost entity.
        public var rows: [String: Int64]
        /// The same of the store that this one was restored from: what came after has nothing to do with that one.
        public var origin: [String: Int64]?

        /// Creates a lineage.
        public init(store: String, rows: [String: Int64], origin: [String: Int64]? = nil) {
            self.store = store
            self.rows = rows
            self.origin = origin
        }

        /// The entry of a store's metadata with ``origin``.
        static let originKey = "GraftOriginRows"

        /// Refuses what would make the store that takes over the lineage one that can't be opened or written to any more.
        ///
        /// - Throws: ``GraftError`` with `damagedArchive`.
        func requireSound() throws {
            guard UUID(uuidString: store) != nil else {
                throw GraftError(
                    .damagedArchive(found: "a lineage of the store '\(store)'", expected: "a store's UUID"))
            }
            for (entity, number) in [rows, origin ?? [:]].flatMap(\.self).sorted(by: { $0.key < $1.key })
            where !(0...Self.lastRow).contains(number) {
                throw GraftError(
                    .damagedArchive(
                        found: "\(number) as the largest row of '\(entity)'", expected: "0 to \(Self.lastRow)"))
            }
        }

        /// With the rows beyond it a store could count no further.
        private static let lastRow = Int64.max - 2

        /// Up to which row this one and another have the same.
        func common(_ other: [String: Int64]?) -> [String: Int64] {
            guard let other else { return rows }
            return rows.merging(other) { min($0, $1) }
        }

        /// Up to which row all of them have the same rows; nil where they aren't of one lineage.
        static func common(_ lineages: [Lineage?], base: Lineage?) -> [String: Int64]? {
            guard let first = lineages.first ?? nil else { return nil }
            var common = first.rows
            for lineage in lineages + (base.map { [$0] } ?? []) {
                guard let lineage, lineage.store == first.store else { return nil }
                common = lineage.common(lineage.origin).merging(common) { min($0, $1) }
            }
            return common
        }
    }

    /// The number of a row, and what tells it from another that has the number, as a value.
    enum RowName {
        /// The name of a row whose number says who it is.
        static func name(_ number: Int64) -> GraphValue { .integer(number) }

        /// The name of one of two rows that have a number.
        static func name(_ number: Int64, mark: String) -> GraphValue { .string("\(number)~\(mark)") }

        /// The number in a name.
        static func number(in name: GraphValue) -> Int64? {
            switch name {
            case .integer(let number): number
            case .string(let text): Int64(text.prefix { $0 != "~" })
            default: nil
            }
        }

        /// The mark in a name, without what was added to tell equal ones apart.
        static func mark(in name: GraphValue) -> String? {
            guard case .string(let text) = name, let start = text.firstIndex(of: "~") else { return nil }
            return String(text[text.index(after: start)...])
        }
    }
}

/// A short text that is the same for the same contents, in each process and on each platform.
struct ContentMark {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Mixes in a text and its end (64-bit FNV-1a, draft-eastlake-fnv).
    mutating func mix(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01B3
    }

    /// Mixes in the value of a property; null is none.
    mutating func mix(_ value: GraphValue, of name: String) {
        if value.isNull { return }
        mix(name)
        switch value {
        // Of zero, without the sign.
        case .double(let number), .date(let number): mix(String((number + 0).bitPattern, radix: 16))
        case .data(let bytes), .encoded(let bytes): mix(bytes.base64EncodedString())
        case .json(let tree): mix(tree.canonicalText)
        default: mix(value.description)
        }
    }

    var text: String { String(hash, radix: 16) }
}

extension GraphSchema.Entity {
    /// The mark of an object by its attributes.
    func mark(_ value: (Int) throws -> GraphValue) rethrows -> String {
        var mark = ContentMark()
        let attributes = properties.indices.filter { number in
            let property = properties[number]
            return property.isAttribute && !property.isTransient && !property.isDerived && property.diffRole != .exclude
        }
        // As a diff has them.
        for number in attributes.sorted(by: { properties[$0].name.precedesInBytes(properties[$1].name) }) {
            mark.mix(try value(number), of: properties[number].name)
        }
        return mark.text
    }
}
