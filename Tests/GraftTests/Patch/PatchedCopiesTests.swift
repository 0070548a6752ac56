// Patches of an export in which an object stands in several places: what a patch does to one of its copies counts.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct PatchedCopiesTests {
    struct Change: CustomTestStringConvertible {
        /// `COPY` stands for the team's pointer.
        let operations: String
        /// The team afterwards: title, motto, tags, notes, city.
        let team: String
        var testDescription: String { operations }
    }

    /// Three heroes of one team, which is the rival of the fourth one, too.
    private func heroes() throws -> TestStack {
        var sketch = ModelSketch()
        let identity = ["identityAttributes": "id"]
        sketch.entity(
            "Hero", info: identity,
            [
                .attribute("id", .integer64AttributeType), .attribute("name"), .toOne("team", "Team"),
                .toOne("rival", "Team"),
            ])
        sketch.entity(
            "Team", info: identity,
            [
                .attribute("id"), .attribute("title"), .attribute("motto"), .toMany("tags", "Tag", inverse: "team"),
                .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true),
                .toOne("city", "City"),
            ])
        sketch.entity(
            "Tag", info: identity,
            [.attribute("id", .integer64AttributeType), .attribute("label"), .toOne("team", "Team", inverse: "tags")])
        sketch.entity("Note", [.attribute("text"), .toOne("team", "Team", inverse: "notes")])
        sketch.entity("City", info: identity, [.attribute("id"), .attribute("name")])
        let model = sketch.model()
        for entity in model.entities {
            for relationship in entity.relationshipsByName.values
            where relationship.name != "team" || entity.name == "Hero" {
                relationship.userInfo = ["JSONExportForm": "nested"]
            }
        }
        let stack = try TestStack(model)
        let team = """
            {"id": "a", "title": "Alpha", "tags": [{"id": 10, "label": "x"}, {"id": 11, "label": "y"}],
             "notes": [{"text": "m"}, {"text": "n"}], "city": {"id": "c", "name": "Ulm"}}
            """
        let other = #"{"id": "b", "title": "Beta", "city": {"id": "c"}}"#
        try stack.importJSON(
            """
            [{"id": 1, "name": "A", "team": \(team)}, {"id": 2, "name": "B", "team": "a"},
             {"id": 3, "name": "C", "team": "a"}, {"id": 4, "name": "D", "team": \(other), "rival": "a"},
             {"id": 5, "name": "E", "team": "a", "rival": "a"}]
            """, "Hero")
        return stack
    }

    /// What a patch of the heroes makes of the team.
    private func team(after operations: String) throws -> String {
        try heroes().perform { context in
            try context.apply(GraphDiff(JSONPatch(parsing: operations), on: context.all("Hero", by: "id")))
            return try #require(try context.one("Team", "id", "a")).teamSummary
        }
    }

    private func failure(of operations: String) throws -> String {
        try heroes().perform { context in
            let heroes = try context.all("Hero", by: "id")
            let patch = try JSONPatch(parsing: operations)
            return try #require(throws: GraftError.self) { _ = try GraphDiff(patch, on: heroes) }.description
        }
    }

    @Test(arguments: [
        Change(operations: #"{"op": "remove", "path": "COPY/title"}"#, team: "- - xy mn Ulm"),
        Change(operations: #"{"op": "replace", "path": "COPY/title", "value": "New"}"#, team: "New - xy mn Ulm"),
        Change(operations: #"{"op": "replace", "path": "COPY/title", "value": null}"#, team: "- - xy mn Ulm"),
        Change(operations: #"{"op": "add", "path": "COPY/motto", "value": "Go"}"#, team: "Alpha Go xy mn Ulm"),
        Change(operations: #"{"op": "replace", "path": "COPY/tags", "value": []}"#, team: "Alpha -  mn Ulm"),
        Change(operations: #"{"op": "replace", "path": "COPY/tags", "value": [11]}"#, team: "Alpha - y mn Ulm"),
        Change(operations: #"{"op": "remove", "path": "COPY/tags"}"#, team: "Alpha -  mn Ulm"),
        Change(operations: #"{"op": "remove", "path": "COPY/tags/0"}"#, team: "Alpha - y mn Ulm"),
        Change(
            operations: #"{"op": "add", "path": "COPY/tags/-", "value": {"id": 12, "label": "z"}}"#,
            team: "Alpha - xyz mn Ulm"),
        Change(operations: #"{"op": "remove", "path": "COPY/tags/0/label"}"#, team: "Alpha - -y mn Ulm"),
        Change(
            operations: #"{"op": "replace", "path": "COPY/notes/0/text", "value": "o"}"#, team: "Alpha - xy on Ulm"),
        Change(operations: #"{"op": "remove", "path": "COPY/notes/1"}"#, team: "Alpha - xy m Ulm"),
        Change(
            operations: #"{"op": "add", "path": "COPY/notes/0", "value": {"text": "o"}}"#,
            team: "Alpha - xy omn Ulm"),
        Change(operations: #"{"op": "replace", "path": "COPY/city", "value": null}"#, team: "Alpha - xy mn -"),
        Change(operations: #"{"op": "remove", "path": "COPY/city"}"#, team: "Alpha - xy mn -"),
        Change(
            operations: #"{"op": "replace", "path": "COPY/city", "value": {"id": "d", "name": "Bonn"}}"#,
            team: "Alpha - xy mn Bonn"),
        Change(
            operations: #"{"op": "replace", "path": "COPY/city/name", "value": "Neu-Ulm"}"#,
            team: "Alpha - xy mn Neu-Ulm"),
        Change(operations: #"{"op": "remove", "path": "COPY/city/name"}"#, team: "Alpha - xy mn nameless"),
    ])
    func `what a patch does to one copy of an object counts, whichever it is`(_ change: Change) throws {
        for copy in ["/0/team", "/1/team", "/3/rival", "/4/rival"] {
            let operation = change.operations.replacingOccurrences(of: "COPY", with: copy)
            #expect(try team(after: "[\(operation)]") == change.team, "\(operation)")
        }
    }

    @Test func `another identity in one copy is another object there`() throws {
        try heroes().perform { context in
            let patch = try JSONPatch(parsing: #"[{"op": "replace", "path": "/0/team/city/id", "value": "z"}]"#)
            try context.apply(GraphDiff(patch, on: context.all("Hero", by: "id")))
            let team = try #require(try context.one("Team", "id", "a"))
            #expect(team.object("city")?.text("id") == "z")
            #expect(team.object("city")?.text("name") == "Ulm")
            #expect(try context.one("Team", "id", "b")?.object("city")?.text("id") == "c")
        }
    }

    @Test func `different properties may be changed in different copies, and the same one alike`() throws {
        let operations = #"""
            [{"op": "remove", "path": "/0/team/title"}, {"op": "remove", "path": "/2/team/title"},
             {"op": "add", "path": "/1/team/motto", "value": "Go"}, {"op": "replace", "path": "/0/team/tags", "value": [11]},
             {"op": "remove", "path": "/1/team/tags/0"}, {"op": "replace", "path": "/4/rival/city/name", "value": "Bonn"}]
            """#
        #expect(try team(after: operations) == "- Go y mn Bonn")
    }

    @Test(arguments: [
        (
            #"{"op": "replace", "path": "/0/team/title", "value": "x"}"#,
            #"{"op": "replace", "path": "/2/team/title", "value": "y"}"#,
            ["'title'", #"Team "a""#, #""x" at /0/team/title"#, #""y" at /2/team/title"#, "--entity Team"]
        ),
        (
            #"{"op": "remove", "path": "/0/team/title"}"#,
            #"{"op": "replace", "path": "/4/rival/title", "value": "y"}"#,
            ["null at /0/team/title", #""y" at /4/rival/title"#]
        ),
        (
            #"{"op": "replace", "path": "/0/team/tags", "value": []}"#,
            #"{"op": "remove", "path": "/1/team/tags/0"}"#,
            ["nothing at /0/team/tags", "Tag 11 at /1/team/tags"]
        ),
        (
            #"{"op": "replace", "path": "/0/team/city", "value": null}"#,
            #"{"op": "replace", "path": "/1/team/city", "value": {"id": "d"}}"#,
            ["nothing at /0/team/city", #"City "d" at /1/team/city"#]
        ),
        (
            #"{"op": "replace", "path": "/0/team/city/name", "value": "p"}"#,
            #"{"op": "replace", "path": "/3/team/city/name", "value": "q"}"#,
            [#""p" at /0/team/city/name"#, #""q" at /3/team/city/name"#]
        ),
        (
            #"{"op": "replace", "path": "/0/team/notes/0/text", "value": "p"}"#,
            #"{"op": "replace", "path": "/1/team/notes/0/text", "value": "q"}"#,
            ["'notes'", #"Note ("p")"#, #"Note ("q")"#]
        ),
    ])
    func `copies that a patch changes in different ways are an error with both places and values`(
        _ one: String, _ other: String, _ words: [String]
    ) throws {
        let text = try failure(of: "[\(one), \(other)]")
        for word in words { #expect(text.contains(word), "\(text)") }
    }

    @Test(arguments: [
        #"{"op": "move", "from": "/0", "path": "/4"}"#, #"{"op": "move", "from": "/4", "path": "/1"}"#,
        #"{"op": "move", "from": "/1/team/tags/0", "path": "/1/team/tags/1"}"#,
        #"{"op": "copy", "from": "/0/team", "path": "/1/team"}"#,
        #"{"op": "replace", "path": "/1/team", "value": "a"}"#,
    ])
    func `a copy that is only moved, or named, has changed nothing`(_ operation: String) throws {
        try heroes().perform { context in
            let patch = try JSONPatch(parsing: "[\(operation)]")
            #expect(try GraphDiff(patch, on: context.all("Hero", by: "id")).isEmpty)
        }
    }

    @Test func `changes are found in copies that records before them have shifted`() throws {
        let operations = #"""
            [{"op": "add", "path": "/0", "value": {"id": 0, "team": {"id": "a", "motto": "Go"}}},
             {"op": "remove", "path": "/2/team/title"}, {"op": "move", "from": "/2", "path": "/5"}]
            """#
        // The new hero's copy leaves out what it says nothing of.
        #expect(try team(after: operations) == "- Go xy mn Ulm")
    }

    @Test func `an object that one copy removes and another one changes is changed and has lost the link`() throws {
        try heroes().perform { context in
            let patch = try JSONPatch(
                parsing: """
                    [{"op": "remove", "path": "/0/team/tags/0"},
                     {"op": "replace", "path": "/1/team/tags/0/label", "value": "q"}]
                    """)
            try context.apply(GraphDiff(patch, on: context.all("Hero", by: "id")))
            let tag = try #require(try context.one("Tag", "id", 10))
            #expect(tag.text("label") == "q")
            #expect(tag.object("team") == nil)
        }
    }

    @Test(arguments: [
        (#"{"team": {"title": null}}"#, "- - xy mn Ulm"), (#"{"rival": {"title": "New"}}"#, "New - xy mn Ulm"),
        (#"{"team": {"tags": [11]}, "rival": {"city": null}}"#, "Alpha - y mn -"),
        (#"{"team": {"city": {"name": null}}}"#, "Alpha - xy mn nameless"),
        (#"{"team": {"motto": "Go"}, "rival": {"motto": "Go", "city": {"name": "Bonn"}}}"#, "Alpha Go xy mn Bonn"),
        (#"{"rival": null}"#, "Alpha - xy mn Ulm"),
    ])
    func `what a merge patch does to one copy counts`(_ text: String, _ expected: String) throws {
        try heroes().perform { context in
            let hero = try #require(try context.one("Hero", "id", 5))
            try context.apply(GraphDiff(JSONMergePatch(parsing: text), on: hero))
            let team = try #require(try context.one("Team", "id", "a"))
            #expect(team.teamSummary == expected)
        }
    }

    @Test func `copies that a merge patch changes in different ways are an error, too`() throws {
        try heroes().perform { context in
            let hero = try #require(try context.one("Hero", "id", 5))
            let patch = try JSONMergePatch(parsing: #"{"team": {"title": "x"}, "rival": {"title": "y"}}"#)
            let text = try #require(throws: GraftError.self) { _ = try GraphDiff(patch, on: hero) }.description
            #expect(text.contains(#""x" at /team/title"#), "\(text)")
            #expect(text.contains(#""y" at /rival/title"#), "\(text)")
        }
    }
}

extension NSManagedObject {
    fileprivate var teamSummary: String {
        let tags = ((value(forKey: "tags") as? NSSet)?.allObjects as? [NSManagedObject] ?? []).sorted {
            ($0.number("id") ?? 0) < ($1.number("id") ?? 0)
        }
        let city = object("city").map { $0.text("name") ?? "nameless" } ?? "-"
        let labels = tags.map { $0.text("label") ?? "-" }.joined()
        let notes = texts("notes", "text").joined()
        return "\(text("title") ?? "-") \(text("motto") ?? "-") \(labels) \(notes) \(city)"
    }
}
