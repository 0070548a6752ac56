// What annotations and code come to, and which of them counts.

import CoreData
import Foundation
@testable import Graft
import Testing

@Suite struct MappingRulesTests {
    /// The mapping of a property of an entity.
    private func property(
        _ name: String, of entity: String, in model: NSManagedObjectModel, _ options: MappingOptions = MappingOptions()
    ) throws -> PropertyMapping? {
        let mapping = try GraphMapping(model, options)
        let number = try #require(mapping.schema.number(ofEntity: entity))
        let property = try #require(mapping.schema.entities[number].number(ofProperty: name))
        return mapping.entities[number].properties[property]
    }

    private func entity(
        _ name: String, in model: NSManagedObjectModel, _ options: MappingOptions = MappingOptions()
    ) throws -> EntityMapping {
        let mapping = try GraphMapping(model, options)
        return mapping.entities[try #require(mapping.schema.number(ofEntity: name))]
    }

    // MARK: Annotations

    @Test func `annotations of a property are compiled`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "A",
            [
                .attribute("n", .integer32AttributeType, json: "n", default: 7).annotated([
                    "JSONKeyPath.1": "m.n", "JSONKeyPath.2": "@parent.n", "JSONNullPolicy": "default",
                    "JSONMissingPolicy": "clear", "JSONDirection": "import", "JSONExportNull": "NO",
                ]),
                .attribute("d", .dateAttributeType, json: "d").annotated(["JSONDateFormat": "unixMilliseconds"]),
                .toMany("bs", "B", json: "bs").annotated([
                    "JSONExportForm": "identifier", "JSONReferencePolicy": "defer", "JSONToManyPolicy": "union",
                    "JSONCollectionForm": "keyed",
                ]),
                .attribute("left", json: "left").annotated(["JSONDirection": "neither"]),
            ])
        sketch.entity("B", info: ["JSONCollectionForm": "arrayOrSingle"], [.attribute("x"), .toMany("as", "A")])
        let model = sketch.model()
        let n = try #require(try property("n", of: "A", in: model))
        #expect(n.path == ["n"])
        #expect(n.sources.map(\.description) == ["n", "m.n", "@parent.n"])
        #expect(n.nullPolicy == .default)
        #expect(n.defaultValue == .integer(7))
        #expect(n.missingPolicy == .clear)
        #expect(n.direction == .import)
        #expect(n.exportsNull == false)
        #expect(try property("d", of: "A", in: model)?.converter?.numericDate == .millisecondsSince1970)
        let bs = try #require(try property("bs", of: "A", in: model))
        #expect(bs.exportForm == .identifier)
        #expect(bs.referencePolicy == .defer)
        #expect(bs.membersPolicy == .add)
        #expect(bs.collectionForm == .keyed)
        #expect(try property("left", of: "A", in: model) == nil)
        #expect(try property("as", of: "B", in: model)?.collectionForm == .array)
    }

    @Test func `annotations of an entity are compiled and pass on to its sub-entities`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Animal",
            info: [
                "JSONEntityKey": "meta.kind", "JSONEntityValue": "animal", "JSONUnknownEntity": "skip",
                "JSONEntityChange": "fail", "JSONVersionAttribute": "version", "JSONRootKeyPath": "data.animals",
                "JSONOrphanPolicy": "delete", "JSONOrphanPredicate": "version > 3", "JSONOrphanLimit": "10",
                "JSONNaming": "snakeCase", "JSONCollectionForm": "keyed",
            ],
            [.attribute("version", .integer64AttributeType), .attribute("ownerName")])
        sketch.entity("Cat", parent: "Animal", info: ["JSONEntityValue": "cat"], [.attribute("nine")])
        sketch.entity("Dog", parent: "Animal", [.attribute("good")])
        let model = sketch.model()
        let animal = try entity("Animal", in: model)
        #expect(animal.discriminator?.path == ["meta", "kind"])
        #expect(animal.discriminator?.entities == ["animal": 0, "cat": 1, "Dog": 2])
        #expect(animal.discriminator?.unknown == .skip)
        #expect(animal.entityChangePolicy == .fail)
        #expect(animal.version == 0)
        #expect(animal.rootPath == ["data", "animals"])
        #expect(animal.orphans?.predicate == "version > 3")
        #expect(animal.deletionLimit == .count(10))
        #expect(animal.collectionForm == .keyed)
        let cat = try entity("Cat", in: model)
        #expect(cat.entityKeyPath == ["meta", "kind"])
        #expect(cat.entityValue == "cat")
        #expect(cat.discriminator == nil)
        #expect(cat.version == 0)
        #expect(cat.rootPath == [])
        #expect(cat.orphans == nil)
        #expect(
            try property("ownerName", of: "Dog", in: model)?.sources.map(\.description) == ["owner_name", "ownerName"])
    }

    struct Wrong: CustomTestStringConvertible, Sendable {
        let key: String, value: String, words: String
        var onEntity = false
        var testDescription: String { "\(key) = \(value)" }
    }

    @Test(arguments: [
        Wrong(key: "JSONNullPolicy", value: "ignored", words: "Did you mean 'ignore'?"),
        Wrong(key: "JSONMissingPolicy", value: "whatever", words: "It is one of keep, clear, default."),
        Wrong(key: "JSONDirection", value: "exports", words: "Did you mean 'export'?"),
        Wrong(key: "JSONExportNull", value: "maybe", words: "It is one of YES, NO."),
        Wrong(key: "JSONDateFormat", value: "unixMiliseconds", words: "Did you mean 'unixMilliseconds'?"),
        Wrong(key: "JSONDateFormat", value: "YYYY-MM-dd", words: "yyyy has the year of a date"),
        Wrong(key: "JSONDateFormat", value: "YYYY", words: "yyyy has the year of a date"),
        Wrong(key: "JSONDateFormat", value: "DD.MM.yyyy", words: "dd has the day of a month"),
        Wrong(key: "JSONTimeZone", value: "CET", words: "a zone, such as Europe/Berlin"),
        Wrong(key: "JSONKeyPath", value: "@index.n", words: "ends where it has to go on"),
        Wrong(key: "JSONKeyPath.1", value: "a..b", words: "has an empty key"),
        Wrong(key: "JSONNaming", value: "snakecase", words: "Did you mean 'snakeCase'?", onEntity: true),
        Wrong(key: "JSONEntityChange", value: "keeps", words: "Did you mean 'keep'?", onEntity: true),
        Wrong(key: "JSONOrphanLimit", value: "-1", words: "a number of objects", onEntity: true),
        Wrong(key: "JSONVersionAttribute", value: "dd", words: "Did you mean 'd'?", onEntity: true),
        Wrong(key: "JSONRootKeyPath", value: "a..b", words: "isn't a key path", onEntity: true),
        Wrong(key: "JSONDialect", value: "synch", words: "Did you mean 'sync'?", onEntity: true),
        Wrong(key: "entityMapperName", value: "No", words: "no such transformer is registered", onEntity: true),
    ])
    func `an annotation with a value that it can't have is an error with the remedy`(_ wrong: Wrong) throws {
        var sketch = ModelSketch()
        let info = [wrong.key: wrong.value]
        let d = ModelSketch.Property.attribute("d", .dateAttributeType, json: "d")
        sketch.entity("A", info: wrong.onEntity ? info : [:], [wrong.onEntity ? d : d.annotated(info)])
        let model = sketch.model()
        let error = try #require(graftError { _ = try GraphMapping(model) })
        #expect(error.description.contains(wrong.words), "\(error)")
        #expect(error.place.entity == "A")
        #expect(error.place.property == (wrong.onEntity ? nil : "d"))
    }

    @Test(arguments: ["YYYY-'W'ww-e", "'YYYY' yyyy-MM-dd", "yyyy-DDD"])
    func `the year of a week and the day of a year are fields like others, where the rest is of their kind`(
        _ format: String
    ) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "A", [.attribute("d", .dateAttributeType, json: "d").annotated(["JSONDateFormat": format])])
        #expect(try property("d", of: "A", in: sketch.model())?.converter != nil)
    }

    @Test func `two sub-entities with one value are an error`() throws {
        var sketch = ModelSketch()
        sketch.entity("A", info: ["JSONEntityKey": "type"], [])
        sketch.entity("B", parent: "A", info: ["JSONEntityValue": "x"], [])
        sketch.entity("C", parent: "A", info: ["JSONEntityValue": "x"], [])
        let model = sketch.model()
        #expect(try #require(graftError { _ = try GraphMapping(model) }).description.contains("for 'B' and for 'C'"))
    }

    // MARK: Precedence

    @Test func `code goes before annotations, annotations before defaults, defaults before the dialect`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Base", info: ["JSONVersionAttribute": "v"],
            [
                .attribute("a", json: "a").annotated(["JSONNullPolicy": "ignore"]),
                .attribute("b", json: "b"), .attribute("v", .integer16AttributeType, json: "v"),
                .attribute("w", .integer16AttributeType, json: "w"),
            ])
        sketch.entity("Sub", parent: "Base", [])
        let model = sketch.model()
        var options = MappingOptions()
        options.defaults.nullPolicy = .default
        #expect(try property("a", of: "Sub", in: model, options)?.nullPolicy == .ignore, "the annotation")
        #expect(try property("b", of: "Sub", in: model, options)?.nullPolicy == .default, "the default in code")
        #expect(try property("b", of: "Sub", in: model)?.nullPolicy == .clear, "the dialect")
        options["Base", "a"].nullPolicy = .clear
        #expect(try property("a", of: "Sub", in: model, options)?.nullPolicy == .clear, "code of the super-entity")
        options["Sub", "a"].nullPolicy = .default
        #expect(try property("a", of: "Sub", in: model, options)?.nullPolicy == .default, "code of the entity")
        #expect(try property("a", of: "Base", in: model, options)?.nullPolicy == .clear)

        #expect(try entity("Sub", in: model).version == 2)
        options.entityDefaults.versionAttribute = "w"
        #expect(try entity("Sub", in: model, options).version == 2, "the annotation of the super-entity")
        options["Base"].versionAttribute = "w"
        #expect(try entity("Sub", in: model, options).version == 3)

        options["Base", "b"].keyPaths = ["x.y", "z"]
        #expect(try property("b", of: "Base", in: model, options)?.path == ["x", "y"])
        options["Base", "b"].direction = .neither
        #expect(try property("b", of: "Base", in: model, options) == nil)
    }

    @Test func `code that names what the model doesn't have is an error with a suggestion`() throws {
        var sketch = ModelSketch()
        sketch.entity("Hero", [.attribute("name")])
        let model = sketch.model()
        var options = MappingOptions()
        options["Heroe"].versionAttribute = "name"
        #expect(
            graftError { _ = try GraphMapping(model, options) }?.problem == .unknownEntity("Heroe", closest: "Hero"))
        options = MappingOptions()
        options["Hero", "nam"].nullPolicy = .clear
        #expect(
            graftError { _ = try GraphMapping(model, options) }?.problem == .unknownProperty("nam", closest: "name"))
    }

    @Test func `code can identify, and say that nothing does`() throws {
        var sketch = ModelSketch()
        sketch.entity("A", info: ["identityAttributes": "a"], [.attribute("a"), .attribute("b"), .toOne("p", "A")])
        let model = sketch.model()
        var options = MappingOptions()
        options["A"].identity = ["b"]
        #expect(try GraphSchema(model, options).entities[0].identity == [1])
        options["A"].identity = []
        #expect(try GraphSchema(model, options).entities[0].identity == [])
        options["A"].identity = ["a", "p"]
        let schema = try GraphSchema(model, options)
        #expect(schema.entities[0].identity == [])
        #expect(schema.entities[0].relatedIdentity == [0, 2])
        options["A"].identity = ["p"]
        #expect(try GraphSchema(model, options).entities[0].relatedIdentity == [2])
    }

    // MARK: Names and paths

    @Test(arguments: [
        ("name", "name"), ("firstName", "first_name"), ("userID", "user_id"), ("userId", "user_id"),
        ("listImageURL", "list_image_url"), ("listImageUrl", "list_image_url"), ("imageURLs", "image_urls"),
        ("HTMLText", "html_text"), ("uuid", "uuid"), ("UUID", "uuid"), ("remoteUUIDString", "remote_uuid_string"),
        ("line2", "line2"), ("already_snake", "already_snake"), ("aB", "a_b"), ("pdfURLsOfPage", "pdf_urls_of_page"),
    ])
    func `snake case knows acronyms`(_ name: String, _ key: String) {
        #expect(SnakeCase.text(name) == key)
    }

    @Test func `a key path can begin in the surroundings, and a backslash takes the meaning away`() {
        #expect(SourcePath("@parent.a.b") == SourcePath(origin: .parent, keys: ["a", "b"]))
        #expect(SourcePath("@index") == SourcePath(origin: .index, keys: []))
        #expect(SourcePath("@id") == SourcePath(keys: ["@id"]))
        #expect(SourcePath(#"\@key"#) == SourcePath(keys: ["@key"]))
        #expect(SourcePath(#"a\.b.c"#) == SourcePath(keys: ["a.b", "c"]))
        #expect(SourcePath("@parent") == nil)
        #expect(SourcePath("@key.x") == nil)
        for text in ["@parent.a", #"a\.b.c"#, "@key"] { #expect(SourcePath(text)?.description == text) }
        #expect(SourcePath(keys: ["@key"]).description == #"\@key"#)
    }

    @Test func `a zone is an offset or one of the database, never an abbreviation`() {
        #expect(TimeZone(naming: "UTC")?.secondsFromGMT() == 0)
        #expect(TimeZone(naming: "+02:00")?.secondsFromGMT() == 7200)
        #expect(TimeZone(naming: "-0330")?.secondsFromGMT() == -12_600)
        #expect(TimeZone(naming: "Europe/Berlin") != nil)
        for text in ["EST", "Europe/Nowhere", "+99:00", "+2", ""] { #expect(TimeZone(naming: text) == nil) }
    }
}
