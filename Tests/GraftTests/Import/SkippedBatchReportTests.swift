// A record that is skipped takes nothing out of the report that is about others. (ImportRun.importBatches goes on with a new reader and
// forgets what the one before has counted.)

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SkippedBatchReportTests {
    @Test(arguments: [false, true], [1, 2, 1000])
    func `what other records had is in the report when one is skipped`(_ isSaved: Bool, _ size: Int) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Item", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType, json: "id"),
                    .attribute("name", json: "name", isOptional: false),
                    .attribute("price", .decimalAttributeType, json: "price"),
                ])
        }
        world.options.failurePolicy = .skip
        (world.options.savesEachBatch, world.options.batchSize) = (isSaved, size)
        // A rule of the model refuses the last but one: that shows when the ones before are saved.
        let report = try world.take(
            """
            [{"id": 1, "name": "a", "colour": 1, "price": 0.12345678901234567}, {"id": 2, "name": "b", "colour": 1},
             {"id": 3, "name": "c", "name": "d"}, {"id": 4}, {"id": 5, "name": "e", "colour": 1}]
            """, "Item")
        #expect(try world.count("Item") == 4)
        #expect(report.recordCount == 5 && report["Item"].skipped == 1)
        #expect(report.unknownKeys.map(\.count) == [3])
        #expect(report.repeatedKeys.map(\.count) == [1])
        #expect(report.roundedValues.map(\.count) == [1])
    }

    @Test(arguments: [false, true])
    func `a record of which one link can be made and another one can't leaves nothing behind`(_ isSaved: Bool) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Animal", info: ["identityAttributes": "id"],
                [.attribute("id", .integer64AttributeType), .attribute("name")])
            sketch.entity("Cat", parent: "Animal", [.toOne("owner", "Person", inverse: "zcat")])
            sketch.entity(
                "Person", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .toOne("boss", "Person", inverse: "reports"), .toMany("reports", "Person", inverse: "boss"),
                    .toOne("zcat", "Cat", inverse: "owner"),
                ])
        }
        try world.take(#"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]"#, "Person")
        try world.take(#"[{"id": 9, "name": "x"}]"#, "Animal")
        world.options.failurePolicy = .skip
        world.options.savesEachBatch = isSaved
        // It is found in the batch, which is then read again without it: with fewer rows.
        let report = try world.take(#"[{"id": 1, "name": "a2"}, {"id": 3, "boss": 1, "zcat": 9}]"#, "Person")
        #expect(report.failures.map(\.record) == [1])
        #expect(try world.values("name", of: "Person") == ["a2", "b", "c"])
        #expect(try world.members("reports", "name", of: "Person", "id", 1) == [])
    }

    @Test(arguments: [1, 2, 1000], [false, true])
    func `objects that a batch has passed over count, also where it has no others`(_ size: Int, _ isSaved: Bool) throws
    {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Animal",
                info: ["identityAttributes": "id", "JSONEntityKey": "type", "JSONUnknownEntity": "skip"],
                [.attribute("id", .integer64AttributeType), .attribute("name", isOptional: false)])
            sketch.entity("Cat", parent: "Animal", [])
        }
        world.options.failurePolicy = .skip
        (world.options.batchSize, world.options.savesEachBatch) = (size, isSaved)
        let report = try world.take(
            #"[{"id": 1, "type": "Cow"}, {"id": 2, "name": "a"}, {"id": 3}, {"id": 4, "type": "Cow"}]"#, "Animal")
        // Record 2 lacks its name.
        #expect(report["Animal"].skipped == 3 && report.failures.count == 1)
        #expect(try world.values("id", of: "Animal") == ["2"])
    }

    private func people(_ isSaved: Bool) throws -> ImportWorld {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Person", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toOne("boss", "Person", inverse: "reports").annotated(["JSONReferencePolicy": "fail"]),
                    .toMany("reports", "Person", inverse: "boss"),
                ])
        }
        world.options.failurePolicy = .skip
        (world.options.batchSize, world.options.savesEachBatch) = (1, isSaved)
        return world
    }

    @Test func `what shows only when all batches have been saved is an error with its place`() throws {
        let error = try #require(try people(true).refuse(#"[{"id": 1}, {"id": 2, "boss": 9}, {"id": 3}]"#, "Person"))
        #expect(error.problem == .unresolvedReference(entity: "Person", identity: "9"))
        #expect(error.place.path == [.index(1)] && error.place.line == 1 && error.place.property == "boss")
        #expect(error.description.contains("3 batches before it had been saved"))
    }

    @Test func `where all is one save, it costs its record alone`() throws {
        let world = try people(false)
        let report = try world.take(#"[{"id": 1}, {"id": 2, "boss": 9}, {"id": 3, "boss": 8}]"#, "Person")
        #expect(report.failures.map(\.record) == [1, 2] && report.failures.map(\.path) == ["$[1]", "$[2]"])
        #expect(try world.values("id", of: "Person") == ["1"])
    }
}
