// An object whose identity includes its owner, and that its owner leads to by another relationship too: encoded and decoded into an empty
// store it is one object, as it is for an import of the same JSON. (ManagedObjectDecoder+Owners.swift keeps no key for a new object whose
// owner is decoded after it.)

import CoreData
import Foundation
import Graft
import Testing

final class CycledSeason: NSManagedObject, ManagedCodable {}

@Suite struct DecodedOwnerCycleTests {
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType),
                .toMany("seasons", "Season", inverse: "team", rule: .cascadeDeleteRule), .toOne("best", "Season"),
            ])
        sketch.entity(
            "Season", info: ["identityAttributes": "year,team"],
            [
                .attribute("year", .integer32AttributeType), .attribute("rank", .integer32AttributeType),
                .toOne("team", "Team", inverse: "seasons"),
            ])
        let model = sketch.model()
        model.entitiesByName["Season"]?.managedObjectClassName = NSStringFromClass(CycledSeason.self)
        return model
    }

    @Test(arguments: StoreKind.allCases, ["decoding", "importing"])
    func `what its owner leads to as well is one object when it comes back`(_ kind: StoreKind, _ door: String) throws {
        let source = try TestStack(Self.model(), kind), target = try TestStack(Self.model(), kind)
        try source.importJSON(#"[{"id": 1, "seasons": [{"year": 2000, "rank": 3}]}]"#, "Team")
        let json = try source.perform { context throws in
            let team = try #require(try context.one("Team", "id", 1))
            let season = try #require(try context.all("Season").first as? CycledSeason)
            team.setValue(season, forKey: "best")
            try context.save()
            return try sortedJSON(season)
        }
        #expect(json == #"{"rank":3,"team":{"best":{"team":{"id":1},"year":2000},"id":1},"year":2000}"#)
        for _ in 0..<2 {
            try target.perform { context throws in
                if door == "decoding" {
                    let decoder = JSONDecoder()
                    decoder.managedObjectContext = context
                    _ = try decoder.decode(CycledSeason.self, from: Data(json.utf8))
                } else {
                    try context.importJSON(Data(json.utf8), entity: "Season")
                }
                try context.save()
                #expect(try context.all("Season").map { $0.number("rank") } == [3])
                let team = try #require(try context.one("Team", "id", 1))
                #expect(team.object("best")?.number("rank") == 3)
                #expect(team.object("best")?.object("team") === team)
                #expect(try context.all("Team").count == 1)
            }
        }
    }
}
