// Nested objects with and without identity, repeated ones, shared keys, and key paths of several steps.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct NestedImportTests {
    private func orders() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Order", info: ["identityAttributes": "number"],
            [
                .attribute("number"),
                .toMany("lines", "Line", inverse: "order", rule: .cascadeDeleteRule, isOrdered: true),
                .toOne("address", "Address", inverse: "order", rule: .cascadeDeleteRule),
                .toOne("tag", "Tag", inverse: "orders"),
            ])
        sketch.entity(
            "Line",
            [
                .attribute("text"), .attribute("count", .integer32AttributeType),
                .toOne("order", "Order", inverse: "lines"),
            ])
        sketch.entity(
            "Address", [.attribute("street"), .attribute("city"), .toOne("order", "Order", inverse: "address")])
        sketch.entity("Tag", [.attribute("label"), .toMany("orders", "Order", inverse: "tag")])
        return try TestStack(sketch.model(), .sqlite)
    }

    @Test func `owned objects without identity are kept where they are equal and replaced where not`() throws {
        let stack = try orders()
        let text = #"{"number": "A", "lines": [{"text": "x", "count": 1}, {"text": "y"}, {"text": "x", "count": 1}]}"#
        try stack.importJSON(text, "Order")
        #expect(try stack.count("Line") == 3)
        let same = try stack.importJSON(text, "Order")
        #expect(!same.hasChanges)
        #expect(same["Line"].unchanged == 3)

        let report = try stack.importJSON(
            #"{"number": "A", "lines": [{"text": "y"}, {"text": "z"}, {"text": "x", "count": 1}]}"#, "Order")
        #expect(report["Order"].updated == 1)
        #expect(report["Line"].inserted == 1)
        #expect(report["Line"].unchanged == 2)
        #expect(report["Line"].deleted == 1)
        #expect(try stack.count("Line") == 3)
        try stack.perform { context throws in
            #expect(try context.one("Order", "number", "A")?.texts("lines", "text") == ["y", "z", "x"])
        }
        #expect(try stack.importJSON(#"{"number": "A", "lines": []}"#, "Order")["Line"].deleted == 3)
        #expect(try stack.count("Line") == 0)
    }

    @Test func `a nested object without identity in an ordered relationship is updated by its place`() throws {
        let stack = try orders()
        try stack.importJSON(
            #"{"number": "A", "lines": [{"text": "x", "count": 1}, {"text": "y", "count": 2}, {"text": "z"}]}"#, "Order"
        )
        let before = try stack.perform { try $0.all("Line").map { $0.objectID.uriRepresentation().absoluteString } }
        let report = try stack.importJSON(
            #"{"number": "A", "lines": [{"text": "x", "count": 1}, {"text": "Y"}, {"text": "z"}, {"text": "new"}]}"#,
            "Order")
        #expect(report["Line"].unchanged == 2)
        #expect(report["Line"].updated == 1)
        #expect(report["Line"].inserted == 1)
        #expect(report["Line"].deleted == 0)
        try stack.perform { context throws in
            let order = try #require(try context.one("Order", "number", "A"))
            #expect(order.texts("lines", "text") == ["x", "Y", "z", "new"])
            // What the data doesn't say stays.
            #expect(try context.one("Line", "text", "Y")?.number("count") == 2)
            let now = try context.all("Line").map { $0.objectID.uriRepresentation().absoluteString }
            #expect(Set(before).isSubset(of: now))
        }
    }

    @Test func `a single owned object is changed in place`() throws {
        let stack = try orders()
        try stack.importJSON(#"{"number": "A", "address": {"street": "S", "city": "C"}}"#, "Order")
        let report = try stack.importJSON(#"{"number": "A", "address": {"city": "D"}}"#, "Order")
        #expect(report["Address"].updated == 1)
        #expect(report["Address"].inserted == 0)
        #expect(report["Order"].unchanged == 1)
        try stack.perform { context throws in
            let address = try #require(try context.one("Order", "number", "A")?.object("address"))
            #expect(address.text("street") == "S")
            #expect(address.text("city") == "D")
        }
        #expect(try stack.importJSON(#"{"number": "A", "address": null}"#, "Order")["Address"].deleted == 1)
        #expect(try stack.count("Address") == 0)
    }

    @Test func `what others may share isn't changed in place`() throws {
        let stack = try orders()
        try stack.importJSON(#"{"number": "A", "tag": {"label": "red"}}"#, "Order")
        try stack.perform { context throws in
            let order = NSEntityDescription.insertNewObject(forEntityName: "Order", into: context)
            order.setValue("B", forKey: "number")
            order.setValue(try context.one("Order", "number", "A")?.object("tag"), forKey: "tag")
            try context.save()
        }
        #expect(try !stack.importJSON(#"{"number": "A", "tag": {"label": "red"}}"#, "Order").hasChanges)
        #expect(try stack.importJSON(#"{"number": "A", "tag": {"label": "blue"}}"#, "Order")["Tag"].inserted == 1)
        try stack.perform { context throws in
            #expect(try context.one("Order", "number", "B")?.object("tag")?.text("label") == "red")
            #expect(try context.one("Order", "number", "A")?.object("tag")?.text("label") == "blue")
        }
    }

    @Test func `the same object twice in one payload is one object, and later values win`() throws {
        let stack = try TestStack(ComicModel.make())
        let text = """
            [{"id": 1, "powers": [{"id": 4, "name": "A"}]}, {"id": 2, "powers": [{"id": 4, "name": "B"}]},
             {"id": 3, "powers": [{"id": 4, "name": "A"}]}, {"id": 1, "name": "One", "powers": [{"id": 5}, 4]},
             {"id": 6, "powers": [{"name": "named first", "id": 9}, {"id": 9}]}]
            """
        let report = try stack.importJSON(text, "Character")
        #expect(report["Character"].inserted == 4)
        #expect(report["Power"].inserted + report["Power"].stubs == 3)
        try stack.perform { context throws in
            #expect(try context.one("Power", "identifier", 4)?.text("name") == "A")
            #expect(try context.one("Power", "identifier", 9)?.text("name") == "named first")
            #expect(try context.one("Power", "identifier", 4)?.texts("characters", "name") == ["One"])
            #expect((try context.one("Power", "identifier", 4)?.value(forKey: "characters") as? NSSet)?.count == 3)
        }
    }

    @Test func `objects that refer to each other in a circle arrive once`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Node", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer32AttributeType), .attribute("name"),
                .toOne("next", "Node", inverse: "previous"), .toOne("previous", "Node", inverse: "next"),
                .toMany("friends", "Node", inverse: "friends"),
            ])
        let stack = try TestStack(sketch.model(), .sqlite)
        let text = """
            {"id": 1, "name": "a", "next": {"id": 2, "name": "b", "next": {"id": 3, "name": "c", "next": {"id": 1, "friends": [1, 2]}}}}
            """
        let report = try stack.importJSON(text, "Node")
        #expect(report["Node"].inserted == 3)
        try stack.perform { context throws in
            let one = try #require(try context.one("Node", "id", 1))
            #expect(one.object("next")?.object("next")?.object("next") === one)
            #expect(one.text("name") == "a")
            #expect(one.texts("friends", "name") == ["a", "b"])
            context.checkInvariants()
        }
        #expect(try !stack.importJSON(text, "Node").hasChanges)
    }

    @Test func `key paths lead through nested objects, and a null on the way clears`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Place", info: ["identityAttributes": "id"],
            [
                .attribute("id", json: "meta.id"), .attribute("latitude", .doubleAttributeType, json: "geo.point.lat"),
                .attribute("longitude", .doubleAttributeType, json: "geo.point.lon"),
                .attribute("name", json: "geo.name"),
                .attribute("dotted", json: #"a\.b"#), .toOne("near", "Place", json: "geo.near"),
                .attribute("nearID", json: "geo.near"),
            ])
        let stack = try TestStack(sketch.model())
        try stack.importJSON(
            """
            [{"geo": {"name": "N", "point": {"lon": 2, "lat": "1.5", "alt": 3}, "near": "q"}, "meta": {"id": "p"}, "a.b": "dot"}]
            """, "Place")
        try stack.perform { context throws in
            let place = try #require(try context.one("Place", "id", "p"))
            #expect((place.value(forKey: "latitude") as? NSNumber)?.doubleValue == 1.5)
            #expect(place.text("dotted") == "dot")
            #expect(place.object("near")?.text("id") == "q")
            #expect(place.text("nearID") == "q", "one value may fill several properties")
        }
        try stack.importJSON(#"[{"meta": {"id": "p"}, "geo": {"point": null}}]"#, "Place")
        try stack.perform { context throws in
            let place = try #require(try context.one("Place", "id", "p"))
            #expect(place.value(forKey: "latitude") == nil)
            #expect(place.text("name") == "N")
        }
        try stack.importJSON(#"[{"meta": {"id": "p"}, "geo": null}]"#, "Place")
        try stack.perform { context throws in
            let place = try #require(try context.one("Place", "id", "p"))
            #expect(place.text("name") == nil)
            #expect(place.object("near") == nil)
        }
        let error = graftError { try stack.importJSON(#"[{"meta": {"id": "p"}, "geo": 5}]"#, "Place") }
        #expect(error?.place.path == [.index(0), .key("geo")])
        let shared = graftError {
            try stack.importJSON(#"[{"meta": {"id": "p"}, "geo": {"near": {"id": [1]}}}]"#, "Place")
        }
        #expect(shared?.place.path?.prefix(3) == [.index(0), .key("geo"), .key("near")])
    }
}
