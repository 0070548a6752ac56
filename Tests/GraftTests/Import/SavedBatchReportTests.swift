// What the report says of the data is the same whether batches are saved or not. (ImportRun.run takes over three of the six things that
// the check of the input has counted.)

import CoreData
import Foundation
import Graft
import Testing

@Suite struct SavedBatchReportTests {
    @Test(arguments: [false, true], [1, 1000])
    func `repeated keys are in the report, also of saved batches`(_ isSaved: Bool, _ size: Int) throws {
        var world = try ImportWorld { sketch in
            sketch.entity(
                "Item", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType, json: "id"), .attribute("name", json: "name"),
                    .attribute("tree", .transformableAttributeType, json: "tree"),
                ])
        }
        (world.options.savesEachBatch, world.options.batchSize) = (isSaved, size)
        let report = try world.take(
            #"[{"id": 1, "name": "A", "name": "B"}, {"id": 2, "tree": {"a": 1, "a": 2}}]"#, "Item")
        #expect(report.repeatedKeys.map(\.key) == ["name", "tree.a"])
        #expect(report.description.contains("the key 'name' is there again"))
    }

    @Test(arguments: [false, true], [1, 1000])
    func `links that the nesting overrules are in the report, also of saved batches`(
        _ isSaved: Bool, _ size: Int
    ) throws {
        var world = try ImportWorld { sketch in
            sketch.entity(
                "Home", info: ["identityAttributes": "id"],
                [.attribute("id"), .attribute("name"), .toMany("kids", "Kid", inverse: "home")])
            sketch.entity(
                "Kid", info: ["identityAttributes": "id"],
                [.attribute("id"), .attribute("name"), .toOne("home", "Home", inverse: "kids")])
        }
        (world.options.savesEachBatch, world.options.batchSize) = (isSaved, size)
        let report = try world.take(#"[{"id": "a", "kids": [{"id": "k", "home": {"name": "1"}}]}]"#, "Home")
        #expect(report.overruledLinks.map(\.count) == [1])
    }
}
