// Patches onto objects whose JSON doesn't say all that they hold: a date without its time, properties that are only read.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct PatchedValueTests {
    private func pages() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Page", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType),
                .attribute("day", .dateAttributeType).annotated(["JSONDateFormat": "yyyy-MM-dd"]),
                .attribute("secret").annotated(["JSONDirection": "import"]),
                .toMany("tags", "Tag", inverse: "page").annotated(["JSONDirection": "import"]),
                .toMany("lines", "Line", inverse: "page", rule: .cascadeDeleteRule),
            ])
        for name in ["Tag", "Line"] {
            sketch.entity(
                name, info: ["identityAttributes": "id"],
                [
                    .attribute("id"), .attribute("day", .dateAttributeType).annotated(["JSONDateFormat": "yyyy-MM-dd"]),
                    .toOne("page", "Page", inverse: name == "Tag" ? "tags" : "lines"),
                ])
        }
        return try TestStack(sketch.model())
    }

    /// Page 1 at half past twelve and half a second, with a tag and a line.
    private func fill(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
        let day = Date(timeIntervalSinceReferenceDate: 45_000.5)
        page.setValuesForKeys(["id": 1, "day": day, "secret": "old"])
        for (entity, id) in [("Tag", "a"), ("Tag", "b"), ("Line", "x")] {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValuesForKeys(["id": id, "day": day])
            if id != "b" { object.setValue(page, forKey: "page") }
        }
        try context.save()
        return page
    }

    private func summary(_ context: NSManagedObjectContext) throws -> [String] {
        try context.all("Page", by: "id").map { page in
            let day = (page.value(forKey: "day") as? Date)?.timeIntervalSinceReferenceDate
            let related = page.texts("tags", "id") + page.texts("lines", "id")
            return "\(page.number("id") ?? 0) \(day ?? -1) \(page.text("secret") ?? "-") \(related.joined())"
        }
    }

    @Test(arguments: [
        (#"{"op": "replace", "path": "/day", "value": "2020-05-05"}"#, ["1 610329600.0 old ax"]),
        (#"{"op": "replace", "path": "/day", "value": null}"#, ["1 -1.0 old ax"]),
        (#"{"op": "remove", "path": "/day"}"#, ["1 -1.0 old ax"]),
        (#"{"op": "add", "path": "/secret", "value": "new"}"#, ["1 45000.5 new ax"]),
        (#"{"op": "add", "path": "/tags", "value": ["b"]}"#, ["1 45000.5 old bx"]),
        (#"{"op": "replace", "path": "/lines", "value": []}"#, ["1 45000.5 old a"]),
        (#"{"op": "replace", "path": "/id", "value": 2}"#, ["2 0.0 - x"]),
    ])
    func `a patch is about the objects as they are, whatever their JSON leaves out, and can be taken back`(
        _ operation: String, _ expected: [String]
    ) throws {
        try pages().perform { context in
            let page = try fill(context)
            let before = try summary(context)
            let diff = try GraphDiff(JSONPatch(parsing: "[\(operation)]"), on: page)
            try context.apply(diff)
            #expect(try summary(context) == expected)
            try context.save()
            try context.apply(diff.inverted)
            #expect(try summary(context) == before)
        }
    }

    @Test func `so is a merge patch, and objects that a patch takes out of a list`() throws {
        try pages().perform { context in
            let page = try fill(context)
            try context.apply(GraphDiff(JSONMergePatch(parsing: #"{"day": "2020-05-05"}"#), on: page))
            #expect(try summary(context) == ["1 610329600.0 old ax"])
            let removal = try JSONPatch(parsing: #"[{"op": "remove", "path": "/0"}]"#)
            try context.apply(GraphDiff(removal, on: [page]))
            #expect(try context.all("Page").isEmpty && context.all("Line").isEmpty && context.all("Tag").count == 2)
        }
    }

    @Test func `an object that lacks what identifies it is refused with the name of that`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Line", info: ["identityAttributes": "page, number"],
            [.attribute("page"), .attribute("number"), .attribute("text")])
        try TestStack(sketch.model()).perform { context throws in
            let line = context.make("Line", ["page": "a", "text": "b"])
            let patch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/text", "value": "c"}]"#)
            let error = graftError { _ = try GraphDiff(patch, on: line) }
            #expect(error?.problem == .missingIdentity(attributes: ["number"]))
            #expect(error?.place.entity == "Line")
        }
    }
}
