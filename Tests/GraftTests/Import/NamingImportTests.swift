// Which keys a property is read from: several candidates, dots, acronyms, rules.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct NamingImportTests {
    private func person(_ info: [String: String] = [:], _ annotations: [String: String]) throws -> ImportWorld {
        try ImportWorld { sketch in
            sketch.entity(
                "P", info: info.merging(["identityAttributes": "id"]) { first, _ in first },
                [.attribute("id", json: "id"), .attribute("mail").annotated(annotations)])
        }
    }

    @Test(arguments: [
        (#""mail": "1", "e_mail": "2", "contact": {"mail": "3"}"#, "1"),
        (#""contact": {"mail": "3"}, "e_mail": "2", "mail": "1""#, "1"),
        (#""contact": {"mail": "3"}, "e_mail": "2""#, "2"),
        (#""e_mail": "2", "contact": {"mail": "3"}"#, "2"),
        (#""contact": {"phone": "4", "mail": "3"}"#, "3"),
        (#""mail": null, "e_mail": "2""#, "nil"),
        (#""contact": null, "e_mail": "2""#, "2"),
        (#""contact": null"#, "nil"),
        (#""other": 1"#, "before"),
    ])
    func `the first of several keys that is there counts, whatever their order in the data`(
        _ members: String, _ value: String
    ) throws {
        let world = try person(
            [:], ["JSONKeyPath": "mail", "JSONKeyPath.1": "e_mail", "JSONKeyPath.2": "contact.mail"])
        try world.take(#"{"id": "p", "mail": "before"}"#, "P")
        try world.take(#"{"id": "p", \#(members)}"#, "P")
        #expect(try world.value("mail", of: "P", "id", "p") == value)
    }

    @Test func `a null that is ignored leaves the next key its chance`() throws {
        let world = try person(
            [:], ["JSONKeyPath": "mail", "JSONKeyPath.1": "e_mail", "JSONNullPolicy": "ignore"])
        try world.take(#"{"id": "p", "mail": null, "e_mail": "2"}"#, "P")
        #expect(try world.value("mail", of: "P", "id", "p") == "2")
        try world.take(#"{"id": "p", "e_mail": "3", "mail": null}"#, "P")
        #expect(try world.value("mail", of: "P", "id", "p") == "3")
    }

    @Test func `keys may have dots and at signs`() throws {
        let world = try person([:], ["JSONKeyPath": #"a\.b.\@parent"#, "JSONKeyPath.1": "@id"])
        try world.take(#"{"id": "p", "a.b": {"@parent": "dot"}}"#, "P")
        #expect(try world.value("mail", of: "P", "id", "p") == "dot")
        try world.take(#"{"id": "p", "a": {"b": {"@parent": "wrong"}}, "@id": "at"}"#, "P")
        #expect(try world.value("mail", of: "P", "id", "p") == "at")
        let escaped = try person([:], ["JSONKeyPath": #"\@parent"#])
        try escaped.take(#"{"id": "p", "@parent": "literally"}"#, "P")
        #expect(try escaped.value("mail", of: "P", "id", "p") == "literally")
    }

    private func user(_ info: [String: String]) throws -> ImportWorld {
        try ImportWorld { sketch in
            sketch.entity(
                "User", info: info.merging(["identityAttributes": "userID"]) { first, _ in first },
                [
                    .attribute("userID"), .attribute("firstName"), .attribute("listImageUrl"),
                    .attribute("listImageURL"),
                    .toMany("bestFriends", "User"),
                ])
        }
    }

    @Test func `snake case is a rule for properties without annotation, and the exact name works too`() throws {
        let world = try user(["JSONNaming": "snakeCase"])
        try world.take(
            #"{"user_id": "u", "first_name": "F", "list_image_url": "I", "best_friends": ["v"]}"#, "User")
        #expect(try world.value("firstName", of: "User", "userID", "u") == "F")
        #expect(try world.value("listImageUrl", of: "User", "userID", "u") == "I")
        #expect(try world.value("listImageURL", of: "User", "userID", "u") == "I")
        #expect(try world.members("bestFriends", "userID", of: "User", "userID", "u") == ["v"])
        try world.take(#"{"userID": "u", "firstName": "G"}"#, "User")
        #expect(try world.value("firstName", of: "User", "userID", "u") == "G")
        #expect(try world.count("User") == 2)
    }

    @Test func `a rule of one's own names the keys`() throws {
        var world = try user([:])
        world.options.mapping["User"].namingRule = .custom { entity, property in
            property == "userID" ? ["\(entity).key"] : property == "firstName" ? ["f", "F"] : []
        }
        try world.take(#"{"User": {"key": "u"}, "F": "x", "bestFriends": ["v"]}"#, "User")
        #expect(try world.value("firstName", of: "User", "userID", "u") == "x")
        #expect(try world.count("User") == 1)
    }

    @Test func `a naming rule takes in what the annotations leave out`() throws {
        var world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id"], [.attribute("id", json: "key"), .attribute("firstName")])
        }
        try world.take(#"{"key": "a", "firstName": "F"}"#, "A")
        #expect(try world.value("firstName", of: "A", "id", "a") == "nil")
        world.options.mapping.entityDefaults.namingRule = .exact
        try world.take(#"{"key": "a", "firstName": "F"}"#, "A")
        #expect(try world.value("firstName", of: "A", "id", "a") == "F")
    }
}
