// Groot's example of a comic-book character, in all the forms in which it can arrive.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ComicImportTests {
    /// A transformer of texts to integers, as Groot's documentation registers it.
    private final class StringToInteger: ValueTransformer {
        override class func allowsReverseTransformation() -> Bool { true }
        override func transformedValue(_ value: Any?) -> Any? { (value as? String).flatMap { Int($0) } }
        override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? NSNumber).map { "\($0)" } }
    }

    private func stack(_ kind: StoreKind, transformer: Bool = false) throws -> TestStack {
        guard transformer else { return try TestStack(ComicModel.make(), kind) }
        ValueTransformer.setValueTransformer(StringToInteger(), forName: NSValueTransformerName("StringToInteger"))
        return try TestStack(ComicModel.make(transformer: "StringToInteger"), kind)
    }

    private func expectBatman(_ stack: TestStack) throws {
        try stack.perform { context throws in
            let batman = try #require(try context.one("Character", "identifier", 1699))
            #expect(batman.text("name") == "Batman")
            #expect(batman.text("realName") == "Bruce Wayne")
            #expect(batman.texts("powers", "name") == ["Agility", "Insanely Rich"])
            #expect(batman.object("publisher")?.text("name") == "DC Comics")
            #expect(batman.object("publisher")?.number("identifier") == 10)
            #expect(try context.all("Power").count == 2)
            #expect(try context.all("Publisher").count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `a character arrives with its powers and its publisher`(_ kind: StoreKind, _ transformer: Bool) throws {
        let stack = try stack(kind, transformer: transformer)
        let report = try stack.importJSON(ComicModel.batman, "Character")
        #expect(report["Character"].inserted == 1)
        #expect(report["Power"].inserted == 2)
        #expect(report["Publisher"].inserted == 1)
        try expectBatman(stack)
    }

    @Test(arguments: StoreKind.allCases)
    func `an update by identity changes what it says and nothing else`(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        try stack.importJSON(ComicModel.batman, "Character")
        let report = try stack.importJSON(#"[{"id": "1699", "real_name": "Bruce Wayne Jr."}]"#, "Character")
        #expect(report["Character"].updated == 1)
        #expect(report.total.inserted == 0)
        try stack.perform { context throws in
            let batman = try #require(try context.one("Character", "identifier", 1699))
            #expect(batman.text("name") == "Batman")
            #expect(batman.text("realName") == "Bruce Wayne Jr.")
            #expect(batman.texts("powers", "name") == ["Agility", "Insanely Rich"])
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `identifiers first, objects later: both merge`(_ kind: StoreKind, _ transformer: Bool) throws {
        let stack = try stack(kind, transformer: transformer)
        let report = try stack.importJSON(
            """
            [{"id": "1699", "name": "Batman", "real_name": "Bruce Wayne", "powers": ["4", "9"], "publisher": "10"}]
            """, "Character")
        #expect(report["Power"].stubs == 2)
        #expect(report["Publisher"].stubs == 1)
        #expect(try stack.count("Power") == 2)
        let powers = try stack.importJSON(
            #"[{"id": "4", "name": "Agility"}, {"id": "9", "name": "Insanely Rich"}]"#, "Power")
        #expect(powers["Power"].updated == 2)
        try stack.importJSON(#"{"id": "10", "name": "DC Comics"}"#, "Publisher")
        try expectBatman(stack)
    }

    @Test(arguments: StoreKind.allCases)
    func `the same data again changes nothing`(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        try stack.importJSON(ComicModel.batman, "Character")
        try stack.perform { context throws in
            let report = try context.importJSON(Data(ComicModel.batman.utf8), entity: "Character")
            #expect(!report.hasChanges)
            #expect(report.total.unchanged == 4)
            #expect(!context.hasChanges)
        }
    }

    @Test func `a bare identifier at the top is an object with nothing else`() throws {
        let stack = try stack(.inMemory)
        let report = try stack.importJSON(#"["4", 9, null]"#, "Power")
        #expect(report["Power"].inserted == 2)
        let identifiers = try stack.perform { try $0.all("Power", by: "identifier").map { $0.number("identifier") } }
        #expect(identifiers == [4, 9])
    }

    @Test func `objects come back in the order of the data, repeated ones repeatedly`() throws {
        let stack = try stack(.inMemory)
        try stack.perform { context throws in
            let text = #"[{"id": 2, "name": "B"}, null, {"id": 1, "name": "A"}, {"id": 2, "real_name": "b"}]"#
            let objects = try context.objects(fromJSON: Data(text.utf8), entity: "Character")
            #expect(objects.map { $0.text("name") } == ["B", "A", "B"])
            #expect(objects[0] === objects[2])
            #expect(objects[0].text("realName") == "b")
        }
    }

    @Test func `properties without a key path take no part`() throws {
        let stack = try stack(.inMemory)
        try stack.importJSON(#"{"id": 1, "secret": "hidden", "realName": "no", "nothing": [1, {"a": 2}]}"#, "Character")
        try stack.perform { context throws in
            let character = try #require(try context.one("Character", "identifier", 1))
            #expect(character.text("secret") == nil)
            #expect(character.text("realName") == nil)
        }
    }

    @Test func `the entity may be left out only where the model leaves no doubt`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Order", [.attribute("number"), .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule)])
        sketch.entity("Line", [.attribute("text"), .toOne("order", "Order", inverse: "lines")])
        let both = try TestStack(sketch.model())
        #expect(
            graftError { try both.importJSON(#"[{"number": "1"}]"#) }?.problem
                == .ambiguousEntity(candidates: ["Line", "Order"]))

        var single = ModelSketch()
        single.entity("Hero", [.attribute("name"), .toOne("home", "Place")])
        single.entity("Place", [.attribute("name")])
        let stack = try TestStack(single.model())
        #expect(try stack.importJSON(#"[{"name": "A", "home": {"name": "B"}}]"#)["Hero"].inserted == 1)
        for text in ["[]", "[{}]"] {
            #expect(
                graftError { try stack.importJSON(text, "Herro") }?.problem == .unknownEntity("Herro", closest: "Hero"))
        }
    }
}
