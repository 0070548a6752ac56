// How much of a store's file its objects take: by the sizes of tables where they are known, else by the lengths of the values.

import Foundation

extension StorePage {
    /// A table of the store's file.
    package struct Table: Sendable {
        /// The entities that have their rows in it.
        package var entities: [String]
        /// The bytes that it takes with its indexes.
        package var bytes: Int

        package init(entities: [String], bytes: Int) {
            self.entities = entities
            self.bytes = bytes
        }
    }

    /// Where the sizes of entities come from.
    var sizeRemark: String {
        if tables == nil {
            return "Sizes are the lengths of the values: what they take in the store can't be told here."
        }
        return "Sizes of entities are those of their tables in the file, indexes included; "
            + "of a table that entities share, each has its part by the lengths of its values (≈)."
    }

    /// The sizes of entities in words, by their names.
    func sizes(of samples: [EntitySample]) -> [String: String] {
        let lengths = Dictionary(samples.map { ($0.entity.name, $0.estimatedLength) }) { first, _ in first }
        guard let tables else { return lengths.mapValues { Self.words(bytes: Int($0)) } }
        var words: [String: String] = [:]
        for table in tables {
            let sharing = table.entities.filter { (lengths[$0] ?? 0) > 0 }
            let all = sharing.reduce(0) { $0 + (lengths[$1] ?? 0) }
            for entity in sharing {
                let part = Double(table.bytes) * (lengths[entity] ?? 0) / all
                words[entity] = (sharing.count == 1 ? "" : "≈ ") + Self.words(bytes: Int(part))
            }
        }
        return words
    }

    /// A size for people: `812 bytes`, `12.3 kB`.
    static func words(bytes: Int) -> String {
        if bytes < 1000 { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        var size = Double(bytes)
        var unit = ""
        for next in ["kB", "MB", "GB", "TB"] where size >= 999.5 || unit.isEmpty {
            size /= 1000
            unit = next
        }
        return size < 10 ? "\((size * 10).rounded() / 10) \(unit)" : "\(Int(size.rounded())) \(unit)"
    }
}

extension EntitySample {
    /// About how many bytes the values of all objects have, and the keys of rows and links: 8 each.
    fileprivate var estimatedLength: Double {
        guard sampleCount > 0 else { return 0 }
        let bytes = statistics.reduce(8 * sampleCount) { $0 + $1.bytes }
        return Double(bytes) / Double(sampleCount) * Double(count)
    }
}
