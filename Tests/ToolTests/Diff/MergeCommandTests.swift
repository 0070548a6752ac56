// `graft merge`: two people change copies of one store; alone, and as git's merge driver.

import Foundation
import Testing

@Suite struct MergeCommandTests {
    private let folder: TemporaryFolder
    private let base: String
    private let ours: String
    private let theirs: String

    init() throws {
        folder = try TemporaryFolder()
        base = try heroStore(in: folder, named: "Base.sqlite")
        ours = try heroStore(in: folder, named: "Ours.sqlite")
        theirs = try heroStore(in: folder, named: "Theirs.sqlite")
    }

    private func change(_ store: String, _ json: String) throws {
        let file = try folder.file("change.json", json)
        _ = try graft("import", file, "--entity", "Hero", "--store", store).succeeded()
    }

    private func hero(_ id: Int, in store: String) throws -> String {
        try graft("export", "--store", store, "--entity", "Hero", "--where", "id == \(id)").succeeded().text
    }

    @Test func `objects of two entities with equal contents are two`() throws {
        let attribute = #"<attribute name="text" optional="YES" attributeType="String"/>"#
        let model = try folder.model(
            #"<entity name="Log">\#(attribute)</entity><entity name="Note">\#(attribute)</entity>"#)
        func made(_ name: String, _ json: String) throws -> String {
            let store = folder.path("\(name).sqlite"), file = try folder.file("\(name).json", json)
            try graft("import", file, "--store", store, "--model", model).succeeded()
            return store
        }
        let base = try made("B", #"{"Log": [{"text": "hi"}, {"text": "x"}], "Note": [{"text": "hi"}]}"#)
        let ours = try made("O", #"{"Log": [{"text": "x"}], "Note": [{"text": "hi"}]}"#)
        let theirs = try made(
            "T", #"{"Log": [{"text": "hi"}, {"text": "x"}], "Note": [{"text": "hi"}, {"text": "new"}]}"#)
        let diff = try folder.file("d.json", graft("diff", base, ours, "--format", "json").text)
        // Which of the two was found depended on the process.
        for round in 0..<4 {
            let merged = folder.path("M\(round).sqlite")
            #expect(try graft("merge", base, ours, theirs, "--output", merged).status == 0)
            try graft("apply", diff, "--store", theirs, "--dry-run").succeeded()
            func export(_ entity: String) throws -> String {
                try graft("export", "--store", merged, "--entity", entity).succeeded().text
            }
            #expect(try export("Log").contains(#"[{"text":"x"}]"#))
            #expect(try export("Note").contains(#"[{"text":"hi"},{"text":"new"}]"#))
        }
    }

    @Test func `an object that lacks its mandatory identity is an error of the result`() throws {
        let model = try folder.model(
            """
            <entity name="Note"><attribute name="id" attributeType="Integer 64"/>
            <attribute name="text" optional="YES" attributeType="String"/>
            <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """)
        let notes = try folder.file("notes.json", #"[{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]"#)
        func made(_ name: String) throws -> String {
            let store = folder.path("\(name).sqlite")
            try graft("import", notes, "--entity", "Note", "--store", store, "--model", model).succeeded()
            return store
        }
        let (base, ours, theirs) = try (made("B"), made("O"), made("T"))
        try changeDatabase(at: theirs, "UPDATE ZNOTE SET ZID = NULL WHERE ZTEXT = 'b'")
        for sides in [[ours, theirs], [theirs, ours]] {
            let run = try graft(["merge", base] + sides + ["--output", folder.path("M.sqlite")])
            #expect(!run.isKilled && run.status != 132, "\(run.diagnostics)")
        }
    }

    @Test func `what two people changed of different properties and objects comes together`() throws {
        try change(ours, #"[{"id": "101", "rescues": 50}, {"id": "301", "name": "Ours"}]"#)
        try change(theirs, #"[{"id": "101", "motto": "New"}, {"id": "302", "name": "Theirs", "powers": ["9"]}]"#)
        let merged = folder.path("Merged.sqlite")
        let run = try graft("merge", base, ours, theirs, "--output", merged).succeeded()
        #expect(run.text == "1 new, 2 changed, 0 deleted by the other side\n")
        let text = try hero(101, in: merged)
        #expect(text.contains(#""rescues":50"#) && text.contains(#""motto":"New""#))
        #expect(try hero(301, in: merged).contains("Ours"))
        #expect(try hero(302, in: merged).contains("Flight"))
        #expect(try StoreFile(path: merged).integrity == ["ok"])
        #expect(try folder.names.filter { $0.hasPrefix(".graft") } == [])
    }

    @Test func `the result takes the place of no other store, but of the result of an earlier merge`() throws {
        try change(theirs, #"[{"id": "101", "motto": "New"}]"#)
        let precious = try heroStore(in: folder, named: "Precious.sqlite")
        try change(precious, #"[{"id": "900", "name": "Only here"}]"#)
        let before = try StoreFile(path: precious).content
        try graft("merge", base, ours, theirs, "--output", precious).failed(code: 2, saying: precious, "our version")
        #expect(try StoreFile(path: precious).content == before)
        let merged = folder.path("Merged.sqlite")
        try graft("merge", base, ours, theirs, "--output", merged).succeeded()
        try change(theirs, #"[{"id": "101", "motto": "Newer"}]"#)
        try graft("merge", base, ours, theirs, "--output", merged).succeeded()
        #expect(try hero(101, in: merged).contains(#""motto":"Newer""#))
    }

    @Test(arguments: ["sqlite", "archive"])
    func `the result takes the place of no pipe, no device and no folder`(_ kind: String) throws {
        let store = try heroStore(in: folder, named: "Same.sqlite")
        try graft("archive", store, "--output", folder.path("Same.archive")).succeeded()
        let version = folder.path("Same.\(kind)")
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.path("null"), withDestinationPath: "/dev/null")
        _ = try shell("mkfifo pipe", in: folder).succeeded()
        for (name, words) in [("folder", "it is a folder"), ("null", "a device"), ("pipe", "a pipe")] {
            let output = folder.path(name)
            let before = try FileManager.default.attributesOfItem(atPath: output)[.type] as? FileAttributeType
            try graft("merge", version, version, version, "--output", output).failed(code: 2, saying: name, words)
            let after = try FileManager.default.attributesOfItem(atPath: output)[.type] as? FileAttributeType
            #expect(after == before, "\(name)")
        }
    }

    @Test func `a conflict is listed and nothing is written, until a side is preferred`() throws {
        try change(ours, #"[{"id": "101", "rescues": 50}]"#)
        try change(theirs, #"[{"id": "101", "rescues": 60}, {"id": "102", "rescues": 1}]"#)
        let before = try StoreFile(path: ours).content
        let run = try graft("merge", base, ours, theirs, "--output", ours)
        #expect(run.status == 1)
        #expect(run.text == "Hero 101 rescues: both sides changed it; base 37, ours 50, theirs 60\n")
        #expect(run.diagnostics == "graft: 1 conflict is left; nothing was written\n")
        #expect(try StoreFile(path: ours).content == before)
        let preferred = try graft("merge", base, ours, theirs, "--output", ours, "--prefer", "theirs").succeeded()
        #expect(preferred.text.contains("settled: Hero 101 rescues"))
        #expect(try hero(101, in: ours).contains(#""rescues":60"#))
        #expect(try hero(102, in: ours).contains(#""rescues":1"#))
        #expect(try graft("merge", base, ours, folder.path("missing"), "--output", ours).status == 2)
    }

    /// Three albums with photos that lie beside their stores: photo 1 was changed by them, 3 made by us, 4 by them.
    private struct Albums {
        let folder: TemporaryFolder
        let model: String

        init(_ outer: TemporaryFolder) throws {
            model = try outer.model(
                """
                <entity name="Photo">\
                <attribute name="id" attributeType="Integer 64"/>\
                <attribute name="title" optional="YES" attributeType="String"/>\
                <attribute name="data" attributeType="Binary" optional="YES" allowsExternalBinaryDataStorage="YES"/>\
                <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
                """)
            folder = try TemporaryFolder()
            for store in ["Base.sqlite", "Ours.sqlite", "Theirs.sqlite"] {
                try put("[\(photo(1, 1)), \(photo(2, 2))]", store)
            }
            try put("[\(photo(3, 3))]", "Ours.sqlite")
            try put(#"[\#(photo(1, 11)), {"id": 2, "title": "Theirs"}, \#(photo(4, 4))]"#, "Theirs.sqlite")
        }

        func photo(_ id: Int, _ byte: UInt8) -> String {
            #"{"id": \#(id), "data": "\#(Data(repeating: byte, count: 200_000).base64EncodedString())"}"#
        }

        func put(_ json: String, _ store: String) throws {
            let file = try folder.file("in.json", json)
            try graft("import", file, "--entity", "Photo", "--store", path(store), "--model", model).succeeded()
        }

        func path(_ store: String) -> String { folder.path(store) }

        func merge(into output: String) throws -> ToolRun {
            try graft(
                "merge", path("Base.sqlite"), path("Ours.sqlite"), path("Theirs.sqlite"), "--output", path(output))
        }
    }

    @Test(arguments: ["Ours.sqlite", "New.sqlite", "Base.sqlite"])
    func `large values beside a store come along, wherever the result goes`(output: String) throws {
        let albums = try Albums(folder)
        try albums.merge(into: output).succeeded()
        let photos = [(1, 11), (2, 2), (3, 3), (4, 4)].map { albums.photo($0.0, UInt8($0.1)) }
        try albums.put("[\(photos.joined(separator: ","))]", "Expected.sqlite")
        try albums.put(#"[{"id": 2, "title": "Theirs"}]"#, "Expected.sqlite")
        let same = try graft("diff", albums.path(output), albums.path("Expected.sqlite"), "--exit-code").succeeded()
        #expect(same.text == "")
        try graft("check", albums.path(output)).succeeded()
        #expect(try albums.folder.names.filter { $0.hasPrefix(".graft") } == [])
    }

    @Test func `a large value whose file is missing isn't taken for null`() throws {
        let albums = try Albums(folder)
        try FileManager.default.removeItem(at: albums.folder.url.appending(path: ".Theirs_SUPPORT"))
        let before = try StoreFile(path: albums.path("Ours.sqlite")).content
        let words = "has its data in a file that isn't there"
        try albums.merge(into: "Ours.sqlite").failed(code: 2, saying: "Photo", "data", words)
        #expect(try StoreFile(path: albums.path("Ours.sqlite")).content == before)
        try graft("diff", albums.path("Base.sqlite"), albums.path("Theirs.sqlite")).failed(saying: "Photo", words)
        // Missing on both sides, it is no difference.
        try graft("diff", albums.path("Theirs.sqlite"), albums.path("Theirs.sqlite"), "--exit-code").succeeded()
    }

    @Test func `a merge that deletes too much is refused, and keeps a copy of what it replaces`() throws {
        let records = (1000..<1200).map { #"{"id": "\#($0)", "name": "H\#($0)"}"# }.joined(separator: ",")
        for store in [base, ours, theirs] { try change(store, "[\(records)]") }
        let none = try folder.file("none.json", "[]")
        let gone = try folder.file("gone.json", "[\((1000..<1200).map(String.init).joined(separator: ","))]")
        try graft(
            "import", none, "--deleted", gone, "--entity", "Hero", "--store", theirs, "--max-deletions", "100%",
            "--no-backup"
        ).succeeded()
        let before = try StoreFile(path: ours).content
        try graft("merge", base, ours, theirs, "--output", ours).failed(code: 2, saying: "--max-deletions")
        #expect(try StoreFile(path: ours).content == before)
        let backup = folder.path("Backup.sqlite")
        let arguments = ["merge", base, ours, theirs, "--output", ours, "--max-deletions", "300", "--backup", backup]
        #expect(try graft(arguments).succeeded().text.contains("200 deleted by the other side"))
        #expect(try StoreFile(path: backup).content == before)
    }

    /// Makes a repository that merges by the tool.
    private static let repository = """
        set -e
        export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
        export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b
        mkdir repository; cd repository; git init -q -b main .
        git config merge.graft.driver "$GRAFT merge %O %A %B --output %A"
        """

    @Test func `git merges stores with it`() throws {
        let run = try shell(
            """
            \(Self.repository)
            echo '*.sqlite merge=graft' >> .gitattributes
            cp ../Base.sqlite Heroes.sqlite; git add .; git commit -qm base
            git checkout -qb theirs
            echo '[{"id": "101", "motto": "New"}]' > ../a.json
            "$GRAFT" import ../a.json --entity Hero --store Heroes.sqlite >/dev/null; git commit -qam theirs
            git checkout -q main
            echo '[{"id": "101", "rescues": 50}]' > ../b.json
            "$GRAFT" import ../b.json --entity Hero --store Heroes.sqlite >/dev/null; git commit -qam ours
            git merge -q --no-edit theirs >/dev/null
            git status --short
            "$GRAFT" export --store Heroes.sqlite --entity Hero --where 'id == 101'
            git checkout -qb conflict HEAD~1
            echo '[{"id": "101", "motto": "Other"}]' > ../c.json
            "$GRAFT" import ../c.json --entity Hero --store Heroes.sqlite >/dev/null; git commit -qam other
            if git merge --no-edit theirs >../log 2>&1; then echo "no conflict"; fi
            grep -q 'Hero 101 motto' ../log
            git status --short
            """, in: folder)
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(run.lines.count == 2, "\(run.text)")
        #expect(run.text.contains(#""rescues":50"#) && run.text.contains(#""motto":"New""#))
        #expect(run.lines.last == "UU Heroes.sqlite")
    }

    @Test(arguments: ["json", "binary"]) func `git merges archives with it`(_ format: String) throws {
        for (store, name) in [(base, "base"), (ours, "ours"), (theirs, "theirs")] {
            if store == ours { try change(store, #"[{"id": "101", "rescues": 50}]"#) }
            if store == theirs { try change(store, #"[{"id": "101", "motto": "New"}, {"id": "302", "name": "T"}]"#) }
            try graft("archive", store, "--format", format, "-o", folder.path(name)).succeeded()
        }
        try change(base, #"[{"id": "101", "motto": "Other"}]"#)
        try graft("archive", base, "--format", format, "-o", folder.path("other")).succeeded()
        let run = try shell(
            """
            \(Self.repository)
            echo '*.archive merge=graft' >> .gitattributes
            cp ../base heroes.archive; git add .; git commit -qm base; git tag base
            git checkout -qb theirs; cp ../theirs heroes.archive; git commit -qam theirs
            git checkout -q main; cp ../ours heroes.archive; git commit -qam ours
            git merge -q --no-edit theirs >/dev/null
            git status --short
            "$GRAFT" restore heroes.archive --store ../Merged.sqlite >/dev/null
            git checkout -qb another base; cp ../other heroes.archive; git commit -qam other
            if git merge --no-edit theirs >../log 2>&1; then echo "no conflict"; fi
            grep -q 'Hero 101 motto' ../log
            git status --short
            cmp heroes.archive ../other
            """, in: folder)
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(run.text == "UU heroes.archive\n")
        let hero = try hero(101, in: folder.path("Merged.sqlite"))
        #expect(hero.contains(#""rescues":50"#) && hero.contains(#""motto":"New""#), "\(hero)")
        #expect(try self.hero(302, in: folder.path("Merged.sqlite")).contains(#""name":"T""#))
    }
}
