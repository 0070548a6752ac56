// FINDING: members of a list that wait for their objects are linked one by one as these arrive, each time with a look at the whole list
// (members, contains, place(of:), areSame, assign): quadratic in the list's length.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite(.serialized) struct DeferredListGrowthTests {
    private func importDeferred(_ count: Int, _ model: NSManagedObjectModel) throws {
        let stack = try TestStack(model, .inMemory)
        let ids = (0..<count).map { "\($0)" }
        let team = "[{\"id\": 1, \"players\": [\(ids.joined(separator: ","))]}]"
        let players = "[\(ids.map { "{\"id\": \($0)}" }.joined(separator: ","))]"
        try stack.perform { context throws in
            let report = try context.importJSON(from: [
                .data(Data(team.utf8), entity: "Team"), .data(Data(players.utf8), entity: "Player"),
            ])
            #expect(report.unresolvedReferences.isEmpty && report["Player"].inserted == count)
        }
    }

    @Test func `four times as many members that arrive later take about four times as long`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType),
                .toMany("players", "Player", inverse: "team").annotated(["JSONReferencePolicy": "defer"]),
            ])
        sketch.entity(
            "Player", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toOne("team", "Team", inverse: "players")])
        let model = sketch.model()
        let ratio = try Growth.ratio {
            try importDeferred(500, model)
        } large: {
            try importDeferred(2000, model)
        }
        // Quadratic would be 16.
        #expect(ratio < 9, "\(ratio)")
    }
}
