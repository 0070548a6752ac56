// `graft diff`, `apply` and `merge` on stores whose model declares no identity, changed by SQL alone.

import Foundation
import Testing

@Suite struct KeyCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    private static let model = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Note">
                <attribute name="stars" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
                <attribute name="text" optional="YES" attributeType="String"/>
            </entity>
            <entity name="Tag">
                <attribute name="identifier" optional="YES" attributeType="String"/>
                <attribute name="text" optional="YES" attributeType="String"/>
            </entity>
        </model>
        """

    init() throws {
        folder = try TemporaryFolder()
        store = folder.path("Notes.sqlite")
        let package = folder.path("Notes.xcdatamodel")
        try FileManager.default.createDirectory(atPath: package, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: URL(fileURLWithPath: package + "/contents"))
        let notes = try folder.file("notes.json", #"[{"text": "a", "stars": 1}, {"text": "b", "stars": 2}]"#)
        _ = try graft("import", notes, "--entity", "Note", "--store", store, "--model", package).endedWell()
        let tags = try folder.file(
            "tags.json", #"[{"identifier": "1", "text": "x"}, {"identifier": "2", "text": "y"}]"#)
        _ = try graft("import", tags, "--entity", "Tag", "--store", store).endedWell()
    }

    private func copy(_ name: String, _ sql: String) throws -> String {
        let path = folder.path(name)
        try FileManager.default.copyItem(atPath: store, toPath: path)
        try changeDatabase(at: path, sql)
        return path
    }

    private static let newNote = """
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZSTARS) VALUES (3, 1, 1, 'TEXT', 3);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Note';
        """

    private func texts(_ path: String) throws -> [String] {
        try StoreFile(path: path).content["ZNOTE"] ?? []
    }

    @Test func `the head of a diff says what tells objects apart, and a diff by rows leads to the copy and back`()
        throws
    {
        let copy = try copy(
            "Copy.sqlite", "UPDATE ZNOTE SET ZTEXT = 'B' WHERE ZTEXT = 'b';" + Self.newNote)
        let text = try graft("diff", store, copy).endedWell().text
        #expect(text.contains("\n# Note: told apart by the row, up to 2\n# Tag: told apart by identifier, a guess"))
        #expect(text.hasSuffix("\n1 new, 1 changed, 0 deleted\n"))
        let run = try graft("diff", store, copy, "--format", "json", "--key", "Tag=").endedWell()
        #expect(run.diagnostics.contains("graft: Note, Tag: told apart by the row, up to 2"))
        let patch = try folder.file("patch", run.text)
        let before = try texts(store)
        _ = try graft("apply", patch, "--store", store).endedWell()
        #expect(try graft("diff", store, copy, "--exit-code").endedWell().text.isEmpty)
        _ = try graft("apply", patch, "--store", store, "--reverse").endedWell()
        #expect(try texts(store).map { $0.count } == before.map { $0.count })
        let stranger = folder.path("Stranger.sqlite")
        _ = try graft(
            "import", folder.path("notes.json"), "--entity", "Note", "--store", stranger, "--model",
            folder.path("Notes.xcdatamodel")
        ).endedWell()
        #expect(try graft("apply", patch, "--store", stranger).status == 1)
        #expect(try graft("apply", patch, "--store", stranger).diagnostics.contains("--key"))
    }

    @Test func `an import says that a changed record is another object, unless a key or an agreed guess finds it`()
        throws
    {
        let changed = try folder.file(
            "changed.json", #"[{"identifier": "1", "text": "X"}, {"identifier": "3", "text": "z"}]"#)
        for (keys, count, words) in [
            ([], 4, "graft: Tag: told apart by place or contents"), (["--key", "Tag=identifier"], 3, ""),
            (["--key", "auto"], 3, "graft: Tag: told apart by identifier, a guess"),
            (["--key", "auto", "--key", "Tag="], 4, "graft: Tag: told apart by place or contents"),
        ] {
            let copy = try copy("Copy\(keys.joined()).sqlite", "SELECT 1")
            for round in 0..<2 {
                let run = try graft(["import", changed, "--entity", "Tag", "--store", copy] + keys).endedWell()
                // The second time nothing is new.
                let isWarned = round == 0 || words.contains("guess")
                #expect(words.isEmpty || !isWarned ? run.diagnostics.isEmpty : run.diagnostics.hasPrefix(words))
                #expect(try StoreFile(path: copy).count("ZTAG", where: "1") == count, "\(keys)")
            }
        }
        let typo = try graft("import", changed, "--entity", "Tag", "--store", store, "--key", "Tag=identifer")
        #expect(typo.status == 1 && typo.diagnostics.contains("identifer"))
        // A new store has nothing that a record could be a new version of.
        let new = folder.path("New.sqlite")
        let package = folder.path("Notes.xcdatamodel")
        let run = try graft("import", changed, "--entity", "Tag", "--store", new, "--model", package).endedWell()
        #expect(run.diagnostics.isEmpty)
    }

    @Test func `a guess is applied only when agreed to`() throws {
        let copy = try copy("Copy.sqlite", "UPDATE ZTAG SET ZTEXT = 'Y' WHERE ZIDENTIFIER = '2'")
        let patch = try folder.file("patch", graft("diff", store, copy, "--format", "json").endedWell().text)
        let bytes = try StoreFile(path: store).bytes
        let refused = try graft("apply", patch, "--store", store)
        #expect(refused.status == 1 && refused.diagnostics.contains("--key auto"))
        #expect(try StoreFile(path: store).bytes == bytes)
        _ = try graft("apply", patch, "--store", store, "--key", "auto").endedWell()
        #expect(try StoreFile(path: store).count("ZTAG", where: "ZTEXT = 'Y'") == 1)
        _ = try graft("apply", patch, "--store", store, "--key", "Tag=identifier", "--reverse").endedWell()
        #expect(try graft("apply", patch, "--store", store, "--key", "Tag").status == 64)
        #expect(try graft("diff", store, copy, "--key", "Tga=identifier").diagnostics.contains("'Tag'"))
    }

    @Test func `a merge by rows takes what both sides have added, whatever the numbers, and either way round`() throws {
        let ours = try copy("Ours.sqlite", Self.newNote.replacingOccurrences(of: "TEXT'", with: "ours'"))
        let theirs = try copy(
            "Theirs.sqlite",
            Self.newNote.replacingOccurrences(of: "TEXT'", with: "theirs'") + "DELETE FROM ZNOTE WHERE ZTEXT = 'a';")
        let merged = try [[ours, theirs], [theirs, ours]].enumerated().map { index, sides in
            let output = folder.path("Merged\(index).sqlite")
            let run = try graft("merge", store, sides[0], sides[1], "--output", output).endedWell()
            #expect(run.diagnostics.contains("told apart by the row"))
            return output
        }
        for path in merged {
            let notes = try ["b", "ours", "theirs"].map {
                try StoreFile(path: path).count("ZNOTE", where: "ZTEXT = '\($0)'")
            }
            #expect(notes == [1, 1, 1])
            #expect(try StoreFile(path: path).count("ZNOTE") == 3)
        }
        #expect(
            try graft("diff", ours, theirs, "--base", store).endedWell().text.contains("1 new, 0 changed, 2 deleted"))
    }

    @Test func `copies come together in which one row is an object of different entities`() throws {
        let model = try folder.model(
            """
            <entity name="Animal"><attribute name="name" optional="YES" attributeType="String"/></entity>
            <entity name="Dog" parentEntity="Animal">
            <attribute name="breed" optional="YES" attributeType="String"/></entity>
            <entity name="Puppy" parentEntity="Dog"/>
            """)
        func add(_ json: String, _ entity: String, to store: String) throws {
            let file = try folder.file("new.json", json)
            try graft("import", file, "--entity", entity, "--store", store, "--model", model).endedWell()
        }
        let paths = ["Base.sqlite", "Ours.sqlite", "Theirs.sqlite"].map { folder.path($0) }
        let (base, ours, theirs) = (paths[0], paths[1], paths[2])
        try add(#"[{"name": "Old"}]"#, "Animal", to: base)
        for copy in [ours, theirs] { try FileManager.default.copyItem(atPath: base, toPath: copy) }
        try add(#"[{"name": "Rex"}]"#, "Animal", to: ours)
        try add(#"[{"name": "Max", "breed": "Pug"}]"#, "Dog", to: theirs)
        for (index, sides) in [[ours, theirs], [theirs, ours]].enumerated() {
            let merged = folder.path("Both\(index).sqlite")
            try graft("merge", base, sides[0], sides[1], "--output", merged).endedWell()
            #expect(try StoreFile(path: merged).count("ZANIMAL") == 3)
            #expect(try StoreFile(path: merged).count("ZANIMAL", where: "ZNAME = 'Max' AND ZBREED = 'Pug'") == 1)
        }
        #expect(try graft("diff", ours, theirs).endedWell().text.contains("@@ Animal row 2 (Rex) deleted @@"))
        let diff = try graft("diff", ours, theirs, "--base", base, "--format", "json").endedWell().text
        try graft("apply", try folder.file("diff", diff), "--store", ours).endedWell()
        #expect(try StoreFile(path: ours).count("ZANIMAL", where: "ZNAME = 'Rex'") == 0)
        #expect(try StoreFile(path: ours).count("ZANIMAL") == 2)
    }
}
