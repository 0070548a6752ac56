// Every rule of the linter, on models that break it and on models that don't.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ModelLintTests {
    private typealias Rule = ModelLint.Rule

    private func lint(
        _ info: [String: String] = ["identityAttributes": "id"], _ properties: [ModelSketch.Property],
        transformers: Set<String> = []
    ) throws -> ModelLint {
        var sketch = ModelSketch()
        sketch.entity("Hero", info: info, properties)
        return try ModelLint(sketch.model(), transformers: transformers)
    }

    private let id = ModelSketch.Property.attribute("id", json: "id")

    @Test func `a model without slips has no findings`() throws {
        let model = ComicModel.make()
        let lint = try ModelLint(model)
        #expect(lint.findings.isEmpty)
        #expect(!lint.hasErrors)
        #expect(
            lint.identities.map(\.description) == [
                "Character: identifier, declared by identityAttributes",
                "Power: identifier, declared by identityAttributes",
                "Publisher: identifier, declared by identityAttributes",
            ])
    }

    @Test(arguments: [
        ("JSONKeypath", "JSONKeyPath"), ("JSONkeyPath", "JSONKeyPath"), ("JSONNulPolicy", "JSONNullPolicy"),
        ("JSONDateFormatter", "JSONDateFormat"), ("sync.remoteKy", "sync.remoteKey"),
        ("mappedKeyname", "mappedKeyName"),
    ])
    func `a key that nobody reads is shown with the one that was meant`(_ key: String, _ meant: String) throws {
        let lint = try lint([:], [.attribute("name").annotated([key: "x"])])
        let finding = try #require(lint.findings.first { $0.rule == Rule.unknownKey })
        #expect(finding.property == "name")
        #expect(finding.message.contains(key))
        #expect(finding.suggestion == "Did you mean '\(meant)'?")
    }

    @Test func `keys of other people aren't looked at`() throws {
        let lint = try lint(
            ["identityAttributes": "id", "com.example.color": "red", "attributeValueClassName": "X"],
            [
                id.annotated([
                    "documentation": "x", "attributeValueClassName": "NSUUID", "id": "y", "JSONKeyPath.1": "ID",
                ])
            ])
        #expect(lint.findings.isEmpty)
    }

    @Test func `a key in the wrong place is shown with the right one`() throws {
        let lint = try lint(
            ["identityAttributes": "id", "JSONKeyPath": "hero"],
            [
                id.annotated(["JSONToManyPolicy": "union"]),
                .toOne("next", "Hero", json: "next").annotated(["JSONTransformerName": "X"]),
            ])
        #expect(lint.findings.map(\.rule) == [Rule.misplacedKey, .misplacedKey, .misplacedKey])
        #expect(lint.findings.map(\.property) == [nil, "id", "next"])
        #expect(lint.findings[2].suggestion == "Move it to an attribute, or take it away.")
    }

    @Test func `an unknown transformer is an error, unless it will be registered`() throws {
        ValueTransformer.setValueTransformer(withName: "Lint.known") { (text: String) in text }
        let properties: [ModelSketch.Property] = [
            id, .attribute("a", json: "a", transformer: "Lint.known"),
            .attribute("b", json: "b", transformer: "Lint.knwon"),
        ]
        let lint = try lint(["identityAttributes": "id", "entityMapperName": "Elsewhere"], properties)
        #expect(lint.findings.map(\.rule) == [Rule.unknownTransformer, .unknownTransformer])
        #expect(lint.findings[1].property == "b")
        #expect(lint.findings[1].suggestion == "Did you mean 'Lint.known'?")
        #expect(lint.hasErrors)
        var sketch = ModelSketch()
        sketch.entity("Hero", info: ["identityAttributes": "id", "entityMapperName": "Elsewhere"], [id])
        #expect(try ModelLint(sketch.model(), transformers: ["Elsewhere"]).findings.isEmpty)
    }

    @Test(arguments: [
        ("JSONNullPolicy", "claer", "clear"), ("JSONDirection", "imports", "import"), ("JSONExportNull", "NOO", "NO"),
        ("JSONMissingPolicy", "defualt", "default"),
    ])
    func `a policy that there isn't is shown with those that there are`(
        _ key: String, _ value: String, _ meant: String
    ) throws {
        let lint = try lint([id, .attribute("name", json: "name").annotated([key: value])])
        #expect(lint.findings.map(\.rule) == [Rule.invalidValue])
        #expect(lint.findings[0].message.contains("\(key) is '\(value)'"))
        #expect(lint.findings[0].suggestion.contains("Did you mean '\(meant)'?"))
        #expect(lint.hasErrors)
    }

    private func lint(_ properties: [ModelSketch.Property]) throws -> ModelLint {
        try lint(["identityAttributes": "id"], properties)
    }

    @Test func `two properties at one place, or one on the way to another, collide`() throws {
        let lint = try lint([
            id, .attribute("a", json: "x"), .attribute("b", json: "x"), .attribute("c", json: "y"),
            .attribute("d", json: "y.z"), .attribute("e", json: "w.a"), .attribute("f", json: "w.b"),
        ])
        #expect(lint.findings.map(\.rule) == [Rule.collidingPaths, .collidingPaths])
        #expect(lint.findings.map(\.property) == ["b", "d"])
        #expect(lint.findings.map(\.severity) == [.warning, .error])
    }

    @Test(
        arguments: [
            ("import", "export", []), ("import", "import", ["d"]), ("export", "export", ["b", "d"]),
            ("export", "both", ["b", "d"]), ("import", "both", ["d"]), ("neither", "both", []),
        ] as [(String, String, [String])])
    func `only what is read with another property, or written, collides with it`(
        _ one: String, _ other: String, _ found: [String]
    ) throws {
        let lint = try lint([
            id, .attribute("a", json: "x").annotated(["JSONDirection": one]),
            .attribute("b", json: "x").annotated(["JSONDirection": other]),
            .attribute("c", json: "y").annotated(["JSONDirection": one]),
            .attribute("d", json: "y.z").annotated(["JSONDirection": other]),
        ])
        #expect(lint.findings.map(\.rule) == found.map { _ in Rule.collidingPaths })
        #expect(lint.findings.compactMap(\.property) == found)
    }

    /// An attribute of a place with a city, a number and a price.
    private func place(_ info: [String: [String: String]] = [:]) -> ModelSketch.Property {
        let place = NSCompositeAttributeDescription()
        place.name = "addr"
        place.isOptional = true
        place.userInfo = ["JSONKeyPath": "place"]
        let types: [(String, NSAttributeType, Any?)] = [
            ("city", .stringAttributeType, nil), ("zip", .integer64AttributeType, 7),
            ("price", .decimalAttributeType, NSDecimalNumber(string: "1.23456789012345678901")),
        ]
        place.elements = types.map { name, type, value in
            let element = NSAttributeDescription()
            element.name = name
            element.attributeType = type
            element.isOptional = true
            element.defaultValue = value
            element.userInfo = info[name] ?? [:]
            return element
        }
        return .attribute(place)
    }

    @Test func `the elements of a composite attribute have places, defaults and keys of their own`() throws {
        let lint = try lint(
            ["identityAttributes": "addr.zip"],
            [
                place(["city": ["JSONKeypath": "town"]]), .attribute("street", json: "place.street"),
                .attribute("town", json: "place.city"), .attribute("deeper", json: "place.zip.name"),
            ])
        #expect(
            lint.findings.map { "\($0.property ?? "") \($0.rule) \($0.severity)" } == [
                "addr.city unknownKey warning", "addr.price lossyDefault warning", "addr.zip defaultIdentity warning",
                "deeper collidingPaths error", "town collidingPaths warning",
            ])
        let moved = try self.lint(
            ["identityAttributes": "id"],
            [id, place(["city": ["JSONKeyPath": "town"]]), .attribute("a", json: "place.city")])
        #expect(moved.findings.map(\.rule) == [.lossyDefault])
        let unknown = try self.lint(
            ["identityAttributes": "id"], [id, place(["city": ["JSONTransformerName": "Lint.nobody"]])])
        #expect(unknown.findings.map(\.rule) == [.unknownTransformer, .lossyDefault])
        #expect(unknown.findings.first?.property == "addr.city")
    }

    @Test(arguments: ["a..b", "", ".a", "a."])
    func `a path with an empty key leads nowhere`(_ path: String) throws {
        let lint = try lint([id, .attribute("a", json: path)])
        #expect(lint.findings.map(\.rule) == [Rule.invalidPath])
        #expect(lint.hasErrors)
    }

    @Test func `Groot's old word for exclusion is a key today`() throws {
        let lint = try lint([id, .attribute("a", json: "null")])
        #expect(lint.findings.map(\.rule) == [Rule.invalidPath])
        #expect(!lint.hasErrors)
    }

    @Test(arguments: ["friends.@count": true, "@sum.age": true, "friends.\\@count": false, "@id": false])
    func `an operator of key-value coding computes nothing`(_ path: String, _ isFound: Bool) throws {
        let lint = try lint([id, .attribute("a", json: path)])
        #expect(lint.findings.map(\.rule) == (isFound ? [Rule.invalidPath] : []))
        #expect(!lint.hasErrors)
    }

    // Lesson 4: a key set wrongly inserted everything again at each run; so the identity that is used is said at the start.
    // Lesson 6: an error about a key that the user never set. It has to be said whether it was declared.
    @Test func `lessons 4 and 6: the identity is shown with who declares it, or that it was inferred`() throws {
        var sketch = ModelSketch()
        sketch.entity("A", info: ["identityAttributes": "id, part"], [id, .attribute("part", json: "part")])
        sketch.entity("B", parent: "A", [.attribute("b", json: "b")])
        sketch.entity("C", unique: [["code"]], [.attribute("code")])
        sketch.entity("D", [.attribute("name")])
        let lint = try ModelLint(sketch.model())
        #expect(lint.identities.map(\.properties) == [["id", "part"], ["id", "part"], ["code"], []])
        #expect(lint.identities.map(\.isInferred) == [false, false, false, false])
        #expect(lint.identities[0].origin == "identityAttributes")
        #expect(lint.identities[2].origin?.contains("constraint") == true)
        #expect(lint.findings.map(\.rule) == [Rule.missingIdentity])
        #expect(lint.findings[0].entity == "D")

        var sync = ModelSketch()
        sync.entity(
            "User", [.attribute("id"), .attribute("name").annotated(["sync.remoteKey": "full_name"])])
        let inferred = try ModelLint(sync.model())
        #expect(inferred.identities[0].isInferred)
        #expect(inferred.identities[0].description.contains("inferred"))
        #expect(inferred.findings.map(\.rule) == [Rule.inferredIdentity])
    }

    @Test func `an identity that isn't there, or that JSON has no place for, is an error`() throws {
        let missing = try lint(["identityAttributes": "identifer"], [.attribute("identifier", json: "id")])
        #expect(missing.findings.map(\.rule) == [Rule.invalidIdentity])
        #expect(missing.findings[0].suggestion.contains("Did you mean 'identifier'?"))
        let unmapped = try lint(["identityAttributes": "id"], [.attribute("id"), .attribute("name", json: "name")])
        #expect(unmapped.findings.map(\.rule) == [Rule.unmappedIdentity])
        #expect(unmapped.findings[0].property == "id")
    }

    @Test func `an identity with a default value is a warning`() throws {
        let lint = try lint([.attribute("id", .integer64AttributeType, json: "id", default: 0)])
        #expect(lint.findings.map(\.rule) == [Rule.defaultIdentity] && !lint.hasErrors)
        #expect(lint.findings.first?.property == "id" && lint.findings.first?.message.hasSuffix("have 0") == true)
    }

    @Test func `a relationship to sub-entities that JSON doesn't tell apart is a warning`() throws {
        func lint(_ info: [String: String]) throws -> ModelLint {
            var sketch = ModelSketch()
            sketch.entity("Animal", info: info.merging(["identityAttributes": "id"]) { $1 }, [id])
            sketch.entity("Cat", parent: "Animal", [.attribute("lives", json: "lives")])
            sketch.entity(
                "Owner", info: ["identityAttributes": "id"],
                [id, .toOne("pet", "Animal", json: "pet"), .toOne("cat", "Cat", json: "cat")])
            return try ModelLint(sketch.model())
        }
        let untold = try lint([:])
        #expect(
            untold.findings.map { "\($0.entity ?? "").\($0.property ?? "") \($0.rule)" } == ["Owner.pet untoldEntity"])
        #expect(untold.findings.first?.suggestion.contains("JSONEntityKey") == true && !untold.hasErrors)
        #expect(try lint(["JSONEntityKey": "kind"]).findings.isEmpty)
    }

    @Test func `annotations of two libraries are a warning`() throws {
        let lint = try lint([id, .attribute("name").annotated(["mappedKeyName": "full_name"])])
        #expect(lint.findings.map(\.rule) == [Rule.mixedDialects])
        #expect(lint.findings[0].message.contains("magicalRecord"))
        #expect(!lint.hasErrors)
    }

    @Test func `all findings come at once, by entity and property, and survive a coder`() throws {
        var sketch = ModelSketch()
        sketch.entity("B", [.attribute("z", json: "a..b"), .attribute("a", json: "x", transformer: "Lint.nobody")])
        sketch.entity("A", info: ["identityAttributes": "nothing"], [.attribute("k").annotated(["JSONNulls": "x"])])
        let lint = try ModelLint(sketch.model())
        #expect(
            lint.findings.map { "\($0.entity ?? "").\($0.property ?? "") \($0.rule)" } == [
                "A. invalidIdentity", "A.k unknownKey", "B. missingIdentity", "B.a unknownTransformer",
                "B.z invalidPath",
            ])
        #expect(lint.findings.allSatisfy { !$0.suggestion.isEmpty && !$0.message.isEmpty })
        let data = try JSONEncoder().encode(lint)
        #expect(try JSONDecoder().decode(ModelLint.self, from: data) == lint)
    }

    @Test func `what only the making of a mapping finds is found, too`() throws {
        let lint = try lint(["identityAttributes": "id", "JSONVersionAttribute": "revison"], [id])
        #expect(lint.findings.map(\.rule) == [Rule.invalidMapping])
        #expect(lint.findings[0].message.contains("JSONVersionAttribute"))
    }

    @Test func `all that is wrong with a mapping is found at once`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Hero", info: ["identityAttributes": "id", "JSONVersionAttribute": "verson", "JSONRootKeyPath": "a..b"],
            [id, .attribute("version", .integer64AttributeType, json: "v"), .attribute("path", json: "x..y")])
        sketch.entity(
            "Power", info: ["identityAttributes": "nmae", "JSONEntityKey": ".."],
            [.attribute("name", json: "name", transformer: "ModelLintTests.Unregistered")])
        let found = try ModelLint(sketch.model()).findings.filter { $0.severity == .error }
        let places = Set(found.map { [$0.entity, $0.property].compactMap(\.self).joined(separator: ".") })
        #expect(places.isSuperset(of: ["Hero", "Hero.path", "Power", "Power.name"]), "\(found)")
        for words in ["verson", "a..b", "x..y", "nmae", "..", "ModelLintTests.Unregistered"] {
            #expect(found.contains { $0.message.contains("'\(words)'") }, "\(words): \(found)")
        }
    }

    @Test func `an order that both ends of a link share is named`() throws {
        func lint(_ inverse: String, isOrdered: Bool) throws -> [ModelLint.Finding] {
            var sketch = ModelSketch()
            sketch.entity(
                "Hero", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType),
                    .toMany("friends", "Hero", inverse: inverse, isOrdered: isOrdered),
                ] + (inverse == "friends" ? [] : [.toMany(inverse, "Hero", inverse: "friends")]))
            return try ModelLint(sketch.model()).findings
        }
        let findings = try lint("friends", isOrdered: true)
        #expect(findings.map(\.rule) == [.unusualValue])
        #expect(findings.map(\.property) == ["friends"] && findings.map(\.severity) == [.warning])
        #expect(try lint("friends", isOrdered: false).isEmpty)
        #expect(try lint("friendOf", isOrdered: true).isEmpty)
    }

    @Test func `a default that a store rounds is named`() throws {
        let value = NSDecimalNumber(string: "1234567890123456.78")
        let lint = try lint([id, .attribute("limit", .decimalAttributeType, json: "limit", default: value)])
        #expect(lint.findings.map(\.rule) == [.lossyDefault])
    }

    @Test(arguments: [
        (#"[{"id": "x"}]"#, true), (#"[{"id": 1, "publisher": [1]}]"#, false), (#"[{"id": 1, "powers": 3}]"#, false),
    ])
    func `a transformer is recommended where one could help`(_ text: String, _ helps: Bool) throws {
        let stack = try TestStack(ComicModel.make())
        let error = try #require(graftError { try stack.importJSON(text, "Character") })
        #expect(error.description.contains("name a transformer") == helps, "\(error)")
    }
}
