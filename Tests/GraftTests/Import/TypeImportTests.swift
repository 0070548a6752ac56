// Sub-entities that a key tells, unknown types, and objects whose type changes.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct TypeImportTests {
    private func animals(_ info: [String: String] = [:], kind: StoreKind = .sqlite) throws -> ImportWorld {
        try ImportWorld(kind) { sketch in
            sketch.entity(
                "Animal",
                info: info.merging(["identityAttributes": "id", "JSONEntityKey": "type"]) { first, _ in first },
                [
                    .attribute("id", json: "id"), .attribute("name", json: "name"),
                    .toOne("owner", "Owner", inverse: "pets", json: "owner"),
                ])
            sketch.entity(
                "Cat", parent: "Animal", info: ["JSONEntityValue": "cat"],
                [.attribute("lives", .integer16AttributeType, json: "lives")])
            sketch.entity(
                "Dog", parent: "Animal", info: ["JSONEntityValue": "dog"], [.attribute("tricks", json: "tricks")])
            sketch.entity(
                "Owner", info: ["identityAttributes": "id"],
                [.attribute("id", json: "id"), .toMany("pets", "Animal", inverse: "owner", json: "pets")])
        }
    }

    @Test func `the key tells the sub-entity, wherever it stands`() throws {
        let world = try animals()
        let report = try world.take(
            """
            [{"type": "cat", "id": "1", "lives": 9}, {"id": "2", "tricks": "sit", "type": "dog"}, {"id": "3"},
             {"id": "4", "type": null}, {"id": "5", "type": "Animal"}]
            """, "Animal")
        #expect(report["Cat"].inserted == 1)
        #expect(report["Dog"].inserted == 1)
        #expect(report["Animal"].inserted == 3)
        #expect(try world.value("lives", of: "Cat", "id", "1") == "9")
        #expect(try world.value("tricks", of: "Dog", "id", "2") == "sit")
        #expect(try !world.take(#"[{"id": "2", "type": "dog", "tricks": "sit"}]"#, "Animal").hasChanges)
    }

    @Test func `nested objects have types, too, and identifiers refer to any of them`() throws {
        let world = try animals()
        try world.take(
            #"{"id": "o", "pets": [{"id": "1", "lives": 7, "type": "cat"}, {"type": "dog", "id": "2"}, "3"]}"#, "Owner")
        #expect(try world.members("pets", "id", of: "Owner", "id", "o") == ["1", "2", "3"])
        #expect(try world.count("Cat") == 1)
        // What a reference made is one of the entity asked for until a type comes, which isn't another object.
        let report = try world.take(#"[{"id": "3", "type": "cat", "lives": 2, "name": "C"}]"#, "Animal")
        #expect(report["Cat"].updated == 1)
        #expect(try world.value("name", of: "Cat", "id", "3") == "C")
        #expect(try world.members("pets", "id", of: "Owner", "id", "o") == ["1", "2", "3"])
        #expect(try world.count("Animal") == 3)
    }

    @Test func `an unknown type is one of the entity asked for, unless something else is said`() throws {
        let text = #"[{"id": "1", "type": "bird", "name": "B"}, {"id": "2", "type": "cat"}]"#
        let base = try animals()
        try base.take(text, "Animal")
        #expect(try base.values("id", of: "Animal") == ["1", "2"])

        let skip = try animals(["JSONUnknownEntity": "skip"])
        let report = try skip.take(text, "Animal")
        #expect(report["Animal"].skipped == 1)
        #expect(try skip.values("id", of: "Animal") == ["2"])
        try skip.take(#"{"id": "o", "pets": [{"id": "3", "type": "bird"}, {"type": "dog", "id": "4"}]}"#, "Owner")
        #expect(try skip.members("pets", "id", of: "Owner", "id", "o") == ["4"])

        let fail = try animals(["JSONUnknownEntity": "fail"])
        let error = try #require(
            fail.refuse(#"[{"id": "2", "type": "cat"}, {"id": "1", "type": "bog", "name": "B"}]"#, "Animal"))
        #expect(error.place.path == [.index(1), .key("type")])
        #expect(error.description.contains("Did you mean 'dog'?"))
        #expect(try fail.count("Animal") == 0)
    }

    @Test func `a type that is passed over leaves a to-one relationship as it is`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "Home", info: ["identityAttributes": "id"],
                [.attribute("id", json: "id"), .toOne("pet", "Animal", json: "pet")])
            sketch.entity(
                "Animal", info: ["identityAttributes": "id", "JSONEntityKey": "type", "JSONUnknownEntity": "skip"],
                [.attribute("id", json: "id")])
            sketch.entity("Cat", parent: "Animal", [])
        }
        try world.take(#"{"id": "h", "pet": {"id": "1", "type": "Cat"}}"#, "Home")
        try world.take(#"{"id": "h", "pet": {"id": "2", "type": "Bird"}}"#, "Home")
        #expect(try world.members("pet", "id", of: "Home", "id", "h") == ["1"])
    }

    // MARK: Change of sub-entity

    private let first = #"[{"id": "1", "type": "cat", "name": "Tom", "lives": 9, "owner": "o"}]"#
    private let second = #"[{"id": "1", "type": "dog", "name": "Rex", "tricks": "sit"}]"#

    @Test func `keep: an object stays what it is, and gets what both entities have`() throws {
        let world = try animals()
        try world.take(first, "Animal")
        let report = try world.take(second, "Animal")
        #expect(report["Cat"].updated == 1)
        #expect(try world.count("Animal") == 1)
        #expect(try world.value("name", of: "Cat", "id", "1") == "Rex")
        #expect(try world.value("lives", of: "Cat", "id", "1") == "9")
    }

    @Test func `replace: a new object of the right entity takes the place, with what both have`() throws {
        let world = try animals(["JSONEntityChange": "replace"])
        try world.take(first, "Animal")
        let report = try world.take(second, "Animal")
        #expect(report["Cat"].deleted == 1)
        #expect(try world.count("Animal") == 1)
        #expect(try world.value("tricks", of: "Dog", "id", "1") == "sit")
        #expect(try world.value("name", of: "Dog", "id", "1") == "Rex")
        #expect(try world.members("owner", "id", of: "Dog", "id", "1") == ["o"])
        #expect(try !world.take(second, "Animal").hasChanges)
    }

    @Test func `replace: an employee becomes a manager`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Employee", info: ["identityAttributes": "id", "JSONEntityChange": "replace"],
                [
                    .attribute("id"), .attribute("name"), .toMany("teams", "Team", inverse: "members"),
                ])
            sketch.entity("Manager", parent: "Employee", [.attribute("budget", .integer32AttributeType)])
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [.attribute("id"), .toMany("members", "Employee", inverse: "teams", isOrdered: true)])
        }
        try world.take(#"{"id": "t", "members": [{"id": "1", "name": "A"}, {"id": "2", "name": "B"}]}"#, "Team")
        try world.take(#"{"id": "1", "budget": 5}"#, "Manager")
        #expect(try world.values("name", of: "Employee") == ["A", "B"])
        #expect(try world.value("name", of: "Manager", "id", "1") == "A")
        #expect(try world.members("members", "id", of: "Team", "id", "t").sorted() == ["1", "2"])
    }

    @Test func `fail: another type than the stored one's is an error`() throws {
        let world = try animals(["JSONEntityChange": "fail"])
        try world.take(first, "Animal")
        let error = try #require(world.refuse(second, "Animal"))
        #expect(error.description.contains("stored as a Cat, and the data says that it is a Dog"))
        #expect(error.place.path == [.index(0)])
        #expect(try world.value("name", of: "Cat", "id", "1") == "Tom")
        // The same type, or one that says less, is none.
        try world.take(#"[{"id": "1", "name": "T"}]"#, "Animal")
        #expect(try world.value("name", of: "Cat", "id", "1") == "T")
    }
}
