// Archives: what is written reads back as the same graph, for any model and any graph.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ArchiveTests {
    /// Differences between two texts, in few words.
    private func firstDifference(_ one: Data, _ other: Data) -> String {
        let first = Array(one), second = Array(other)
        let at = zip(first, second).enumerated().first { $1.0 != $1.1 }?.offset ?? min(first.count, second.count)
        func around(_ bytes: [UInt8]) -> String {
            String(decoding: bytes[max(0, at - 200)..<min(bytes.count, at + 200)], as: UTF8.self)
        }
        return "at \(at) of \(first.count) and \(second.count):\n\(around(first))\n---\n\(around(second))"
    }

    @Test(arguments: 0..<40)
    func `export, import into an empty store, export again: the same bytes`(_ seed: Int) throws {
        var graph = RandomGraph(seed: seed)
        let kind: StoreKind = seed % 3 == 0 ? .inMemory : .sqlite
        let first = try TestStack(graph.model, kind)
        try first.perform { context throws in
            graph.fill(context, count: 5 + seed)
            context.checkInvariants()
            try context.save()
        }
        let archive = try first.perform { try $0.exportArchive() }
        let second = try TestStack(graph.model, kind == .inMemory ? .sqlite : .inMemory)
        let report = try second.importJSON(String(decoding: archive, as: UTF8.self))
        #expect(report.total.inserted == 5 + seed, "seed \(seed): \(report)")
        #expect(report.total.stubs == 0)
        try second.perform { context throws in
            _ = try context.exportArchive()
            context.checkInvariants()
        }
        let again = try second.perform { try $0.exportArchive() }
        #expect(archive == again, "seed \(seed): \(firstDifference(archive, again))")

        try second.perform { context throws in
            let same = try context.importJSON(again)
            #expect(!same.hasChanges, "seed \(seed): \(same)")
            #expect(!context.hasChanges, "seed \(seed)")
        }
    }

    // Inheritance, cycles, ordered and many-to-many relationships, all attribute types.
    @Test(arguments: 100..<140)
    func `a random graph survives export and import, byte for byte with sorted keys`(_ seed: Int) throws {
        var graph = RandomGraph(seed: seed)
        var options = ExportOptions()
        options.sortsKeys = true
        let first = try TestStack(graph.model, seed % 2 == 0 ? .inMemory : .sqlite)
        try first.perform { context throws in
            graph.fill(context, count: 40)
            try context.save()
        }
        let archive = try first.perform { try $0.exportArchive(options: options) }
        let second = try TestStack(graph.model, seed % 2 == 0 ? .sqlite : .inMemory)
        let report = try second.importJSON(String(decoding: archive, as: UTF8.self))
        #expect(report.total.inserted == 40, "seed \(seed): \(report)")
        let again = try second.perform { try $0.exportArchive(options: options) }
        #expect(archive == again, "seed \(seed): \(firstDifference(archive, again))")
    }

    @Test func `an archive looks as its documentation says`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Country", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType), .attribute("name"),
                .toMany("zones", "Zone", inverse: "country", rule: .cascadeDeleteRule, isOrdered: true),
                .toOne("capital", "City", inverse: "capitalOf"), .toMany("notes", "Note", inverse: "country"),
            ])
        sketch.entity("Zone", [.attribute("name"), .toOne("country", "Country", inverse: "zones")])
        sketch.entity("City", parent: "Place", [.toOne("capitalOf", "Country", inverse: "capital")])
        sketch.entity(
            "Place", info: ["id": "id"], [.attribute("id", .integer32AttributeType), .toMany("near", "Place")])
        sketch.entity(
            "Note",
            [
                .attribute("text"), .toOne("next", "Note", inverse: "previous"),
                .toOne("previous", "Note", inverse: "next"),
                .toOne("country", "Country", inverse: "notes"), .toOne("place", "Place"),
            ])
        let text = """
            {"$graft":{"version":1},"City":[{"id":7,"capitalOf":1,"near":[]}],"Country":[{"id":1,"name":"A",\
            "zones":[{"name":"z1"},{"name":null}]}],"Note":[{"$id":"Note/1","text":"a","country":1,\
            "next":{"$ref":"Note/2"},"place":{"$entity":"City","id":7}},{"$id":"Note/2","text":"b","country":1,\
            "next":{"$ref":"Note/1"},"place":null}]}
            """
        let stack = try TestStack(sketch.model(), .sqlite)
        let report = try stack.importJSON(text)
        #expect(report["Note"].inserted == 2)
        #expect(report["Zone"].inserted == 2)
        let archive = try stack.perform { try $0.exportArchive() }
        #expect(String(decoding: archive, as: UTF8.self) == text)
        #expect(try !stack.importJSON(text).hasChanges)
    }

    struct Broken: CustomTestStringConvertible, Sendable {
        let text: String, words: String
        var testDescription: String { words }
    }

    @Test(arguments: [
        Broken(text: #"{"$graft": {"version": 2}}"#, words: "version 2"),
        Broken(text: #"{"$graft": {}}"#, words: "without a version"),
        Broken(text: #"{"$graft": {"version": 1}, "Charakter": []}"#, words: "Did you mean 'Character'?"),
        Broken(text: #"{"$graft": {"version": 1}, "Character": {}}"#, words: "an array of objects"),
        Broken(text: #"{"$graft": {"version": 1}, "Character": [5]}"#, words: "an object"),
        Broken(
            text: #"{"$graft": {"version": 1}, "Character": [{"publisher": {"$ref": "Publisher/1"}}]}"#,
            words: "Publisher 1"),
        Broken(
            text: #"{"$graft": {"version": 1}, "Character": [{"publisher": {"$ref": "Power/1"}}]}"#,
            words: "the name of a Publisher"),
        Broken(
            text: #"{"$graft": {"version": 1}, "Character": [{"publisher": {"$entity": "Power"}}]}"#,
            words: "Publisher or an entity"),
        Broken(
            text: #"{"$graft": {"version": 1}, "Character": [{"$id": "Character/1"}, {"$id": "Character/1"}]}"#,
            words: "several objects"),
        Broken(text: #"{"$graft": {"version": 1}} {}"#, words: "the end of the text"),
    ])
    func `a broken archive is an error, and nothing is imported`(_ broken: Broken) throws {
        let stack = try TestStack(ComicModel.make())
        let error = try #require(graftError { try stack.importJSON(broken.text) })
        #expect(error.description.contains(broken.words), "\(error)")
        #expect(try stack.count("Character") == 0)
    }

    @Test func `what the annotations leave out is in an archive all the same`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.perform { context throws in
            let hero = NSEntityDescription.insertNewObject(forEntityName: "Character", into: context)
            hero.setValue(1, forKey: "identifier")
            hero.setValue("hidden", forKey: "secret")
            try context.save()
        }
        let archive = try stack.perform { try $0.exportArchive() }
        #expect(String(decoding: archive, as: UTF8.self).contains(#""$secret":"hidden""#))
        let copy = try TestStack(ComicModel.make())
        try copy.importJSON(String(decoding: archive, as: UTF8.self))
        try copy.perform { context throws in
            #expect(try context.one("Character", "identifier", 1)?.text("secret") == "hidden")
        }
        // Outside of archives, such a key means nothing.
        try copy.importJSON(#"{"id": 1, "$secret": "changed", "$id": "x", "$entity": 5}"#, "Character")
        try copy.perform { context throws in
            #expect(try context.one("Character", "identifier", 1)?.text("secret") == "hidden")
        }
    }

    @Test func `transformers take no part in an archive, so nothing is lost on the way`() throws {
        final class Length: ValueTransformer {
            override class func allowsReverseTransformation() -> Bool { true }
            override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.count }
            override func reverseTransformedValue(_ value: Any?) -> Any? { nil }
        }
        ValueTransformer.setValueTransformer(Length(), forName: NSValueTransformerName("Length"))
        var sketch = ModelSketch()
        sketch.entity("A", [.attribute("n", .integer32AttributeType, json: "text", transformer: "Length")])
        let model = sketch.model()
        let stack = try TestStack(model)
        try stack.importJSON(#"[{"text": "four"}]"#, "A")
        let archive = try stack.perform { try $0.exportArchive() }
        #expect(String(decoding: archive, as: UTF8.self) == #"{"$graft":{"version":1},"A":[{"text":4}]}"#)
        let copy = try TestStack(model)
        try copy.importJSON(String(decoding: archive, as: UTF8.self))
        #expect(try copy.perform { try $0.all("A").map { $0.number("n") } } == [4])
    }

    @Test func `an archive of some entities refers to the others`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(ComicModel.batman, "Character")
        let archive = try stack.perform { try $0.exportArchive(of: ["Character"]) }
        let text = String(decoding: archive, as: UTF8.self)
        #expect(text.contains(#""publisher":"10""#) || text.contains(#""publisher":10"#))
        #expect(!text.contains("DC Comics"))
        let copy = try TestStack(ComicModel.make())
        let report = try copy.importJSON(text)
        #expect(report["Publisher"].stubs == 1)
        #expect(
            graftError { _ = try stack.perform { try $0.exportArchive(of: ["Charakter"]) } }?.problem
                == .unknownEntity("Charakter", closest: "Character"))
    }
}
