// Where a key tells the sub-entities, one identity is one object, for dictionaries and decoders, too.

import CoreData
import Foundation
import Graft
import Testing

class KindAnimal: NSManagedObject, ManagedCodable {}
final class KindCat: KindAnimal {}
final class KindDog: KindAnimal {}

@Suite struct SiblingDoorTests {
    private func stack(_ policy: String = "keep", isTold: Bool = true) throws -> TestStack {
        var sketch = ModelSketch()
        var info = ["identityAttributes": "id", "JSONEntityChange": policy]
        if isTold { info["JSONEntityKey"] = "$entity" }
        sketch.entity(
            "Animal", info: info,
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toMany("friends", "Toy", rule: .cascadeDeleteRule),
            ])
        sketch.entity("Cat", parent: "Animal", [.attribute("lives", .integer16AttributeType)])
        sketch.entity("Dog", parent: "Animal", [.attribute("tricks"), .toMany("toys", "Toy", inverse: "dog")])
        sketch.entity("Toy", [.attribute("n"), .toOne("dog", "Dog", inverse: "toys")])
        let model = sketch.model()
        let classes: [String: AnyClass] = ["Animal": KindAnimal.self, "Cat": KindCat.self, "Dog": KindDog.self]
        for (name, type): (String, AnyClass) in classes {
            model.entitiesByName[name]?.managedObjectClassName = NSStringFromClass(type)
        }
        return try TestStack(model, .sqlite)
    }

    private func names(_ stack: TestStack) throws -> [String] {
        try stack.perform { try $0.all("Animal").map { "\($0.entity.name ?? "") \($0.text("name") ?? "-")" }.sorted() }
    }

    private let cat: [String: Any] = ["$entity": "Cat", "id": 1, "name": "a", "lives": 9]
    private let dog: [String: Any] = ["$entity": "Dog", "id": 1, "name": "b", "tricks": "sit", "toys": [["n": "ball"]]]

    @Test func `a dictionary of a dog with a cat's identity is about the cat, and what it can't have is in the report`()
        throws
    {
        for isTogether in [true, false] {
            let stack = try stack()
            for parts in isTogether ? [[cat, dog]] : [[cat], [dog]] {
                try stack.perform { context throws in
                    let report = try context.populateObjects(fromDictionaries: parts, entity: "Animal").report
                    let hasDog = parts.contains { $0["tricks"] != nil }
                    #expect(report.leftOutValues.map(\.property) == (hasDog ? ["toys", "tricks"] : []))
                    try context.save()
                }
            }
            #expect(try names(stack) == ["Cat b"])
        }
    }

    @Test(arguments: [true, false])
    func `of dictionaries of a cat and a dog that are one animal the last one says which it is, where it is replaced`(
        _ isStored: Bool
    ) throws {
        let owned: [String: Any] = ["$entity": "Dog", "id": 1, "toys": [["n": "ball"]]]
        let reference: [String: Any] = ["$entity": "Dog", "id": 1]
        // What the dog had is the toys' own matter where a cat takes its place.
        let cases: [([[String: Any]], String, toys: Int?)] = [
            ([cat, dog], "Dog b", 1), ([dog, cat], "Cat a", nil), ([cat, owned], "Dog a", 1),
            ([cat, reference], "Dog a", 0), ([cat, dog, cat], "Cat a", nil), ([dog, cat, dog], "Dog b", nil),
        ]
        for (parts, name, toys) in cases {
            let (imported, populated) = (try stack("replace"), try stack("replace"))
            for stack in [imported, populated] where isStored {
                try stack.importJSON(#"{"$entity": "Cat", "id": 1, "name": "c"}"#, "Animal")
            }
            let data = try JSONSerialization.data(withJSONObject: parts)
            try imported.importJSON(String(decoding: data, as: UTF8.self), "Animal")
            try populated.perform { context throws in
                var options = PopulateOptions()
                options.membersPolicy = .replace
                try context.populateObjects(fromDictionaryData: data, entity: "Animal", options: options)
                try context.save()
            }
            for stack in [imported, populated] {
                #expect(try names(stack) == [name], "\(parts)")
                if let toys { #expect(try stack.count("Toy") == toys, "\(parts)") }
            }
        }
    }

    @Test func `what dictionaries say later of what has been replaced they say of what has taken its place`() throws {
        let stack = try stack()
        try stack.perform { context throws in
            var options = PopulateOptions()
            options.membersPolicy = .replace
            let parts: [[String: Any]] = [
                ["id": 1, "friends": [["n": "a"]]], ["$entity": "Dog", "id": 1], ["id": 1, "friends": [["n": "b"]]],
            ]
            try context.populateObjects(fromDictionaries: parts, entity: "Animal", options: options)
            try context.save()
        }
        try stack.perform { context throws in
            let dog = try #require(try context.all("Animal").first)
            #expect(dog.entity.name == "Dog" && dog.texts("friends", "n") == ["b"])
        }
        #expect(try names(stack) == ["Dog -"])
    }

    @Test(arguments: ["keep", "fail", "replace"])
    func `dictionaries do with a cat that is a dog what an import does`(_ policy: String) throws {
        let (imported, populated) = (try stack(policy), try stack(policy))
        let simple: [String: Any] = ["$entity": "Dog", "id": 1, "name": "b"]
        var found: [String] = []
        for (stack, isImport) in [(imported, true), (populated, false)] {
            let error = graftError {
                for part in [cat, simple] {
                    if isImport {
                        let data = try JSONSerialization.data(withJSONObject: [part])
                        try stack.importJSON(String(decoding: data, as: UTF8.self), "Animal")
                        continue
                    }
                    try stack.perform { context throws in
                        try context.populateObjects(fromDictionaries: [part], entity: "Animal")
                        try context.save()
                    }
                }
            }
            found.append("\(try names(stack)) \(error.map { "\($0.problem)" } ?? "")")
        }
        #expect(found[0] == found[1])
    }

    @Test func `a decoder takes a cat for the dog that the data says, as far as it can`() throws {
        func decode(_ text: String, _ stack: TestStack) throws {
            try stack.perform { context throws in
                _ = try context.decode([KindAnimal].self, from: Data(text.utf8), with: JSONDecoder())
                try context.save()
            }
        }
        let cat = #"{"$entity": "Cat", "id": 1, "name": "a"}"#
        for (policy, names) in [("keep", ["Cat b"]), ("fail", ["Cat a"]), ("replace", ["Cat a"])] {
            let stack = try stack(policy)
            try decode("[\(cat)]", stack)
            let error = graftError { try decode(#"[{"$entity": "Dog", "id": 1, "name": "b"}]"#, stack) }
            #expect((error == nil) == (policy == "keep"), "\(policy): \(error.map { "\($0)" } ?? "")")
            #expect(try self.names(stack) == names)
        }
        let stack = try stack()
        let error = graftError { try decode(#"[\#(cat), {"$entity": "Dog", "id": 1, "tricks": "sit"}]"#, stack) }
        #expect(error?.place.property == "tricks")
        #expect(try names(stack) == [])
    }

    @Test func `without such a key they are two objects`() throws {
        let stack = try stack(isTold: false)
        try stack.perform { context throws in
            try context.populateObjects(fromDictionaries: [cat, dog], entity: "Animal")
            try context.save()
        }
        #expect(try names(stack) == ["Cat a", "Dog b"])
    }
}
