// Objects whose identity includes their owner, through each door: decoding, stores, snapshots, dictionaries. Who names the owner finds the
// one that it has.

import CoreData
import Foundation
import Graft
import Testing

final class CodedTeam: NSManagedObject, ManagedCodable {}
final class CodedSeason: NSManagedObject, ManagedCodable {}

@Suite struct OwnedIdentityTests {
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType),
                .toMany("seasons", "Season", inverse: "team", rule: .cascadeDeleteRule),
                .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Season", info: ["identityAttributes": "year,team"],
            [
                .attribute("year", .integer32AttributeType), .attribute("rank", .integer32AttributeType),
                .attribute("winner"), .toOne("team", "Team", inverse: "seasons"),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("team", "Team", inverse: "notes")])
        let model = sketch.model()
        let classes: [String: AnyClass] = ["Team": CodedTeam.self, "Season": CodedSeason.self]
        for (name, type): (String, AnyClass) in classes {
            model.entitiesByName[name]?.managedObjectClassName = NSStringFromClass(type)
        }
        return model
    }

    @Test(arguments: [false, true])
    func `the season of a team is the same whether the team is around it or in it`(_ saves: Bool) throws {
        let stack = try TestStack(Self.model(), .sqlite)
        try stack.perform { context throws in
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            func decode(_ text: String) throws {
                _ = try decoder.decode([CodedSeason].self, from: Data(text.utf8))
                if saves { try context.save() }
            }
            try decode(#"[{"year": 2000, "rank": 3, "winner": "Bob", "team": {"id": 1}}]"#)
            try decode(#"[{"year": 2000, "rank": 5, "team": {"id": 1}}, {"year": 2001, "rank": 7, "team": {"id": 1}}]"#)
            try decode(#"[{"year": 2000, "rank": 9, "team": {"id": 2}}, {"year": 2000, "rank": 8, "team": {"id": 2}}]"#)
            let words = try context.all("Season").map { season in
                let team = season.value(forKeyPath: "team.id") as? Int
                return "\(team ?? 0) \(season.value(forKey: "year") ?? "-") \(season.value(forKey: "rank") ?? "-") "
                    + (season.text("winner") ?? "-")
            }
            #expect(words.sorted() == ["1 2000 5 Bob", "1 2001 7 -", "2 2000 8 -"])
            #expect(try context.all("Team").count == 2)
            _ = try decoder.decode(
                CodedTeam.self, from: Data(#"{"id": 1, "seasons": [{"year": 2000, "rank": 6}]}"#.utf8))
            #expect(try context.all("Season").filter { $0.text("winner") == "Bob" }.count == 1)
        }
    }

    private static let teams = """
        [{"id": 1, "seasons": [{"year": 2000, "rank": 1, "winner": "Bob"}, {"year": 2001, "rank": 2}]},
         {"id": 2, "seasons": [{"year": 2000, "rank": 3}]}]
        """

    @Test func `a store and a snapshot change nothing when they are imported again`() throws {
        let source = try TestStack(Self.model(), .sqlite), target = try TestStack(Self.model(), .sqlite)
        try source.container.importJSON(from: [.data(Data(Self.teams.utf8))], entity: "Team")
        let file = try #require(source.container.persistentStoreCoordinator.persistentStores.first?.url)
        for round in 0..<3 {
            let report = try target.container.importJSON(from: [.file(file)])
            #expect(report["Season"].inserted == (round == 0 ? 3 : 0))
        }
        let snapshot = try source.perform { try GraphSnapshot(of: $0) }
        try target.perform { context throws in
            for _ in 0..<2 {
                let report = try context.importSnapshot(snapshot)
                #expect(report["Season"].inserted == 0 && report["Season"].deleted == 0)
                #expect(report["Season"].updated == 0 && report["Season"].unchanged == 3)
                try context.save()
            }
        }
        #expect(try target.count("Season") == 3)
    }

    @Test(arguments: [[0, 1, 2], [2, 0, 1], [0, 2, 1]])
    func `dictionaries that are taken one by one find what those before them made`(_ order: [Int]) throws {
        let dictionaries: [[String: Any]] = [
            ["class": "Team", "id": 1, "notes": [["text": "a"]], "seasons": [["year": 2000, "rank": 3]]],
            ["class": "Team", "id": 1, "notes": [["text": "a"]]],
            ["class": "Season", "year": 2000, "team": ["id": 1], "winner": "Bob"],
        ]
        try TestStack(Self.model(), .sqlite).perform { context throws in
            var options = PopulateOptions()
            options.membersPolicy = .replace
            let report = try context.populateObjects(
                fromDictionaries: order.map { dictionaries[$0] }, options: options
            ).report
            #expect(report["Season"].inserted == 1 && report["Season"].deleted == 0)
            let seasons = try context.all("Season")
            #expect(seasons.map { $0.text("winner") } == ["Bob"])
            #expect(seasons.map { $0.value(forKey: "rank") as? Int } == [3])
        }
    }
}
