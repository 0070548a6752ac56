// What becomes of single values: absent, null, converted, refused.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ValueImportTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Thing", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("text"),
                .attribute("small", .integer16AttributeType, default: 7), .attribute("big", .integer64AttributeType),
                .attribute("real", .doubleAttributeType), .attribute("single", .floatAttributeType),
                .attribute("exact", .decimalAttributeType), .attribute("flag", .booleanAttributeType),
                .attribute("date", .dateAttributeType), .attribute("bytes", .binaryDataAttributeType),
                .attribute("uuid", .UUIDAttributeType), .attribute("link", .URIAttributeType),
                .attribute("tree", .transformableAttributeType),
                .toOne("next", "Thing", inverse: "previous"), .toMany("previous", "Thing", inverse: "next"),
            ])
        return sketch.model()
    }

    private func value(_ key: String, _ json: String, _ kind: StoreKind = .inMemory) throws -> Any? {
        let stack = try TestStack(model(), kind)
        try stack.importJSON(#"{"id": 1, "\#(key)": \#(json)}"#, "Thing")
        return try stack.perform { try $0.one("Thing", "id", 1)?.value(forKey: key) }
    }

    @Test(arguments: [#"{"b" : [1,  2.50], "a":"é"}"#, "[ ]", #"[{"x": null}]"#])
    func `an object in the place of bytes keeps its bytes`(_ text: String) throws {
        #expect(try value("bytes", text) as? Data == Data(text.utf8))
        // From a pipe, the text is read in small pieces.
        let stack = try TestStack(model())
        let pipe = Pipe()
        let long = #"{"id": 1, "text": "\#(String(repeating: "-", count: 70_000))", "bytes": \#(text), "flag": true}"#
        Thread.detachNewThread {
            pipe.fileHandleForWriting.write(Data(long.utf8))
            try? pipe.fileHandleForWriting.close()
        }
        try stack.container.importJSON(from: [.handle(pipe.fileHandleForReading)], entity: "Thing")
        try stack.perform { context throws in
            let thing = try #require(try context.one("Thing", "id", 1))
            #expect(thing.value(forKey: "bytes") as? Data == Data(text.utf8))
            #expect(thing.value(forKey: "flag") as? Bool == true)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `values are converted to the type of their attribute`(_ kind: StoreKind) throws {
        #expect(try value("text", "8", kind) as? String == "8")
        #expect(try (value("small", #""-12""#, kind) as? NSNumber)?.int64Value == -12)
        #expect(try (value("big", "9007199254740993", kind) as? NSNumber)?.int64Value == 9_007_199_254_740_993)
        #expect(try (value("real", #""1e-3""#, kind) as? NSNumber)?.doubleValue == 0.001)
        #expect(try (value("flag", #""yes""#, kind) as? NSNumber)?.boolValue == true)
        #expect(try value("exact", "0.7689993", kind) as? NSDecimalNumber == NSDecimalNumber(string: "0.7689993"))
        #expect(
            try (value("date", #""2018-07-21T23:41:03""#, kind) as? Date)?.timeIntervalSince1970 == 1_532_216_463)
        #expect(try value("bytes", #""AQID""#, kind) as? Data == Data([1, 2, 3]))
        #expect(try (value("link", #""https://example.org/a""#, kind) as? URL)?.host == "example.org")
        let uuid = UUID()
        #expect(try value("uuid", "\"\(uuid.uuidString)\"", kind) as? UUID == uuid)
    }

    // SQLite, "Datatypes": a real number without a fraction is stored as an integer, which has no sign at zero.
    @Test(arguments: StoreKind.allCases)
    func `a zero that lost its sign in the store is no change`(_ kind: StoreKind) throws {
        let stack = try TestStack(model(), kind)
        let text = #"[{"id": 1, "real": -0.0, "single": -0.0}]"#
        try stack.importJSON(text, "Thing")
        let read = try GraphSnapshot(reading: .data(Data(text.utf8)), entity: "Thing", model: model())
        let stored = try stack.perform { try GraphSnapshot(of: $0) }
        #expect(try GraphDiff(from: stored, to: read).isEmpty)
        #expect(try GraphDiff(from: read, to: stored).isEmpty)
        let again = try stack.importJSON(text, "Thing")
        #expect(again["Thing"].unchanged == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a transformable attribute keeps a tree`(_ kind: StoreKind) throws {
        let tree = try value("tree", #"{"de": "Haus", "n": [1, 2.5, true, null]}"#, kind) as? [String: Any]
        #expect(tree?["de"] as? String == "Haus")
        #expect((tree?["n"] as? [Any])?.count == 4)
        #expect(((tree?["n"] as? [Any])?[1] as? NSNumber)?.doubleValue == 2.5)
    }

    @Test(
        arguments: [
            ("1", "true"), ("true", "1"), ("[9007199254740993]", "[9007199254740992.0]"),
            ("[0.1]", "[0.10000000000000001]"),
        ], StoreKind.allCases)
    func `a value in a tree is replaced by one that Foundation takes for equal`(
        _ trees: (String, String), _ kind: StoreKind
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Thing", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("tree", .transformableAttributeType)])
        let stack = try TestStack(sketch.model(), kind)
        func take(_ tree: String) throws -> ImportReport.Counts {
            try stack.container.importJSON(
                from: [.data(Data(#"[{"id": 1, "tree": \#(tree)}]"#.utf8))], entity: "Thing")["Thing"]
        }
        #expect(try take(trees.0).inserted == 1)
        #expect(try take(trees.1).updated == 1)
        #expect(try take(trees.1).unchanged == 1)
        try stack.perform { context in
            let text = String(decoding: try context.json(of: context.all("Thing")), as: UTF8.self)
            #expect(text.contains("\"tree\":\(trees.1)}"), "\(text)")
        }
    }

    @Test(arguments: [
        "1e400", "-1e400", "12345678901234567890123456789012345678901", "0.12345678901234567890123456789012345678901",
    ])
    func `a number in a tree that no object holds is refused with its place`(_ number: String) throws {
        let error = try #require(graftError { _ = try value("tree", #"{"a": [true, \#(number)]}"#) })
        guard case .outOfRange = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(error.description.contains(number))
        #expect(error.place.path == [.key("tree"), .key("a"), .index(1)] && error.place.line == 1, "\(error)")
        #expect(error.place.property == "tree")
    }

    @Test(arguments: ["1e300", "18446744073709551615", "12345678901234567890123456789012345678", "0.1", "-0.0"])
    func `a number in a tree that an object holds is that number`(_ number: String) throws {
        let tree = try #require(try value("tree", "[\(number)]") as? [NSNumber])
        #expect(try JSONValue.Number(text: number) == JSONValue.Number(text: #require(tree.first).stringValue))
    }

    @Test func `a number that no object holds doesn't get to a transformer`() throws {
        let name = "ValueImportTests.words"
        ValueTransformer.setValueTransformer(withName: name) { (number: Double) -> String? in "\(number)" }
        let world = try ImportWorld { sketch in
            sketch.entity(
                "Thing", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType, json: "id"),
                    .attribute("text", json: "text", transformer: name),
                ])
        }
        try world.take(#"{"id": 1, "text": 1.5}"#, "Thing")
        let error = try #require(world.refuse(#"{"id": 1, "text": 1e400}"#, "Thing"))
        guard case .outOfRange = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(error.place.path == [.key("text")] && error.place.property == "text")
    }

    // Foundation's archiver on Linux takes equal objects for one: true, 1 and 1.0 would all come back as what came first.
    @Test(arguments: StoreKind.allCases)
    func `equal values of different types in a tree stay what they are, and importing them again changes nothing`(
        _ kind: StoreKind
    ) throws {
        let stack = try TestStack(model(), kind)
        let json = #"{"id":1,"tree":{"a":[1,true,0,false,1.5],"b":[true,1],"c":{"d":null,"e":0.1234567890123456789}}}"#
        try stack.importJSON(json, "Thing")
        let written = try stack.perform { try String(decoding: $0.json(of: $0.all("Thing")), as: UTF8.self) }
        for part in [#""a":[1,true,0,false,1.5]"#, #""b":[true,1]"#, #""c":{"d":null,"e":0.1234567890123456789}"#] {
            #expect(written.contains(part), "\(written)")
        }
        #expect(try !stack.importJSON(json, "Thing").hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func `a missing key leaves the value and null clears it`(_ kind: StoreKind) throws {
        let stack = try TestStack(model(), kind)
        try stack.importJSON(#"{"id": 1, "text": "a", "next": {"id": 2}, "previous": [{"id": 3}, {"id": 4}]}"#, "Thing")
        try stack.importJSON(#"{"id": 1, "big": 5}"#, "Thing")
        try stack.perform { context throws in
            let thing = try #require(try context.one("Thing", "id", 1))
            #expect(thing.text("text") == "a")
            #expect(thing.number("small") == 7, "a new object has the model's default")
            #expect(thing.object("next")?.number("id") == 2)
            #expect((thing.value(forKey: "previous") as? NSSet)?.count == 2)
        }
        try stack.importJSON(#"{"id": 1, "text": null, "next": null, "previous": null, "small": null}"#, "Thing")
        try stack.perform { context throws in
            let thing = try #require(try context.one("Thing", "id", 1))
            #expect(thing.text("text") == nil)
            #expect(thing.value(forKey: "small") == nil)
            #expect(thing.object("next") == nil)
            #expect((thing.value(forKey: "previous") as? NSSet)?.count == 0)
            #expect(thing.number("big") == 5)
        }
    }

    @Test func `the members of a to-many relationship are replaced, and nulls among them passed over`() throws {
        let stack = try TestStack(model())
        try stack.importJSON(#"{"id": 1, "previous": [2, 3, 3]}"#, "Thing")
        let report = try stack.importJSON(#"{"id": 1, "previous": [null, 3, {"id": 4}]}"#, "Thing")
        #expect(report["Thing"].updated == 1)
        try stack.perform { context throws in
            let thing = try #require(try context.one("Thing", "id", 1))
            let ids = (thing.value(forKey: "previous") as? NSSet)?.compactMap { ($0 as? NSManagedObject)?.number("id") }
            #expect(ids?.sorted() == [3, 4])
            #expect(try context.one("Thing", "id", 2)?.object("next") == nil)
        }
    }

    @Test func `equal values don't make an object dirty, whatever form they come in`() throws {
        let stack = try TestStack(model(), .sqlite)
        let text = """
            {"id": "1", "text": "é", "small": 1, "big": "2", "real": 0.1, "single": 0.1, "exact": "1.50", "flag": 1,
             "date": "2018-07-21T23:41:03.25Z", "bytes": "AQID", "uuid": "123e4567-e89b-12d3-a456-426614174000",
             "link": "https://example.org", "tree": {"b": [1, 2.5], "a": null}, "next": 2, "previous": [3]}
            """
        try stack.importJSON(text, "Thing")
        try stack.perform { context throws in
            let same = try context.importJSON(Data(text.utf8), entity: "Thing")
            #expect(!same.hasChanges)
            #expect(!context.hasChanges)
            let other = text.replacingOccurrences(of: "\"1.50\"", with: "1.5")
                .replacingOccurrences(of: ".25Z", with: ".250+00:00")
            let respelled = try context.importJSON(Data(other.utf8), entity: "Thing")
            #expect(!respelled.hasChanges)
            #expect(!context.hasChanges)
        }
    }

    struct Refused: CustomTestStringConvertible {
        let json: String, path: String, property: String
        var testDescription: String { json }
    }

    @Test(arguments: [
        Refused(json: #"[{"id": 1}, {"id": 2, "small": "none"}]"#, path: "$[1].small", property: "small"),
        Refused(json: #"[{"id": 1, "small": 40000}]"#, path: "$[0].small", property: "small"),
        Refused(json: #"[{"id": 1, "next": {"id": 2, "flag": "maybe"}}]"#, path: "$[0].next.flag", property: "flag"),
        Refused(
            json: #"[{"id": 1, "previous": [1, {"date": "soon"}]}]"#, path: "$[0].previous[1].date", property: "date"),
        Refused(json: #"[{"id": 1, "previous": 5}]"#, path: "$[0].previous", property: "previous"),
        Refused(json: #"[{"id": 1, "previous": [[1]]}]"#, path: "$[0].previous[0]", property: "previous"),
        Refused(json: #"[{"id": 1, "next": [1]}]"#, path: "$[0].next", property: "next"),
        Refused(json: #"[{"id": 1, "next": "x"}]"#, path: "$[0].next", property: "next"),
        Refused(json: #"[{"id": 1, "text": {"a": 1}}]"#, path: "$[0].text", property: "text"),
    ])
    func `a value that doesn't fit is an error that says where, and nothing is imported`(_ refused: Refused) throws {
        let stack = try TestStack(model())
        let error = try #require(graftError { try stack.importJSON(refused.json, "Thing") })
        #expect(error.place.path.map { GraftError.Place.text(of: $0) } == refused.path)
        #expect(error.place.entity == "Thing")
        #expect(error.place.line == 1)
        #expect(error.place.property == refused.property || error.place.property == "id")
        #expect(try stack.count("Thing") == 0)
    }

    @Test func `broken JSON is an error with line and column, and nothing is imported`() throws {
        let stack = try TestStack(model())
        let error = try #require(graftError { try stack.importJSON("[{\"id\": 1},\n{\"id\": 2,}]", "Thing") })
        guard case .invalidJSON = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect(error.place.line == 2)
        #expect(error.place.column == 10)
        #expect(try stack.count("Thing") == 0)
        #expect(graftError { try stack.importJSON("5", "Thing") }?.place.path?.isEmpty == true)
        #expect(graftError { try stack.importJSON("[[1]]", "Thing") } != nil)
    }

    @Test func `objects one after the other and arrays are the same`() throws {
        let stack = try TestStack(model())
        let report = try stack.importJSON("{\"id\": 1}\n{\"id\": 2}\n\n{\"id\": 3}", "Thing")
        #expect(report["Thing"].inserted == 3)
        #expect(report.recordCount == 3)
        #expect(try stack.importJSON(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#, "Thing")["Thing"].unchanged == 3)
        #expect(try stack.importJSON("", "Thing").recordCount == 0)
        #expect(try stack.importJSON("[]", "Thing").recordCount == 0)
    }
}
