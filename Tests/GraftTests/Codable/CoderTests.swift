// Every attribute type through every coder: JSON, property lists, and one that isn't Foundation's.

import CoreData
import Foundation
import Graft
import Testing
import Yams

final class CodedValue: NSManagedObject, ManagedCodable {}

@Suite struct CoderTests {
    enum Coder: CaseIterable {
        case json, xml, binary, yaml

        func encode(_ values: some Encodable) throws -> Data {
            switch self {
            case .json: return try JSONEncoder().encode(values)
            case .xml, .binary:
                let encoder = PropertyListEncoder()
                encoder.outputFormat = self == .xml ? .xml : .binary
                return try encoder.encode(values)
            case .yaml: return Data(try YAMLEncoder().encode(values).utf8)
            }
        }

        func decode<Value: Decodable>(
            _ type: Value.Type, _ data: Data, _ context: NSManagedObjectContext,
            _ options: ManagedCodingOptions = ManagedCodingOptions()
        ) throws -> Value {
            switch self {
            case .json: return try context.decode(type, from: data, with: JSONDecoder(), options: options)
            case .xml, .binary:
                let decoder = PropertyListDecoder()
                decoder.managedObjectContext = context
                decoder.managedCodingOptions = options
                return try decoder.decode(type, from: data)
            case .yaml:
                let text = String(decoding: data, as: UTF8.self)
                return try YAMLDecoder().decode(
                    type, from: text, userInfo: [.managedObjectContext: context, .managedCodingOptions: options])
            }
        }
    }

    @Test func `what an encoder refuses is the encoder's own error`() throws {
        var sketch = ModelSketch()
        sketch.entity("Value", [.attribute("number", .doubleAttributeType)])
        let model = sketch.model()
        model.entitiesByName["Value"]?.managedObjectClassName = NSStringFromClass(CodedValue.self)
        try TestStack(model).perform { context in
            let object = context.add("Value", ["number": Double.infinity])
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(EncodableGraph(object)) }
        }
    }

    @Test(arguments: Coder.allCases)
    func `values of all types and what is nested come back`(_ coder: Coder) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Value",
            ValueModel.types.map { .attribute($0.0, $0.1) } + [
                .toMany("members", "Value", inverse: "owner", isOrdered: true),
                .toOne("owner", "Value", inverse: "members"),
            ])
        let model = sketch.model()
        model.entitiesByName["Value"]?.managedObjectClassName = NSStringFromClass(CodedValue.self)
        let stack = try TestStack(model)
        try stack.perform { context throws in
            let objects = (0..<3).map { _ in ValueModel.fill(context) }
            objects[0].setValue(NSOrderedSet(array: [objects[2], objects[1]]), forKey: "members")
            // Foundation's own property lists have no nulls, and its XML dates no fractions.
            for object in objects {
                object.setValue(["list": ["x"]] as [String: Any], forKey: "tree")
                object.setValue(Date(timeIntervalSince1970: 1_234_567_890), forKey: "date")
            }
            objects[1].setValue("second", forKey: "string")
            let data = try coder.encode([objects[0]].compactMap { $0 as? CodedValue })
            let decoded = try #require(try coder.decode([CodedValue].self, data, context).first)
            try ValueModel.expectEqual(decoded, objects[0], "\(coder)")
            let members = try #require((decoded.value(forKey: "members") as? NSOrderedSet)?.array as? [CodedValue])
            #expect(members.map { $0.text("string") } == ["é\n\"", "second"])
            try ValueModel.expectEqual(members[1], objects[1], "\(coder)")
        }
    }

    // YAML's coder gives a text for any scalar.
    @Test(arguments: [Coder.json, .xml, .binary])
    func `numbers in trees stay numbers`(_ coder: Coder) throws {
        let tree = try JSONValue(parsing: #"{"half": 2.5, "whole": 3, "list": [0.1, -12.75]}"#)
        let data = try coder.encode(["tree": tree])
        let context = try TestStack(ModelSketch().model()).container.newBackgroundContext()
        let back = try coder.decode([String: JSONValue].self, data, context)["tree"]
        #expect(back == tree, "\(back?.description ?? "") \(String(decoding: data, as: UTF8.self))")
    }
}
