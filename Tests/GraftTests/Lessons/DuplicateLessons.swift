// What users of other libraries reported, and what must not happen here: duplicates and identity. The numbers are those of
// the collection of lessons, the names those of the projects and their issues.

import CoreData
import Foundation
@testable import Graft
import Testing

@Suite struct DuplicateLessons {
    private func users() throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "User", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .toMany("tags", "Tag", inverse: "users"), .toOne("favorite", "Tag"),
                ])
            sketch.entity(
                "Tag", info: ["identityAttributes": "id"],
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .toMany("users", "User", inverse: "tags"),
                ])
        }
    }

    // 1 Sync#281, #542
    @Test func `1: the same row twice in one payload makes one object`() throws {
        let world = try users()
        #expect(try world.take(#"[{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]"#, "User")["User"].inserted == 1)
        #expect(try world.values("name", of: "User") == ["b"])
    }

    // 2 Sync#447
    @Test func `2: an object reached by two paths is one object`() throws {
        let world = try users()
        try world.take(
            #"[{"id": 1, "tags": [{"id": 5, "name": "t"}], "favorite": {"id": 5}}, {"id": 2, "tags": [5]}]"#, "User")
        #expect(try world.values("name", of: "Tag") == ["t"])
    }

    // 3 Sync#145, #232; MagicalRecord#1014; RestKit#2442, #1260
    @Test func `3: two imports at once into one store don't double anything`() async throws {
        let world = try users()
        let text = Data("[\((1...300).map { #"{"id": \#($0), "tags": [\#($0 % 9)]}"# }.joined(separator: ","))]".utf8)
        let container = world.stack.container
        async let one: ImportReport = container.importJSON(from: [.data(text)], entity: "User")
        async let other: ImportReport = container.importJSON(from: [.data(text)], entity: "User")
        let inserted = try await one["User"].inserted + other["User"].inserted
        #expect(inserted == 300)
        #expect(try world.count("User") == 300)
        #expect(try world.count("Tag") == 9)
    }

    // 4 CoreStore#195; Sync#200
    @Test func `4: running an import again inserts nothing, also for the identifier 0`() throws {
        let world = try users()
        let text = #"[{"id": 0, "name": "zero", "tags": [0]}, {"id": 1, "name": "one"}]"#
        try world.take(text, "User")
        #expect(try !world.take(text, "User").hasChanges)
    }

    // 4 and 6: MagicalRecord#1213
    @Test func `4, 6: which identity is used can be asked, and an error names who declared it`() throws {
        var sketch = ModelSketch()
        sketch.entity("A", info: ["identityAttributes": "key"], [.attribute("kei")])
        let model = sketch.model()
        let error = try #require(graftError { _ = try MappingDescription(model) })
        #expect(error.description.contains("identityAttributes names 'key'"))
        #expect(error.description.contains("Did you mean 'kei'?"))
        var plain = ModelSketch()
        plain.entity("B", info: ["relatedByAttribute": "kez"], [.attribute("key")])
        let other = plain.model()
        #expect(
            graftError { _ = try MappingDescription(other) }?.description.contains("relatedByAttribute names 'kez'")
                == true)
    }

    // 5 MagicalRecord#710, #752
    @Test func `5: one declaration on the entity is enough for nested children`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Album", info: ["relatedByAttribute": "albumID"],
                [.attribute("albumID"), .toMany("songs", "Song", inverse: "album")])
            sketch.entity(
                "Song", info: ["relatedByAttribute": "code"],
                [.attribute("code"), .attribute("title"), .toOne("album", "Album", inverse: "songs")])
        }
        let text = #"{"albumID": "a", "songs": [{"code": "1", "title": "x"}]}"#
        try world.take(text, "Album")
        #expect(try !world.take(text, "Album").hasChanges)
        #expect(try world.count("Song") == 1)
    }

    // 7 Groot#60, RestKit#1327
    @Test func `7: a child's identity can include its parent, so that other parents' children stay theirs`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Book", info: ["identityAttributes": "id"],
                [.attribute("id"), .toMany("pages", "Page", inverse: "book", isOrdered: true)])
            sketch.entity(
                "Page", info: ["identityAttributes": "number, book"],
                [
                    .attribute("number", .integer16AttributeType), .attribute("text"),
                    .toOne("book", "Book", inverse: "pages"),
                ])
        }
        try world.take(#"{"id": "a", "pages": [{"number": 1, "text": "A1"}]}"#, "Book")
        try world.take(#"{"id": "b", "pages": [{"number": 1, "text": "B1"}]}"#, "Book")
        #expect(try world.values("text", of: "Page") == ["A1", "B1"])
    }

    // 8 RestKit#1228
    @Test func `8: the answer to a posted object fills that object`() throws {
        let world = try users()
        try world.stack.perform { context throws in
            let user = NSEntityDescription.insertNewObject(forEntityName: "User", into: context)
            user.setValue("local", forKey: "name")
            try context.save()
            try context.importJSON(Data(#"{"id": 77}"#.utf8), into: user)
            try context.save()
        }
        #expect(try world.count("User") == 1)
        #expect(try world.value("name", of: "User", "id", 77) == "local")
    }

    // 9 RestKit#2275
    @Test func `9: an employee who becomes a manager isn't doubled`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity("Employee", info: ["identityAttributes": "id"], [.attribute("id"), .attribute("name")])
            sketch.entity("Manager", parent: "Employee", [.attribute("title")])
        }
        try world.take(#"{"id": "1", "name": "A"}"#, "Employee")
        try world.take(#"{"id": "1", "name": "B", "title": "CEO"}"#, "Manager")
        #expect(try world.values("name", of: "Employee") == ["B"])
        #expect(try world.count("Manager") == 0, "an object keeps its entity, unless JSONEntityChange says otherwise")
    }

    // 11 Sync#58, #73, #456
    @Test func `11: the identity is mapped like every other property`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "Thing",
                [
                    .attribute("localKey").annotated(["sync.isPrimaryKey": "true", "sync.remoteKey": "meta.theKey"]),
                    .attribute("name"),
                ])
        }
        try world.take(#"[{"meta": {"theKey": "k"}, "name": "a"}]"#, "Thing")
        try world.take(#"[{"meta": {"theKey": "k"}, "name": "b"}]"#, "Thing")
        #expect(try world.values("name", of: "Thing") == ["b"])
    }
}
