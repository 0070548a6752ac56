// What users of other libraries reported, and what must not happen here: relationships and orphans.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct RelationshipLessons {
    private func world(_ annotations: [String: String] = [:], isOrdered: Bool = false) throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "User", info: ["identityAttributes": "id"],
                [
                    .attribute("id"), .attribute("name"),
                    .toMany("tags", "Tag", inverse: "users", isOrdered: isOrdered).annotated(annotations),
                    .toOne("boss", "User", inverse: "staff").annotated(annotations),
                    .toMany("staff", "User", inverse: "boss"),
                ])
            sketch.entity(
                "Tag", info: ["identityAttributes": "id"],
                [.attribute("id"), .attribute("name"), .toMany("users", "User", inverse: "tags")])
        }
    }

    private func tags(_ world: ImportWorld, _ id: String) throws -> String {
        try world.members("tags", "id", of: "User", "id", id).joined()
    }

    // 18 Sync#234, #269, #373, #417, #202
    @Test func `18: an empty list for one parent leaves another parent's links`() throws {
        let world = try world()
        try world.take(#"[{"id": "1", "tags": ["a", "b"]}, {"id": "2", "tags": ["a", "b"]}]"#, "User")
        try world.take(#"[{"id": "1", "tags": []}]"#, "User")
        #expect(try tags(world, "1") == "")
        #expect(try tags(world, "2") == "ab")
    }

    // 19 MagicalRecord#795, Mantle PR#163
    @Test func `19: what is gone from the list is unlinked; adding only is an option`() throws {
        let replace = try world()
        try replace.take(#"{"id": "1", "tags": ["a", "b"]}"#, "User")
        try replace.take(#"{"id": "1", "tags": ["b"]}"#, "User")
        #expect(try tags(replace, "1") == "b")
        let union = try world(["JSONToManyPolicy": "union"])
        try union.take(#"{"id": "1", "tags": ["a", "b"]}"#, "User")
        try union.take(#"{"id": "1", "tags": ["c"]}"#, "User")
        #expect(try tags(union, "1") == "abc")
    }

    // 20 MagicalRecord#521, #223
    @Test func `20: a stub has its identity, and stubs are counted`() throws {
        let world = try world()
        let report = try world.take(#"{"id": "1", "tags": ["x"], "boss": "9"}"#, "User")
        #expect(report["Tag"].stubs == 1)
        #expect(report["User"].stubs == 1)
        #expect(try world.values("id", of: "Tag") == ["x"])
    }

    // 21 MagicalRecord#1152
    @Test func `21: a bare identifier is a reference, never an update`() throws {
        let world = try world()
        try world.take(#"{"id": "t", "name": "T"}"#, "Tag")
        let report = try world.take(#"{"id": "1", "tags": ["t"]}"#, "User")
        #expect(report["Tag"] == .init())
        #expect(try world.values("name", of: "Tag") == ["T"])
    }

    // 22 Sync#158, PR#148; Groot#25, #15
    @Test func `22: identifiers instead of objects, and both in one list`() throws {
        let world = try world(isOrdered: true)
        try world.take(#"{"id": "1", "boss": "2", "tags": ["b", {"id": "a", "name": "A"}, "c"]}"#, "User")
        #expect(try tags(world, "1") == "bac")
        #expect(try world.members("boss", "id", of: "User", "id", "1") == ["2"])
    }

    // 23 contentful-persistence#47, #58
    @Test func `23: links across pages survive, also when the app quits between them`() throws {
        var world = try world(["JSONReferencePolicy": "defer"])
        let first = try world.take(#"{"id": "1", "tags": ["a", "b"], "boss": "2"}"#, "User")
        let kept = try JSONEncoder().encode(first.unresolvedReferences)
        world.options.unresolvedReferences = try JSONDecoder().decode(
            [ImportReport.UnresolvedReference].self, from: kept)
        let second = try world.take(#"[{"id": "a"}, {"id": "b"}]"#, "Tag")
        #expect(try tags(world, "1") == "ab")
        world.options.unresolvedReferences = second.unresolvedReferences
        #expect(try world.take(#"{"id": "2"}"#, "User").unresolvedReferences.isEmpty)
        #expect(try world.members("boss", "id", of: "User", "id", "1") == ["2"])
    }

    // 24 contentful-persistence PR#78
    @Test func `24: a required relationship may be filled by a later page of the same import`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Post", info: ["identityAttributes": "id"],
                [
                    .attribute("id"),
                    .toOne("author", "Author", inverse: "posts", isOptional: false).annotated([
                        "JSONReferencePolicy": "defer"
                    ]),
                ])
            sketch.entity(
                "Author", info: ["identityAttributes": "id"],
                [.attribute("id"), .attribute("name", isOptional: false), .toMany("posts", "Post", inverse: "author")])
        }
        let pages = [(#"[{"id": "p", "author": "a"}]"#, "Post"), (#"[{"id": "a", "name": "A"}]"#, "Author")]
        try world.stack.container.importJSON(from: pages.map { .data(Data($0.0.utf8), entity: $0.1) })
        #expect(try world.members("author", "name", of: "Post", "id", "p") == ["A"])
    }

    // 25 Sync#233, #131, PR#550; MagicalRecord#300, #933, #1248
    @Test func `25: ordered relationships have the order of the data`() throws {
        let world = try world(isOrdered: true)
        try world.take(#"{"id": "1", "tags": ["c", "a", "b"]}"#, "User")
        #expect(try tags(world, "1") == "cab")
        try world.take(#"{"id": "1", "tags": ["b", "c", "a", "d"]}"#, "User")
        #expect(try tags(world, "1") == "bcad")
    }

    // 27 Groot#8
    @Test func `27: a property can be read and not written, and the other way round`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id"],
                [
                    .attribute("id", json: "id"),
                    .attribute("readOnly", json: "r").annotated(["JSONDirection": "import"]),
                    .attribute("writeOnly", json: "w").annotated(["JSONDirection": "export"]),
                ])
        }
        try world.take(#"{"id": "1", "r": "server", "w": "server"}"#, "A")
        let text = try world.stack.perform { context in
            String(decoding: try context.json(of: context.all("A")), as: UTF8.self)
        }
        #expect(text == #"[{"id":"1","w":null}]"#)
        #expect(try world.value("readOnly", of: "A", "id", "1") == "server")
    }

    // MARK: Orphans

    // 28 Groot#6; Sync#144, #464
    @Test func `28: local rows survive a deletion of what is gone, at every level`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "List",
                info: [
                    "identityAttributes": "id", "JSONOrphanPolicy": "delete", "JSONOrphanPredicate": "isLocal != YES",
                ],
                [
                    .attribute("id"), .attribute("isLocal", .booleanAttributeType),
                    .toMany("items", "Item", inverse: "list").annotated(["JSONToManyPolicy": "replaceAndDelete"]),
                ])
            sketch.entity(
                "Item", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("list", "List", inverse: "items")])
        }
        try world.take(
            #"[{"id": "a", "items": ["1", "2"]}, {"id": "b"}, {"id": "c", "isLocal": true, "items": ["3"]}]"#, "List")
        let report = try world.take(#"[{"id": "a", "items": ["2"]}]"#, "List")
        #expect(report["List"].deleted == 1)
        #expect(report["Item"].deleted == 1)
        #expect(try world.values("id", of: "List") == ["a", "c"])
        #expect(try world.values("id", of: "Item") == ["2", "3"])
    }

    // 29 RestKit#1177, #1695
    @Test func `29: a parse error, an empty body or unchanged data deletes nothing`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "A", info: ["identityAttributes": "id", "JSONOrphanPolicy": "delete", "JSONOrphanLimit": "2"],
                [.attribute("id")])
        }
        let all = #"[{"id": "1"}, {"id": "2"}, {"id": "3"}, {"id": "4"}]"#
        try world.take(all, "A")
        #expect(world.refuse(#"[{"id": "1"}, {"#, "A") != nil)
        #expect(try !world.take("[]", "A").hasChanges)
        #expect(try !world.take("", "A").hasChanges)
        #expect(try !world.take(all, "A").hasChanges)
        #expect(world.refuse(#"[{"id": "1"}]"#, "A")?.description.contains("the limit is 2") == true)
        #expect(try world.count("A") == 4)
    }
}
