// What the tool lets jobs delete, and the backups that it makes before.

import Foundation
import Testing

@Suite struct DeletionCommandTests {
    private let folder: TemporaryFolder
    private let model: String
    private let store: String
    /// More than the tool lets go without being told, as a part and as a number.
    private let count = 150

    init() throws {
        folder = try TemporaryFolder()
        let info = { (entries: String) in "<userInfo>\(entries)</userInfo>" }
        let id = """
            <attribute name="id" attributeType="Integer 64">\(info(#"<entry key="JSONKeyPath" value="id"/>"#))</attribute>
            """
        let identity = info(#"<entry key="identityAttributes" value="id"/>"#)
        model = try folder.model(
            """
            <entity name="Team">\(id)
            <relationship name="players" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Player" \
            inverseName="team" inverseEntity="Player">\(info(
                #"<entry key="JSONKeyPath" value="players"/><entry key="JSONToManyPolicy" value="replaceAndDelete"/>"#))
            </relationship>\(identity)</entity>
            <entity name="Player">\(id)
            <attribute name="photo" attributeType="Binary" optional="YES" allowsExternalBinaryDataStorage="YES">\
            \(info(#"<entry key="JSONKeyPath" value="photo"/>"#))</attribute>
            <relationship name="team" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Team" \
            inverseName="players" inverseEntity="Team"/>\(identity)</entity>
            """)
        store = folder.path("Store.sqlite")
        let photo = Data(repeating: 7, count: 200_000).base64EncodedString()
        let players = (1...count).map { $0 == 1 ? #"{"id": 1, "photo": "\#(photo)"}"# : #"{"id": \#($0)}"# }
        let file = try folder.file("in.json", #"{"id": 1, "players": [\#(players.joined(separator: ","))]}"#)
        try graft("import", file, "--entity", "Team", "--store", store, "--model", model).succeeded()
    }

    private func players() throws -> Int { try StoreFile(path: store).count("ZPLAYER") }

    @Test func `an import that deletes too much is an error that says how to allow it`() throws {
        let file = try folder.file("empty.json", #"{"id": 1, "players": []}"#)
        let arguments = ["import", file, "--entity", "Team", "--store", store]
        let before = try StoreFile(path: store).contentWithoutKeyCounters
        let run = try graft(arguments)
        run.failed(saying: "Player", "150 of 150 objects would be deleted, and the limit is 100", "--max-deletions")
        #expect(try StoreFile(path: store).contentWithoutKeyCounters == before)
        let preview = try graft(arguments + ["--dry-run"]).succeeded()
        #expect(preview.text.contains("DELETED") && preview.text.contains("150"), "\(preview.text)")
        #expect(preview.text.contains("--max-deletions"))
        try graft(arguments + ["--max-deletions", "99%"]).failed(saying: "the limit is 148")
        let wrong = try graft(arguments + ["--max-deletions", "many"])
        #expect(wrong.status == 64 && wrong.diagnostics.contains("a number of objects or a percentage"))
        #expect(try players() == count)
        #expect(try copies().isEmpty)
        try graft(arguments + ["--max-deletions", "100%", "--no-backup"]).succeeded()
        #expect(try players() == 0)
    }

    /// The copies that were made beside the store.
    private func copies() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        return names.filter { !$0.hasPrefix(".") && $0.contains("-before-deletions") }.sorted()
    }

    @Test func `before more than usual is deleted, the store is copied beside it, unless told not to`() throws {
        let before = try graft("export", "--store", store, "--entity", "Player", "--sort", "id").succeeded().text
        let some = (21...count).map { #"{"id": \#($0)}"# }.joined(separator: ",")
        let few = try folder.file("few.json", #"{"id": 1, "players": [\#(some)]}"#)
        let empty = try folder.file("empty.json", #"{"id": 1, "players": []}"#)
        let start = ["import", "--entity", "Team", "--store", store, "--max-deletions", "100%"]
        // A limit below the usual one counts.
        for limit in ["0", "19", "5%"] {
            try graft("import", few, "--entity", "Team", "--store", store, "--max-deletions", limit)
                .failed(saying: "20 of 150 objects would be deleted")
        }
        #expect(try copies().isEmpty && players() == count)
        // So many go without being told, and what is asked to be copied isn't copied twice.
        #expect(try graft(start + [few]).succeeded().diagnostics.isEmpty)
        #expect(try copies().isEmpty && players() == count - 20)
        try graft("import", folder.path("in.json"), "--entity", "Team", "--store", store).succeeded()
        for (arguments, made) in [
            (["--no-backup"], []), (["--backup", folder.path("Asked.sqlite")], []),
            ([], ["Store-before-deletions.sqlite"]), (["--batch", "10"], ["Store-before-deletions-2.sqlite"]),
        ] {
            let old = try copies()
            let run = try graft(start + [empty] + arguments).endedWell()
            #expect(try players() == 0)
            let new = try copies().filter { !old.contains($0) }
            #expect(new == made && (made.isEmpty || run.diagnostics.contains(made[0])), "\(run.diagnostics)")
            for copy in new {
                let arguments = ["export", "--store", folder.path(copy), "--entity", "Player", "--sort", "id"]
                #expect(try graft(arguments).succeeded().text == before)
            }
            try graft("import", folder.path("in.json"), "--entity", "Team", "--store", store).succeeded()
        }
        // Standard input is read once, and taken twice.
        let text = try String(contentsOfFile: empty, encoding: .utf8)
        try graft(start + ["-"], input: text).endedWell()
        #expect(try players() == 0 && copies().count == 3)
        let both = try graft(start + [empty, "--no-backup", "--backup", "x"])
        #expect(both.status == 64)
    }

    @Test func `a diff that deletes too much is refused, and applied when that is allowed`() throws {
        let emptied = folder.path("Emptied.sqlite")
        try graft("restore", archive(), "--store", emptied).succeeded()
        let file = try folder.file("empty.json", #"{"id": 1, "players": []}"#)
        try graft("import", file, "--entity", "Team", "--store", emptied, "--max-deletions", "150", "--no-backup")
            .succeeded()
        let diff = try graft("diff", store, emptied, "--format", "json")
        let patch = try folder.file("patch.json", diff.text)
        try graft("apply", patch, "--store", store).failed(saying: "150 of 150", "--max-deletions")
        try graft("apply", patch, "--store", store, "--dry-run").succeeded()
        #expect(try players() == count)
        for limit in ["5", "149"] {
            try graft("apply", patch, "--store", store, "--max-deletions", limit).failed(
                saying: "the limit is \(limit)")
        }
        #expect(try copies().isEmpty)
        let base = folder.path("Base.sqlite")
        try graft("restore", archive(), "--store", base).succeeded()
        try graft("apply", patch, "--store", store, "--max-deletions", "150").endedWell()
        #expect(try players() == 0 && copies() == ["Store-before-deletions.sqlite"])
        let merge = ["merge", base, base, emptied, "--output", base, "--max-deletions"]
        try graft(merge + ["149"]).failed(code: 2, saying: "the limit is 149")
        try graft(merge + ["150"]).endedWell()
        #expect(try copies() == ["Base-before-deletions.sqlite", "Store-before-deletions.sqlite"])
    }

    private func archive() throws -> String {
        let path = folder.path("Store.archive")
        try graft("archive", store, "--output", path).succeeded()
        return path
    }

    /// The commands that change a store that is there.
    enum Change: CaseIterable { case imports, apply, merge, migrate, restore }

    /// A call that changes the store, with what it needs made of a copy.
    private func arguments(_ change: Change) throws -> [String] {
        let file = try folder.file("empty.json", #"{"id": 1, "players": []}"#)
        let copy = folder.path("Copy.sqlite"), original = folder.path("Original.sqlite")
        let allowed = ["--max-deletions", "100%"]
        func emptiedCopy() throws {
            try graft("restore", archive(), "--store", copy).succeeded()
            try graft(["import", file, "--entity", "Team", "--store", copy, "--no-backup"] + allowed).succeeded()
        }
        switch change {
        case .imports: return ["import", file, "--entity", "Team", "--store", store] + allowed
        case .apply:
            try emptiedCopy()
            let patch = try folder.file("patch.json", graft("diff", store, copy, "--format", "json").text)
            return ["apply", patch, "--store", store] + allowed
        case .merge:
            try emptiedCopy()
            try graft("restore", archive(), "--store", original).succeeded()
            return ["merge", original, store, copy, "--output", store] + allowed
        case .migrate:
            let contents = try String(contentsOfFile: model + "/contents", encoding: .utf8)
            let entities = contents.replacingOccurrences(
                of: #"<entity name="Player">"#, with: #"<entity name="Player" versionHashModifier="2">"#)
            let start = try #require(entities.range(of: "<entity"))
            return ["migrate", store, "--model", try folder.model(String(entities[start.lowerBound...].dropLast(8)))]
        case .restore:
            try graft("restore", archive(), "--store", copy).succeeded()
            let more = try folder.file("more.json", #"[{"id": 2}]"#), larger = folder.path("Larger.archive")
            try graft("import", more, "--entity", "Team", "--store", copy).succeeded()
            try graft("archive", copy, "--output", larger).succeeded()
            return ["restore", larger, "--store", store]
        }
    }

    @Test(arguments: Change.allCases)
    func `a backup is the store before, external data included, and replaces nothing`(_ change: Change) throws {
        let backup = folder.path("Backup.sqlite"), export = ["--entity", "Player", "--sort", "id"]
        let before = try StoreFile(path: store).content
        let players = try graft(["export", "--store", store] + export).succeeded().text
        #expect(players.utf8.count > 200_000)
        let arguments = try arguments(change) + ["--backup", backup]
        _ = try folder.file("Backup.sqlite", "somebody's")
        // A merge that has conflicts exits with 1.
        try graft(arguments).failed(
            code: change == .merge ? 2 : 1, saying: "Backup.sqlite", "a backup replaces none")
        #expect(try StoreFile(path: store).content == before)
        #expect(try String(contentsOfFile: backup, encoding: .utf8) == "somebody's")

        try FileManager.default.removeItem(atPath: backup)
        try graft(arguments).succeeded()
        #expect(try StoreFile(path: store).content != before)
        #expect(try StoreFile(path: backup).integrity == ["ok"])
        #expect(try StoreFile(path: backup).content == before)
        #expect(try graft(["export", "--store", backup] + export).succeeded().text == players)
    }

    // No limit is needed where nothing is deleted, so `restore` has no option for one.
    @Test func `restoring into a store deletes nothing that the archive doesn't have`() throws {
        let file = try folder.file("one.json", #"{"id": 1, "players": [{"id": 1}]}"#)
        let small = folder.path("Small.sqlite"), other = folder.path("Small.archive")
        try graft("import", file, "--entity", "Team", "--store", small, "--model", model).succeeded()
        try graft("archive", small, "--output", other).succeeded()
        for options in [[], ["--batch", "1"]] {
            let run = try graft(["restore", other, "--store", store] + options).succeeded()
            #expect(!run.text.contains("DELETED"))
            #expect(try players() == count && StoreFile(path: store).count("ZTEAM") == 1)
        }
        #expect(try graft("restore", other, "--store", store, "--max-deletions", "5").status == 64)
    }

    @Test func `objects that are gone are listed in a file of their own`() throws {
        let none = try folder.file("none.json", "[]")
        let gone = try folder.file("gone.json", #"[2, {"id": 3}, 4000]"#)
        let run = try graft(
            "import", none, "--deleted", gone, "--entity", "Player", "--store", store, "--report", folder.path("r.json")
        ).succeeded()
        #expect(run.text.contains("DELETED"))
        #expect(try players() == count - 2)
    }
}
