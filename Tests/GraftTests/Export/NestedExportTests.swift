// Objects as JSON: keys in a defined order, nested objects or identifiers, and no end in circles.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct NestedExportTests {
    private func export(
        _ stack: TestStack, _ entity: String, options: ExportOptions = ExportOptions()
    ) throws -> String {
        let data = try stack.perform { context throws in
            try context.exportJSON(NSFetchRequest<NSManagedObject>(entityName: entity), options: options)
        }
        return String(decoding: data, as: UTF8.self)
    }

    @Test(arguments: StoreKind.allCases)
    func `a character is written with what it leads to`(_ kind: StoreKind) throws {
        let stack = try TestStack(ComicModel.make(), kind)
        try stack.importJSON(ComicModel.batman, "Character")
        let expected = """
            [{"id":1699,"name":"Batman","real_name":"Bruce Wayne",\
            "powers":[{"id":4,"name":"Agility"},{"id":9,"name":"Insanely Rich"}],\
            "publisher":{"id":10,"name":"DC Comics"}}]
            """
        #expect(try export(stack, "Character") == expected)
        #expect(try !stack.importJSON(expected, "Character").hasChanges)
    }

    @Test func `relationships are written as identifiers, or not at all, where that is asked for`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(ComicModel.batman, "Character")
        var options = ExportOptions()
        options.relationshipForm = .identifier
        options.format = .ndjson
        let identifiers = #"{"id":1699,"name":"Batman","real_name":"Bruce Wayne","powers":[4,9],"publisher":10}"#
        #expect(try export(stack, "Character", options: options) == identifiers)
        options.relationshipForm = ExportOptions.RelationshipForm.none
        #expect(
            try export(stack, "Character", options: options)
                == #"{"id":1699,"name":"Batman","real_name":"Bruce Wayne"}"#)
    }

    @Test func `the model says how a relationship is written`() throws {
        func model(_ form: String) throws -> NSManagedObjectModel {
            var sketch = ModelSketch()
            sketch.entity(
                "A", info: ["identityAttributes": "id"],
                [.attribute("id", json: "id"), .toOne("b", "B", json: "b_id")])
            sketch.entity(
                "B", info: ["identityAttributes": "id"], [.attribute("id", json: "id"), .attribute("x", json: "x")])
            let model = sketch.model()
            model.entitiesByName["A"]?.propertiesByName["b"]?.userInfo?["JSONExportForm"] = form
            return model
        }
        let stack = try TestStack(try model("identifier"))
        try stack.importJSON(#"{"id": "a", "b_id": {"id": "b", "x": "1"}}"#, "A")
        #expect(try export(stack, "A") == #"[{"id":"a","b_id":"b"}]"#)
        let nested = try TestStack(try model("nested"))
        try nested.importJSON(#"{"id": "a", "b_id": {"id": "b", "x": "1"}}"#, "A")
        #expect(try export(nested, "A") == #"[{"id":"a","b_id":{"id":"b","x":"1"}}]"#)
        let wrong = try TestStack(try model("nessted"))
        #expect(graftError { _ = try export(wrong, "A") }?.description.contains("nested, identifier, none") == true)
    }

    @Test func `nulls are written, or left out`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(#"{"id": 1}"#, "Character")
        #expect(
            try export(stack, "Character") == #"[{"id":1,"name":null,"real_name":null,"powers":[],"publisher":null}]"#)
        var options = ExportOptions()
        options.includesNulls = false
        #expect(try export(stack, "Character", options: options) == #"[{"id":1,"powers":[]}]"#)
    }

    @Test func `key paths make nested objects, and a transformer has the last word`() throws {
        final class Shout: ValueTransformer {
            override class func allowsReverseTransformation() -> Bool { true }
            override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.lowercased() }
            override func reverseTransformedValue(_ value: Any?) -> Any? {
                (value as? String).flatMap { $0.isEmpty ? nil : $0.uppercased() }
            }
        }
        ValueTransformer.setValueTransformer(Shout(), forName: NSValueTransformerName("Shout"))
        var sketch = ModelSketch()
        sketch.entity(
            "Place",
            [
                .attribute("name", json: "names.local", transformer: "Shout"), .attribute("b", json: "names.b"),
                .attribute("a", json: "names.a"), .attribute("z", .dateAttributeType, json: "z"),
                .attribute("quoted", json: #"k\.e"y"#),
            ])
        let stack = try TestStack(sketch.model())
        try stack.importJSON(
            #"[{"names": {"local": "ABC", "b": "2", "a": "1"}, "z": 0, "k.e\"y": "q"}, {"names": {"local": ""}}]"#,
            "Place")
        #expect(
            try export(stack, "Place")
                == #"[{"k.e\"y":"q","names":{"a":"1","b":"2","local":"ABC"},"z":"1970-01-01T00:00:00Z"},"#
                + #"{"k.e\"y":null,"names":{"a":null,"b":null},"z":null}]"#)
        var colliding = ModelSketch()
        colliding.entity("Place", [.attribute("a", json: "a"), .attribute("b", json: "a.b")])
        let broken = try TestStack(colliding.model())
        #expect(graftError { _ = try export(broken, "Place") }?.description.contains("'a'") == true)
    }

    private func ring() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "A", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType, json: "id"), .toMany("bs", "B", inverse: "as", json: "bs"),
                .toMany("cs", "C", inverse: "as", json: "cs"),
            ])
        sketch.entity(
            "B", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType, json: "id"), .toMany("as", "A", inverse: "bs", json: "as"),
                .toMany("cs", "C", inverse: "bs", json: "cs"),
            ])
        sketch.entity(
            "C",
            [
                .attribute("name", json: "name"), .toMany("as", "A", inverse: "cs", json: "as"),
                .toMany("bs", "B", inverse: "cs", json: "bs"), .toOne("next", "C", json: "next"),
            ])
        return try TestStack(sketch.model())
    }

    @Test func `a ring of many-to-many relationships is written once through`() throws {
        let stack = try ring()
        try stack.perform { context throws in
            func make(_ entity: String, _ count: Int) -> [NSManagedObject] {
                (0..<count).map { index in
                    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                    object.setValue(
                        entity == "C" ? "c\(index)" : NSNumber(value: index), forKey: entity == "C" ? "name" : "id")
                    return object
                }
            }
            let (a, b, c) = (make("A", 12), make("B", 12), make("C", 12))
            for object in a { object.setValue(NSSet(array: b), forKey: "bs") }
            for object in b { object.setValue(NSSet(array: c), forKey: "cs") }
            for object in c {
                object.setValue(NSSet(array: a), forKey: "as")
                object.setValue(c[0], forKey: "next")
            }
            try context.save()
        }
        let text = try export(stack, "A")
        // 36 objects, each written once with its links for each of the 12 at the top.
        #expect(text.utf8.count < 12 * 36 * 12 * 40)
        let copy = try ring()
        let report = try copy.importJSON(text, "A")
        #expect(report["A"].inserted == 12)
        #expect(report["B"].inserted == 12)
    }

    @Test func `a tree nests from its root, and the way back is left out`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Node", info: ["identityAttributes": "id"],
            [
                .attribute("id", json: "id"), .toOne("parent", "Node", inverse: "children", json: "parent"),
                .toMany("children", "Node", inverse: "parent", json: "children", isOrdered: true),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.importJSON(#"{"id": "r", "children": [{"id": "b", "children": [{"id": "d"}]}, {"id": "a"}]}"#, "Node")
        let text = try stack.perform { context throws in
            let root = try #require(try context.one("Node", "id", "r"))
            return String(decoding: try context.json(of: root), as: UTF8.self)
        }
        #expect(
            text
                == #"{"id":"r","children":[{"id":"b","children":[{"id":"d","children":[]}]},{"id":"a","children":[]}],"parent":null}"#
        )
        var options = ExportOptions()
        options.maximumNesting = 1
        let flat = try stack.perform { context throws in
            let root = try #require(try context.one("Node", "id", "r"))
            return String(decoding: try context.json(of: [root], options: options), as: UTF8.self)
        }
        #expect(flat == #"[{"id":"r","children":["b","a"],"parent":null}]"#)
    }

    /// Comments without identity, each with its reply.
    private func comments(_ count: Int) throws -> (stack: TestStack, text: String) {
        var sketch = ModelSketch()
        sketch.entity(
            "Comment", info: [:],
            [
                .attribute("text", json: "text"),
                .toOne("reply", "Comment", inverse: "parent", json: "reply", rule: .cascadeDeleteRule),
                .toOne("parent", "Comment", inverse: "reply"),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        let text = (1..<count).reduce(#"{"reply":null,"text":"0"}"#) { #"{"reply":\#($0),"text":"\#($1)"}"# }
        try stack.importJSON(text, "Comment")
        return (stack, text)
    }

    @Test func `objects without identity are nested as deep as they are, or the export fails`() throws {
        func export(_ count: Int, _ depth: Int? = nil) throws -> (exported: String, imported: String) {
            let (stack, text) = try comments(count)
            var options = ExportOptions()
            (options.sortsKeys, options.maximumNesting) = (true, depth)
            return try stack.perform { context throws in
                let root = try #require(try context.one("Comment", "text", "\(count - 1)"))
                return (String(decoding: try context.json(of: root, options: options), as: UTF8.self), text)
            }
        }
        let whole = try export(180)
        #expect(whole.exported == whole.imported)
        #expect(try export(5, 2).exported == #"{"reply":{"reply":{"text":"2"},"text":"3"},"text":"4"}"#)
        #expect(throws: GraftError.self) { try export(220) }
    }

    @Test func `a change is written with what leads to it, as deep as it would be nested`() throws {
        try comments(180).stack.perform { context throws in
            let root = try #require(try context.one("Comment", "text", "179"))
            func changes(_ depth: Int?) throws -> String {
                var options = ExportOptions()
                (options.scope, options.maximumNesting) = (.changesSinceSave, depth)
                return String(decoding: try context.json(of: [root], options: options), as: UTF8.self)
            }
            let last = try #require(try context.one("Comment", "text", "0"))
            last.setValue("new", forKey: "text")
            #expect(try changes(nil).contains("new"))
            #expect(try changes(5) == "[]")
        }
    }

    @Test func `a long chain neither overflows nor is cut without a word`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Link", info: ["identityAttributes": "id"],
            [.attribute("id", .integer32AttributeType, json: "id"), .toOne("next", "Link", json: "next")])
        let model = sketch.model()
        let stack = try TestStack(model)
        let text = (0..<2000).map { #"{"id": \#($0), "next": \#($0 + 1)}"# }.joined(separator: "\n")
        try stack.importJSON(text, "Link")
        let copy = try TestStack(model)
        try copy.importJSON(try export(stack, "Link"), "Link")
        #expect(try copy.count("Link") == 2001)
        let archives = try [stack, copy].map { try $0.perform { try $0.exportJSON() } }
        #expect(archives[0] == archives[1])
    }

    @Test func `the result of a request is written in its order, pretty or one per line`() throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        try stack.importJSON(#"[{"id": 2, "name": "b"}, {"id": 1, "name": "a"}, {"id": 3, "name": "c"}]"#, "Power")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("out.json")
        var request = ExportRequest(entity: "Power")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
        request.limit = 2
        var options = ExportOptions()
        options.format = .ndjson
        options.batchSize = 1
        #expect(try stack.container.exportJSON(request, to: .file(file), options: options) == 2)
        #expect(
            try String(contentsOf: file, encoding: .utf8) == "{\"id\":3,\"name\":\"c\"}\n{\"id\":2,\"name\":\"b\"}\n")
        options.format = .json
        options.isPretty = true
        request.predicate = NSPredicate(format: "name == 'a'")
        #expect(try stack.container.exportJSON(request, to: .file(file), options: options) == 1)
        #expect(
            try String(contentsOf: file, encoding: .utf8) == "[\n  {\n    \"id\": 1,\n    \"name\": \"a\"\n  }\n]\n")
        // What fails leaves the file as it was, and nothing beside it.
        let error = graftError {
            try stack.container.exportJSON(ExportRequest(entity: "Pawer"), to: .file(file))
        }
        #expect(error?.problem == .unknownEntity("Pawer", closest: "Power"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.json"])
        let unwritable = graftError {
            try stack.container.exportJSON(request, to: .file(folder.appendingPathComponent("no/such/folder.json")))
        }
        guard case .unwritableFile = unwritable?.problem else {
            Issue.record("\(String(describing: unwritable))")
            return
        }
    }

    /// Nodes by name, under parents by name: both identify them.
    private func tree(_ kind: StoreKind, _ nodes: [(name: String, parent: String?)]) throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Node", info: ["identityAttributes": "name, parent"],
            [
                .attribute("name"), .toOne("parent", "Node", inverse: "children"),
                .toMany("children", "Node", inverse: "parent"),
            ])
        let stack = try TestStack(sketch.model(), kind)
        try stack.perform { context throws in
            var objects: [String: NSManagedObject] = [:]
            for node in nodes {
                let object = NSEntityDescription.insertNewObject(forEntityName: "Node", into: context)
                object.setValue(node.name, forKey: "name")
                objects[node.name] = object
            }
            for node in nodes {
                objects[node.name]?.setValue(node.parent.flatMap { objects[$0] }, forKey: "parent")
            }
            try context.save()
        }
        return stack
    }

    private func lines(_ stack: TestStack) throws -> Set<String> {
        var options = ExportOptions()
        options.format = .ndjson
        options.sortsKeys = true
        return Set(try export(stack, "Node", options: options).split(separator: "\n").map(String.init))
    }

    @Test(arguments: StoreKind.allCases)
    func `an object that hangs on itself by its identity is written as one without identity`(_ kind: StoreKind) throws {
        let circle = try tree(kind, [("a", "b"), ("b", "a"), ("c", "b")])
        #expect(
            try lines(circle) == [
                #"{"children":[{"name":"b"}],"name":"a","parent":{"name":"b"}}"#,
                #"{"children":[{"name":"a"},{"name":"c"}],"name":"b","parent":{"name":"a"}}"#,
                #"{"children":[],"name":"c","parent":{"name":"b"}}"#,
            ])
        let root = try tree(kind, [("a", "a")])
        #expect(try lines(root) == [#"{"children":[{"name":"a"}],"name":"a","parent":{"name":"a"}}"#])
    }

    @Test(arguments: StoreKind.allCases)
    func `up to 64 owners identify an object`(_ kind: StoreKind) throws {
        let stack = try tree(kind, (0..<1000).map { ("n\($0)", $0 == 0 ? nil : "n\($0 - 1)") })
        let lines = try lines(stack)
        let identifiers = (0...64).reduce(into: ["null"]) { $0.append(#"{"name":"n\#($1)","parent":\#($0[$1])}"#) }
        #expect(lines.contains(#"{"children":[\#(identifiers[64])],"name":"n62","parent":\#(identifiers[62])}"#))
        #expect(lines.contains(#"{"children":[{"name":"n65"}],"name":"n64","parent":\#(identifiers[64])}"#))
        #expect(lines.contains(#"{"children":[{"name":"n66"}],"name":"n65","parent":{"name":"n64"}}"#))
        #expect(lines.contains(#"{"children":[],"name":"n999","parent":{"name":"n998"}}"#))
    }

    @Test func `unsaved changes are part of what a context exports`() throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        try stack.importJSON(#"[{"id": 1, "name": "a"}]"#, "Power")
        try stack.perform { context throws in
            try context.one("Power", "identifier", 1)?.setValue("changed", forKey: "name")
            let new = NSEntityDescription.insertNewObject(forEntityName: "Power", into: context)
            new.setValue(2, forKey: "identifier")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Power")
            request.sortDescriptors = [NSSortDescriptor(key: "identifier", ascending: true)]
            let data = try context.exportJSON(request)
            #expect(String(decoding: data, as: UTF8.self) == #"[{"id":1,"name":"changed"},{"id":2,"name":null}]"#)
        }
    }
}
