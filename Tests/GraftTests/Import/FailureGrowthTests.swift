// Many records that fail: each has its line and column, which are counted on from those of the one before.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct FailureGrowthTests {
    private func records(_ count: Int) -> String {
        let rest = String(repeating: "x", count: 400)
        return "[" + (0..<count).map { #"{"id": "wrong\#($0)", "rest": "\#(rest)"}"# }.joined(separator: ",\n") + "]"
    }

    /// The lines of the failures.
    private func lines(of text: String, _ model: NSManagedObjectModel) throws -> [Int?] {
        var options = ImportOptions()
        options.failurePolicy = .skip
        return try TestStack(model, .inMemory).importJSON(text, "Note", options: options).failures.map(\.line)
    }

    @Test func `four times as many records that fail take about four times as long`() throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("id", .integer64AttributeType)])
        let model = sketch.model()
        let small = records(500), large = records(2000)
        let ratio = try Growth.ratio {
            let found = try lines(of: small, model)
            #expect(found == Array(1...500))
        } large: {
            let found = try lines(of: large, model)
            #expect(found == Array(1...2000))
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }

    /// Records of which every second one has a link that can't be made: to what isn't there, or is of another entity.
    private func links(_ count: Int) -> String {
        let records = (0..<count).map { number in
            let (key, end) = (number % 4 == 1 ? "boss" : "cat", number % 2 == 1 ? "-1" : "null")
            return #"{"id": \#(number), "\#(key)": \#(end)}"#
        }
        return "[" + records.joined(separator: ",\n") + "]"
    }

    private func skip(_ text: String, _ model: NSManagedObjectModel, batch: Int?) throws -> Int {
        let stack = try TestStack(model, .sqlite)
        try stack.importJSON(#"[{"id": -1, "name": "x"}]"#, "Animal")
        var options = ImportOptions()
        options.failurePolicy = .skip
        (options.batchSize, options.savesEachBatch) = (batch ?? 5000, batch != nil)
        return try stack.importJSON(text, "Person", options: options).failures.count
    }

    @Test(arguments: [nil, 20])
    func `four times as many links that can't be made take about four times as long`(_ batch: Int?) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("name")])
        sketch.entity("Cat", parent: "Animal", [.toOne("owner", "Person", inverse: "cat")])
        // Where batches are saved, a missing object can't cost its record any more: then it is made.
        let policy = batch == nil ? "fail" : "stub"
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .toOne("cat", "Cat", inverse: "owner"),
                .toOne("boss", "Person", inverse: "reports").annotated(["JSONReferencePolicy": policy]),
                .toMany("reports", "Person", inverse: "boss"),
            ])
        let model = sketch.model()
        let small = links(400), large = links(1600)
        let expected = batch == nil ? 2 : 4
        let ratio = try Growth.ratio {
            let count = try skip(small, model, batch: batch)
            #expect(count == 400 / expected)
        } large: {
            let count = try skip(large, model, batch: batch)
            #expect(count == 1600 / expected)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }

    /// Records of which every second one has a type that its object can't be of: an abstract one, or another than the stored one's.
    private func types(_ count: Int) -> String {
        let records = (0..<count).map { number in
            let type = number % 2 == 0 ? "Dog" : number % 4 == 1 ? "Mammal" : "Cat"
            return #"{"id": \#(number), "type": "\#(type)", "name": "new"}"#
        }
        return "[" + records.joined(separator: ",\n") + "]"
    }

    /// How many records are left out, where dogs are stored as every fourth one.
    private func skipTypes(_ count: Int, _ model: NSManagedObjectModel, batch: Int?) throws -> Int {
        let stack = try TestStack(model, .sqlite)
        let dogs = stride(from: 3, to: count, by: 4).map { #"{"id": \#($0), "name": "old"}"# }
        try stack.importJSON("[" + dogs.joined(separator: ",") + "]", "Dog")
        var options = ImportOptions()
        options.failurePolicy = .skip
        (options.batchSize, options.savesEachBatch) = (batch ?? 5000, batch != nil)
        return try stack.importJSON(types(count), "Animal", options: options).failures.count
    }

    @Test(arguments: [nil, 20])
    func `four times as many objects of a wrong type take about four times as long`(_ batch: Int?) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal", info: ["identityAttributes": "id", "JSONEntityKey": "type", "JSONEntityChange": "fail"],
            [.attribute("id", .integer64AttributeType), .attribute("name")])
        sketch.entity("Mammal", parent: "Animal", isAbstract: true, [])
        sketch.entity("Cat", parent: "Animal", [])
        sketch.entity("Dog", parent: "Animal", [])
        let model = sketch.model()
        let ratio = try Growth.ratio {
            let count = try skipTypes(400, model, batch: batch)
            #expect(count == 200)
        } large: {
            let count = try skipTypes(1600, model, batch: batch)
            #expect(count == 800)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
