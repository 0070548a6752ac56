// Ordered relationships: as few moves as possible, the same ones in both directions.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct OrderedDiffTests {
    private let model: NSManagedObjectModel

    init() {
        var sketch = ModelSketch()
        sketch.entity(
            "List", info: ["id": "name"],
            [.attribute("name"), .toMany("items", "Item", inverse: "list", isOrdered: true)])
        sketch.entity("Item", info: ["id": "name"], [.attribute("name"), .toOne("list", "List", inverse: "items")])
        model = sketch.model()
    }

    private func snapshot(_ items: String) throws -> GraphSnapshot {
        let names = items.map { #"{"name": "\#($0)"}"# }.joined(separator: ",")
        return try GraphSnapshot(
            json: Data(#"{"name": "L", "items": [\#(names)]}"#.utf8), entity: "List", model: model)
    }

    private func change(_ old: String, _ new: String) throws -> MembersChange {
        let diff = try GraphDiff(from: snapshot(old), to: snapshot(new))
        let back = try GraphDiff(from: snapshot(new), to: snapshot(old))
        #expect(diff.inverted == back, "\(old) \(new)")
        guard case .toMany(let change)? = diff.changed.first?["items"] else { return MembersChange() }
        return change
    }

    private func text(_ change: MembersChange) -> String {
        func name(_ key: ObjectKey) -> String { key.identity.first.map { "\($0)".filter { $0 != "\"" } } ?? "" }
        let removed = change.removed.map { "-\(name($0.key))\($0.index ?? -1)" }
        let added = change.added.map { "+\(name($0.key))\($0.index ?? -1)" }
        let moved = change.moved.map { "\(name($0.key))\($0.from)>\($0.to)" }
        return (removed + added + moved).joined(separator: " ")
    }

    @Test(arguments: [
        ("abc", "abc", ""), ("abc", "xabc", "+x0"), ("abc", "bca", "a0>2"), ("abc", "cab", "c2>0"),
        ("ab", "ba", "b1>0"), ("abcde", "eabxd", "-c2 +x3 e4>0"), ("abcd", "dcba", "d3>0 c2>1 b1>2"),
        ("", "ab", "+a0 +b1"),
        ("ab", "", "-a0 -b1"), ("abcdef", "badcfe", "b1>0 d3>2 f5>4"),
    ])
    func `moves are few and named by element`(_ old: String, _ new: String, _ expected: String) throws {
        #expect(text(try change(old, new)) == expected)
    }

    @Test func `a longest run stays, in either direction`() throws {
        var random = SeededGenerator(seed: 7)
        for round in 0..<200 {
            let letters = Array("abcdefghij")
            let old = letters.filter { _ in random.chance(80) }.shuffled(using: &random)
            let new = letters.filter { _ in random.chance(80) }.shuffled(using: &random)
            let moved = try change(String(old), String(new)).moved.count
            let common = new.compactMap { old.firstIndex(of: $0) }
            #expect(moved == common.count - Self.longestRun(common), "round \(round): \(old) \(new)")
        }
    }

    /// The length of a longest increasing subsequence, by trying each element as the last one.
    private static func longestRun(_ numbers: [Int]) -> Int {
        var lengths: [Int] = []
        for (index, number) in numbers.enumerated() {
            lengths.append(1 + (0..<index).filter { numbers[$0] < number }.map { lengths[$0] }.reduce(0, max))
        }
        return lengths.reduce(0, max)
    }
}
