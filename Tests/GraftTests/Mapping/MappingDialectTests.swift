// Which dialect a model has, and what its annotations come to.

import CoreData
import Foundation
@testable import Graft
import Testing

@Suite struct MappingDialectTests {
    private func model(_ info: [String: String], _ properties: [ModelSketch.Property]) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("User", info: info, properties)
        return sketch.model()
    }

    private func sources(_ model: NSManagedObjectModel) throws -> [String: [String]] {
        let mapping = try GraphMapping(model)
        var paths: [String: [String]] = [:]
        for (property, compiled) in zip(mapping.schema.entities[0].properties, mapping.entities[0].properties) {
            paths[property.name] = compiled?.sources.map(\.description)
        }
        return paths
    }

    @Test func `the dialect is recognised by the annotations that only one library has`() {
        func dialect(_ info: [String: String], _ property: [String: String]) -> MappingOptions.Dialect {
            .dialect(of: model(info, [.attribute("a").annotated(property)]))
        }
        #expect(dialect([:], [:]) == .graft)
        #expect(dialect([:], ["JSONKeyPath": "a"]) == .graft)
        #expect(dialect([:], ["sync.remoteKey": "a"]) == .sync)
        #expect(dialect([:], ["hyper.isPrimaryKey": "YES"]) == .sync)
        #expect(dialect([:], ["mappedKeyName.1": "a"]) == .magicalRecord)
        #expect(dialect(["relatedByAttribute": "a"], [:]) == .magicalRecord)
        #expect(dialect([:], ["CDKMap.0": "a"]) == .coreDataKit)
        #expect(dialect(["CDKId": "a"], [:]) == .coreDataKit)
        #expect(dialect([:], ["MMRecordAttributeAlternateNameKey": "b"]) == .mmRecord)
        #expect(dialect(["RKEntityIdentificationAttributes": "a"], [:]) == .restKit)
        #expect(dialect([:], ["attributeValueClassName": "UIColor"]) == .graft, "mogenerator has it too")
        #expect(dialect(["identityAttributes": "a"], ["JSONNullPolicy": "clear"]) == .graft)
        #expect(dialect([:], ["JSONKeyPath": "a", "sync.remoteKey": "a"]) == .graft, "Groot's go first")
    }

    @Test func `each annotation that tells a dialect is found with its place`() {
        var sketch = ModelSketch()
        sketch.entity(
            "B", info: ["relatedByAttribute": "b"], [.attribute("b").annotated(["JSONKeyPath": "b", "CDKMap": "c"])])
        sketch.entity("A", [.attribute("a").annotated(["sync.remoteKey": "x"])])
        let found = MappingOptions.Dialect.occurrences(in: sketch.model())
        #expect(found.map(\.dialect) == [.sync, .magicalRecord, .coreDataKit, .graft])
        #expect(found.map(\.entity) == ["A", "B", "B", "B"])
        #expect(found.map(\.property) == ["a", nil, "b", "b"])
        #expect(found.map(\.key) == ["sync.remoteKey", "relatedByAttribute", "CDKMap", "JSONKeyPath"])
    }

    @Test func `a dialect can be set, for a hierarchy or in code`() throws {
        var sketch = ModelSketch()
        sketch.entity("A", info: ["JSONDialect": "sync"], [.attribute("firstName")])
        sketch.entity("B", parent: "A", [.attribute("lastName")])
        sketch.entity("C", [.attribute("fullName")])
        let model = sketch.model()
        #expect(try GraphMapping(model).entities.map(\.dialect) == [.sync, .sync, .graft])
        var options = MappingOptions()
        options.dialect = .magicalRecord
        #expect(
            try GraphMapping(model, options).entities.map(\.dialect) == [
                .magicalRecord, .magicalRecord, .magicalRecord,
            ])
    }

    @Test func `Sync's keys`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "User",
            [
                .attribute("remoteID").annotated(["sync.isPrimaryKey": "YES"]), .attribute("firstName"),
                .attribute("userType"), .attribute("bio").annotated(["hyper.remoteKey": "profile.bio"]),
                .attribute("secret").annotated(["sync.nonExportable": ""]),
                .toOne("company", "Company", inverse: "users"), .toMany("closeFriends", "User"),
            ])
        sketch.entity("Company", [.attribute("id"), .toMany("users", "User", inverse: "company")])
        let model = sketch.model()
        let mapping = try GraphMapping(model)
        let user = try #require(mapping.schema.number(ofEntity: "User"))
        let company = try #require(mapping.schema.number(ofEntity: "Company"))
        let properties = mapping.entities[user].properties
        #expect(
            properties.map { $0?.sources.map(\.description) } == [
                ["id"], ["first_name", "firstName"], ["user_type", "type", "userType"], ["profile.bio"], ["secret"],
                ["company", "company_id"], ["close_friends", "closeFriends", "close_friends_ids"],
            ])
        #expect(properties[4]?.direction == .import)
        #expect(mapping.schema.entities[user].identity == [0])
        #expect(mapping.entities[user].identityOrigin == "sync.isPrimaryKey")
        #expect(mapping.schema.entities[company].identity == [0])
        #expect(mapping.entities[company].isIdentityInferred)
        #expect(properties[5]?.referencePolicy == .link)
        #expect(properties[6]?.membersPolicy == .replace)
        #expect(mapping.entities[company].properties[1]?.membersPolicy == .replaceAndDelete)
    }

    @Test func `MagicalRecord's keys`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "User",
            [
                .attribute("userID").annotated(["mappedKeyName": "id"]), .attribute("name"),
                .attribute("mail").annotated(["mappedKeyName.1": "e_mail", "mappedKeyName.2": "contact.mail"]),
                .attribute("born", .dateAttributeType).annotated(["dateFormat": "UnixTime"]),
                .attribute("rank", .integer16AttributeType, default: 1).annotated([
                    "useDefaultValueWhenNotPresent": "YES"
                ]),
                .toMany("posts", "Post").annotated(["mappedKeyName": "entries", "relatedByAttribute": "slug"]),
            ])
        sketch.entity("Post", [.attribute("slug")])
        let mapping = try GraphMapping(sketch.model())
        let user = try #require(mapping.schema.number(ofEntity: "User"))
        let properties = mapping.entities[user].properties
        #expect(
            properties.map { $0?.sources.map(\.description) } == [
                ["id"], ["name"], ["mail", "e_mail", "contact.mail"], ["born"], ["rank"], ["entries"],
            ])
        #expect(properties[3]?.converter?.numericDate == .millisecondsSince1970)
        #expect(properties[4]?.missingPolicy == .default)
        #expect(properties[4]?.defaultValue == .integer(1))
        #expect(properties[5]?.membersPolicy == .add)
        #expect(mapping.schema.entities[user].identity == [0], "<entity>ID")
        let post = try #require(mapping.schema.number(ofEntity: "Post"))
        #expect(mapping.schema.entities[post].identity == [0], "the key that relationships name")
    }

    @Test func `CoreDataKit's, MMRecord's and RestKit's keys`() throws {
        let kit = model(
            ["CDKId": "id"],
            [
                .attribute("id").annotated(["CDKMap": "identifier", "CDKMap.0": "uid", "CDKMap.1": "_id"]),
                .attribute("name"), .attribute("local").annotated(["CDKMapStrategy": "CDKNoMapping"]),
                .toOne("friend", "User").annotated(["CDKRelationType": "CDKEmbedding"]),
            ])
        #expect(try sources(kit) == ["id": ["identifier", "uid", "_id"], "name": ["name"], "friend": ["friend"]])
        #expect(try GraphMapping(kit).entities[0].properties[3]?.membersPolicy == .replaceAndDelete)
        #expect(try GraphMapping(kit).entities[0].properties[3]?.referencePolicy == .link)
        #expect(try GraphSchema(kit).entities[0].identity == [0])

        let record = model(
            ["MMRecordEntityPrimaryAttributeKey": "id"],
            [.attribute("id"), .attribute("name").annotated(["MMRecordAttributeAlternateNameKey": "title"])])
        #expect(try sources(record) == ["id": ["id"], "name": ["title", "name"]])
        #expect(try GraphSchema(record).entities[0].identity == [0])

        let rest = model(["RKEntityIdentificationAttributes": "a, b"], [.attribute("a"), .attribute("b")])
        #expect(try GraphSchema(rest).entities[0].identity == [0, 1])
        rest.entities[0].userInfo?["RKEntityIdentificationAttributes"] = ["b"]
        #expect(try GraphSchema(rest).entities[0].identity == [1])
        var options = MappingOptions()
        options.dialect = .restKit
        let inferred = model([:], [.attribute("url"), .attribute("identifier")])
        #expect(try GraphSchema(inferred, options).entities[0].identity == [1])
    }
}
