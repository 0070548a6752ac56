// Sort descriptors by key, in memory.

import Testing

@testable import CoreData

@Suite struct SortDescriptorTests {
    private func sorted(_ values: [Any?], _ descriptor: NSSortDescriptor) -> [String] {
        let objects = values.map { ["k": $0 ?? NSNull()] as [String: Any] }
        return NSSortDescriptor.sorted(objects, by: [descriptor]).map {
            "\($0["k"].map { $0 is NSNull ? "nil" : $0 } ?? "")"
        }
    }

    @Test func `nothing comes first when ascending and last when descending`() {
        #expect(sorted([2, nil, 1], NSSortDescriptor(key: "k", ascending: true)) == ["nil", "1", "2"])
        #expect(sorted([2, nil, 1], NSSortDescriptor(key: "k", ascending: false)) == ["2", "1", "nil"])
    }

    @Test func `texts are ordered by their bytes unless a selector says otherwise`() {
        let names = ["b", "É", "a", "B", "é", "10", "9"]
        #expect(sorted(names, NSSortDescriptor(key: "k", ascending: true)) == ["10", "9", "B", "a", "b", "É", "é"])
        let insensitive = NSSortDescriptor(key: "k", ascending: true, selector: Selector("caseInsensitiveCompare:"))
        #expect(sorted(names, insensitive) == ["10", "9", "a", "b", "B", "É", "é"])
        let standard = NSSortDescriptor(key: "k", ascending: true, selector: "localizedStandardCompare:")
        #expect(sorted(["file10", "file9"], standard) == ["file9", "file10"])
    }

    @Test func `several descriptors decide one after the other, and ties keep their order`() {
        let objects: [[String: Any]] = [
            ["a": 1, "b": "x", "n": 1], ["a": 0, "b": "x", "n": 2], ["a": 1, "b": "w", "n": 3],
            ["a": 1, "b": "x", "n": 4],
        ]
        let order = [NSSortDescriptor(key: "a", ascending: false), NSSortDescriptor(key: "b", ascending: true)]
        #expect(NSSortDescriptor.sorted(objects, by: order).map { $0["n"] as? Int } == [3, 1, 4, 2])
        let foundation = NSArray(array: objects).sortedArray(using: order).map { ($0 as? [String: Any])?["n"] as? Int }
        #expect(foundation == [3, 1, 4, 2])
    }

    @Test func `key paths, closures, reversal`() {
        let objects: [[String: Any]] = [["o": ["n": 2]], ["o": ["n": 1]], [:]]
        let descriptor = NSSortDescriptor(key: "o.n", ascending: true)
        #expect(descriptor.key == "o.n" && descriptor.ascending && descriptor.selector == Selector("compare:"))
        #expect(descriptor.compare(objects[0], to: objects[1]) == .orderedDescending)
        #expect(descriptor.compare(objects[2], to: objects[1]) == .orderedAscending)
        let reversed = descriptor.reversedSortDescriptor as? NSSortDescriptor
        #expect(reversed?.compare(objects[0], to: objects[1]) == .orderedAscending)
        #expect(reversed?.key == "o.n" && reversed?.ascending == false)
        let closure = NSSortDescriptor(key: "k", ascending: true) { a, b in
            let (a, b) = ((a as? Int ?? 0) % 10, (b as? Int ?? 0) % 10)
            return a < b ? .orderedAscending : (a == b ? .orderedSame : .orderedDescending)
        }
        #expect(sorted([29, 31, nil, 15], closure) == ["nil", "31", "15", "29"])
        #expect(closure.selector == nil)
        #expect(NSSortDescriptor(key: nil, ascending: true).compare(1, to: 2) == .orderedAscending)
    }

    @Test func `Swift's sort descriptors become sort descriptors by key`() {
        final class Item: NSObject {
            var label: String?
            var rank = 0
        }
        KeyPathNames.register([\Item.label: "label", \Item.rank: "rank"])
        let label = NSSortDescriptor(SortDescriptor(\Item.label, order: .reverse))
        #expect(label.key == "label" && !label.ascending && label.selector == Selector("localizedStandardCompare:"))
        let rank = NSSortDescriptor(SortDescriptor(\Item.rank))
        #expect(rank.key == "rank" && rank.ascending && rank.selector == Selector("compare:"))
    }

    @Test func `descriptors are equal by contents`() {
        #expect(NSSortDescriptor(key: "a", ascending: true) == NSSortDescriptor(key: "a", ascending: true))
        #expect(NSSortDescriptor(key: "a", ascending: true) != NSSortDescriptor(key: "a", ascending: false))
        #expect(NSSortDescriptor(key: "a", ascending: true) != NSSortDescriptor(key: "b", ascending: true))
    }

    @Test func `mixed numbers, dates and booleans have an order`() {
        #expect(
            sorted([2.5, 1, true, NSDecimalNumber(string: "1.5")], NSSortDescriptor(key: "k", ascending: true))
                .last == "2.5")
        let dates = [Date(timeIntervalSinceReferenceDate: 5), Date(timeIntervalSinceReferenceDate: 1)]
        let objects = dates.map { ["k": $0] }
        let ordered = NSSortDescriptor.sorted(objects, by: [NSSortDescriptor(key: "k", ascending: true)])
        #expect(ordered.map { $0["k"] } == [dates[1], dates[0]])
    }
}
