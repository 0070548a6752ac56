// Imports into stores that have many objects and no index on their identity: the identities are read once.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct StoredIdentityTests {
    /// So many that reading their identities is worth it.
    private let count = 5400

    private func world(unique: [[String]] = []) throws -> ImportWorld {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Item", info: ["identityAttributes": "list,number"], unique: unique,
                [
                    .attribute("list", json: "list"), .attribute("number", .integer64AttributeType, json: "number"),
                    .attribute("text", json: "text"),
                    .toMany("parts", "Item", inverse: "wholes", json: "parts"),
                    .toMany("wholes", "Item", inverse: "parts"),
                ])
            sketch.entity("Special", parent: "Item", [.attribute("why", json: "why")])
        }
        world.options.batchSize = 300
        return world
    }

    private func item(_ number: Int, _ text: String) -> String {
        #"{"list": "l\#(number % 2)", "number": \#(number), "text": "\#(text)"}"#
    }

    private func fill(_ world: ImportWorld) throws {
        try world.take((0..<count - 400).map { item($0, "t") }.joined(separator: "\n"), "Item")
        try world.take((count - 400..<count).map { item($0, "t") }.joined(separator: "\n"), "Special")
    }

    @Test(arguments: [false, true], [nil, 1000, 37])
    func `without an index the identities are read once, and what is found is the same`(
        savesEachBatch: Bool, kept: Int?
    ) throws {
        var world = try world()
        try fill(world)
        // The others are in temporary files.
        if let kept { world.options.keptIdentities = kept }
        world.options.savesEachBatch = savesEachBatch
        let same = try world.take((0..<count).map { item($0, "t") }.joined(separator: "\n"), "Item")
        #expect(same.total.unchanged == count)
        #expect(same.total.inserted == 0)
        // 100 changed, 100 new, of which half refer to what the import itself has made.
        let new = (0..<100).map { number in
            let made = count + number
            return
                #"{"list": "n", "number": \#(made), "parts": [{"list": "n", "number": \#(made - 1)}, {"list": "l0", "number": 0}]}"#
        }
        let changed = (0..<count).map { item($0, $0 % 54 == 0 ? "changed" : "t") }
        let report = try world.take((changed + new).joined(separator: "\n"), "Item")
        #expect(report.total.updated == 100)
        #expect(report.total.unchanged == count - 100)
        // The first of the new ones refers to one that isn't in the data.
        #expect(report.total.inserted + report.total.stubs == 101)
        #expect(try world.count("Item") == count + 101)
        #expect(try world.count("Special") == 400)
    }

    /// How many identities are kept, and of how many; where it is one, each of the others is a run of its own in the temporary files.
    @Test(arguments: [(1, 900), (50, 5400), (100_000, 5400)])
    func `an import into a new store finds what its own batches have saved, however little of it is kept`(
        kept: Int, count: Int
    ) throws {
        var world = try world()
        world.options.savesEachBatch = true
        world.options.keptIdentities = kept
        let numbers = Array(0..<count)
        let text = (numbers + numbers).map { item($0, $0 % 3 == 0 ? "a" : "b") }.joined(separator: "\n")
        let report = try world.take(text, "Item")
        #expect(report.total.inserted == count && report.total.updated + report.total.unchanged == 0)
        #expect(try world.count("Item") == count)
        #expect(try world.take(text, "Item").total.unchanged == count)
    }

    @Test func `with a constraint each batch asks the store's index`() throws {
        let world = try world(unique: [["list", "number"]])
        try fill(world)
        let report = try world.take((0..<count).map { item($0, "t") }.joined(separator: "\n"), "Item")
        #expect(report.total.unchanged == count)
        #expect(report.fetchCount == count / 300)
    }
}
