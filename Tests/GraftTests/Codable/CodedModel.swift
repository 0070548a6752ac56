// The classes and the model of the tests of ManagedCodable.

import CoreData
import Foundation
import Graft

class CodedHero: NSManagedObject, ManagedCodable {}
final class CodedVillain: CodedHero {}
final class CodedPower: NSManagedObject, ManagedCodable {}

enum CodedModel {
    /// - Parameter isAnnotated: Whether the model has key paths.
    static func make(isAnnotated: Bool = false, transformer: String? = nil) -> NSManagedObjectModel {
        func json(_ path: String) -> String? { isAnnotated ? path : nil }
        var sketch = ModelSketch()
        sketch.entity(
            "Hero", info: ["identityAttributes": "heroID"],
            [
                .attribute("heroID", .integer64AttributeType, json: json("id"), transformer: transformer),
                .attribute("realName", json: json("person.name"), default: "nobody"),
                .attribute("city", json: json("person.home.city")), .attribute("rank", .integer16AttributeType),
                .attribute("born", .dateAttributeType), .attribute("picture", .binaryDataAttributeType),
                .toMany("powers", "Power", inverse: "heroes", json: json("person.powers")),
                .toMany("friends", "Hero", inverse: "friendOf"), .toMany("friendOf", "Hero", inverse: "friends"),
                .toOne("lair", "Lair", inverse: "owner", json: json("lair"), rule: .cascadeDeleteRule),
                .toMany("titles", "Title", inverse: "hero", rule: .cascadeDeleteRule, isOrdered: true),
            ])
        sketch.entity(
            "Villain", parent: "Hero", info: ["identityAttributes": "heroID"], [.attribute("plan", json: json("plan"))])
        sketch.entity(
            "Power", info: ["identityAttributes": "name"],
            [.attribute("name", json: json("name")), .toMany("heroes", "Hero", inverse: "powers")])
        sketch.entity(
            "Lair",
            [
                .attribute("place", json: json("place")), .toOne("owner", "Hero", inverse: "lair"),
                .toOne("guard", "Hero", json: json("guard")),
            ])
        sketch.entity("Title", [.attribute("text"), .toOne("hero", "Hero", inverse: "titles")])
        let model = sketch.model()
        let classes: [String: AnyClass] = [
            "Hero": CodedHero.self, "Villain": CodedVillain.self, "Power": CodedPower.self,
        ]
        for (name, entity) in model.entitiesByName {
            entity.managedObjectClassName = classes[name].map(NSStringFromClass) ?? "NSManagedObject"
        }
        return model
    }

    static let batman = """
        {"heroID": 1, "realName": "Bruce Wayne", "powers": [{"name": "Agility"}, {"name": "Rich"}],
         "lair": {"place": "Cave"}, "titles": [{"text": "Dark Knight"}, {"text": "Detective"}]}
        """
}

extension NSManagedObjectContext {
    /// Decodes one hero from a text.
    func decodeHero(_ text: String, _ options: ManagedCodingOptions? = nil) throws -> CodedHero {
        let decoder = JSONDecoder()
        decoder.managedObjectContext = self
        if let options { decoder.managedCodingOptions = options }
        return try decoder.decode(CodedHero.self, from: Data(text.utf8))
    }
}

/// A value as JSON with sorted keys.
func sortedJSON(_ value: some Encodable, _ configure: (JSONEncoder) -> Void = { _ in }) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    configure(encoder)
    return try String(decoding: encoder.encode(value), as: UTF8.self)
}
