// Models annotated for other libraries, imported as they are.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DialectImportTests {
    @Test func `a model for Sync`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "User",
                [
                    .attribute("remoteID", .integer64AttributeType).annotated(["sync.isPrimaryKey": "YES"]),
                    .attribute("firstName"), .attribute("listImageURL"),
                    .attribute("biography").annotated(["sync.remoteKey": "profile.bio"]),
                    .attribute("createdAt", .dateAttributeType),
                    .toOne("company", "Company", inverse: "users"), .toMany("notes", "Note", inverse: "user"),
                    .toMany("tags", "Tag", inverse: "users"),
                ])
            sketch.entity(
                "Company",
                [
                    .attribute("id", .integer64AttributeType), .attribute("name"),
                    .toMany("users", "User", inverse: "company"),
                ])
            sketch.entity(
                "Note",
                [
                    .attribute("id", .integer64AttributeType), .attribute("text"),
                    .toOne("user", "User", inverse: "notes"),
                ])
            sketch.entity(
                "Tag", [.attribute("id", .integer64AttributeType), .toMany("users", "User", inverse: "tags")])
        }
        try world.take(#"[{"id": 7, "name": "Acme"}]"#, "Company")
        try world.take(#"[{"id": 1}, {"id": 2}]"#, "Tag")
        let report = try world.take(
            """
            [{"id": 1, "first_name": "Ann", "list_image_url": "http://a", "profile": {"bio": "b"}, "company_id": 7,
              "created_at": "2014-01-02T00:00:00.07Z", "notes": [{"id": 10, "text": "x"}, {"id": 11, "text": "y"}], "tags_ids": [1, 2, 3]}]
            """, "User")
        #expect(try world.value("firstName", of: "User", "remoteID", 1) == "Ann")
        #expect(try world.value("listImageURL", of: "User", "remoteID", 1) == "http://a")
        #expect(try world.value("biography", of: "User", "remoteID", 1) == "b")
        #expect(try world.members("company", "name", of: "User", "remoteID", 1) == ["Acme"])
        #expect(try world.members("tags", "id", of: "User", "remoteID", 1) == ["1", "2"])
        #expect(report.unresolvedReferences.map(\.destination.identity) == [[.integer(3)]], "an unknown id is ignored")
        // Rows of one user that aren't in its list any more are deleted; shared ones are unlinked; null clears.
        try world.take(#"[{"id": 1, "notes": [{"id": 11}], "tags_ids": [1], "company_id": null}]"#, "User")
        #expect(try world.values("id", of: "Note") == ["11"])
        #expect(try world.values("id", of: "Tag") == ["1", "2"])
        #expect(try world.members("company", "name", of: "User", "remoteID", 1) == [])
        #expect(try world.value("firstName", of: "User", "remoteID", 1) == "Ann")
    }

    @Test func `a model for MagicalRecord`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Person", info: ["relatedByAttribute": "personID"],
                [
                    .attribute("personID").annotated(["mappedKeyName": "id"]),
                    .attribute("name").annotated(["mappedKeyName": "full_name", "mappedKeyName.1": "name"]),
                    .attribute("born", .dateAttributeType).annotated(["dateFormat": "dd/MM/yyyy"]),
                    .attribute("seen", .dateAttributeType).annotated(["dateFormat": "UnixTime"]),
                    .attribute("level", .integer16AttributeType, default: 3).annotated([
                        "useDefaultValueWhenNotPresent": "YES"
                    ]),
                    .toMany("friends", "Person", inverse: "friends"),
                    .toMany("posts", "Post", inverse: "author").annotated(["mappedKeyName": "entries"]),
                ])
            sketch.entity("Post", [.attribute("postID"), .toOne("author", "Person", inverse: "posts")])
        }
        try world.take(
            #"{"id": "a", "name": "Ann", "born": "22/03/2013", "seen": 1363911910000, "level": 9, "entries": [{"postID": "1"}], "friends": ["b"]}"#,
            "Person")
        #expect(try world.value("name", of: "Person", "personID", "a") == "Ann")
        #expect(try world.value("born", of: "Person", "personID", "a") == "2013-03-22T00:00:00Z")
        #expect(try world.value("seen", of: "Person", "personID", "a") == "2013-03-22T00:25:10Z")
        // Relationships only ever add, a missing key sets the default, and an id without an object is a stub.
        try world.take(#"{"id": "a", "full_name": "Anna", "entries": [{"postID": "2"}], "friends": ["c"]}"#, "Person")
        #expect(try world.value("name", of: "Person", "personID", "a") == "Anna")
        #expect(try world.value("level", of: "Person", "personID", "a") == "3")
        #expect(try world.members("posts", "postID", of: "Person", "personID", "a") == ["1", "2"])
        #expect(try world.members("friends", "personID", of: "Person", "personID", "a") == ["b", "c"])
        // One declaration is enough: nested children are found by the key of their entity.
        #expect(try !world.take(#"{"id": "a", "level": 3, "entries": [{"postID": "2"}]}"#, "Person").hasChanges)
    }

    @Test func `a model for CoreDataKit`() throws {
        let world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Car", info: ["CDKId": "plate"],
                [
                    .attribute("plate").annotated(["CDKMap": "id", "CDKMap.0": "plate_number"]), .attribute("color"),
                    .attribute("local").annotated(["CDKMapStrategy": "CDKNoMapping"]),
                    .toOne("driver", "Driver", inverse: "car"),
                    .toOne("engine", "Engine", inverse: "car").annotated(["CDKRelationType": "CDKEmbedding"]),
                ])
            sketch.entity(
                "Driver", info: ["CDKId": "id"], [.attribute("id"), .toOne("car", "Car", inverse: "driver")])
            sketch.entity(
                "Engine", [.attribute("power", .integer16AttributeType), .toOne("car", "Car", inverse: "engine")])
        }
        try world.take(#"{"id": "d"}"#, "Driver")
        try world.take(
            #"{"plate_number": "X", "color": "red", "local": "no", "driver": "d", "engine": {"power": 90}}"#, "Car")
        #expect(try world.value("local", of: "Car", "plate", "X") == "nil")
        #expect(try world.members("driver", "id", of: "Car", "plate", "X") == ["d"])
        // An unknown id clears, and what was embedded goes when another one comes.
        try world.take(#"{"id": "X", "driver": "unknown", "engine": {"power": 120}}"#, "Car")
        #expect(try world.members("driver", "id", of: "Car", "plate", "X") == [])
        #expect(try world.values("power", of: "Engine") == ["120"])
    }

    @Test func `a model for MMRecord, by attribute and alternate name`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "Song", info: ["MMRecordEntityPrimaryAttributeKey": "number"],
                [
                    .attribute("number"),
                    .attribute("title").annotated(["MMRecordAttributeAlternateNameKey": "meta.name"]),
                ])
        }
        try world.take(#"[{"number": "1", "title": "a"}, {"number": "2", "meta": {"name": "b"}}]"#, "Song")
        try world.take(#"[{"number": "1", "title": "c"}]"#, "Song")
        #expect(try world.values("title", of: "Song") == ["b", "c"])
    }

    @Test func `a model for MMRecord, by a relationship`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "Song", info: ["MMRecordEntityPrimaryAttributeKey": "number"],
                [.attribute("number"), .toOne("lyrics", "Lyrics", inverse: "song")])
            sketch.entity(
                "Lyrics", info: ["MMRecordEntityPrimaryAttributeKey": "song"],
                [.attribute("text"), .toOne("song", "Song", inverse: "lyrics")])
        }
        try world.take(#"[{"number": "1", "lyrics": {"text": "a"}}, {"number": "2", "lyrics": {"text": "b"}}]"#, "Song")
        try world.take(#"[{"number": "1", "lyrics": {"text": "c"}}]"#, "Song")
        try world.take(#"[{"song": {"number": "2"}, "text": "d"}]"#, "Lyrics")
        #expect(try world.values("text", of: "Lyrics") == ["c", "d"])
    }

    @Test func `a model with RestKit's identity`() throws {
        let world = try ImportWorld { sketch in
            sketch.entity(
                "Seat", info: ["RKEntityIdentificationAttributes": "row,number"],
                [.attribute("row"), .attribute("number"), .attribute("guest")])
        }
        try world.take(#"[{"row": "1", "number": "a", "guest": "x"}, {"row": "1", "number": "b"}]"#, "Seat")
        try world.take(#"[{"row": "1", "number": "a", "guest": "y"}]"#, "Seat")
        #expect(try world.values("guest", of: "Seat") == ["nil", "y"])
    }
}
