// The JSON of whole graphs: what is written reads back as the same graph, for any model and any graph, from objects and from snapshots.

import CoreData
import Foundation
import Graft
import Synchronization
import Testing

@Suite struct GraphDocumentTests {
    /// Differences between two texts, in few words.
    private func firstDifference(_ one: Data, _ other: Data) -> String {
        let first = Array(one), second = Array(other)
        let at = zip(first, second).enumerated().first { $1.0 != $1.1 }?.offset ?? min(first.count, second.count)
        func around(_ bytes: [UInt8]) -> String {
            String(decoding: bytes[max(0, at - 200)..<min(bytes.count, at + 200)], as: UTF8.self)
        }
        return "at \(at) of \(first.count) and \(second.count):\n\(around(first))\n---\n\(around(second))"
    }

    @Test(arguments: Laws.cases(0..<40))
    func `export, import into an empty store, export again: the same bytes`(_ seed: Int) throws {
        var graph = RandomGraph(seed: seed)
        let kind: StoreKind = seed % 3 == 0 ? .inMemory : .sqlite
        let first = try TestStack(graph.model, kind)
        try first.perform { context throws in
            graph.fill(context, count: 5 + seed)
            context.checkInvariants()
            try context.save()
        }
        let archive = try first.perform { try $0.exportJSON() }
        let second = try TestStack(graph.model, kind == .inMemory ? .sqlite : .inMemory)
        let report = try second.importJSON(String(decoding: archive, as: UTF8.self))
        #expect(report.total.inserted == 5 + seed, "seed \(seed): \(report)")
        #expect(report.total.stubs == 0)
        try second.perform { context throws in
            _ = try context.exportJSON()
            context.checkInvariants()
        }
        let again = try second.perform { try $0.exportJSON() }
        #expect(archive == again, "seed \(seed): \(firstDifference(archive, again))")
        let snapshot = try first.perform { try GraphSnapshot(of: $0).json(model: graph.model) }
        #expect(snapshot == archive, "seed \(seed): \(firstDifference(snapshot, archive))")
        let read = try GraphSnapshot(json: archive, model: graph.model).json(model: graph.model)
        #expect(read == archive, "seed \(seed): \(firstDifference(read, archive))")

        try second.perform { context throws in
            let same = try context.importJSON(again)
            #expect(!same.hasChanges, "seed \(seed): \(same)")
            #expect(!context.hasChanges, "seed \(seed)")
        }
    }

    // Inheritance, cycles, ordered and many-to-many relationships, all attribute types.
    @Test(arguments: Laws.cases(100..<140))
    func `a random graph survives export and import, byte for byte with sorted keys`(_ seed: Int) throws {
        var graph = RandomGraph(seed: seed)
        var options = ExportOptions()
        options.sortsKeys = true
        let first = try TestStack(graph.model, seed % 2 == 0 ? .inMemory : .sqlite)
        try first.perform { context throws in
            graph.fill(context, count: 40)
            try context.save()
        }
        let archive = try first.perform { try $0.exportJSON(options: options) }
        let second = try TestStack(graph.model, seed % 2 == 0 ? .sqlite : .inMemory)
        let report = try second.importJSON(String(decoding: archive, as: UTF8.self))
        #expect(report.total.inserted == 40, "seed \(seed): \(report)")
        let again = try second.perform { try $0.exportJSON(options: options) }
        #expect(archive == again, "seed \(seed): \(firstDifference(archive, again))")
    }

    @Test func `the number of an object may stand anywhere in it`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Note",
            [.attribute("text"), .toOne("next", "Note", inverse: "last"), .toOne("last", "Note", inverse: "next")])
        let model = sketch.model()
        func notes(_ text: String) throws -> Data {
            try GraphSnapshot(json: Data("{\"Note\": [\(text)]}".utf8), model: model).json(model: model)
        }
        let first = try notes(#"{"$id": 1, "text": "a", "next": {"$ref": 2}}, {"$id": 2, "text": "b"}"#)
        #expect(try notes(#"{"text": "a", "next": {"$ref": 2}, "$id": 1}, {"text": "b", "$id": 2}"#) == first)
        #expect(try notes(#"{"text": "a", "next": {"text": "b", "$id": 2}, "$id": 1}"#) == first)
        #expect(String(decoding: first, as: UTF8.self).contains(#""last":{"$ref":1}"#))
        for key in [#""$ref": 1"#, #""$entity": "Note""#] {
            let error = graftError { _ = try notes(#"{"$id": 1, "text": "a"}, {"text": "b", \#(key)}"#) }
            #expect(error?.description.contains("stands after others. Put it first in its object.") == true)
        }
        for twice in [#""$id": 1, "$id": 2"#, #""$id": 1, "text": "a", "$id": 2"#, #""text": "a", "$id": 1, "$id": 2"#]
        {
            #expect(graftError { _ = try notes("{\(twice)}") }?.description.contains("$id") == true)
        }
    }

    @Test(arguments: ["add", "delta", "replace"])
    func `lists of a document are all there is, in their order, whatever the policy of the relationship`(
        _ policy: String
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Node", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType), .toOne("dad", "Node", inverse: "kids"),
                .toMany("kids", "Node", inverse: "dad", isOrdered: true).annotated(["JSONToManyPolicy": policy]),
                .toMany("friends", "Node", isOrdered: true).annotated(["JSONToManyPolicy": policy]),
            ])
        let model = sketch.model()
        let (first, second) = (try TestStack(model, .sqlite), try TestStack(model, .sqlite))
        try first.importJSON(#"[{"id": 9, "kids": [3, 1, 2]}, {"id": 8, "friends": [2, 9, 1]}]"#, "Node")
        let document = try first.perform { try $0.exportJSON() }
        for _ in 0..<2 {
            try second.importJSON(String(decoding: document, as: UTF8.self))
            #expect(try second.perform { try $0.exportJSON() } == document)
        }
    }

    @Test func `a document looks as its documentation says`() throws {
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
            {"Country":[{"id":1,"name":"A","zones":[{"$ref":1},{"$ref":2}]}],"Zone":[{"$id":1,"name":"z1","country":1},\
            {"$id":2,"name":null,"country":1}],"City":[{"id":7,"capitalOf":1,"near":[]}],"Place":[],\
            "Note":[{"$id":3,"text":"a","country":1,"next":{"$ref":4},"place":7},\
            {"$id":4,"text":"b","country":1,"next":{"$ref":3},"place":null}]}
            """
        let stack = try TestStack(sketch.model(), .sqlite)
        let report = try stack.importJSON(text)
        #expect(report["Note"].inserted == 2)
        #expect(report["Zone"].inserted == 2)
        let archive = try stack.perform { try $0.exportJSON() }
        #expect(String(decoding: archive, as: UTF8.self) == text)
        #expect(try !stack.importJSON(text).hasChanges)
    }

    struct Broken: CustomTestStringConvertible, Sendable {
        let text: String, words: String
        var testDescription: String { words }
    }

    @Test(arguments: [
        Broken(text: #"{"Character": [], "Charakter": []}"#, words: "Did you mean 'Character'?"),
        Broken(text: #"{"Character": [], "Power": {}}"#, words: "an array of objects"),
        Broken(text: #"{"Character": [{"id": 1}, 5]}"#, words: "an object"),
        Broken(text: #"{"Character": [{"publisher": {"$ref": 1}}]}"#, words: "Publisher $ref 1"),
        Broken(
            text: #"{"Power": [{"$id": 1, "id": 3}], "Character": [{"publisher": {"$ref": 1}}]}"#,
            words: "$ref 1, which is of 'Power'"),
        Broken(
            text: #"{"Character": [{"publisher": {"$ref": 1}}], "Power": [{"$id": 1, "id": 3}]}"#,
            words: "an object of 'Publisher'"),
        Broken(text: #"{"Character": [{"publisher": {"$entity": "Power"}}]}"#, words: "Publisher or an entity"),
        Broken(text: #"{"Character": [{"$id": 1}, {"$id": 1}]}"#, words: "several objects"),
        Broken(text: #"{"Character": [{"$id": true}]}"#, words: "the number of an object"),
        Broken(text: #"{"Character": []} {}"#, words: "the end of the text"),
    ])
    func `a broken document is an error, and nothing is imported`(_ broken: Broken) throws {
        let stack = try TestStack(ComicModel.make())
        let error = try #require(graftError { try stack.importJSON(broken.text) })
        #expect(error.description.contains(broken.words), "\(error)")
        #expect(try stack.count("Character") == 0)
    }

    @Test func `what the annotations leave out is in a document all the same`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.perform { context throws in
            let hero = NSEntityDescription.insertNewObject(forEntityName: "Character", into: context)
            hero.setValue(1, forKey: "identifier")
            hero.setValue("hidden", forKey: "secret")
            try context.save()
        }
        let archive = try stack.perform { try $0.exportJSON() }
        #expect(String(decoding: archive, as: UTF8.self).contains(#""$secret":"hidden""#))
        let copy = try TestStack(ComicModel.make())
        try copy.importJSON(String(decoding: archive, as: UTF8.self))
        try copy.perform { context throws in
            #expect(try context.one("Character", "identifier", 1)?.text("secret") == "hidden")
        }
        // Outside of documents, such a key means nothing.
        try copy.importJSON(#"{"id": 1, "$secret": "changed", "$id": "x", "$entity": 5}"#, "Character")
        try copy.perform { context throws in
            #expect(try context.one("Character", "identifier", 1)?.text("secret") == "hidden")
        }
    }

    @Test func `properties under the keys of documents make room for them`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Node",
            [
                .attribute("num", .integer64AttributeType, json: "$id"), .attribute("name", json: "name"),
                .attribute("kind", json: "$entity"), .attribute("other", json: "$$id"), .attribute("id"),
                .attribute("ref"), .attribute("entityName", json: "$ref.name"),
            ])
        sketch.entity("Tag", [.attribute("t"), .toOne("node", "Node")])
        let model = sketch.model()
        let stack = try TestStack(model, .sqlite)
        try stack.perform { context throws in
            for number in [2, 1] {
                let node = NSEntityDescription.insertNewObject(forEntityName: "Node", into: context)
                for key in ["name", "kind", "other", "id", "ref", "entityName"] {
                    node.setValue("\(key) \(number)", forKey: key)
                }
                node.setValue(number, forKey: "num")
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                tag.setValue("of \(number)", forKey: "t")
                tag.setValue(node, forKey: "node")
            }
            try context.save()
        }
        let archive = try stack.perform { try $0.exportJSON() }
        let copy = try TestStack(model, .sqlite)
        try copy.importJSON(String(decoding: archive, as: UTF8.self))
        #expect(try copy.perform { try $0.exportJSON() } == archive)
        try copy.perform { context throws in
            for number in [1, 2] {
                let tag = try #require(try context.one("Tag", "t", "of \(number)"))
                let node = try #require(tag.value(forKey: "node") as? NSManagedObject)
                #expect(node.value(forKey: "num") as? Int == number)
                for key in ["name", "kind", "other", "id", "ref", "entityName"] {
                    #expect(node.text(key) == "\(key) \(number)")
                }
            }
        }
    }

    @Test func `properties at one place, or one on the way to another, have places of their own`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Root", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType, json: "id"), .attribute("kidName", json: "kid.name"),
                .toOne("kid", "Kid", inverse: "root", json: "kid"), .attribute("x", json: "v"),
                .attribute("y", json: "v"),
                .attribute("code", json: "id"), .attribute("plain", json: "deep"),
                .attribute("inner", json: "deep.inner"), .toOne("friend", "Root", json: "friend"),
                .attribute("friendKey", .integer64AttributeType, json: "friend"),
            ])
        sketch.entity(
            "Kid", info: ["identityAttributes": "key"],
            [.attribute("key", .integer64AttributeType), .attribute("name"), .toOne("root", "Root", inverse: "kid")])
        let model = sketch.model()
        let stack = try TestStack(model, .sqlite)
        try stack.perform { context throws in
            func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                object.setValuesForKeys(values)
                return object
            }
            let kid = make("Kid", ["key": 5, "name": "Kim"])
            let first = make(
                "Root",
                [
                    "id": 1, "kidName": "other", "x": "ex", "y": "why", "code": "c", "plain": "p", "inner": "i",
                    "friendKey": 7, "kid": kid,
                ])
            _ = make("Root", ["id": 2, "friend": first])
            try context.save()
        }
        let document = try stack.perform { try $0.exportJSON() }
        let snapshot = try GraphSnapshot(json: document, model: model)
        #expect(try snapshot.json(model: model) == document)
        // Into the same store, and into an empty one.
        let copy = try TestStack(model, .sqlite)
        for target in [stack, copy] {
            let report = try target.importJSON(String(decoding: document, as: UTF8.self))
            #expect(report.hasChanges == (target === copy))
            #expect(try target.count("Kid") == 1)
            #expect(try target.perform { try $0.exportJSON() } == document)
        }
        try copy.perform { context throws in
            let root = try #require(try context.one("Root", "id", 1))
            #expect(
                ["kidName", "x", "y", "code", "plain", "inner"].map(root.text) == ["other", "ex", "why", "c", "p", "i"])
            #expect(root.number("friendKey") == 7)
            #expect(root.object("kid")?.text("name") == "Kim")
            #expect(root.object("friend") == nil)
            #expect(try context.one("Root", "id", 2)?.object("friend") === root)
        }
    }

    @Test func `keys in two normal forms are two`() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        var sketch = ModelSketch()
        sketch.entity("A", [.attribute("first", json: one), .attribute("second", json: two)])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.importJSON(#"{"\#(one)": "1", "\#(two)": "2"}"#, "A")
        let text = try stack.perform { String(decoding: try $0.exportJSON(), as: UTF8.self) }
        #expect(Array(text.utf8) == Array(#"{"A":[{"$id":1,"\#(two)":"2","\#(one)":"1"}]}"#.utf8), "\(text)")
    }

    @Test func `transformers take no part in a document, so nothing is lost on the way`() throws {
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
        let archive = try stack.perform { try $0.exportJSON() }
        #expect(String(decoding: archive, as: UTF8.self) == #"{"A":[{"$id":1,"text":4}]}"#)
        let copy = try TestStack(model)
        try copy.importJSON(String(decoding: archive, as: UTF8.self))
        #expect(try copy.perform { try $0.all("A").map { $0.number("n") } } == [4])
    }

    @Test func `a document of some entities refers to the others`() throws {
        let stack = try TestStack(ComicModel.make())
        try stack.importJSON(ComicModel.batman, "Character")
        let archive = try stack.perform { try $0.exportJSON(of: ["Character"]) }
        let text = String(decoding: archive, as: UTF8.self)
        #expect(text.contains(#""publisher":"10""#) || text.contains(#""publisher":10"#))
        #expect(!text.contains("DC Comics"))
        let copy = try TestStack(ComicModel.make())
        let report = try copy.importJSON(text)
        #expect(report["Publisher"].stubs == 1)
        #expect(
            graftError { _ = try stack.perform { try $0.exportJSON(of: ["Charakter"]) } }?.problem
                == .unknownEntity("Charakter", closest: "Character"))
    }

    /// Places with an identity that they inherit, towns and rivers, and notes without one.
    private static func places() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("Place", info: ["identityAttributes": "id"], [.attribute("id", .integer32AttributeType)])
        sketch.entity("Town", parent: "Place", [])
        sketch.entity("River", parent: "Place", [])
        sketch.entity("Note", [.attribute("text"), .toOne("place", "Place"), .toOne("note", "Note")])
        return sketch.model()
    }

    @Test func `siblings may share an identity, and references lead to the right one`() throws {
        let stack = try TestStack(Self.places())
        try stack.fill { context in
            let town = context.add("Town", ["id": 7]), river = context.add("River", ["id": 7])
            context.add("Note", ["text": "town", "place": town])
            context.add("Note", ["text": "river", "place": river])
        }
        let text = try stack.perform { try $0.exportJSON() }
        let copy = try TestStack(Self.places())
        try copy.container.importJSON(from: [.data(text)])
        try copy.perform { context throws in
            for name in ["town", "river"] {
                let note = try #require(try context.one("Note", "text", name))
                #expect(note.object("place")?.entity.name?.lowercased() == name)
            }
        }
        #expect(try copy.perform { try $0.exportJSON() } == text)
    }

    @Test func `two objects with one identity are named, because an import would make one of them`() throws {
        let stack = try TestStack(Self.places())
        try stack.fill { context in for _ in 0..<2 { context.add("Town", ["id": 7]) } }
        let error = try #require(graftError { _ = try stack.perform { try $0.exportJSON() } })
        #expect(error.description.contains("(Town)") || error.place.entity == "Town", "\(error)")
        #expect(error.description.contains("has the identity 7, as another object has"), "\(error)")
        var options = ExportOptions()
        let found = Mutex<[GraftError]>([])
        options.onDamage = { error in found.withLock { $0.append(error) } }
        let text = try stack.perform { [options] in try $0.exportJSON(options: options) }
        #expect(found.withLock { $0 } == [error])
        #expect(String(decoding: text, as: UTF8.self).components(separatedBy: #""id":7"#).count == 3)
    }

    @Test(arguments: [
        (true, "has the identity 1 of Order 7, as another"), (false, "has the identity 1 of nothing, as another"),
    ])
    func `so are two objects with one identity that includes their owner`(_ isOwned: Bool, _ words: String) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Order", info: ["identityAttributes": "id"],
            [.attribute("id", .integer32AttributeType), .toMany("lines", "Line", inverse: "order")])
        sketch.entity(
            "Line", info: ["identityAttributes": "no, order"],
            [
                .attribute("no", .integer32AttributeType), .attribute("text"),
                .toOne("order", "Order", inverse: "lines"),
            ])
        let stack = try TestStack(sketch.model())
        try stack.fill { context in
            let orders = [7, 8].map { context.add("Order", ["id": $0]) }
            // Another owner's, and those without a number of their own, are others.
            context.add("Line", ["no": 1, "order": orders[1]])
            for order in orders { context.add("Line", ["order": order]) }
            context.add("Line", isOwned ? ["no": 1] : ["no": 1, "order": orders[0]])
        }
        #expect(throws: Never.self) { try stack.perform { try $0.exportJSON() } }
        try stack.fill { context in
            for text in ["a", "b"] {
                let line = context.add("Line", ["no": 1, "text": text])
                if isOwned { line.setValue(try? context.one("Order", "id", 7), forKey: "order") }
            }
        }
        let error = try #require(graftError { _ = try stack.perform { try $0.exportJSON() } })
        #expect(error.place.entity == "Line" && error.description.contains(words), "\(error)")
    }

    @Test func `a link to an object without identity that isn't exported is an error, and no null`() throws {
        let stack = try TestStack(Self.places())
        try stack.fill { context in
            let note = context.add("Note", ["text": "a"])
            context.add("Note", ["text": "b", "note": note])
            context.add("Note", ["text": "c", "place": context.add("Town", ["id": 1])])
        }
        // A town is told by its identity and its entity, wherever it is.
        let notes = try stack.perform { try $0.exportJSON(of: ["Note"]) }
        #expect(String(decoding: notes, as: UTF8.self).contains(#""place":{"$entity":"Town","id":1}"#))
        var sketch = ModelSketch()
        sketch.entity("A", [.toOne("b", "B")])
        sketch.entity("B", [.attribute("text")])
        let other = try TestStack(sketch.model())
        try other.fill { context in context.add("A", ["b": context.add("B", ["text": "x"])]) }
        let error = try #require(graftError { _ = try other.perform { try $0.exportJSON(of: ["A"]) } })
        #expect(
            error.place.entity == "A" && error.place.property == "b" && error.description.contains("Export 'B', too"))
    }

    @Test func `a store without objects has a document, too`() throws {
        let stack = try TestStack(Self.places())
        let text = try stack.perform { try $0.exportJSON() }
        #expect(String(decoding: text, as: UTF8.self) == #"{"Place":[],"River":[],"Town":[],"Note":[]}"#)
        #expect(try stack.container.importJSON(from: [.data(text)]).recordCount == 0)
    }

    @Test func `a link at one end alone is in the document, and so in the objects`() throws {
        func model() -> NSManagedObjectModel {
            var sketch = ModelSketch()
            sketch.entity("Owner", [.attribute("name"), .toOne("pet", "Pet", inverse: "owner")])
            sketch.entity("Pet", [.attribute("name"), .toOne("owner", "Owner", inverse: "pet")])
            return sketch.model()
        }
        for end in ["pet", "owner"] {
            let stack = try TestStack(model(), .sqlite)
            try stack.fill { context in
                let owner = context.add("Owner", ["name": "o"]), pet = context.add("Pet", ["name": "p"])
                if end == "pet" {
                    owner.setPrimitiveValue(pet, forKey: "pet")
                } else {
                    pet.setPrimitiveValue(owner, forKey: "owner")
                }
            }
            let context = stack.container.newBackgroundContext()
            let text = try context.performAndWait { try context.exportJSON() }
            let copy = try TestStack(model(), .sqlite)
            try copy.container.importJSON(from: [.data(text)])
            try copy.perform { context throws in
                #expect(try context.one("Owner", "name", "o")?.object("pet")?.text("name") == "p", "\(end)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `binary data whose file is missing is named, and listed where that is asked for`(_ isElement: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Photo"
        let data = NSAttributeDescription()
        data.name = "data"
        data.attributeType = .binaryDataAttributeType
        data.allowsExternalBinaryDataStorage = true
        let image = NSCompositeAttributeDescription()
        image.name = "image"
        image.isOptional = true
        if isElement { image.elements = [data] }
        entity.properties = isElement ? [image] : [data]
        model.entities = [entity]
        let name = isElement ? "image.data" : "data"
        let container = try NSPersistentContainer.opened(folder.appendingPathComponent("Photos.sqlite"), model)
        try container.viewContext.performAndWait {
            for size in [10, 300_000] {
                let value = ["data": Data(count: size)]
                container.viewContext.add("Photo", isElement ? ["image": value] : value)
            }
            container.viewContext.add("Photo")
            try container.viewContext.save()
        }
        let files = folder.appendingPathComponent(".Photos_SUPPORT/_EXTERNAL_DATA")
        for file in try FileManager.default.contentsOfDirectory(at: files, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: file)
        }
        let file = folder.appendingPathComponent("out")
        let found = Mutex<[GraftError]>([])
        let note: @Sendable (GraftError) -> Void = { error in found.withLock { $0.append(error) } }
        var (export, archive) = (ExportOptions(), GraphArchive.WritingOptions())
        let writers: [(ExportOptions, GraphArchive.WritingOptions) throws -> Void] = [
            { options, _ in try container.exportJSON(to: .file(file), options: options) },
            { options, _ in try container.exportJSON(ExportRequest(entity: "Photo"), to: .file(file), options: options)
            },
            { _, options in try container.writeArchive(to: .file(file), options: options) },
        ]
        for write in writers {
            let error = try #require(graftError { try write(ExportOptions(), GraphArchive.WritingOptions()) })
            #expect(error.place.entity == "Photo" && error.place.property == name)
            #expect(error.description.contains("row 2 has its data in a file that isn't there"), "\(error)")
            found.withLock { $0 = [] }
            (export.onDamage, archive.onDamage) = (note, note)
            try write(export, archive)
            #expect(found.withLock { $0.map(\.place) } == [error.place])
            #expect(found.withLock { $0.map(\.description) }.allSatisfy { $0.contains("row 2 has its data in a file") })
        }
    }
}
