// Two versions of the heroes in memory, 1% of them changed: what differs, beside a plain loop over two dictionaries of structs.
// The loop knows its one type and gives up nothing for it: no model, no identity of any shape, no order, no inverse.

import Foundation
import Graft

enum DiffBenchmark {
    /// A hero as a program would have it that knows nothing else.
    private struct Hero: Equatable {
        var name: String?
        var realName: String?
        var debut: Double?
        var height: Double?
        var isRetired: Bool?
        var rating: Int64?
        var biography: String?
        var publisher: Int64?
        var powers: [Int64]

        init(_ row: GraphSnapshot.Row) {
            name = row["name"]?.text
            realName = row["realName"]?.text
            debut = row["debut"]?.number
            height = row["height"]?.number
            isRetired = row["isRetired"] == .boolean(true)
            rating = row["rating"]?.integer
            biography = row["biography"]?.text
            publisher = row.destination(of: "publisher")?["identifier"]?.integer
            powers = row.members(of: "powers")?.compactMap { $0["identifier"]?.integer } ?? []
        }

        /// How many properties differ. Powers have no order.
        func differences(from other: Hero) -> Int {
            var count = 0
            if name != other.name { count += 1 }
            if realName != other.realName { count += 1 }
            if debut != other.debut { count += 1 }
            if height != other.height { count += 1 }
            if isRetired != other.isRetired { count += 1 }
            if rating != other.rating { count += 1 }
            if biography != other.biography { count += 1 }
            if publisher != other.publisher { count += 1 }
            if powers != other.powers, Set(powers) != Set(other.powers) { count += 1 }
            return count
        }
    }

    static func run(_ table: Table) throws {
        table.title("Diff of two versions of 100,000 heroes in memory, 1% changed")
        let model = HeroModel.make()
        let versions = try [nil, 100].map { every in
            try GraphSnapshot(
                json: Data(HeroFile(changingEvery: every).bytes()), entity: "Hero", model: model)
        }
        // The same objects in another order: nothing can be guessed then.
        let shuffled = try GraphSnapshot(model: model).applying(
            GraphDiff(inserted: try versions[1].contents().shuffled()))
        let heroes = versions.map { snapshot in
            Dictionary(
                snapshot.rows(of: "Hero").compactMap { row in row["identifier"]?.integer.map { ($0, Hero(row)) } }
            ) { first, _ in first }
        }
        let floor = measure(9) { differences(heroes[0], heroes[1]) }
        let diff = try measure(9) { try differences(versions[0], versions[1]) }
        let diffOfShuffled = try measure(9) { try differences(versions[0], shuffled) }
        table.add("a loop over two dictionaries of structs", floor, peer: nil)
        table.add("GraphDiff", diff, peer: floor)
        table.add("GraphDiff, one side in another order", diffOfShuffled, peer: floor)
        table.goal("diff in memory", diff, to: floor, "at most 3 times the loop") { $0 <= 3 }
        table.goal("diff in memory, another order", diffOfShuffled, to: floor, "at most 3 times the loop") { $0 <= 3 }
    }

    private static func differences(_ old: [Int64: Hero], _ new: [Int64: Hero]) -> Int {
        var count = 0
        for (identifier, hero) in old {
            if let other = new[identifier] { count += hero.differences(from: other) } else { count += 1 }
        }
        for identifier in new.keys where old[identifier] == nil { count += 1 }
        return count
    }

    private static func differences(_ old: GraphSnapshot, _ new: GraphSnapshot) throws -> Int {
        let diff = try GraphDiff(from: old, to: new)
        return diff.inserted.count + diff.deleted.count + diff.changed.reduce(0) { $0 + $1.properties.count }
    }
}

extension GraphValue {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    fileprivate var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    fileprivate var number: Double? {
        switch self {
        case .double(let number), .date(let number): number
        default: nil
        }
    }
}
