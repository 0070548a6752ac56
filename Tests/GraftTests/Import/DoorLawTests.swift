// The law of the doors: the same data through import, dictionaries and decoders gives the same objects, an archive of them gives
// them back, and through any door the same again changes nothing. Random data: objects that occur in several places, identities
// that are absent or null, objects without identity below others and at the top, sub-entities, decimals beyond what a store
// keeps, owned and shared members, ordered and not, identities that include the owner.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

final class DoorTeam: NSManagedObject, ManagedCodable {}

@Suite struct DoorLawTests {
    /// A way by which data comes in.
    enum Door: CaseIterable {
        case importing, populating, decoding

        func take(_ data: Data, into context: NSManagedObjectContext) throws {
            switch self {
            case .importing: try context.importJSON(from: .data(data), entity: "Team")
            case .populating:
                var options = PopulateOptions()
                options.membersPolicy = .replace
                let dictionaries = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
                try context.populateObjects(fromDictionaries: dictionaries, entity: "Team", options: options)
            case .decoding:
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                _ = try context.decode([DoorTeam].self, from: data, with: decoder)
            }
        }
    }

    static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .attribute("budget", .decimalAttributeType), .attribute("founded", .dateAttributeType),
                .toMany("players", "Player", inverse: "team"),
                .toMany("tags", "Tag", inverse: "teams"),
                .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true),
                .toMany("remarks", "Remark", inverse: "team", rule: .cascadeDeleteRule),
                .toMany("seasons", "Season", inverse: "team", rule: .cascadeDeleteRule),
                .toOne("ground", "Ground", inverse: "team", rule: .cascadeDeleteRule),
                .toMany("trophies", "Trophy"),
            ])
        sketch.entity("Trophy", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        sketch.entity(
            "Player", info: ["identityAttributes": "id", "JSONEntityKey": "$entity"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .attribute("isActive", .booleanAttributeType), .attribute("height", .doubleAttributeType),
                .toOne("team", "Team", inverse: "players"), .toOne("rival", "Player"),
                .toMany("badges", "Badge", inverse: "player", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Keeper", parent: "Player", info: ["identityAttributes": "id", "JSONEntityValue": "Keeper"],
            [.attribute("saves", .integer32AttributeType)])
        sketch.entity(
            "Tag", info: ["identityAttributes": "price"],
            [
                .attribute("price", .decimalAttributeType), .attribute("label"),
                .toMany("teams", "Team", inverse: "tags"),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("team", "Team", inverse: "notes")])
        sketch.entity(
            "Remark",
            [
                .attribute("text"), .attribute("stars", .integer16AttributeType),
                .toOne("team", "Team", inverse: "remarks"), .toOne("author", "Player"),
            ])
        sketch.entity(
            "Season", info: ["identityAttributes": "team,year"],
            [
                .attribute("year", .integer32AttributeType), .attribute("rank", .integer32AttributeType),
                .toOne("team", "Team", inverse: "seasons"),
            ])
        sketch.entity(
            "Ground",
            [
                .attribute("place"), .attribute("seats", .integer32AttributeType),
                .toOne("team", "Team", inverse: "ground"),
            ])
        sketch.entity("Badge", [.attribute("colour"), .toOne("player", "Player", inverse: "badges")])
        let model = sketch.model()
        for (name, entity) in model.entitiesByName {
            entity.managedObjectClassName = name == "Team" ? NSStringFromClass(DoorTeam.self) : "NSManagedObject"
        }
        return model
    }

    /// Random data about the same few objects.
    struct Payload {
        var random: SeededGenerator

        /// Whether every team has its identity, and occurs once.
        let isForDecoding: Bool

        init(seed: Int, isForDecoding: Bool) {
            random = SeededGenerator(seed: seed)
            self.isForDecoding = isForDecoding
        }

        private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        /// Members as JSON, each key at most once; absent ones are left out.
        private func object(_ members: [(String, String?)]) -> String {
            "{" + members.compactMap { key, value in value.map { "\"\(key)\": \($0)" } }.joined(separator: ", ") + "}"
        }

        /// A value, null, or nothing.
        private mutating func some(_ value: String) -> String? {
            chance(25) ? nil : chance(12) ? "null" : value
        }

        private mutating func list(_ count: Int, _ element: (inout Self, Int) -> String) -> String? {
            if chance(30) { return nil }
            if chance(8) { return "null" }
            return "[" + (0..<number(count + 1)).map { element(&self, $0) }.joined(separator: ", ") + "]"
        }

        mutating func text() -> String {
            let ids =
                isForDecoding
                ? (0..<3).filter { _ in chance(70) }.shuffled(using: &random)
                : (0..<(1 + number(4))).map { _ in number(3) }
            return "[" + ids.map { team($0) }.joined(separator: ",\n") + "]"
        }

        private mutating func team(_ id: Int) -> String {
            let budgets = ["12.5", "1234567890123456.78", "-0.1", "3", "9999999999999.99"]
            let years = (0..<3).filter { _ in chance(60) }
            return object([
                ("id", isForDecoding || chance(80) ? "\(id)" : nil), ("name", some("\"team \(number(4))\"")),
                ("budget", some(budgets[number(budgets.count)])),
                ("founded", some("\"20\(10 + number(3))-03-04T05:06:07Z\"")),
                ("players", list(3) { $0.player(of: id, $1) }),
                ("tags", list(3) { payload, _ in payload.tag() }),
                ("notes", list(3) { payload, _ in "{\"text\": \"note \(payload.number(5))\"}" }),
                ("remarks", list(3) { payload, _ in payload.remark() }),
                (
                    "seasons",
                    chance(50)
                        ? "[" + years.map { "{\"year\": \(2000 + $0), \"rank\": \(number(9))}" }.joined(separator: ", ")
                            + "]"
                        : nil
                ),
                ("trophies", list(3) { payload, _ in "{\"id\": \(payload.number(4))}" }),
                ("ground", some("{\"place\": \"place \(number(3))\", \"seats\": \(number(100))}")),
            ])
        }

        /// A player belongs to one team, whatever the data; what is nested in one only names others.
        private mutating func player(of team: Int, _ index: Int) -> String {
            let id = team * 10 + index
            // Which entity an object is of never changes.
            let isKeeper = index == 1
            return object([
                ("$entity", isKeeper ? "\"Keeper\"" : nil), ("id", "\(id)"), ("name", some("\"player \(number(4))\"")),
                ("isActive", some(chance(50) ? "true" : "false")), ("height", some("1.\(number(9))")),
                ("saves", isKeeper ? some("\(number(100))") : nil),
                // A keeper may be named as a player before anything is known of it.
                ("rival", some("{\"id\": \(number(3) * 10 + number(2))}")),
                ("badges", list(2) { payload, _ in "{\"colour\": \"\(["red", "blue"][payload.number(2)])\"}" }),
            ])
        }

        private mutating func tag() -> String {
            let prices = ["1234567890123456.78", "1234567890123456.81", "0.5", "7"]
            return object([("price", prices[number(prices.count)]), ("label", some("\"label \(number(3))\""))])
        }

        private mutating func remark() -> String {
            object([
                ("text", "\"remark \(number(3))\""), ("stars", some("\(number(3))")),
                ("author", chance(40) ? "{\"id\": \(number(3) * 10)}" : nil),
            ])
        }
    }

    @Test(arguments: Laws.cases(1...120, oneOf: 17))
    func `the same data through each door gives the same objects, and again changes nothing`(_ seed: Int) throws {
        let model = Self.model()
        // A coder hands over one object at a time: at the top, one without identity is new each time, and what an object had before
        // it was mentioned again is forgotten.
        let doors = seed.isMultiple(of: 2) ? [Door.importing, .populating] : Door.allCases
        var payload = Payload(seed: seed, isForDecoding: doors.contains(.decoding))
        let texts = (0..<3).map { _ in payload.text() }
        for kind in [StoreKind.inMemory, .sqlite] {
            // Foundation's reader makes doubles of decimals, which a store in memory keeps as they come.
            let texts =
                kind == .sqlite
                ? texts : texts.map { $0.replacingOccurrences(of: "1234567890123456", with: "1234567890123") }
            var expected: [[String]] = []
            for door in doors {
                let stack = try TestStack(model, kind)
                for (index, text) in texts.enumerated() {
                    let labels = try take(text, door, stack)
                    if door == .importing { expected.append(labels) }
                    let place =
                        "seed \(seed), \(kind), \(door), payload \(index) of:\n\(texts.joined(separator: "\n--\n"))\n"
                    try #require(labels == expected[index], "\(place)\(difference(expected[index], labels))")
                    let again = try take(text, door, stack)
                    try #require(again == labels, "again: \(place)\(difference(labels, again))")
                    if door == .importing { try expectRestored(from: stack, kind, labels, place) }
                }
            }
        }
    }

    /// Restores an archive of a store elsewhere, twice; and imports the snapshot that it is.
    private func expectRestored(from stack: TestStack, _ kind: StoreKind, _ labels: [String], _ place: String) throws {
        for encoding in GraphArchive.Encoding.allCases {
            let copy = try TestStack(stack.container.managedObjectModel, kind)
            let archive = try stack.archive(encoding)
            for round in ["restored", "restored again"] {
                let report = try copy.restore(archive)
                let found = try self.labels(copy)
                try #require(found == labels, "\(round): \(place)\(difference(labels, found))")
                let changes = report.total.inserted + report.total.updated + report.total.deleted
                #expect(round == "restored" || changes == 0, "\(report) \(place)")
            }
            // By way of a snapshot, too.
            let model = stack.container.managedObjectModel, fresh = try TestStack(model, kind)
            let snapshot = try GraphSnapshot(reading: .data(archive), model: model)
            try fresh.perform { context throws in
                try context.importSnapshot(snapshot)
                try context.save()
            }
            let found = try self.labels(fresh)
            try #require(found == labels, "by a snapshot: \(place)\(difference(labels, found))")
        }
    }

    @Test func `an object that its key and its owner identify is found at the top, too`() throws {
        let model = Self.model()
        let stack = try TestStack(model)
        try stack.importJSON(#"[{"id": 1, "seasons": [{"year": 2000, "rank": 3}]}, {"id": 2}]"#, "Team")
        let season: [String: Any] = ["year": 2000, "rank": 5, "team": ["id": 1]]
        let other: [String: Any] = ["year": 2000, "rank": 7, "team": ["id": 2]]
        try stack.perform { context throws in
            let (_, report) = try context.populateObjects(fromDictionaries: [season, other, season], entity: "Season")
            #expect(report.total.inserted == 1)
            try context.save()
        }
        try stack.importJSON(#"[{"year": 2000, "rank": 5, "team": {"id": 1}}]"#, "Season")
        #expect(try stack.count("Season") == 2)
        let ranks = try stack.perform { try $0.all("Season", by: "rank").map { $0.value(forKey: "rank") as? Int } }
        #expect(ranks == [5, 7])
    }

    @Test(arguments: [Door.importing, .populating, .decoding])
    func `what only the first of two mentions of an object had is nobody's and not there`(_ door: Door) throws {
        let stack = try TestStack(Self.model())
        let text = """
            [{"id": 1, "ground": {"place": "old"}, "notes": [{"text": "old"}], "seasons": [{"year": 1999}]},
             {"id": 1, "ground": {"place": "new"}, "notes": [{"text": "new"}], "seasons": [{"year": 2000}]}]
            """
        for _ in 0..<2 {
            let labels = try take(text, door, stack)
            #expect(!labels.contains { $0.contains("old") || $0.contains("1999") }, "\(labels)")
            for entity in ["Ground", "Note", "Season"] { #expect(try stack.count(entity) == 1) }
        }
    }

    @Test(arguments: [Door.importing, .populating])
    func `what a record leaves out of a member that another one has said stays`(_ door: Door) throws {
        let stack = try TestStack(Self.model())
        let text = """
            [{"id": 1, "remarks": [{"text": "a", "stars": 3}, {"text": "b"}], "ground": {"place": "here", "seats": 9}},
             {"id": 1, "remarks": [{"text": "b", "stars": 1}, {"text": "a"}], "ground": {"place": "there"}}]
            """
        let labels = try take(text, door, stack)
        #expect(labels.contains { $0.hasPrefix("Remark(3 a)") } && labels.contains { $0.hasPrefix("Remark(1 b)") })
        #expect(labels.contains { $0.hasPrefix("Ground(there 9)") }, "\(labels)")
        #expect(try take(text, door, stack) == labels)
    }

    @Test func `a dictionary that clears an owned to-one deletes nothing, unless it replaces`() throws {
        let stack = try TestStack(Self.model())
        try stack.importJSON(#"[{"id": 1, "ground": {"place": "here"}}]"#, "Team")
        for (policy, left) in [(MappingOptions.MembersPolicy.add, 1), (.replace, 0)] {
            try stack.perform { context throws in
                var options = PopulateOptions()
                options.membersPolicy = policy
                let team = try #require(try context.all("Team").first)
                let ground = try #require(try context.all("Ground").first)
                team.setValue(ground, forKey: "ground")
                try team.populate(fromDictionary: ["ground": NSNull()], options: options)
                #expect(team.value(forKey: "ground") == nil)
                try context.save()
            }
            #expect(try stack.count("Ground") == left)
        }
    }

    @Test func `a to-one that dictionaries say twice is the stored one, and stays with its owner`() throws {
        let stack = try TestStack(Self.model())
        try stack.importJSON(#"[{"id": 1, "ground": {"place": "here"}, "notes": [{"text": "a"}]}]"#, "Team")
        var team: [String: Any] = ["id": 1, "ground": ["place": "there"]]
        for policy in MappingOptions.MembersPolicy.allCases {
            try stack.perform { context throws in
                var options = PopulateOptions()
                options.membersPolicy = policy
                options.existingObjects = .update
                // Added lists are added, each.
                team["notes"] = policy == .add ? nil : [["text": "a"]]
                let ground = try #require(try context.all("Ground").first)
                let objects = try context.populateObjects(
                    fromDictionaries: [team, team], entity: "Team", options: options
                ).objects
                #expect(objects.first?.value(forKey: "ground") as? NSManagedObject === ground)
                try context.save()
            }
            #expect(try stack.count("Ground") == 1)
            #expect(try stack.count("Note") == 1)
        }
    }

    @Test
    func `of an object with a number that is nested in itself, the outer values count, and what is detached stays`()
        throws
    {
        let stack = try TestStack(Self.model())
        try stack.perform { context throws in
            let dictionary: [String: Any] = [
                "class": "Player", "$id": 1, "id": 7, "name": "outer",
                "rival": ["$id": 1, "name": "inner", "height": 1.5] as [String: Any],
                "$objects": [["class": "Remark", "text": "detached", "author": ["$ref": 1]] as [String: Any]],
            ]
            let player = try #require(try context.populateObjects(fromDictionaries: [dictionary]).objects.first)
            #expect(player.value(forKey: "name") as? String == "outer")
            #expect(player.value(forKey: "height") as? Double == 1.5)
            #expect(player.value(forKey: "rival") as? NSManagedObject === player)
            #expect(try context.all("Remark").count == 1)
        }
    }

    /// A line for each object, to be read.
    private static func picture(_ context: NSManagedObjectContext) throws -> [String] {
        func name(_ object: NSManagedObject) -> String {
            let values = object.entity.attributesByName.keys.sorted().map { "\(object.value(forKey: $0) ?? "-")" }
            return "\(object.entity.name ?? "")(\(values.joined(separator: " ")))"
        }
        return try context.everything().map { object in
            name(object) + " " + object.linksToRead(name)
        }.sorted()
    }

    func difference(_ expected: [String], _ found: [String]) -> String {
        let lines = found.difference(from: expected).map { change in
            switch change {
            case .insert(_, let label, _): "+ \(label)"
            case .remove(_, let label, _): "- \(label)"
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Takes data through a door, saves, and looks what there is.
    func take(_ text: String, _ door: Door, _ stack: TestStack) throws -> [String] {
        try stack.perform { context throws in
            try door.take(Data(text.utf8), into: context)
            try context.save()
        }
        return try labels(stack)
    }

    func labels(_ stack: TestStack) throws -> [String] {
        try stack.perform { context throws in
            context.checkInvariants()
            return try GraphFingerprint.labels(context, rounds: 3) + Self.picture(context)
        }
    }
}
