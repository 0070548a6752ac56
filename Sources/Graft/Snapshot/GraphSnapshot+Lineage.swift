// Whose rows the objects of a snapshot are. Stores that are copies of each other have the same UUID, and a row has the same number
// in both, as far as it was there when one was made of the other.

import Foundation

extension GraphSnapshot {
    /// Which store some objects are rows of, and how many it has given out.
    public struct Lineage: Hashable, Sendable {
        /// The store's UUID, which its copies share.
        public var store: String
        /// The largest number that was ever given to a row, by the name of the topmost entity.
        public var rows: [String: Int64]
        /// Where the store parted from copies with its UUID, the oldest first.
        public var partings: [Parting]

        /// From here on a store gives out numbers that copies with its UUID give to other rows: it was restored from an archive,
        /// or it has taken rows of a copy to which it had to give other numbers.
        public struct Parting: Hashable, Sendable, Codable {
            /// The UUID of what came after, which later copies share.
            public var branch: String
            /// The largest number of before, by the name of the topmost entity.
            public var rows: [String: Int64]

            /// Creates a parting.
            public init(branch: String, rows: [String: Int64]) {
                self.branch = branch
                self.rows = rows
            }
        }

        /// Creates a lineage.
        public init(store: String, rows: [String: Int64], partings: [Parting] = []) {
            self.store = store
            self.rows = rows
            self.partings = partings
        }

        /// Refuses what would make the store that takes over the lineage one that can't be opened or written to any more.
        ///
        /// - Throws: ``GraftError`` with `damagedArchive`.
        func requireSound() throws {
            guard UUID(uuidString: store) != nil else {
                throw GraftError(
                    .damagedArchive(found: "a lineage of the store '\(store)'", expected: "a store's UUID"))
            }
            for (entity, number) in ([rows] + partings.map(\.rows)).flatMap(\.self).sorted(by: { $0.key < $1.key })
            where !(0...Self.lastRow).contains(number) {
                throw GraftError(
                    .damagedArchive(
                        found: "\(number) as the largest row of '\(entity)'", expected: "0 to \(Self.lastRow)"))
            }
        }

        /// With the rows beyond it a store could count no further.
        private static let lastRow = Int64.max - 2

        /// Up to which row all of them have the same rows, by the name of the topmost entity; nil where they aren't of one lineage.
        static func common(_ lineages: [Lineage?]) -> [String: Int64]? {
            guard let first = lineages.first ?? nil else { return nil }
            var common: [String: Int64] = [:]
            for lineage in lineages {
                guard let lineage, let rows = first.common(lineage) else { return nil }
                common.merge(rows) { min($0, $1) }
            }
            return common
        }

        /// Up to which row two of them have the same rows.
        func common(_ other: Lineage) -> [String: Int64]? {
            guard store == other.store else { return nil }
            let entities = Set(rows.keys).union(other.rows.keys)
            return Dictionary(uniqueKeysWithValues: entities.map { ($0, common(other, $0)) })
        }

        private func common(_ other: Lineage, _ entity: String) -> Int64 {
            var common: Int64 = 0
            for (own, their) in zip(stretches(of: entity), other.stretches(of: entity)) {
                guard own.branch == their.branch, own.branch != Self.unknownBranch else { break }
                common = min(own.end, their.end)
                if own.end != their.end { break }
            }
            return common
        }

        /// Which branch the rows of an entity are of, each up to one number.
        private func stretches(of entity: String) -> [(branch: String, end: Int64)] {
            zip([store] + partings.map(\.branch), partings.map { $0.rows[entity] ?? 0 } + [rows[entity] ?? .max])
                .map { ($0, $1) }
        }

        /// The same store, of which the rows beyond some numbers are no other's.
        ///
        /// - Parameter limits: By the name of the topmost entity; of others, only rows to come are meant.
        func parting(at limits: [String: Int64]) -> [Parting] {
            (partings + [Parting(branch: UUID().uuidString, rows: rows)]).reduce(into: []) { kept, parting in
                var parting = parting
                for (entity, number) in parting.rows { parting.rows[entity] = min(number, limits[entity] ?? number) }
                // Between the two there is no row left.
                if kept.last?.rows == parting.rows { kept.removeLast() }
                kept.append(parting)
            }
        }

        /// Without the parting after which nothing came.
        var settled: Lineage {
            partings.last?.rows == rows ? Lineage(store: store, rows: rows, partings: partings.dropLast()) : self
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

// MARK: - Coding

extension GraphSnapshot.Lineage: Codable {
    private enum CodingKeys: String, CodingKey { case store, rows, partings, origin }

    /// What came after a restoration of which only the numbers of before were kept, as archives and stores once did.
    private static let unknownBranch = ""

    /// Decodes a lineage.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        store = try container.decode(String.self, forKey: .store)
        rows = try container.decode([String: Int64].self, forKey: .rows)
        partings = try container.decodeIfPresent([Parting].self, forKey: .partings) ?? []
        if let origin = try container.decodeIfPresent([String: Int64].self, forKey: .origin) {
            partings.append(Parting(branch: Self.unknownBranch, rows: origin))
        }
    }

    /// Encodes the lineage.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(store, forKey: .store)
        try container.encode(rows, forKey: .rows)
        if !partings.isEmpty { try container.encode(partings, forKey: .partings) }
    }

    /// The entries of a store's metadata with ``partings``, now and once.
    private static let (partingsKey, originKey) = ("GraftPartings", "GraftOriginRows")

    /// Takes what a store's metadata say of it. Of an entry that can't be read, it is known that there was a parting; what can't be
    /// read of it counts as unknown, so that no row is taken for a copy's.
    init(store: String, rows: [String: Int64], metadata: [String: Any]) {
        self.init(store: store, rows: rows)
        let entries = metadata[Self.partingsKey].map { $0 as? [Any] ?? [$0] } ?? []
        partings = entries.map { entry in
            let entry = entry as? [String: Any]
            return Parting(
                branch: entry?["branch"] as? String ?? Self.unknownBranch,
                rows: entry?["rows"] as? [String: Int64] ?? [:])
        }
        if partings.isEmpty, let origin = metadata[Self.originKey] {
            partings = [Parting(branch: Self.unknownBranch, rows: origin as? [String: Int64] ?? [:])]
        }
        self = settled
    }

    /// Partings as entries of a store's metadata.
    static func metadata(of partings: [Parting]) -> [String: Any] {
        [partingsKey: partings.map { ["branch": $0.branch, "rows": $0.rows] }]
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
