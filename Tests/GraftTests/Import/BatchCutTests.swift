// What a record says after another one of the same batch: it comes to the same as in a batch of its own.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct BatchCutTests {
    /// The results of an import in batches of one, of two and of everything, each into a store of its own.
    private func results(
        _ make: () throws -> ImportWorld, _ texts: [String], _ entity: String,
        _ result: (ImportWorld) throws -> [String]
    ) throws -> [[String]] {
        try [1, 2, 3, 5_000].map { size in
            var world = try make()
            world.options.batchSize = size
            world.options.savesEachBatch = true
            for text in texts { try world.take(text, entity) }
            return try result(world)
        }
    }

    // MARK: Identities with an owner

    private func orders(_ info: [String: String] = [:]) throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "id"].merging(info) { $1 },
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule)
                        .annotated(["JSONToManyPolicy": "delta"]),
                ])
            sketch.entity(
                "Line", info: ["identityAttributes": "no, order"].merging(info) { $1 },
                [
                    .attribute("no", .integer16AttributeType), .attribute("text"),
                    .toOne("order", "Order", inverse: "lines"),
                ])
        }
    }

    private func lines(_ world: ImportWorld) throws -> [String] {
        try world.stack.perform { context in
            try context.all("Line").map { line in
                let order = (line.value(forKey: "order") as? NSManagedObject)?.value(forKey: "id") ?? "none"
                return "\(order).\(line.value(forKey: "no") ?? "nil")"
            }.sorted()
        } + ["\(world.count("Order")) orders"]
    }

    @Test func `what is removed from a list is that of the owner around, and nothing is made of what isn't there`()
        throws
    {
        let first = #"[{"id": 1, "lines": [{"no": 1, "text": "a"}, {"no": 2}]}, {"id": 2, "lines": [{"no": 1}]}]"#
        let second = #"[{"id": 1, "lines": {"add": [{"no": 3}], "remove": [{"no": 1, "text": "a"}, {"no": 9}]}}]"#
        for result in try results({ try orders() }, [first, second], "Order", lines) {
            // What its owner gives up is deleted with it.
            #expect(result == ["1.2", "1.3", "2.1", "2 orders"])
        }
    }

    @Test func `what is said of those to remove tells whom, and sets and makes nothing, in batches of any size`() throws
    {
        func world() throws -> ImportWorld {
            try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Team", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType), .attribute("name"),
                        .toMany("guests", "Player", inverse: "visits").annotated(["JSONToManyPolicy": "delta"]),
                        .toMany("players", "Player", inverse: "team"),
                    ])
                sketch.entity(
                    "Player", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType), .attribute("name"),
                        .toOne("team", "Team", inverse: "players"), .toMany("visits", "Team", inverse: "guests"),
                    ])
            }
        }
        let text = """
            [{"id": 1, "guests": [1, 2]}, {"id": 2, "guests": {"add": [1], "remove": [{"id": 2, "name": "B", "team": 5}]}},
             {"id": 1, "guests": {"remove": [{"id": 1, "name": "A", "team": {"id": 2, "name": "T", "players": [1, 2, 8]}}, 9]}}]
            """
        let found = try results(world, [text], "Team") { world in
            let teams = try world.values("id", of: "Team").map { Int($0) ?? -1 }
            return try teams.map { "\($0): \(try world.members("guests", "id", of: "Team", "id", $0))" }
                + world.values("name", of: "Player") + world.members("players", "id", of: "Team", "id", 2)
        }
        for result in found { #expect(result == [#"1: ["2"]"#, #"2: ["1"]"#, "nil", "nil"]) }
    }

    @Test func `a tombstone in the list of its owner is that owner's object`() throws {
        let gone = ["JSONDeletedKey": "gone"]
        let first = #"[{"id": 1, "lines": [{"no": 1}, {"no": 2}]}, {"id": 2, "lines": [{"no": 1}]}]"#
        let second = #"[{"id": 1, "lines": {"add": [{"no": 1, "gone": true}, {"no": 3}]}}]"#
        for result in try results({ try orders(gone) }, [first, second], "Order", lines) {
            #expect(result == ["1.2", "1.3", "2.1", "2 orders"])
        }
        let world = try orders(gone)
        try world.take(first, "Order")
        let error = world.refuse(#"[{"no": 1, "gone": true}]"#, "Line")
        #expect(error?.description.contains("'order'") == true, "\(error.map(String.init(describing:)) ?? "")")
        #expect(try lines(world).count == 4)
    }

    @Test func `a tombstone doesn't make its owner`() throws {
        let gone = ["JSONDeletedKey": "gone"]
        let texts = [#"[{"no": 1, "order": 7, "gone": true}, {"no": 2, "order": 8}]"#]
        for result in try results({ try orders(gone) }, texts, "Line", lines) {
            #expect(result == ["8.2", "1 orders"])
        }
    }

    @Test(arguments: [
        // Twice the same.
        (
            [String](
                repeating: #"[{"id": 1, "lines": [{"no": 1}], "note": {"no": 5}}, {"id": 2, "lines": [{"no": 1}]}]"#,
                count: 2), ["1.1", "2.1", "2 orders", "note 5 of 1"]
        ),
        (
            [#"[{"id": 1, "lines": [{"no": 1}, {"no": 2}]}, {"id": 1, "lines": {"remove": [{"no": 1}]}}]"#],
            ["1.2", "1 orders"]
        ),
        ([#"[{"id": 1, "lines": [{"no": 1}]}, {"id": 1, "lines": [{"no": 1, "gone": true}]}]"#], ["1 orders"]),
        // What was said is left without an owner.
        ([#"[{"id": 1, "note": {"no": 5}}, {"id": 1, "note": null}]"#], ["1 orders", "note 5 of none"]),
        ([#"[{"id": 1, "note": {"no": 5}}, {"id": 1, "note": {"no": 6}}]"#], ["1 orders", "note 6 of 1"]),
    ])
    func `an owner that isn't said is the object around, also where an absent one is none`(
        _ texts: [String], _ expected: [String]
    ) throws {
        func world() throws -> ImportWorld {
            try ImportWorld(.sqlite) { sketch in
                let clearing = ["JSONMissingPolicy": "clear"]
                sketch.entity(
                    "Order", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType),
                        .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule)
                            .annotated(["JSONToManyPolicy": "delta"]),
                        .toOne("note", "Note", inverse: "order"),
                    ])
                sketch.entity(
                    "Line", info: ["identityAttributes": "no, order", "JSONDeletedKey": "gone"],
                    [
                        .attribute("no", .integer16AttributeType), .attribute("text"),
                        .toOne("order", "Order", inverse: "lines").annotated(clearing),
                    ])
                sketch.entity(
                    "Note", info: ["identityAttributes": "order"],
                    [
                        .attribute("no", .integer16AttributeType),
                        .toOne("order", "Order", inverse: "note").annotated(clearing),
                    ])
            }
        }
        func notes(_ world: ImportWorld) throws -> [String] {
            try world.stack.perform { context in
                try context.all("Note").map { note in
                    let order = (note.value(forKey: "order") as? NSManagedObject)?.value(forKey: "id") ?? "none"
                    return "note \(note.value(forKey: "no") ?? "nil") of \(order)"
                }
            }
        }
        for result in try results(world, texts, "Order", { try lines($0) + notes($0) }) {
            #expect(result == expected)
        }
    }

    @Test(arguments: [
        (NSDeleteRule.cascadeDeleteRule, ["1 orders"]), (.nullifyDeleteRule, ["none.1", "1 orders"]),
    ])
    func `what a list has and a later one hasn't becomes what it would in batches of one`(
        _ rule: NSDeleteRule, _ expected: [String]
    ) throws {
        func world() throws -> ImportWorld {
            try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Order", info: ["identityAttributes": "id"],
                    [.attribute("id", .integer64AttributeType), .toMany("lines", "Line", inverse: "order", rule: rule)])
                sketch.entity(
                    "Line", info: ["identityAttributes": "no, order"],
                    [.attribute("no", .integer16AttributeType), .toOne("order", "Order", inverse: "lines")])
            }
        }
        let text = #"[{"id": 4, "lines": [{"no": 1}]}, {"id": 4, "lines": []}]"#
        for result in try results(world, [text], "Order", lines) {
            #expect(result == expected)
        }
    }

    @Test func `an object that becomes one of a sub-entity goes on leading to itself`() throws {
        func world() throws -> ImportWorld {
            try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Person", info: ["identityAttributes": "id", "JSONEntityKey": "kind"],
                    [
                        .attribute("id", .integer64AttributeType), .toMany("friends", "Person", inverse: "friends"),
                        .toOne("spouse", "Person", inverse: "spouse"),
                        .toOne("boss", "Person", inverse: "reports"),
                        .toMany("reports", "Person", inverse: "boss", isOrdered: true),
                    ])
                sketch.entity("Employee", parent: "Person", [.attribute("salary", .doubleAttributeType)])
            }
        }
        let text = #"[{"id": 1, "friends": [1, 2], "spouse": 1, "boss": 1}, {"id": 1, "kind": "Employee"}]"#
        let found = try results(world, [text], "Person") { world in
            try world.stack.perform { context in
                let one = try #require(try context.one("Person", "id", 1))
                #expect(one.entity.name == "Employee")
                return ["friends", "spouse", "boss", "reports"].map { name in
                    context.members(of: one, name).map { "\($0.value(forKey: "id") ?? "")" }.sorted().joined()
                }
            }
        }
        for result in found { #expect(result == ["12", "1", "1", "1"]) }
    }

    // MARK: Versions

    private func people() throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Person", info: ["identityAttributes": "id", "JSONVersionAttribute": "v"],
                [
                    .attribute("id", .integer64AttributeType), .attribute("v", .integer32AttributeType),
                    .attribute("name"),
                    .toMany("friends", "Person", inverse: "friends").annotated(["JSONToManyPolicy": "add"]),
                ])
        }
    }

    private func words(_ world: ImportWorld) throws -> [String] {
        try world.stack.perform { context in
            try context.all("Person").map { person in
                let friends = (person.value(forKey: "friends") as? Set<NSManagedObject> ?? [])
                    .map { "\($0.value(forKey: "id") ?? "")" }.sorted()
                return "\(person.value(forKey: "id") ?? "") \(person.value(forKey: "name") ?? "nil") \(friends)"
            }.sorted()
        }
    }

    @Test(arguments: [
        (#"[{"id": 2, "friends": [4]}, {"id": 2, "friends": [6]}]"#, #"2 nil ["4", "6"]"#),
        (#"[{"id": 2, "friends": [4]}, {"id": 2, "friends": []}]"#, #"2 nil ["4"]"#),
        (#"[{"id": 1, "name": "x"}, {"id": 1, "v": 1, "name": "old"}]"#, "1 x []"),
        (#"[{"id": 1, "v": 1, "name": "old"}, {"id": 1, "name": "x"}, {"id": 1, "v": 2, "name": "same"}]"#, "1 x []"),
        (#"[{"id": 1, "v": 1, "friends": [4]}, {"id": 1, "v": 3, "friends": [5]}]"#, #"1 A ["5"]"#),
        // What the outdated record alone says, and the same where it isn't outdated.
        (#"[{"id": 1, "v": 1, "name": "old"}, {"id": 1, "v": 3}]"#, "1 A []"),
        (#"[{"id": 1, "v": 1, "friends": [4]}, {"id": 1, "v": 3, "name": "B"}]"#, "1 B []"),
        (#"[{"id": 1, "v": 3, "name": "B", "friends": [4]}, {"id": 1, "v": 4}]"#, #"1 B ["4"]"#),
    ])
    func `records of one object with a version count as they would one after the other`(
        _ text: String, _ expected: String
    ) throws {
        let before = #"[{"id": 1, "v": 2, "name": "A"}]"#
        for result in try results(people, [before, text], "Person", words) {
            #expect(result.contains(expected), "\(result)")
        }
    }

    @Test(arguments: [
        // Twice too old; too old and then the same; too old and then newer; newer and then too old.
        (#"[{"id": 1, "v": 1}, {"id": 1, "v": 1, "name": "x"}]"#, "1 skipped"),
        (#"[{"id": 1, "v": 1}, {"id": 1, "v": 2, "name": "x"}]"#, "1 unchanged"),
        (#"[{"id": 1, "v": 1}, {"id": 1, "v": 3, "name": "x"}]"#, "1 updated"),
        (#"[{"id": 1, "v": 3, "name": "x"}, {"id": 1, "v": 1}]"#, "1 updated"),
        (#"[{"id": 7, "v": 3}, {"id": 7, "v": 1}]"#, "1 inserted"),
    ])
    func `an object that its version leaves alone counts once, in batches of any size`(
        _ text: String, _ counts: String
    ) throws {
        for size in [1, 2, 10] {
            for savesEachBatch in [true, false] {
                var world = try people()
                try world.take(#"[{"id": 1, "v": 2, "name": "A"}]"#, "Person")
                (world.options.batchSize, world.options.savesEachBatch) = (size, savesEachBatch)
                #expect(try world.take(text, "Person")["Person"].description == counts, "\(size)")
            }
        }
    }

    @Test func `an outdated record doesn't say of which entity an object is`() throws {
        func world() throws -> ImportWorld {
            try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Animal", info: ["identityAttributes": "id", "JSONVersionAttribute": "v", "JSONEntityKey": "kind"],
                    [
                        .attribute("id", .integer64AttributeType), .attribute("v", .integer32AttributeType),
                        .attribute("name"),
                    ])
                sketch.entity("Cat", parent: "Animal", [])
            }
        }
        let text = #"[{"id": 1, "v": 3, "name": "new"}, {"id": 1, "kind": "Cat", "v": 0, "name": "old"}]"#
        let found = try results(world, [text], "Animal") { world in
            try world.stack.perform {
                try $0.all("Animal").map { "\($0.entity.name ?? "") \($0.value(forKey: "name") ?? "")" }
            }
        }
        for result in found { #expect(result == ["Animal new"]) }
    }

    @Test func `what an outdated record has in a list is nobody's, and isn't made`() throws {
        let versions = ["JSONVersionAttribute": "v"]
        func world() throws -> ImportWorld {
            try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Order", info: ["identityAttributes": "id"].merging(versions) { $1 },
                    [
                        .attribute("id", .integer64AttributeType), .attribute("v", .integer32AttributeType),
                        .toMany("lines", "Line", inverse: "order"),
                    ])
                sketch.entity(
                    "Line", info: ["identityAttributes": "no, order"],
                    [.attribute("no", .integer16AttributeType), .toOne("order", "Order", inverse: "lines")])
            }
        }
        let text = #"[{"id": 3, "v": 1}, {"id": 3, "v": 1, "lines": [{"no": 2}]}]"#
        for result in try results(world, [text], "Order", lines) { #expect(result == ["1 orders"]) }
    }

    // MARK: Order

    @Test func `who is said twice to belong to an ordered list stays where it came first`() throws {
        func team() throws -> ImportWorld {
            try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Player", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType), .toOne("team", "Team", inverse: "members"),
                        .toOne("mate", "Player"),
                    ])
                sketch.entity(
                    "Team", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType),
                        .toMany("members", "Player", inverse: "team", isOrdered: true),
                    ])
            }
        }
        let text = #"[{"id": 4, "team": 2}, {"id": 4, "team": 2, "mate": {"id": 5, "team": 2}}]"#
        let found = try results(team, [text], "Player") { world in
            try world.stack.perform { context in
                let team = try #require(try context.one("Team", "id", 2))
                let members = (team.value(forKey: "members") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
                return members.map { "\($0.value(forKey: "id") ?? "")" }
            }
        }
        for result in found { #expect(result == ["4", "5"]) }
    }

    @Test func `an ordered inverse of lists that are added to has them in the order of the text`() throws {
        func world() throws -> ImportWorld {
            try ImportWorld(.sqlite) { sketch in
                sketch.entity(
                    "Team", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType),
                        .toMany("fans", "Fan", inverse: "teams").annotated(["JSONToManyPolicy": "add"]),
                    ])
                sketch.entity(
                    "Fan", info: ["identityAttributes": "id"],
                    [
                        .attribute("id", .integer64AttributeType),
                        .toMany("teams", "Team", inverse: "fans", isOrdered: true),
                    ])
            }
        }
        let text = #"[{"id": 1, "fans": [7]}, {"id": 0, "fans": [7]}, {"id": 1, "fans": [8]}]"#
        let found = try results(world, [text], "Team") { try $0.members("teams", "id", of: "Fan", "id", 7) }
        for result in found { #expect(result == ["1", "0"]) }
    }

    // MARK: Members without identity

    /// Teams with notes, of which each may be about several.
    private func notes() throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .toMany("notes", "Note", inverse: "teams"),
                    .toOne("motto", "Note", inverse: "users"), .toMany("seasons", "Season", inverse: "teams"),
                ])
            sketch.entity(
                "Note",
                [
                    .attribute("text"), .attribute("rank", .integer64AttributeType),
                    .toMany("teams", "Team", inverse: "notes"), .toMany("users", "Team", inverse: "motto"),
                ])
            sketch.entity(
                "Season", info: ["identityAttributes": "year, league"],
                [
                    .attribute("year", .integer64AttributeType), .attribute("rank", .integer64AttributeType),
                    .toOne("league", "League", inverse: "seasons"), .toMany("teams", "Team", inverse: "seasons"),
                ])
            sketch.entity(
                "League", info: ["identityAttributes": "id"],
                [.attribute("id", .integer64AttributeType), .toMany("seasons", "Season", inverse: "league")])
        }
    }

    @Test(arguments: [
        #"[{"id": 1, "notes": [{"text": "a", "rank": 1, "teams": [1, 2]}]}, {"id": 2, "notes": [{"text": "a"}]}]"#,
        #"[{"id": 1, "notes": [{"text": "a", "rank": 1, "users": [2]}]}, {"id": 2, "motto": {"text": "a"}}]"#,
        #"[{"id": 1, "motto": {"text": "a", "rank": 1, "users": [1, 2]}}, {"id": 2, "motto": {"text": "a"}}]"#,
    ])
    func `a note that says whose it is, is the one that a later record has there`(_ text: String) throws {
        for result in try results(notes, [text], "Team", { try $0.values("rank", of: "Note") }) {
            #expect(result == ["1"])
        }
        let world = try notes()
        try world.stack.perform { context in
            try context.populateObjects(fromDictionaryData: Data(text.utf8), entity: "Team")
            try context.save()
        }
        #expect(try world.values("rank", of: "Note") == ["1"])
    }

    @Test func `what lacks its owner is known by its contents, in batches of any size`() throws {
        let text = #"[{"id": 1, "seasons": [{"year": 7, "rank": 3}]}, {"id": 1, "seasons": [{"year": 7}]}]"#
        for result in try results(notes, [text], "Team", { try $0.values("rank", of: "Season") }) {
            #expect(result == ["3"])
        }
    }
}

extension NSManagedObjectContext {
    /// What a relationship leads to.
    fileprivate func members(of object: NSManagedObject, _ name: String) -> [NSManagedObject] {
        switch object.value(forKey: name) {
        case let one as NSManagedObject: [one]
        case let list as NSOrderedSet: list.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        default: []
        }
    }
}
