// `graft apply` with JSON Patch and Merge Patch: what they can't say is an error, and so are objects that are there already.

import Foundation
import Testing

@Suite struct PatchCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = try heroStore(in: folder)
    }

    private func apply(_ patch: String, _ options: String...) throws -> ToolRun {
        try graft(["apply", folder.file("patch.json", patch), "--store", store] + options)
    }

    @Test(arguments: [
        (#"[{"op": "add", "path": "/Hero/0/zzz", "value": 1}]"#, "'zzz'", "The keys there are"),
        (#"[{"op": "add", "path": "/Hero/0/motoo", "value": "x"}]"#, "'motoo'", "Did you mean 'motto'?"),
        (
            #"[{"op": "replace", "path": "/Power/0", "value": {"id": 3, "nmae": "x"}}]"#, "'nmae'",
            "Did you mean 'name'?"
        ),
        (
            #"[{"op": "add", "path": "/Hero/-", "value": {"id": 9, "name": "x", "apearance": {}}}]"#, "'apearance'",
            "Hero"
        ),
    ])
    func `a key that nothing is mapped to is an error that names it`(_ patch: String, _ key: String, _ hint: String)
        throws
    {
        let before = try StoreFile(path: store).content
        try apply(patch).failed(saying: key, hint)
        try apply(patch, "--on-conflict", "force").failed(saying: key, hint)
        #expect(try StoreFile(path: store).content == before)
    }

    @Test func `what a patch changes in one copy of an object counts, whichever it is`() throws {
        let folder = try TemporaryFolder()
        let team = #""team": {"id": "a", "title": "Alpha"}"#
        _ = try folder.file("h.json", #"[{"id": 1, "name": "A", \#(team)}, {"id": 2, "name": "B", \#(team)}]"#)
        try graft("import", "h.json", "--store", "h.sqlite", in: folder).succeeded()
        for (place, title) in [("0", "one"), ("1", "two")] {
            _ = try folder.file(
                "p.json", #"[{"op": "replace", "path": "/\#(place)/team/title", "value": "\#(title)"}]"#)
            let run = try graft("apply", "p.json", "--entity", "H", "--store", "h.sqlite", in: folder).succeeded()
            #expect(run.text.contains("1 changed"), "\(run.text)")
            let teams = try graft("export", "--store", "h.sqlite", "--entity", "Team", in: folder).succeeded()
            #expect(teams.text.contains(title))
        }
        _ = try folder.file(
            "p.json",
            #"[{"op": "replace", "path": "/0/team/title", "value": "x"}, {"op": "replace", "path": "/1/team/title", "value": "y"}]"#
        )
        try graft("apply", "p.json", "--entity", "H", "--store", "h.sqlite", in: folder).failed(
            saying: "several copies of", "Team", #""x" at /0/team/title"#, #""y" at /1/team/title"#)
    }

    @Test(arguments: ["0", "1"])
    func `the last key that a patch removes from a copy but its identity is null, and a bare identifier refers`(
        _ place: String
    ) throws {
        let folder = try TemporaryFolder()
        let team = #""team": {"id": "a", "title": "Alpha"}"#
        _ = try folder.file(
            "h.json", #"[{"id": 1, \#(team)}, {"id": 2, \#(team)}, {"id": 3, "team": {"id": "b"}}]"#)
        try graft("import", "h.json", "--store", "h.sqlite", in: folder).succeeded()
        for (operation, count) in [
            (#""replace", "path": "/\#(place)/team", "value": "a""#, "0 changed"),
            (#""remove", "path": "/\#(place)/team/title""#, "1 changed"),
        ] {
            _ = try folder.file("p.json", #"[{"op": \#(operation)}]"#)
            let run = try graft("apply", "p.json", "--entity", "H", "--store", "h.sqlite", in: folder).succeeded()
            #expect(run.text.contains(count), "\(run.text)")
        }
        let teams = try graft("export", "--store", "h.sqlite", "--entity", "Team", in: folder).succeeded()
        #expect(!teams.text.contains("Alpha"))
    }

    @Test func `a merge patch with an unknown key is refused, too`() throws {
        let hero = #"[{"id": "101", "name": "A", "nam": "B"}]"#
        try apply(hero, "--entity", "Hero").failed(saying: "Import it")
        try apply(#"{"Hero": [{"id": 101, "name": "A", "colour": "B"}]}"#, "--on-conflict", "force")
            .failed(saying: "'colour'")
        try apply(#"{"Heroe": []}"#).failed(saying: "Did you mean 'Hero'?")
    }

    @Test(arguments: [[], ["--dry-run"], ["--on-conflict", "force"]])
    func `a merge patch isn't for the objects of one entity, all of which it would replace`(
        _ options: [String]
    ) throws {
        let before = try StoreFile(path: store).content
        let patch = try folder.file("patch.json", #"{"id": "101", "name": "x"}"#)
        try graft(["apply", patch, "--store", store, "--entity", "Hero"] + options)
            .failed(saying: "patch.json", "RFC 7396", "leave out --entity")
        #expect(try StoreFile(path: store).content == before)
    }

    @Test(arguments: [
        (#"[{"op": "add", "path": "/Power/-", "value": {"id": 3, "name": "Stolen"}}]"#, [String]()),
        (#"[{"op": "add", "path": "/-", "value": {"id": 3, "name": "Stolen"}}]"#, ["--entity", "Power"]),
        // Nobody in the export leads to the power, but it is there.
        (
            #"[{"op": "add", "path": "/0/powers/-", "value": {"id": 77, "name": "Stolen"}}]"#, ["--entity", "Hero"]
        ),
    ])
    func `an object that is added and is there is a conflict`(_ patch: String, _ options: [String]) throws {
        let lone = try folder.file("lone.json", #"[{"id": 77, "name": "Lone"}, {"id": 3, "name": "Own"}]"#)
        _ = try graft("import", lone, "--entity", "Power", "--store", store).succeeded()
        let file = try folder.file("patch.json", patch)
        func names(in store: String) throws -> String {
            try graft("export", "--store", store, "--entity", "Power", "--sort", "id").succeeded().text
        }
        let before = try StoreFile(path: store).content
        try graft(["apply", file, "--store", store] + options).failed(saying: "is an object", "no object")
        try graft(["apply", file, "--store", store, "--dry-run"] + options).failed(saying: "is an object")
        #expect(try StoreFile(path: store).content == before)
        let copy = folder.path("Copy.sqlite")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        let skipped = try graft(["apply", file, "--store", store, "--on-conflict", "skip"] + options)
        #expect(skipped.status == 0)
        #expect(skipped.diagnostics.contains("where the patch expects no object"), "\(skipped.diagnostics)")
        #expect(try !names(in: store).contains("Stolen"))
        let forced = try graft(["apply", file, "--store", copy, "--on-conflict", "force"] + options)
        #expect(forced.status == 0)
        #expect(forced.diagnostics.contains("where the patch expects no object"), "\(forced.diagnostics)")
        #expect(try names(in: copy).contains("Stolen"))
    }

    @Test func `a patch may come through a pipe`() throws {
        _ = try folder.file("patch.json", #"[{"op": "add", "path": "/Hero/0/motto", "value": "Piped"}]"#)
        let script = """
            mkfifo pipe
            cat patch.json > pipe &
            "$GRAFT" apply pipe --store '\(store)'
            """
        #expect(try shell(script, in: folder).succeeded().text.hasPrefix("0 new, 1 changed, 0 deleted"))
    }

    @Test func `a device without contents is an empty patch`() throws {
        try graft("apply", "/dev/null", "--store", store).failed(saying: "/dev/null", "it is empty")
    }

    @Test func `a diff of a later version is no damage`() throws {
        try apply(#"{"version": 2, "inserted": []}"#).failed(saying: "version 2", "reads version 1", "Update graft")
    }

    @Test func `a diff of trees fits however often it is applied`() throws {
        let (one, other) = (try TemporaryFolder(), try TemporaryFolder())
        let (kennel, changed) = (try KennelStore(in: one), try KennelStore(in: other))
        let notes = (0..<9).map { #""n\#($0)": {"a": 1, "b": [2.5]}"# }.joined(separator: ", ")
        let first = try folder.file("notes.json", #"[{"email": "ada@example.org", "notes": {\#(notes)}}]"#)
        for store in [kennel, changed] {
            _ = try graft("import", first, "--entity", "Owner", "--store", store.path).succeeded()
        }
        let second = try folder.file("notes.json", #"[{"email": "ada@example.org", "notes": {"n": 1}}]"#)
        _ = try graft("import", second, "--entity", "Owner", "--store", changed.path).succeeded()
        let difference = try graft("diff", kennel.path, changed.path, "--format", "json")
        let diff = try folder.file("diff.json", difference.text)
        for _ in 0..<6 {
            #expect(
                try graft("apply", diff, "--store", kennel.path, "--dry-run").succeeded().text.hasPrefix(
                    "0 new, 1 changed"))
        }
    }
}
