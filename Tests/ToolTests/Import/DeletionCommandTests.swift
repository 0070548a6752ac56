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
        try graft(arguments + ["--max-deletions", "100%"]).succeeded()
        #expect(try players() == 0)
    }

    @Test func `a diff that deletes too much is refused, and applied when that is allowed`() throws {
        let emptied = folder.path("Emptied.sqlite")
        try graft("restore", archive(), "--store", emptied).succeeded()
        let file = try folder.file("empty.json", #"{"id": 1, "players": []}"#)
        try graft("import", file, "--entity", "Team", "--store", emptied, "--max-deletions", "150").succeeded()
        let diff = try graft("diff", store, emptied, "--format", "json")
        let patch = try folder.file("patch.json", diff.text)
        try graft("apply", patch, "--store", store).failed(saying: "150 of 150", "--max-deletions")
        try graft("apply", patch, "--store", store, "--dry-run").succeeded()
        #expect(try players() == count)
        try graft("apply", patch, "--store", store, "--max-deletions", "150").succeeded()
        #expect(try players() == 0)
    }

    private func archive() throws -> String {
        let path = folder.path("Store.archive")
        try graft("archive", store, "--output", path).succeeded()
        return path
    }

    @Test func `a backup is the store before, external data included, and replaces nothing`() throws {
        let backup = folder.path("Backup.sqlite")
        let before = try graft("export", "--store", store, "--entity", "Player", "--sort", "id").succeeded().text
        let file = try folder.file("empty.json", #"{"id": 1, "players": []}"#)
        let arguments = [
            "import", file, "--entity", "Team", "--store", store, "--max-deletions", "100%", "--backup", backup,
        ]
        try graft(arguments).succeeded()
        #expect(try players() == 0)
        #expect(try graft("export", "--store", backup, "--entity", "Player", "--sort", "id").succeeded().text == before)
        #expect(try StoreFile(path: backup).integrity == ["ok"])
        try graft(arguments).failed(saying: "Backup.sqlite", "a backup replaces none")
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
