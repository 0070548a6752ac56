// The law of order: dictionaries of one call say what they would say one after the other, whichever side of a relationship
// each speaks of.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct PopulatingOrderTests {
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .toOne("idol", "Person", inverse: "fans"), .toMany("fans", "Person", inverse: "idol"),
                .toOne("heir", "Person", inverse: "forebear"), .toOne("forebear", "Person", inverse: "heir"),
                .toMany("pets", "Pet", inverse: "owner", rule: .cascadeDeleteRule),
            ])
        sketch.entity(
            "Pet", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .toOne("owner", "Person", inverse: "pets")])
        return sketch.model()
    }

    private static func dictionaries(_ text: String) throws -> [[String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    }

    /// What a store holds, a line for each object.
    private static func graph(_ context: NSManagedObjectContext) throws -> [String] {
        func ids(_ value: Any?) -> String {
            let objects = (value as? Set<NSManagedObject>).map(Array.init) ?? (value as? NSManagedObject).map { [$0] }
            return (objects ?? []).map { "\($0.value(forKey: "id") ?? "nil")" }.sorted().joined(separator: ",")
        }
        return try ["Person", "Pet"].flatMap { entity in
            try context.all(entity).map { object in
                let links = object.entity.relationshipsByName.keys.sorted()
                    .map { "\($0) \(ids(object.value(forKey: $0)))" }
                return "\(entity) \(object.value(forKey: "id") ?? "nil"): " + links.joined(separator: "; ")
            }.sorted()
        }
    }

    private static func result(of calls: [[[String: Any]]], _ policy: MappingOptions.MembersPolicy) throws -> [String] {
        let stack = try TestStack(model())
        return try stack.perform { context throws in
            var options = PopulateOptions()
            options.membersPolicy = policy
            for call in calls {
                try context.populateObjects(fromDictionaries: call, entity: "Person", options: options)
            }
            try context.save()
            return try graph(context)
        }
    }

    @Test(arguments: [
        #"[{"id": 1, "fans": []}, {"id": 2, "idol": {"id": 1}}]"#,
        #"[{"id": 2, "idol": {"id": 1}}, {"id": 1, "fans": []}]"#,
        #"[{"id": 1, "fans": [{"id": 3}]}, {"id": 3, "idol": null}]"#,
        #"[{"id": 1, "fans": [{"id": 3}]}, {"id": 3, "idol": 2}, {"id": 1, "fans": null}]"#,
        #"[{"id": 1, "heir": {"id": 2}}, {"id": 3, "heir": {"id": 2}}, {"id": 3, "heir": null}]"#,
        #"[{"id": 1, "idol": {"id": 2, "fans": null}}]"#,
        #"[{"id": 2, "fans": [{"id": 1, "idol": {"id": 3}}]}, {"id": 3, "fans": [1]}, {"id": 1, "idol": 2}]"#,
        #"[{"id": 1, "pets": [{"id": 5}]}, {"id": 2, "pets": [{"id": 5, "owner": {"id": 1}}]}, {"id": 1, "pets": []}]"#,
    ])
    func `dictionaries of one call say what they say one after the other`(_ text: String) throws {
        let dictionaries = try Self.dictionaries(text)
        for policy in [MappingOptions.MembersPolicy.replace, .add] {
            #expect(
                try Self.result(of: [dictionaries], policy) == Self.result(of: dictionaries.map { [$0] }, policy),
                "\(policy)")
        }
    }

    @Test func `random dictionaries of one call say what they say one after the other`() throws {
        for seed in Laws.cases(1...400, oneOf: 8) {
            var random = SeededGenerator(seed: seed)
            let before = (0..<3).map { _ in Self.person(2, &random) }
            let now = (0..<(2 + random.below(4))).map { _ in Self.person(2, &random) }
            for policy in [MappingOptions.MembersPolicy.replace, .add] {
                let expected = try Self.result(of: (before + now).map { [$0] }, policy)
                let found = try Self.result(of: before.map { [$0] } + [now], policy)
                #expect(found == expected, "seed \(seed), \(policy): \(before), \(now)")
            }
        }
    }

    private static func person(_ depth: Int, _ random: inout SeededGenerator) -> [String: Any] {
        var person: [String: Any] = ["id": random.below(4)]
        if random.chance(30) { person["name"] = "name \(random.below(3))" }
        for key in ["idol", "heir", "forebear"] where random.chance(25) { person[key] = member(depth, &random) }
        for key in ["fans", "pets"] where random.chance(25) {
            person[key] =
                random.chance(12)
                ? NSNull()
                : (0..<random.below(3)).map { _ -> Any in
                    if key == "fans" { return member(depth, &random, orNull: false) }
                    return random.chance(50) ? random.below(3) : ["id": random.below(3)] as [String: Any]
                }
        }
        return person
    }

    private static func member(_ depth: Int, _ random: inout SeededGenerator, orNull: Bool = true) -> Any {
        if orNull, random.chance(20) { return NSNull() }
        return depth == 0 || random.chance(50) ? random.below(4) : person(depth - 1, &random)
    }
}
