// `graft diff` and `graft apply` on the example: forms, exit codes, and that a diff leads from one store to the other.

import Foundation
import Testing

@Suite struct DiffCommandTests {
    private let folder: TemporaryFolder
    private let old: String
    private let new: String

    init() throws {
        folder = try TemporaryFolder()
        old = try heroStore(in: folder, named: "Old.sqlite")
        new = try heroStore(in: folder, named: "New.sqlite")
        try update(new)
    }

    private func update(_ store: String) throws {
        let file = Project.heroes.appending(path: "heroes-update.json").path
        _ = try graft("import", file, "--entity", "Hero", "--store", store).succeeded()
    }

    @Test func `the text names objects and shows values before and after`() throws {
        let text = try graft("diff", old, new).succeeded().text
        #expect(text.hasPrefix("--- \(old)\n+++ \(new)\n@@ Hero 101 (Revontuli) changed @@\n"))
        #expect(text.contains("- realName: \"Inés Peña Muñoz\"\n+ realName: \"Inés Peña de Vries\"\n"))
        #expect(
            text.contains("- publisher: Publisher 12 (Pohjola Panels)\n+ publisher: Publisher 15 (Papel y Tinta)\n"))
        #expect(text.contains("@@ Hero 105 (Sunbird) new @@\n+ active: true\n"))
        #expect(text.hasSuffix("\n2 new, 7 changed, 0 deleted\n"))
        // Not a terminal, so no colours.
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `equal stores print nothing`() throws {
        #expect(try graft("diff", old, old, "--exit-code").succeeded().text.isEmpty)
        #expect(try graft("diff", old, new, "--exit-code").status == 1)
        #expect(try graft("diff", old, new).status == 0)
        #expect(try graft("diff", old, folder.path("missing"), "--exit-code").status == 2)
    }

    @Test func `what can't be compared is told apart: no model at all, or models of other data`() throws {
        let one = try folder.file("one.json", #"[{"id": 1, "title": "A"}]"#)
        try graft("diff", one, one).failed(saying: "there is no --model", "graft infer makes one of JSON")
        let books = folder.path("books.sqlite")
        try graft("import", one, "--entity", "Book", "--store", books).succeeded()
        let run = try graft("diff", books, old)
        #expect(run.status == 1)
        #expect(run.diagnostics.contains("'\(books)' and '\(old)' have models without an entity in common"))
    }

    @Test func `a copy, a backup and a model say that there is something already, and nothing of permissions`() throws {
        let data = try folder.file("one.json", #"[{"id": 1}]"#)
        let model = folder.path("One.xcdatamodeld")
        try graft("infer", data, "-o", model).succeeded()
        let update = Project.heroes.appending(path: "heroes-update.json").path
        for arguments in [
            ["copy", old, new], ["infer", data, "-o", model],
            ["import", update, "--entity", "Hero", "--store", old, "--backup", new],
        ] {
            let run = try graft(arguments)
            #expect(run.status == 1 && run.diagnostics.contains("already"), "\(run.diagnostics)")
            #expect(!run.diagnostics.contains("permissions"), "\(run.diagnostics)")
        }
    }

    @Test func `neither side is changed`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: old))
        _ = try graft("diff", old, new, "--format", "html").succeeded()
        #expect(try Data(contentsOf: URL(fileURLWithPath: old)) == before)
        #expect(try folder.names == ["New.sqlite", "Old.sqlite"])
    }

    @Test(arguments: ["json", "json-patch", "merge-patch"])
    func `a diff of each form leads from the one store to the other`(_ format: String) throws {
        let patch = try folder.file("patch", graft("diff", old, new, "--format", format).succeeded().text)
        let dry = try graft("apply", patch, "--store", old, "--dry-run").succeeded().text
        #expect(dry.hasPrefix("2 new, 7 changed, 0 deleted\n"))
        #expect(try graft("diff", old, new, "--exit-code").status == 1)
        #expect(try graft("apply", patch, "--store", old).succeeded().text == dry)
        #expect(try graft("diff", old, new, "--exit-code").succeeded().text.isEmpty)
    }

    @Test func `a patch of one entity's export leads to the same objects`() throws {
        let patch = try graft("diff", old, new, "--format", "json-patch", "--entity", "Hero").succeeded().text
        #expect(patch.contains(#"{"op":"replace","path":"/1/rescues","value":113}"#))
        let file = try folder.file("patch", patch)
        _ = try graft("apply", file, "--store", old, "--entity", "Hero").succeeded()
        #expect(try graft("diff", old, new, "--exit-code").succeeded().text.isEmpty)
    }

    @Test func `a Merge Patch of one entity's export is refused, which would be the whole array`() throws {
        try graft("diff", old, new, "--format", "merge-patch", "--entity", "Hero").failed(
            saying: "Merge Patch", "an array", "--format json-patch")
    }

    @Test func `a diff can be taken back`() throws {
        let patch = try folder.file("patch", graft("diff", old, new, "--format", "json").succeeded().text)
        let copy = folder.path("Copy.sqlite")
        try FileManager.default.copyItem(atPath: new, toPath: copy)
        _ = try graft("apply", patch, "--store", copy, "--reverse").succeeded()
        #expect(try graft("diff", old, copy, "--exit-code").succeeded().text.isEmpty)
        let json = try folder.file("json", "[]")
        try graft("apply", json, "--store", copy, "--reverse").failed(
            saying: "only a diff", "can be taken back", "--format json")
    }

    @Test func `a diff that doesn't fit changes nothing, unless it is told to`() throws {
        let patch = try folder.file("patch", graft("diff", old, new, "--format", "json").succeeded().text)
        let other = try folder.file("other.json", #"[{"id": "102", "rescues": 500}]"#)
        _ = try graft("import", other, "--entity", "Hero", "--store", old).succeeded()
        let before = try StoreFile(path: old).content
        try graft("apply", patch, "--store", old).failed(saying: "Hero 102", "rescues", "500", "112")
        #expect(try StoreFile(path: old).content == before)
        let skipped = try graft("apply", patch, "--store", old, "--on-conflict", "skip")
        #expect(skipped.status == 0)
        #expect(skipped.diagnostics.contains("'rescues' of Hero 102 is 500 where the patch expects 112"))
        let text = try graft("diff", old, new).succeeded().text
        #expect(text.contains("- rescues: 500\n+ rescues: 113\n"))
        #expect(text.hasSuffix("0 new, 1 changed, 0 deleted\n"))
    }

    @Test(arguments: [["--dry-run"], []])
    func `what the model refuses is an error, in a dry run as well`(_ options: [String]) throws {
        let patch = try folder.file("patch.json", #"[{"op": "remove", "path": "/0/name"}]"#)
        let before = try Data(contentsOf: URL(fileURLWithPath: old))
        try graft(["apply", patch, "--store", old, "--entity", "Hero"] + options).failed(saying: "name")
        #expect(try Data(contentsOf: URL(fileURLWithPath: old)) == before)
    }

    @Test func `a forced diff that is applied already changes nothing, and says so`() throws {
        let diff = try folder.file("d.json", graft("diff", old, new, "--format", "json").succeeded().text)
        let run = try graft("apply", diff, "--store", new, "--on-conflict", "force").endedWell()
        #expect(run.text == "0 new, 0 changed, 0 deleted\n")
    }

    @Test func `archives and JSON are compared, too, with each other and with stores`() throws {
        let archive = folder.path("old.json")
        _ = try graft("export", "--store", old, "--output", archive).succeeded()
        #expect(try graft("diff", archive, old, "--exit-code").succeeded().text.isEmpty)
        // A document says each link once, so the other end of one isn't a change of its own.
        #expect(try graft("diff", archive, new).succeeded().text.hasSuffix("2 new, 3 changed, 0 deleted\n"))
        let heroes = Project.heroes.appending(path: "heroes.json").path
        let update = Project.heroes.appending(path: "heroes-update.json").path
        let text = try graft("diff", heroes, update, "--model", Project.heroesModel, "--entity", "Hero").succeeded()
            .text
        #expect(text.contains("@@ Hero 104 (墨守 (Mò Shǒu)) deleted @@"))
        #expect(text.contains("- rescues: 112\n+ rescues: 113\n"))
        try graft("diff", heroes, update).failed(saying: "--model")
    }

    @Test func `a page is complete in itself`() throws {
        let html = try graft("diff", old, new, "--format", "html").succeeded().text
        #expect(html.hasPrefix("<!DOCTYPE html>"))
        #expect(html.contains("Hero 101 (Revontuli)"))
        #expect(html.components(separatedBy: "<script").count == 2)
        #expect(!html.contains("http:") && !html.contains("https:"))
    }

    @Test func `the dictionary has each object with what it was and is`() throws {
        let json = try graft("diff", old, new, "--format", "dictionary").succeeded().output
        let all = try #require(try JSONSerialization.jsonObject(with: json) as? [[String: Any]])
        let hero = try #require(all.first { $0["entityName"] as? String == "Hero" && $0["id"] as? Int == 102 })
        let attributes = try #require(hero["attributes"] as? [String: [String: Any]])
        #expect(attributes["rescues"]?["old"] as? Int == 112)
        #expect(attributes["rescues"]?["new"] as? Int == 113)
    }

    @Test func `a broken patch is refused with the place in it`() throws {
        let broken = try folder.file("broken.json", #"[{"op": "put", "path": "/a"}]"#)
        try graft("apply", broken, "--store", old).failed(saying: "broken.json: $[0].op", "\"put\"", "'add'")
        let damaged = try folder.file("damaged.json", #"{"version": 1, "deleted": 3}"#)
        try graft("apply", damaged, "--store", old).failed(saying: "damaged.json", "the diff is damaged")
    }

    @Test(arguments: [
        #"[{"op": "replace", "path": "/Tag/0/next", "value": "t77"}, {"op": "add", "path": "/Tag/1/name", "value": "B"}]"#,
        #"{"Tag": [{"id": "a", "next": "t77"}, {"id": "b", "name": "B"}]}"#,
    ])
    func `a patch that refers to an object that isn't there doesn't fit`(_ patch: String) throws {
        let model = try folder.model(
            """
            <entity name="Tag"><attribute name="id" optional="YES" attributeType="String"/>
              <attribute name="name" optional="YES" attributeType="String"/>
              <relationship name="next" destinationEntity="Tag" maxCount="1" optional="YES" deletionRule="Nullify"/>
              <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """)
        let store = folder.path("Tags.sqlite"), file = try folder.file("patch.json", patch)
        try graft(
            "import", "-", "--entity", "Tag", "--store", store, "--model", model,
            input: #"[{"id": "a", "next": {"id": "b"}}]"#, in: folder
        ).succeeded()
        let before = try graft("export", store, "--entity", "Tag", in: folder).succeeded().text
        try graft("apply", file, "--store", store, in: folder).failed(saying: "t77")
        #expect(try graft("export", store, "--entity", "Tag", in: folder).text == before)
        // What fits is done where that is asked for, and what doesn't is said.
        let skipped = try graft("apply", file, "--store", store, "--on-conflict", "skip", in: folder)
        #expect((skipped.text + skipped.diagnostics).contains("t77"))
        let after = try graft("export", store, "--entity", "Tag", in: folder).text
        #expect(after.contains(#""next":"b""#) && after.contains(#""name":"B""#), "\(after)")
    }
}
