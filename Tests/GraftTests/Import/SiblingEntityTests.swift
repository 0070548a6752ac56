// Two sub-entities with one identity, where a key tells the sub-entities: one object, whichever comes first, in batches of any size.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct SiblingEntityTests {
    private func world(_ policy: String, _ kind: StoreKind = .sqlite) throws -> ImportWorld {
        var world = try ImportWorld(kind) { sketch in
            sketch.entity(
                "Animal",
                info: [
                    "identityAttributes": "id", "JSONEntityKey": "type", "JSONEntityChange": policy,
                    "JSONDeletedKey": "gone",
                ],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .attribute("age", .integer32AttributeType), .toOne("owner", "Owner", inverse: "pets"),
                    .toMany("friends", "Owner", inverse: "guests"),
                ])
            sketch.entity("Cat", parent: "Animal", [.attribute("lives", .integer16AttributeType)])
            sketch.entity("Dog", parent: "Animal", [.attribute("tricks")])
            sketch.entity(
                "Owner", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .toMany("pets", "Animal", inverse: "owner"),
                    .toMany("guests", "Animal", inverse: "friends", isOrdered: true)
                        .annotated(["JSONToManyPolicy": "union"]), .toOne("dog", "Dog"),
                ])
        }
        world.options.format = .sequence
        return world
    }

    private func picture(_ world: ImportWorld) throws -> [String] {
        try world.stack.perform { context throws in
            func name(_ object: NSManagedObject) -> String {
                "\(object.entity.name ?? "") \(object.value(forKey: "id") ?? "-")"
            }
            context.checkInvariants()
            return try context.everything().map { object in
                let values = ["name", "age", "lives", "tricks"].filter { object.entity.attributesByName[$0] != nil }
                    .map { "\(object.value(forKey: $0) ?? "-")" }
                return "\(name(object)) \(values.joined(separator: ",")) \(object.linksToRead(name))"
            }.sorted()
        }
    }

    @Test(arguments: ["keep", "replace"], [1, 1000])
    func `a cat and a dog with one identity are one animal`(_ policy: String, _ size: Int) throws {
        var world = try world(policy)
        world.options.batchSize = size
        let text = """
            {"type": "Dog", "id": 1, "name": "a", "tricks": "sit"}
            {"type": "Cat", "id": 1, "name": "b", "lives": 9}
            {"id": 1, "age": 3}
            """
        let report = try world.take(text, "Animal")
        #expect(try world.count("Animal") == 1)
        let entity = policy == "keep" ? "Dog" : "Cat"
        #expect(try world.value("name", of: entity, "id", 1) == "b")
        #expect(try world.value("age", of: entity, "id", 1) == "3")
        #expect(report.leftOutValues.isEmpty == (policy == "replace"))
        #expect(report.total.deleted == 0 && report.total.inserted == 1)
    }

    @Test(arguments: [false, true])
    func `an animal that two sub-entities make counts once, saved or not`(_ saves: Bool) throws {
        var world = try world("keep")
        world.options.savesEachBatch = saves
        let text = #"{"type": "Dog", "id": 1, "name": "a"} {"type": "Cat", "id": 1, "name": "b"}"#
        let report = try world.take(text, "Animal")
        #expect(report.total.inserted == 1 && report.total.updated == 0 && report.total.unchanged == 0)
    }

    @Test(arguments: [1, 1000])
    func `a cat that is a dog in another record is an error where that is said`(_ size: Int) throws {
        var world = try world("fail")
        world.options.batchSize = size
        let text = #"{"type": "Dog", "id": 1, "tricks": "sit"} {"type": "Cat", "id": 1, "lives": 9}"#
        #expect(world.refuse(text, "Animal")?.description.contains("is a Cat") == true)
        #expect(try world.count("Animal") == 0)
    }

    @Test(arguments: [1, 1000], [true, false])
    func `of several types that replace each other the last one counts, with what is left behind it`(
        _ size: Int, _ saves: Bool
    ) throws {
        let cases = [
            (#"{"type": "Cat", "id": 2} {"type": "Dog", "id": 2}"#, name: "Rex"),
            (#"{"type": "Cat", "id": 2, "lives": 9} {"type": "Dog", "id": 2, "name": "R"}"#, name: "R"),
        ]
        for (text, name) in cases {
            var world = try world("replace")
            try world.take(#"{"type": "Dog", "id": 2, "name": "Rex", "tricks": "sit"}"#, "Animal")
            (world.options.batchSize, world.options.savesEachBatch) = (size, saves)
            try world.take(text, "Animal")
            #expect(try world.values("name", of: "Dog") == [name])
            // A cat has none.
            #expect(try world.values("tricks", of: "Dog") == ["nil"])
            #expect(try world.count("Animal") == 1)
        }
    }

    @Test(arguments: [1, 1000])
    func `a stub becomes what the text says first`(_ size: Int) throws {
        var world = try world("keep")
        try world.take(#"{"id": 1, "pets": [1]}"#, "Owner")
        world.options.batchSize = size
        try world.take(
            #"{"type": "Dog", "id": 1, "tricks": "sit"} {"type": "Cat", "id": 1, "lives": 9}"#, "Animal")
        #expect(try world.value("tricks", of: "Dog", "id", 1) == "sit")
        #expect(try world.count("Animal") == 1)
    }

    @Test func `a reference is to the one that there is`() throws {
        let world = try world("keep")
        try world.take(
            #"{"id": 1, "pets": [{"type": "Dog", "id": 1, "name": "a"}, {"type": "Cat", "id": 1}], "dog": 1}"#, "Owner")
        #expect(try world.members("pets", "id", of: "Owner", "id", 1) == ["1"])
        #expect(try world.members("dog", "id", of: "Owner", "id", 1) == ["1"])
        #expect(try world.count("Animal") == 1)
    }

    @Test(arguments: Laws.cases(1...200, oneOf: 25))
    func `any size of batches gives the same store`(_ seed: Int) throws {
        var random = SeededGenerator(seed: seed)
        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        func animal() -> String {
            var members = ["\"id\": \(number(3))"]
            let type = number(4)
            if type > 0 { members.append("\"type\": \"\(["Animal", "Cat", "Dog"][type - 1])\"") }
            if number(2) == 0 { members.append("\"name\": \"n\(number(3))\"") }
            if number(2) == 0 { members.append("\"age\": \(number(4) == 0 ? "null" : "\(number(9))")") }
            if type == 2, number(2) == 0 { members.append("\"lives\": \(number(9))") }
            if type == 3, number(2) == 0 { members.append("\"tricks\": \"t\(number(3))\"") }
            if number(3) == 0 { members.append("\"owner\": \(number(2))") }
            if number(3) == 0 { members.append("\"friends\": [\(number(2))]") }
            return "{\(members.joined(separator: ", "))}"
        }
        func text() -> String {
            (0..<(2 + number(5))).map { _ in
                let list = (0..<number(3)).map { _ in number(3) == 0 ? animal() : "\(number(3))" }
                return
                    "{\"id\": \(number(2)), \"\(number(2) == 0 ? "pets" : "guests")\": [\(list.joined(separator: ", "))]}"
            }.joined(separator: "\n")
        }
        let texts = (0..<3).map { _ in text() }
        let policy = number(2) == 0 ? "keep" : "replace"
        var expected: [[String]] = []
        for options in ImportOptions.sequences(batches: 1, 3, 1000) {
            var world = try world(policy, seed.isMultiple(of: 3) ? .inMemory : .sqlite)
            world.options = options
            for (index, text) in texts.enumerated() {
                try world.take(text, "Owner")
                let labels = try picture(world)
                if expected.count == index { expected.append(labels) }
                try #require(
                    labels == expected[index],
                    "seed \(seed) \(policy), \(options.batchSize) \(options.savesEachBatch), text \(index):\n\(texts.joined(separator: "\n--\n"))\n\(labels.difference(from: expected[index]).map { "\($0)" })"
                )
            }
        }
    }

    private func toys(_ change: String = "keep") throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Animal", info: ["identityAttributes": "id", "JSONEntityKey": "type", "JSONEntityChange": change],
                [.attribute("id", .integer64AttributeType), .attribute("name"), .toOne("best", "Animal")])
            sketch.entity("Cat", parent: "Animal", [.toMany("bells", "Toy", inverse: "cat")])
            sketch.entity(
                "Dog", parent: "Animal",
                [
                    .attribute("tricks"), .attribute("breed"), .toMany("toys", "Toy", inverse: "dog"),
                    .toOne("bone", "Toy"),
                ])
            sketch.entity(
                "Toy", [.attribute("n"), .toOne("cat", "Cat", inverse: "bells"), .toOne("dog", "Dog", inverse: "toys")])
        }
    }

    @Test(arguments: ["keep", "replace"], [1, 1000])
    func `the end of a cat is that of the dog with its identity`(_ policy: String, _ size: Int) throws {
        var world = try world(policy)
        world.options.batchSize = size
        let text = """
            {"type": "Dog", "id": 1, "name": "a"}
            {"type": "Cat", "id": 1, "gone": true}
            {"type": "Dog", "id": 2, "name": "b"}
            {"type": "Cat", "id": 2, "gone": true}
            {"type": "Cat", "id": 2, "name": "c"}
            """
        for _ in 0..<2 {
            try world.take(text, "Animal")
            #expect(try world.values("name", of: "Animal") == ["c"])
            #expect(try world.count("Cat") == 1)
        }
    }

    @Test(arguments: [1, 1000])
    func `what an object of another entity can't have is left out with what is nested in it`(_ size: Int) throws {
        var world = try toys()
        world.options.batchSize = size
        try world.take(#"[{"id": 1, "type": "Cat", "bells": [{"n": "ball"}]}]"#, "Animal")
        for nested in [#""toys": [{"n": "ball"}, {"n": "bone"}]"#, #""bone": {"n": "ball"}"#] {
            for _ in 0..<2 {
                let report = try world.take(#"[{"id": 1, "type": "Dog", \#(nested)}]"#, "Animal")
                #expect(report.leftOutValues.map(\.property) == [nested.hasPrefix(#""toys"#) ? "toys" : "bone"])
                #expect(try world.values("n", of: "Toy") == ["ball"])
                #expect(try world.members("bells", "n", of: "Cat", "id", 1) == ["ball"])
            }
        }
    }

    @Test func `what was said of an object that is of another entity by the end of the data is no trap`() throws {
        let world = try toys("replace")
        try world.take(
            """
            [{"id": 1, "type": "Dog", "toys": [{}]},
             {"id": 2, "type": "Dog", "best": {"id": 1, "type": "Dog", "toys": [{"n": "a"}]}},
             {"id": 3, "type": "Dog", "best": {"id": 1, "type": "Cat", "bells": [{"n": "b"}]}}]
            """, "Animal")
        #expect(try world.count("Animal") == 3)
        #expect(try world.members("bells", "n", of: "Cat", "id", 1) == ["b"])
    }

    @Test func `a reference to an object of another entity is an error with its place, and of its record alone`() throws
    {
        var world = try world("keep")
        try world.take(#"{"id": 1, "type": "Cat"}"#, "Animal")
        world.options.format = .automatic
        let text = #"[{"id": 1},"# + "\n" + #"{"id": 2, "dog": 1}, {"id": 3}]"#
        let error = try #require(world.refuse(text, "Owner"))
        #expect(error.place.line == 2 && error.place.property == "dog", "\(error)")
        #expect(try world.count("Owner") == 0)
        world.options.failurePolicy = .skip
        let report = try world.take(text, "Owner")
        #expect(report.failures.count == 1)
        #expect(try world.values("id", of: "Owner") == ["1", "3"])
    }
}
