// `graft archive` and `graft restore` on the example.

import Foundation
import GRDB
import Testing

@Suite struct ArchiveCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = try heroStore(in: folder)
    }

    @Test(arguments: ["json", "binary"])
    func `a store comes back from its archive, its model included`(_ format: String) throws {
        let archive = folder.path("heroes.archive")
        let bytes = try StoreFile(path: store).bytes
        try graft("archive", store, "-o", archive, "--format", format).succeeded()
        #expect(try StoreFile(path: store).bytes == bytes)
        let restored = folder.path("Restored.sqlite")
        let run = try graft("restore", archive, "--store", restored).succeeded()
        #expect(run.lines.first?.hasPrefix("ENTITY") ?? false)
        #expect(run.lines.contains { $0.hasPrefix("Hero ") && $0.split(separator: " ") == ["Hero", "4", "0", "0"] })
        // Nothing of the making is left behind.
        #expect(try folder.names == ["Heroes.sqlite", "Restored.sqlite", "heroes.archive"])
        let (original, copy) = (StoreFile(path: store), StoreFile(path: restored))
        #expect(try copy.content["Z_MODELCACHE"] == original.content["Z_MODELCACHE"])
        #expect(try copy.integrity == ["ok"])
        let (all, copied) = try (graft("archive", store), graft("archive", restored))
        // The heads differ: the copy knows which store it is a copy of.
        let (lines, copies) = (all.lines.dropFirst().dropLast(), copied.lines.dropFirst().dropLast())
        #expect(Array(lines) == Array(copies) && lines.count > 4)
        // Once more: everything is there.
        let again = try graft("restore", archive, "--store", restored).succeeded()
        #expect(again.lines.dropFirst().allSatisfy { $0.split(separator: " ")[1...2] == ["0", "0"] }, "\(again.text)")
    }

    @Test func `an archive goes to standard output, and is the same every time`() throws {
        let first = try graft("archive", store).succeeded()
        let second = try graft("archive", store).succeeded()
        #expect(first.output == second.output)
        #expect(first.lines.first?.hasPrefix(#"{"$archive":{"#) ?? false)
        #expect(first.lines.count == Int(try graft("archive", store, "--without-model").succeeded().lines.count) + 1)
    }

    @Test(arguments: ["json", "binary"])
    func `an archive in a file is said, with its size`(_ format: String) throws {
        let archive = folder.path("heroes.archive")
        let run = try graft("archive", store, "--output", archive, "--format", format).succeeded()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        #expect(run.text == "\(archive): \(bytes.count) bytes\n" && bytes.count > 1000)
        // Standard output has the archive and nothing else.
        #expect(try graft("archive", store, "-o", "-", "--format", format).succeeded().output == bytes)
    }

    @Test func `a damaged archive is refused with the line, and leaves no store`() throws {
        let archive = folder.path("heroes.archive")
        try graft("archive", store, "-o", archive).succeeded()
        var data = try Data(contentsOf: URL(fileURLWithPath: archive))
        let place = try #require(data.range(of: Data("Revontuli".utf8))?.lowerBound)
        data[place] = UInt8(ascii: "r")
        try data.write(to: URL(fileURLWithPath: archive))
        let line = data[..<place].count { $0 == 0x0A } + 1
        try graft("restore", archive, "--store", folder.path("New.sqlite")).failed(saying: "line \(line)", "damaged")
        #expect(try folder.names == ["Heroes.sqlite", "heroes.archive"])
        let before = try StoreFile(path: store).content
        try graft("restore", archive, "--store", store).failed(saying: "heroes.archive: line \(line)")
        #expect(try StoreFile(path: store).content == before)
    }

    @Test func `a restore into a store updates by identity`() throws {
        let archive = folder.path("heroes.archive")
        try graft("archive", store, "-o", archive, "--format", "binary").succeeded()
        let changed = try folder.file(
            "changed.json", #"[{"id": "101", "name": "Changed"}, {"id": "999", "name": "New"}]"#)
        try graft("import", changed, "--entity", "Hero", "--store", store).succeeded()
        let dry = try graft("restore", archive, "--store", store, "--dry-run").succeeded()
        let run = try graft("restore", archive, "--store", store).succeeded()
        #expect(dry.text == run.text)
        #expect(run.lines.contains { $0.split(separator: " ") == ["Hero", "0", "1", "3"] }, "\(run.text)")
        #expect(try StoreFile(path: store).count("ZCHARACTER", where: "ZNAME = 'Changed'") == 0)
        #expect(try StoreFile(path: store).count("ZCHARACTER", where: "ZNAME = 'New'") == 1)
    }

    @Test func `another model is refused with the differences, and accepted when asked for`() throws {
        let archive = folder.path("heroes.archive")
        try graft("archive", store, "-o", archive).succeeded()
        let other = ["restore", archive, "--store", folder.path("Other.sqlite"), "--model", Project.worldModel]
        try graft(other).failed(saying: "entity 'Hero' isn't in the model", "Use the model in the archive")
        try graft(other + ["--fit", "compatible"]).failed(
            saying: "entity 'Hero' isn't in the model", "graft restore --fit partial")
        let run = try graft(other + ["--fit", "partial"]).succeeded()
        #expect(run.lines.first == "Nothing to import.")
        #expect(run.text.contains("not restored: entity 'Hero' isn't in the model (objects: 4)"), "\(run.text)")
    }

    @Test func `an archive without model needs one`() throws {
        let archive = folder.path("heroes.archive")
        try graft("archive", store, "-o", archive, "--without-model").succeeded()
        let new = folder.path("New.sqlite")
        try graft("restore", archive, "--store", new).failed(saying: "there is no --model")
        try graft("restore", archive, "--store", new, "--model", Project.heroesModel).succeeded()
    }

    @Test(arguments: ["json", "binary"])
    func `inspect shows an archive's header`(_ format: String) throws {
        let archive = folder.path("heroes.archive")
        try graft("archive", store, "-o", archive, "--format", format).succeeded()
        let run = try graft("inspect", archive).succeeded()
        #expect(run.text.contains("format version 2") && run.text.contains("with its model"))
        #expect(run.lines.contains { $0.split(separator: " ") == ["Hero", "4"] }, "\(run.text)")
        let json = try graft("inspect", archive, "--json").succeeded()
        let report = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
        #expect((report["header"] as? [String: Any])?["encoding"] as? String == format)
    }

    @Test func `a link that leads nowhere is named with its row, and left out when that is asked for`() throws {
        try changeDatabase(
            at: store, "UPDATE ZCHARACTER SET ZPUBLISHER = 99 WHERE ZNAME = 'Revontuli'")
        let archive = try folder.file("heroes.archive", "as it was")
        let row = try StoreFile(path: store).read {
            try Int.fetchOne($0, sql: "SELECT Z_PK FROM ZCHARACTER WHERE ZNAME = 'Revontuli'") ?? 0
        }
        try graft("archive", store, "-o", archive).failed(
            saying: "Hero.publisher", "row \(row) leads to row 99 of 'Publisher'", "--keep-going")
        #expect(try String(contentsOfFile: archive, encoding: .utf8) == "as it was")
        let run = try graft("archive", store, "-o", archive, "--keep-going")
        let line = "left out: \(store) (Hero.publisher)"
        #expect(run.status == 1 && run.diagnostics.contains(line), "\(run.diagnostics)")
        try graft("restore", archive, "--store", folder.path("New.sqlite")).succeeded()
    }
}
