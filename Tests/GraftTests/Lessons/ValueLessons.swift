// What users of other libraries reported, and what must not happen here: values, names, inheritance, errors, and the number
// of fetches. The numbers are those of the collection of lessons.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ValueLessons {
    private func thing(_ properties: [ModelSketch.Property], _ info: [String: String] = [:]) throws -> ImportWorld {
        try ImportWorld { sketch in
            sketch.entity(
                "A", info: info.merging(["identityAttributes": "id"]) { first, _ in first },
                [.attribute("id")] + properties)
        }
    }

    // 38 Sync#141, #253, #532, #570, #479; HYPMapper#114
    @Test(arguments: ["2014-01-02T00:00:00.07Z", "2014-01-02T00:00:00.0700Z", "2014-01-02T00:00:00.070000000+00:00"])
    func `38: a fraction of a second has any length`(_ text: String) throws {
        let world = try thing([.attribute("d", .dateAttributeType)])
        try world.take(#"{"id": "1", "d": "\#(text)"}"#, "A")
        try world.stack.perform { context throws in
            let date = try #require(try context.one("A", "id", "1")?.value(forKey: "d") as? Date)
            #expect(date.timeIntervalSince1970 == 1_388_620_800.07)
        }
    }

    // 39 is in ToolTests/Import/DeviceZoneTests.swift: the zone of a device is that of a process.

    // 40 RestKit#1395, #1405; ObjectMapper#799
    @Test func `40: a number keeps its text until its type is known`() throws {
        let world = try thing([
            .attribute("big", .integer64AttributeType), .attribute("exact", .decimalAttributeType),
            .attribute("text"), .attribute("double", .doubleAttributeType),
        ])
        try world.take(
            #"{"id": "1", "big": 9007199254740993, "exact": 0.7689993, "text": 0.10, "double": 0.7689993}"#, "A")
        #expect(try world.value("big", of: "A", "id", "1") == "9007199254740993")
        #expect(try world.value("exact", of: "A", "id", "1") == "0.7689993")
        #expect(try world.value("text", of: "A", "id", "1") == "0.10")
        #expect(try world.value("double", of: "A", "id", "1") == "0.7689993")
    }

    // 41 RestKit#1409, #1532, #1384, #2313; Mantle#508
    @Test func `41: keys may have dots and at signs`() throws {
        let world = try thing([
            .attribute("dot").annotated(["JSONKeyPath": #"a\.b"#]),
            .attribute("at").annotated(["JSONKeyPath": "x.@count"]),
        ])
        var options = ImportOptions()
        options.mapping["A", "id"].keyPaths = ["@id"]
        try world.stack.importJSON(#"{"@id": "1", "a.b": "d", "x": {"@count": "c"}}"#, "A", options: options)
        #expect(try world.value("dot", of: "A", "id", "1") == "d")
        #expect(try world.value("at", of: "A", "id", "1") == "c")
    }

    // 42 Sync#273; Groot#37, #96
    @Test func `42: a naming rule knows acronyms, and saves annotating what has equal names`() throws {
        let world = try thing([.attribute("listImageUrl"), .attribute("userID")], ["JSONNaming": "snakeCase"])
        try world.take(#"{"id": "1", "list_image_url": "u", "user_id": "v"}"#, "A")
        #expect(try world.value("listImageUrl", of: "A", "id", "1") == "u")
        #expect(try world.value("userID", of: "A", "id", "1") == "v")
        let plain = try thing([.attribute("same")])
        try plain.take(#"{"id": "1", "same": "s"}"#, "A")
        #expect(try plain.value("same", of: "A", "id", "1") == "s")
    }

    @Test func `JSON subtrees go into transformable attributes, whatever they are`() throws {
        let world = try thing([.attribute("tree", .transformableAttributeType)])
        try world.take(#"{"id": "1", "tree": {"b": [1, "x", null, {"c": true}], "a": 0.5}}"#, "A")
        try world.stack.perform { context throws in
            let tree = try context.one("A", "id", "1")?.value(forKey: "tree") as? [String: Any]
            #expect((tree?["b"] as? [Any])?.count == 4)
            #expect((tree?["a"] as? NSNumber)?.doubleValue == 0.5)
        }
    }

    @Test func `allowed values are a rule of the model, and the error says where a value breaks it`() throws {
        let status = ModelSketch.Property.attribute("status")
        if case .attribute(let attribute) = status {
            attribute.setValidationPredicates(
                [NSPredicate(format: "SELF IN %@", argumentArray: [["draft", "sent"]])],
                withValidationWarnings: ["status"])
        }
        let world = try thing([status])
        try world.take(#"[{"id": "1", "status": "sent"}, {"id": "2", "status": null}]"#, "A")
        let error = try #require(world.refuse(#"[{"id": "3", "status": "sent"}, {"id": "4", "status": "gone"}]"#, "A"))
        #expect(error.place.path == [.index(1)])
        #expect(error.place.property == "status")
        #expect(try world.count("A") == 2)
    }

    // 43 Sync#487, #428, #238
    @Test func `43: below an abstract parent, the sub-entity is chosen and all its fields arrive`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Message", isAbstract: true, info: ["identityAttributes": "id", "JSONEntityKey": "kind"],
                [.attribute("id"), .attribute("date", .dateAttributeType)])
            sketch.entity("Text", parent: "Message", info: ["JSONEntityValue": "text"], [.attribute("body")])
            sketch.entity(
                "Image", parent: "Message", info: ["JSONEntityValue": "image"], [.attribute("link", .URIAttributeType)])
        }
        try world.take(
            #"[{"id": "1", "kind": "text", "body": "b"}, {"id": "2", "link": "http://x", "kind": "image", "date": 0}]"#,
            "Message")
        #expect(try world.value("body", of: "Text", "id", "1") == "b")
        #expect(try world.value("link", of: "Image", "id", "2") == "http://x")
        #expect(try world.value("date", of: "Image", "id", "2") == "1970-01-01T00:00:00Z")
        let error = try #require(world.refuse(#"[{"id": "3", "kind": "sound"}]"#, "Message"))
        #expect(error.description.contains("abstract"))
        let alone = try ImportWorld(.sqlite) { $0.entity("Shape", isAbstract: true, [.attribute("id")]) }
        #expect(try #require(alone.refuse(#"[{"id": "1"}]"#, "Shape")).description.contains("Make it concrete."))
    }

    // 46 Mantle#223, PR#315; Groot
    @Test func `46: a refused value deletes nothing and changes nothing`() throws {
        let world = try thing([.attribute("name", isOptional: false)])
        try world.take(#"[{"id": "1", "name": "a"}, {"id": "2", "name": "b"}]"#, "A")
        #expect(world.refuse(#"[{"id": "1", "name": "changed"}, {"id": "2", "name": null}]"#, "A") != nil)
        #expect(try world.values("name", of: "A") == ["a", "b"])
        try world.stack.perform { context throws in
            let text = Data(#"[{"id": "1", "name": "changed"}, {"id": "2", "name": null}]"#.utf8)
            #expect(graftError { try context.importJSON(text, entity: "A") } != nil)
            #expect(!context.hasChanges)
            #expect(context.deletedObjects.isEmpty)
        }
    }

    // 47 Sync#466
    @Test func `47: an import into a context doesn't save`() throws {
        let world = try thing([.attribute("name")])
        try world.stack.perform { context throws in
            try context.importJSON(Data(#"[{"id": "1"}]"#.utf8), entity: "A")
            #expect(context.hasChanges)
        }
        #expect(try world.count("A") == 0)
    }

    // 48 Sync#579, #547; Mantle#165
    @Test func `48: an error has path, line, column, entity, property, value and type`() throws {
        let world = try thing([.attribute("n", .integer16AttributeType)])
        let error = try #require(world.refuse("[{\"id\": \"1\"},\n {\"id\": \"2\", \"n\": \"x\"}]", "A"))
        #expect(error.place.path == [.index(1), .key("n")])
        #expect(error.place.line == 2)
        #expect(error.place.column == 19)
        #expect(error.place.entity == "A")
        #expect(error.place.property == "n")
        #expect(error.problem == .wrongType(found: #"the string "x""#, expected: "an Integer 16"))
    }
}

@Suite struct FetchLessons {
    private func orders() throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Order", info: ["identityAttributes": "number, year"],
                [
                    .attribute("number", .integer32AttributeType), .attribute("year", .integer32AttributeType),
                    .toOne("customer", "Customer", inverse: "orders").annotated(["JSONReferencePolicy": "defer"]),
                    .toMany("items", "Item", inverse: "orders"),
                ])
            sketch.entity(
                "Customer", info: ["identityAttributes": "id"],
                [.attribute("id", .integer32AttributeType), .toMany("orders", "Order", inverse: "customer")])
            sketch.entity(
                "Item", info: ["identityAttributes": "id"],
                [.attribute("id", .integer32AttributeType), .toMany("orders", "Order", inverse: "items")])
        }
    }

    private func text(_ count: Int) -> String {
        "["
            + (0..<count).map {
                #"{"number": \#($0), "year": 2024, "customer": \#($0 % 50), "items": [\#($0 % 20), {"id": \#($0 % 30)}]}"#
            }.joined(separator: ",") + "]"
    }

    // 31 Groot#52; 32 Sync#405; 33 MagicalRecord#183, #450; 34 CoreStore#502; 35 RestKit#1495; 36 Mantle#281; 37
    @Test func `31-37: the number of fetches doesn't grow with the number of objects`() throws {
        let world = try orders()
        try world.take(text(10), "Order")
        let few = try world.take(text(10), "Order")
        let inserting = try world.take(text(1000), "Order")
        let updating = try world.take(text(1000), "Order")
        #expect(inserting["Order"].inserted == 990)
        #expect(updating["Order"].inserted == 0)
        #expect(inserting.fetchCount <= few.fetchCount + 1)
        #expect(updating.fetchCount <= few.fetchCount + 1)
    }

    // 37 pythondotorg#1055
    @Test func `37: a file is read in batches, and the store is the same whatever their size`() throws {
        var world = try orders()
        world.options.batchSize = 7
        world.options.savesEachBatch = true
        let report = try world.take(text(200), "Order")
        #expect(report.batchCount > 20)
        let whole = try orders()
        try whole.take(text(200), "Order")
        #expect(try world.values("number", of: "Order") == whole.values("number", of: "Order"))
        #expect(try world.values("id", of: "Item") == whole.values("id", of: "Item"))
    }
}
