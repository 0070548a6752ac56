// Composite attributes on their way through every door: nested objects in JSON, dictionaries in dictionaries, single values in
// diffs and archives.

import CoreData
import Foundation
import Graft
import Testing

final class CodedQuake: NSManagedObject, ManagedCodable {}

@Suite struct CompositeImportTests {
    private static func element(
        _ name: String, _ type: NSAttributeType = .doubleAttributeType, key: String? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        if let key { attribute.userInfo = ["JSONKeyPath": key] }
        return attribute
    }

    private static func composite(
        _ name: String, _ elements: [NSAttributeDescription], key: String? = nil
    ) -> ModelSketch.Property {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.isOptional = true
        composite.elements = elements
        if let key { composite.userInfo = ["JSONKeyPath": key] }
        return .attribute(composite)
    }

    private static func model(key: String? = nil, elementKey: String? = nil) -> NSManagedObjectModel {
        let point = NSCompositeAttributeDescription()
        point.name = "point"
        point.isOptional = true
        point.elements = [element("x"), element("y", key: elementKey)]
        var sketch = ModelSketch()
        sketch.entity(
            "Quake", info: ["identityAttributes": "code"],
            [
                .attribute("code", json: key == nil ? nil : "code"),
                composite(
                    "place", [element("name", .stringAttributeType), element("since", .dateAttributeType), point],
                    key: key),
                .toMany("shocks", "Shock", inverse: "quake", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Shock", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), composite("felt", [element("x"), element("y")]),
                .toOne("quake", "Quake", inverse: "shocks"),
            ])
        return sketch.model()
    }

    private static let text = """
        [{"code":"a","place":{"name":"Rome","point":{"x":1.5,"y":2},"since":"2024-01-02T03:04:05Z"},\
        "shocks":[{"id":1,"felt":{"x":1,"y":2}},{"id":2,"felt":{"x":null,"y":null}}]}]
        """

    private func exported(_ stack: TestStack) throws -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Quake")
        return try stack.perform { String(decoding: try $0.exportJSON(request), as: UTF8.self) }
    }

    @Test(arguments: StoreKind.allCases)
    func `nested objects come in and go out, and again change nothing`(_ kind: StoreKind) throws {
        let stack = try TestStack(Self.model(), kind)
        try stack.importJSON(Self.text, "Quake")
        #expect(try exported(stack) == Self.text)
        let report = try stack.importJSON(Self.text, "Quake")
        #expect(report.entities.map(\.counts.unchanged) == [1, 2])
        // What is missing stays, and null takes all of it away.
        try stack.importJSON(#"[{"code": "a", "place": {"point": {"y": 7}}}]"#, "Quake")
        try stack.perform { context in
            let quake = try #require(try context.all("Quake").first)
            #expect(quake.value(forKeyPath: "place.point.x") as? Double == 1.5)
            #expect(quake.value(forKeyPath: "place.point.y") as? Double == 7)
        }
        try stack.importJSON(#"[{"code": "a", "place": null}]"#, "Quake")
        let value = try stack.perform { try $0.all("Quake").first?.value(forKey: "place") }
        #expect(value == nil)
    }

    @Test func `annotations say where the attribute and its elements stand`() throws {
        let stack = try TestStack(Self.model(key: "geo.site", elementKey: "lat"))
        try stack.importJSON(#"[{"code": "a", "geo": {"site": {"point": {"x": 1, "lat": 3}}}}]"#, "Quake")
        let value = try stack.perform { try $0.all("Quake").first?.value(forKeyPath: "place.point.y") }
        #expect(value as? Double == 3)
    }

    @Test func `what doesn't fit is an error with its place, and unknown elements are in the report`() throws {
        let stack = try TestStack(Self.model())
        let error = try #require(throws: (any Error).self) {
            try stack.importJSON(#"[{"code": "a", "place": {"point": {"x": "east"}}}]"#, "Quake")
        }
        #expect("\(error)".contains("place.point.x"))
        #expect(throws: (any Error).self) { try stack.importJSON(#"[{"code": "a", "place": 5}]"#, "Quake") }
        let report = try stack.importJSON(#"[{"code": "a", "place": {"depth": 5}}]"#, "Quake")
        #expect("\(report.unknownKeys)".contains("depth"))
    }

    @Test(arguments: StoreKind.allCases)
    func `dictionaries have a dictionary for the attribute`(_ kind: StoreKind) throws {
        let stack = try TestStack(Self.model(), kind)
        try stack.importJSON(Self.text, "Quake")
        let other = try TestStack(Self.model(), kind)
        let dictionary = try stack.perform { try #require(try $0.all("Quake").first).toDictionary() }
        #expect(((dictionary["place"] as? [String: Any])?["point"] as? [String: Any])?["x"] as? Double == 1.5)
        try other.perform { context in
            let made = NSEntityDescription.insertNewObject(forEntityName: "Quake", into: context)
            try made.populate(fromDictionary: dictionary)
            try context.save()
        }
        #expect(try exported(other) == Self.text)
        try other.perform { context in
            let quake = try #require(try context.all("Quake").first)
            try quake.populate(fromDictionary: ["place": ["point": ["x": 8]]])
            #expect(quake.value(forKeyPath: "place.point.x") as? Double == 8)
            #expect(quake.value(forKeyPath: "place.name") as? String == "Rome")
            #expect(throws: (any Error).self) { try quake.populate(fromDictionary: ["place": 5]) }
            var options = SafeValueOptions()
            for (usesMapping, name) in [(true, "Oslo"), (false, "Bari")] {
                options.usesMapping = usesMapping
                options.unknownKeys = .fail
                try quake.safeSetValues(forKeysWith: ["place": ["name": name]], options: options)
                #expect(quake.value(forKeyPath: "place.name") as? String == name)
                for (value, path) in [(5, "$.place"), (["point": "x"], "$.place.point")] as [(Any, String)] {
                    let error = graftError { try quake.safeSetValues(forKeysWith: ["place": value], options: options) }
                    #expect(error?.description.contains(path) == true, "\(String(describing: error))")
                }
                #expect(quake.value(forKeyPath: "place.name") as? String == name)
            }
            try quake.safeSetValues(forKeysWith: ["place": NSNull()], options: options)
            #expect(quake.value(forKey: "place") == nil)
        }
    }

    @Test func `a difference names the element, and is applied and reversed`() throws {
        let (old, new) = (try TestStack(Self.model()), try TestStack(Self.model()))
        try old.importJSON(Self.text, "Quake")
        try new.importJSON(Self.text.replacing("1.5", with: "9").replacing(#""x":1,"#, with: #""x":4,"#), "Quake")
        let snapshots = try (
            old.perform { try GraphSnapshot(of: $0.all("Quake")) },
            new.perform { try GraphSnapshot(of: $0.all("Quake")) }
        )
        let diff = try GraphDiff(from: snapshots.0, to: snapshots.1)
        #expect(diff.text().contains("place.point.x") && diff.text().contains("felt.x"))
        try old.perform { context in
            try context.apply(diff)
            try context.save()
        }
        let wanted = try exported(new)
        #expect(try exported(old) == wanted)
        try old.perform { context in
            try context.apply(diff.inverted)
            try context.save()
        }
        #expect(try exported(old) == Self.text)
    }

    @Test(arguments: StoreKind.allCases)
    func `archives keep the elements`(_ kind: StoreKind) throws {
        let stack = try TestStack(Self.model(), kind)
        try stack.importJSON(Self.text, "Quake")
        let other = try TestStack(Self.model(), kind)
        let archive = try stack.perform { try $0.archive() }
        try other.container.restore(archive)
        #expect(try exported(other) == Self.text)
    }

    // MARK: Coding

    @Test func `a coder reads and writes an object for each composite attribute`() throws {
        let model = Self.model()
        model.entitiesByName["Quake"]?.managedObjectClassName = NSStringFromClass(CodedQuake.self)
        try TestStack(model).perform { context throws in
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            func decode(_ text: String) throws -> CodedQuake {
                try decoder.decode(CodedQuake.self, from: Data(text.utf8))
            }
            let quake = try decode(
                #"{"code": "a", "place": {"name": "Rome", "point": {"x": 1.5, "y": 2}}, "shocks": [{"id": 1, "felt": {"x": 1}}]}"#
            )
            #expect(quake.value(forKeyPath: "place.name") as? String == "Rome")
            #expect(quake.value(forKeyPath: "place.point.y") as? Double == 2)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let text = try String(decoding: encoder.encode(quake), as: UTF8.self)
            #expect(
                text
                    == #"{"code":"a","place":{"name":"Rome","point":{"x":1.5,"y":2}},"shocks":[{"felt":{"x":1},"id":1}]}"#
            )
            #expect(try decode(text) === quake)
            _ = try decode(#"{"code": "a", "place": {"point": {"x": 3}}}"#)
            #expect(quake.value(forKeyPath: "place.point") as? [String: Double] == ["x": 3, "y": 2])
            _ = try decode(#"{"code": "a", "place": null}"#)
            #expect(quake.value(forKey: "place") == nil)
            #expect(try String(decoding: encoder.encode(quake), as: UTF8.self).contains("place") == false)
            #expect(throws: (any Error).self) { try decode(#"{"code": "a", "place": 5}"#) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `unsaved changes are those of elements, and can be taken back`(_ kind: StoreKind) throws {
        let stack = try TestStack(Self.model(), kind)
        try stack.importJSON(Self.text, "Quake")
        try stack.perform { context throws in
            let quake = try #require(try context.all("Quake").first)
            let shock = try #require(try context.one("Shock", "id", 1))
            let before = try GraphSnapshot(of: context)
            shock.setValue(["x": 5.0, "y": 2.0], forKey: "felt")
            let diff = try GraphDiff(unsavedChangesIn: context)
            #expect(diff == (try GraphDiff(from: before, to: GraphSnapshot(of: context))))
            #expect(
                diff.changed.map { $0["felt.x"] } == [.attribute(old: .double(1), new: .double(5))], "\(diff.text())")
            #expect(diff.changed.first?["felt.y"] == nil)
            try context.apply(diff.inverted)
            #expect(shock.value(forKeyPath: "felt.x") as? Double == 1)
            #expect(try GraphDiff(unsavedChangesOf: quake).isEmpty)
            #expect(try GraphDiff(unsavedChangesIn: context).isEmpty)
        }
    }
}
