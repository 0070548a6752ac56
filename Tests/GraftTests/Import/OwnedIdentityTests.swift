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
                .toOne("best", "Season"), .toOne("worst", "Season"),
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

    /// Orders with parcels, which only their contents tell, and items, which have a number in their parcel.
    private func parcels() throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [.attribute("id"), .toMany("parcels", "Parcel", inverse: "order", rule: .cascadeDeleteRule)])
            sketch.entity(
                "Parcel",
                [
                    .attribute("weight", .integer32AttributeType), .toOne("order", "Order", inverse: "parcels"),
                    .toMany("items", "Item", inverse: "parcel", rule: .cascadeDeleteRule),
                ])
            sketch.entity(
                "Item", info: ["identityAttributes": "no, parcel", "JSONDeletedKey": "gone"],
                [
                    .attribute("no", .integer32AttributeType), .attribute("text"),
                    .toOne("parcel", "Parcel", inverse: "items"),
                ])
        }
    }

    @Test func `who hangs on an object that its contents tell is found again, through each door`() throws {
        let world = try parcels()
        let text = #"[{"id": "a", "parcels": [{"weight": 1, "items": [{"no": 2, "text": "x"}]}]}]"#
        try world.take(text, "Order")
        #expect(try !world.take(text, "Order").hasChanges)
        let (archive, whole) = (try world.stack.archive(), try world.stack.perform { try $0.exportJSON() })
        let file = FileManager.default.temporaryDirectory.appending(path: "graft-\(UUID().uuidString).archive")
        defer { try? FileManager.default.removeItem(at: file) }
        try archive.write(to: file)
        #expect(try !world.stack.restore(archive).hasChanges)
        #expect(try !world.stack.container.importJSON(from: [.file(file)]).hasChanges)
        #expect(try !world.take(String(decoding: whole, as: UTF8.self)).hasChanges)
        try world.stack.perform { context throws in
            let order = try #require(try context.one("Order", "id", "a"))
            try order.populate(fromDictionary: order.toDictionary())
            #expect(!context.hasChanges)
        }
        let changed = text.replacingOccurrences(of: #""x""#, with: #""y""#)
        let report = try world.take(changed, "Order")
        #expect(report["Item"].updated == 1 && report.total.inserted == 0 && report.total.deleted == 0)
        let gone = #"[{"id": "a", "parcels": [{"weight": 1, "items": [{"no": 2, "gone": true}]}]}]"#
        #expect(try world.take(gone, "Order")["Item"].deleted == 1)
        #expect(try world.count("Item") == 0 && world.count("Parcel") == 1)
    }

    @Test func `who hangs on one owner finds what one owner has`() throws {
        let world = try parcels()
        func parcel(_ texts: [String]) -> String {
            let items = texts.enumerated().map { #"{"no": \#($0 + 1), "text": "\#($1)"}"# }
            return #"{"weight": 5, "items": [\#(items.joined(separator: ", "))]}"#
        }
        try world.take("[\(parcel(["p", "r"])), \(parcel(["q", "s"]))]", "Parcel")
        let text = #"[{"no": 1, "text": "q", "parcel": {"weight": 5, "items": [{"no": 1}, {"no": 2, "text": "new"}]}}]"#
        let report = try world.take(text, "Item")
        #expect(report.total.inserted == 0 && report.total.deleted == 0 && report["Item"].updated == 1)
        let texts: [[String]] = try world.stack.perform { context in
            try context.all("Parcel").map { parcel in
                ((parcel.value(forKey: "items") as? Set<NSManagedObject>) ?? []).compactMap { $0.text("text") }.sorted()
            }
        }
        #expect(Set(texts) == [["p", "r"], ["new", "q"]])
        #expect(try !world.take(text, "Item").hasChanges)
    }

    @Test(arguments: ["no, order", "order"], [1, 5000])
    func `who hangs on an object that stands below it is found again with it`(_ identity: String, _ size: Int) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Line", info: ["identityAttributes": identity],
                [
                    .attribute("no", .integer32AttributeType), .attribute("text"),
                    .toOne("order", "Order", inverse: "line"),
                ])
            sketch.entity(
                "Order",
                [
                    .attribute("name"), .attribute("weight", .integer32AttributeType),
                    .toOne("line", "Line", inverse: "order"),
                ])
            sketch.entity(
                "Folder", info: ["identityAttributes": identity.replacingOccurrences(of: "order", with: "parent")],
                [
                    .attribute("no", .integer32AttributeType), .attribute("name"),
                    .toOne("parent", "Folder", inverse: "child"), .toOne("child", "Folder", inverse: "parent"),
                ])
        }
        (world.options.batchSize, world.options.savesEachBatch) = (size, size == 1)
        let lines = """
            [{"no": 1, "text": "a", "order": {"name": "x"}}, {"no": 1, "text": "b", "order": {"name": "x"}},
             {"no": 1, "order": {"name": "x", "weight": 2}}, {"no": 2, "order": {"name": "y"}}]
            """
        let folders = #"[{"no": 1, "name": "x", "parent": {"name": "y"}}]"#
        for round in 0..<3 {
            #expect(try world.take(lines, "Line").hasChanges == (round == 0))
            #expect(try world.take(folders, "Folder").hasChanges == (round == 0))
        }
        try world.stack.perform { context throws in
            for (text, entity) in [(lines, "Line"), (folders, "Folder")] {
                let data = Data(text.utf8)
                let dictionaries = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
                try context.populateObjects(fromDictionaries: dictionaries, entity: entity)
            }
            #expect(!context.hasChanges)
        }
        #expect(try world.count("Line") == 4 && world.count("Order") == 4 && world.count("Folder") == 2)
    }

    @Test func `who hangs on another object's new member is new`() throws {
        let world = try parcels()
        for id in ["a", "b"] {
            try world.take(#"[{"id": "\#(id)", "parcels": [{"weight": 1, "items": [{"no": 2}]}]}]"#, "Order")
        }
        #expect(try world.count("Parcel") == 2 && world.count("Item") == 2)
    }

    @Test func `a store with two objects of one owner and key isn't taken for one with one of them`() throws {
        let world = try parcels()
        try world.take(#"[{"id": "a", "parcels": [{"weight": 1, "items": [{"no": 2, "text": "x"}]}]}]"#, "Order")
        let before = try world.stack.perform { try GraphSnapshot(of: $0) }
        try world.stack.perform { context throws in
            let item = try #require(try context.all("Item").first)
            let twin = context.make("Item", ["no": 2, "text": "other"])
            twin.setValue(item.value(forKey: "parcel"), forKey: "parcel")
            try context.save()
        }
        #expect(
            graftError { _ = try world.stack.perform { try GraphDiff(from: before, to: GraphSnapshot(of: $0)) } } != nil
        )
        let archive = try world.stack.archive()
        let model = world.stack.container.managedObjectModel
        #expect(graftError { _ = try GraphSnapshot(reading: .data(archive), model: model) } != nil)
    }

    @Test(arguments: [1, 5000])
    func `what data says of an object that it takes away stays, where that doesn't own it`(_ size: Int) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Book", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [.attribute("id"), .toOne("author", "Author", inverse: "books")])
            sketch.entity(
                "Author", info: ["identityAttributes": "id"],
                [.attribute("id"), .attribute("name"), .toMany("books", "Book", inverse: "author")])
        }
        (world.options.batchSize, world.options.savesEachBatch) = (size, true)
        try world.take(#"[{"id": "1", "author": {"id": "7", "name": "X"}}, {"id": "1", "gone": true}]"#, "Book")
        #expect(try world.values("name", of: "Author") == ["X"] && world.count("Book") == 0)
    }

    @Test func `what comes after the end of an object that its owner identifies is a new one`() throws {
        let world = try parcels()
        func text(_ items: String) -> String { #"[{"id": "a", "parcels": [{"weight": 1, "items": [\#(items)]}]}]"# }
        try world.take(text(#"{"no": 2, "text": "old"}"#), "Order")
        for _ in 0..<2 {
            try world.take(text(#"{"no": 2, "gone": true}, {"no": 2, "text": "new"}"#), "Order")
            #expect(try world.values("text", of: "Item") == ["new"])
        }
    }

    @Test func `objects of entities that aren't related may have one key and owner`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "id"],
                [.attribute("id"), .toMany("items", "Item", inverse: "order")])
            sketch.entity(
                "Item", info: ["identityAttributes": "no, order"],
                [.attribute("no", .integer32AttributeType), .toOne("order", "Order", inverse: "items")])
            sketch.entity("Book", parent: "Item", [.attribute("pages", .integer32AttributeType)])
            sketch.entity("Map", parent: "Item", [.attribute("scale", .integer32AttributeType)])
        }
        for entity in ["Book", "Map"] { try world.take(#"{"no": 1, "order": {"id": "a"}}"#, entity) }
        #expect(try world.stack.findings() == [])
        let text = try world.stack.perform { context throws in
            #expect(try GraphSnapshot(of: context).contents().count == 3)
            return String(decoding: try context.exportJSON(), as: UTF8.self)
        }
        #expect(try !world.take(text).hasChanges)
        #expect(try world.count("Item") == 2)
    }

    @Test(arguments: [1, 5000])
    func `an object that the same data makes and takes away leaves nothing behind`(_ size: Int) throws {
        var world = try parcels()
        (world.options.batchSize, world.options.savesEachBatch) = (size, true)
        for _ in 0..<2 {
            try world.take(#"[{"id": "a", "parcels": [{"weight": 1}]}, {"id": "a", "gone": true}]"#, "Order")
            #expect(try world.count("Order") == 0 && world.count("Parcel") == 0)
        }
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

    @Test(arguments: [false, true])
    func `what is decoded names the season of a team wherever it stands`(_ saves: Bool) throws {
        let stack = try TestStack(Self.model(), .sqlite)
        try stack.perform { context throws in
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            func decode(_ text: String) throws -> CodedTeam {
                let team = try #require(try decoder.decode([CodedTeam].self, from: Data(text.utf8)).first)
                if saves { try context.save() }
                return team
            }
            func ranks(_ team: CodedTeam) -> [Int64] {
                let seasons = team.value(forKey: "seasons") as? Set<NSManagedObject> ?? []
                return seasons.compactMap { $0.number("rank") }.sorted()
            }
            let first = try decode(#"[{"id": 1, "seasons": [{"year": 2000, "rank": 1, "winner": "Bob"}]}]"#)
            let second = try decode(#"[{"id": 2}]"#)
            _ = try decode(#"[{"id": 2, "best": {"year": 2000, "rank": 4, "team": {"id": 1}}}]"#)
            #expect(second.object("best")?.text("winner") == "Bob")
            #expect(ranks(first) == [4] && ranks(second) == [])
            let list = #"{"year": 2000, "rank": 6}, {"year": 2001, "rank": 7}, {"year": 2001, "rank": 8}"#
            _ = try decode(#"[{"id": 1, "seasons": [\#(list)]}]"#)
            #expect(ranks(first) == [6, 8])
            #expect(try ranks(decode(#"[{"id": 3, "seasons": [\#(list)]}]"#)) == [6, 8])
            #expect(try context.all("Season").count == 4)
        }
    }

    @Test func `a season that is met again is encoded as its year and its team`() throws {
        let source = try TestStack(Self.model(), .sqlite), target = try TestStack(Self.model(), .sqlite)
        try source.importJSON(Self.teams, "Team")
        let json = try source.perform { context throws in
            let team = try #require(try context.one("Team", "id", 1))
            let season = try context.one("Season", "winner", "Bob")
            for key in ["best", "worst"] { team.setValue(season, forKey: key) }
            return try sortedJSON(team as? CodedTeam)
        }
        #expect(json.contains(#""worst":{"team":{"id":1},"year":2000}"#), "\(json)")
        try target.perform { context throws in
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            for _ in 0..<2 {
                let team = try decoder.decode(CodedTeam.self, from: Data(json.utf8))
                #expect(team.object("best")?.text("winner") == "Bob")
                #expect(team.object("worst") === team.object("best"))
                #expect(try context.all("Season").count == 2)
                try context.save()
            }
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

    @Test
    func `an object that its contents tell is found with the one to-one object that its own identity tells by it`()
        throws
    {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [.attribute("id", .integer32AttributeType), .toMany("games", "Game", inverse: "teams")])
        sketch.entity(
            "Game",
            [
                .attribute("place"), .toMany("teams", "Team", inverse: "games"),
                .toOne("ticket", "Ticket", inverse: "game", rule: .cascadeDeleteRule), .toOne("note", "Note"),
            ])
        sketch.entity(
            "Ticket", info: ["identityAttributes": "no,game"],
            [
                .attribute("no", .integer32AttributeType), .attribute("price", .integer32AttributeType),
                .toOne("game", "Game", inverse: "ticket"),
            ])
        sketch.entity("Note", [.attribute("text")])
        let model = sketch.model()
        model.entitiesByName["Team"]?.managedObjectClassName = NSStringFromClass(CodedTeam.self)
        let text = """
            [{"id": 1, "games": [{"place": "a", "ticket": {"no": 1}}, {"place": "a", "ticket": {"no": 2, "price": 3}},
                                 {"place": null, "ticket": {"no": 1, "price": 5}, "note": {"text": "x"}}]}]
            """
        for door in [DoorLawTests.Door.importing, .populating, .decoding] {
            let stack = try TestStack(model, .sqlite)
            for (round, text) in [text, text, text.replacingOccurrences(of: "5", with: "6")].enumerated() {
                try stack.perform { context throws in
                    switch door {
                    case .decoding: _ = try context.decode([CodedTeam].self, from: Data(text.utf8), with: JSONDecoder())
                    default: try door.take(Data(text.utf8), into: context)
                    }
                    #expect(round != 1 || !context.hasChanges, "\(door)")
                    try context.save()
                }
                for (entity, count) in [("Game", 3), ("Ticket", 3), ("Note", 1)] {
                    #expect(try stack.count(entity) == count, "\(door) \(round) \(entity)")
                }
            }
        }
    }
}
