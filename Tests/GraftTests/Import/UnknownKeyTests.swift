// Keys that no property maps to: counted among others, an error where there are no others, and in a strict import.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct UnknownKeyTests {
    private let stack: TestStack

    init() throws { stack = try TestStack(ComicModel.make()) }

    private func refuse(_ text: String, _ unknownKeys: ImportOptions.UnknownKeys = .report) -> GraftError? {
        var options = ImportOptions()
        options.unknownKeys = unknownKeys
        return graftError { try stack.importJSON(text, "Character", options: options) }
    }

    @Test func `text that no property maps to makes batches smaller, and nothing else`() throws {
        var sketch = ModelSketch()
        sketch.entity("Team", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        let stack = try TestStack(sketch.model())
        let filler = String(repeating: "x", count: 9 << 20)
        let text = "[" + (1...5).map { "{\"id\": \($0), \"filler\": \"\(filler)\"}" }.joined(separator: ",") + "]"
        let report = try stack.importJSON(text, "Team")
        #expect(report.batchCount == 3 && report.recordCount == 5 && report.total.inserted == 5)
        #expect(report.unknownKeys.map(\.count) == [5])
    }

    @Test(arguments: [
        #"{"characters": [{"id": 1}]}"#, #"{"error": "not found"}"#, #"[{"ID": 1, "Name": "A"}]"#,
        #"[{"id": 1}, {"Id": 2}]"#, "{\"id\": 1}\n{\"error\": 404}", #"[{"id": 1, "publisher": {"Id": 10}}]"#,
        #"[{"id": 1, "powers": [{"id": 4}, {"title": "x"}]}]"#,
    ])
    func `an object of which no key is known is an error, and nothing is imported`(_ text: String) throws {
        // Once into an empty store, and once where such an object is there already.
        for _ in 0..<2 {
            let error = try #require(refuse(text))
            guard case .unknownKeys(let keys, _, let known, areAll: true) = error.problem else { throw error }
            #expect(!keys.isEmpty && known.contains("id"))
            #expect(
                error.description.contains("JSONRootKeyPath") && error.place.entity != nil
                    && error.place.line == text.split(separator: "\n").count)
            try stack.importJSON(#"[{}]"#, "Character")
        }
        #expect(try stack.count("Character") == 1 && stack.count("Publisher") == 0)
    }

    @Test func `the error names the keys, the nearest mapped ones and the place`() throws {
        let error = try #require(refuse(#"[{"id": 1}, {"ID": 1, "Name": "A", "realname": "B"}]"#))
        #expect(
            error.problem
                == .unknownKeys(
                    ["ID", "Name", "realname"], closest: ["id", "name", "real_name"],
                    known: ["id", "name", "real_name", "publisher", "powers"], areAll: true))
        #expect(error.place.path == [.index(1)] && error.place.entity == "Character")
        #expect(error.description.contains("Did you mean 'id', 'name', 'real_name'?"))
    }

    @Test func `single unknown keys are counted, each object once, in batches of any size`() throws {
        let heroes = (1...30).map {
            #"{"id": \#($0), "colour": 1, "publisher": {"id": 10, "founded": 1939, "x": {"id": 3}}, "powers": [{"id": 4, "a": 1}]}"#
        }
        for size in [1, 7, 1000] {
            for isSaved in [false, true] {
                var options = ImportOptions()
                options.batchSize = size
                options.savesEachBatch = isSaved
                let report = try stack.importJSON("[\(heroes.joined(separator: ","))]", "Character", options: options)
                #expect(
                    report.unknownKeys.map(\.description) == [
                        "Character: unknown key 'colour' (30)", "Power: unknown key 'a' (30)",
                        "Publisher: unknown key 'founded' (30)", "Publisher: unknown key 'x' (30)",
                    ], "\(size) \(isSaved)")
            }
        }
    }

    @Test func `a key that an object has again is counted, and the last value counts`()
        throws
    {
        let text = #"[{"id": 1, "name": "A", "name": "B"}, {"id": 2, "publisher": {"id": 1, "id": 3}, "name": "C"}]"#
        for size in [1, 1000] {
            var options = ImportOptions()
            options.batchSize = size
            let report = try stack.importJSON(text, "Character", options: options)
            #expect(
                report.repeatedKeys.map(\.description) == [
                    "Character: the key 'name' is there again (1), the last value counts",
                    "Publisher: the key 'id' is there again (1), the last value counts",
                ])
            #expect(report.unknownKeys.isEmpty && report.description.contains("the key 'name' is there again"))
        }
        #expect(try stack.perform { try $0.all("Character").compactMap { $0.text("name") }.sorted() } == ["B", "C"])
    }

    @Test func `objects of a key that an object has again are refused, and nothing of them stays`() throws {
        for text in [
            #"[{"id": 1, "publisher": {"id": 1}, "publisher": {"id": 2}}]"#,
            #"[{"id": 1, "powers": [{"id": 1}], "powers": []}]"#,
        ] {
            let error = try #require(refuse(text, .report))
            #expect(error.place.entity == "Character" && error.description.contains("twice"))
        }
        #expect(try stack.perform { try $0.all("Publisher").count + $0.all("Power").count } == 0)
    }

    @Test func `of a key that a tree has again the last value counts, and importing it again changes nothing`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Note", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType, json: "id"),
                .attribute("tree", .transformableAttributeType, json: "tree"),
            ])
        let notes = try TestStack(sketch.model())
        let text = #"[{"id": 1, "tree": [{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}]}]"#
        let report = try notes.importJSON(text, "Note")
        #expect(report.repeatedKeys.map(\.key) == ["tree.a", "tree.c"])
        #expect(try notes.importJSON(text, "Note").entities.map(\.counts.unchanged) == [1])
    }

    @Test func `repeated keys are found in an entity of any number of attributes`() throws {
        var sketch = ModelSketch()
        let names = (0..<150).map { "a\($0)" }
        sketch.entity("Wide", names.map { .attribute($0, json: $0) })
        let wide = try TestStack(sketch.model())
        let members = (names + ["a1", "a63", "a64", "a149"]).map { "\"\($0)\": \"x\"" }
        let report = try wide.importJSON("[{\(members.joined(separator: ","))}]", "Wide")
        #expect(report.repeatedKeys.map(\.key) == ["a1", "a149", "a63", "a64"])
    }

    @Test func `an empty object is counted, and no error`() throws {
        let report = try stack.importJSON(#"[{}, {"id": 1, "powers": [{}]}]"#, "Character")
        #expect(report.emptyObjects == 2 && report.unknownKeys.isEmpty)
        #expect(refuse("[{}]", .fail) == nil)
    }

    @Test func `a strict import refuses the first unknown key, with the one that was meant`() throws {
        let error = try #require(refuse(#"[{"id": 1, "nmae": "A"}]"#, .fail))
        #expect(error.place.path == [.index(0), .key("nmae")])
        #expect(error.description.contains("unknown key 'nmae'") && error.description.contains("Did you mean 'name'?"))
        #expect(refuse(#"[{"id": 1, "publisher": {"id": 1, "founded": 3}}]"#, .fail)?.place.entity == "Publisher")
        #expect(refuse(ComicModel.batman, .fail) == nil)
    }

    @Test func `collecting finds every record without a known key, and every unknown key of a strict import`() throws {
        var options = ImportOptions()
        options.failurePolicy = .collect
        let text = #"[{"ID": 1}, {"id": 2, "x": 1, "y": 2}, {"id": 3, "publisher": {"Id": 1}}]"#
        #expect(failures(text, options) == ["$[0]", "$[2].publisher"])
        options.unknownKeys = .fail
        #expect(failures(text, options) == ["$[0].ID", "$[1].x", "$[1].y", "$[2].publisher.Id"])
        options.unknownKeys = .report
        options.failurePolicy = .skip
        #expect(try stack.importJSON(text, "Character", options: options)["Character"].inserted == 1)
    }

    private func failures(_ text: String, _ options: ImportOptions) -> [String?] {
        do {
            try stack.importJSON(text, "Character", options: options)
            return []
        } catch let failures as ImportFailures {
            return failures.report.failures.map(\.path).filter { $0 != nil }
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `a key that tells the type, or that an object is gone, may be there once`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal",
            info: ["identityAttributes": "id", "JSONEntityKey": "meta.type", "JSONDeletedKey": "deleted"],
            [.attribute("id", .integer64AttributeType, json: "id"), .attribute("name", json: "name")])
        sketch.entity("Cat", parent: "Animal", [.attribute("lives", .integer16AttributeType, json: "lives")])
        sketch.entity("Dog", parent: "Animal", [])
        let stack = try TestStack(sketch.model())
        try stack.importJSON(#"[{"id": 1, "name": "x"}, {"id": 2, "name": "y"}]"#, "Animal")
        for text in [
            #"[{"id": 1, "meta": {"type": "Dog", "type": "Cat"}, "lives": 9}]"#,
            #"[{"id": 1, "meta": {"type": "Cat"}, "meta": {"type": "Dog"}}]"#,
            #"[{"id": 1, "deleted": true, "name": "z", "deleted": false}]"#,
            #"[{"id": 2, "name": "z", "deleted": false, "deleted": true}]"#,
            #"[{"id": 1, "deleted": true, "meta": {"type": "Dog", "type": "Cat"}}]"#,
        ] {
            let error = graftError { try stack.importJSON(text, "Animal") }
            #expect(error?.description.contains("twice") == true, "\(text): \(error as Any)")
        }
        #expect(try stack.perform { try $0.all("Animal", by: "id").map { $0.text("name") } } == ["x", "y"])
    }

    @Test func `ignoring ignores, and makes an object without values`() throws {
        #expect(refuse(#"[{"error": 404}]"#, .ignore) == nil)
        #expect(try stack.count("Character") == 1)
    }

    @Test func `what an export writes isn't unknown, and neither are keys that others read`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal", info: ["identityAttributes": "id", "JSONEntityKey": "meta.type"],
            [
                .attribute("id", json: "id"), .attribute("name", json: "name"),
                .toMany("young", "Young", inverse: "parent", json: "young", rule: .cascadeDeleteRule),
            ])
        sketch.entity("Bird", parent: "Animal", [.attribute("span", json: "span")])
        sketch.entity(
            "Young",
            [
                .attribute("herd", json: "@parent.herd"), .attribute("age", json: "age"),
                .toOne("parent", "Animal", inverse: "young"),
            ])
        let model = sketch.model()
        let stack = try TestStack(model)
        var options = ImportOptions()
        options.unknownKeys = .fail
        options.mapping["Animal", "name"].direction = .export
        let text =
            #"[{"id": "a", "name": "x", "meta": {"type": "Bird"}, "herd": "h", "span": "1", "young": [{"age": "1"}]}]"#
        let report = try stack.importJSON(text, "Animal", options: options)
        #expect(report.unknownKeys.isEmpty && report["Bird"].inserted == 1)
        #expect(try stack.perform { try $0.all("Young").map { $0.text("herd") } } == ["h"])
        // Objects that have nothing else are no records nevertheless.
        let exported = try stack.perform { try $0.exportJSON(NSFetchRequest<NSManagedObject>(entityName: "Animal")) }
        #expect(throws: Never.self) {
            try stack.importJSON(String(decoding: exported, as: UTF8.self), "Animal", options: options)
        }
    }

    @Test func `a mapper has read the keys that it tells the entity by`() throws {
        ValueTransformer.setEntityMapper(withName: "UnknownKeyTests") { $0["kind"] as? String }
        var sketch = ModelSketch()
        sketch.entity("Base", info: ["entityMapperName": "UnknownKeyTests"], [.attribute("id", json: "id")])
        sketch.entity("Sub", parent: "Base", [.attribute("more", json: "more")])
        let stack = try TestStack(sketch.model())
        var options = ImportOptions()
        options.unknownKeys = .fail
        #expect(try stack.importJSON(#"[{"kind": "Sub"}]"#, "Base", options: options)["Sub"].inserted == 1)
    }

    @Test func `a key that members stand under twice is counted`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Own", info: ["identityAttributes": "id"],
            [.attribute("id"), .toMany("kids", "Kid", inverse: "own").annotated(["JSONCollectionForm": "keyed"])])
        sketch.entity(
            "Kid", info: ["identityAttributes": "key"],
            [.attribute("key"), .attribute("name"), .toOne("own", "Own", inverse: "kids")])
        let stack = try TestStack(sketch.model())
        let report = try stack.importJSON(#"{"id": "1", "kids": {"5": {"name": "a"}, "5": {"name": "b"}}}"#, "Own")
        #expect(report.repeatedKeys.map(\.key) == ["kids.5"] && report["Kid"].inserted == 1)
        #expect(try stack.perform { try $0.all("Kid").map { $0.text("name") } } == ["b"])
    }
}
