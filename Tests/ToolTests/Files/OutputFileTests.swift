// Where results go, and where they never go: over a store, over what belongs to one, over a file that the command itself reads.

import Foundation
import Graft
import Testing

@Suite struct OutputFileTests {
    struct Call: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var testDescription: String { arguments.joined(separator: " ") }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try heroStore(in: folder, named: "S.sqlite")
        _ = try heroStore(in: folder, named: "T.sqlite")
        _ = try folder.copy(of: Project.heroes.appending(path: "heroes.json"))
        try graft("archive", "S.sqlite", "-o", "S.archive", in: folder).succeeded()
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.path("Link.sqlite"), withDestinationPath: "S.sqlite")
        try files.linkItem(atPath: folder.path("S.sqlite"), toPath: folder.path("Hard.sqlite"))
        try files.createDirectory(atPath: folder.path(".S_SUPPORT"), withIntermediateDirectories: true)
        _ = try folder.file(".S_SUPPORT/photo", "bytes")
        try files.copyItem(
            atPath: Project.heroesModel,
            toPath: folder.path(URL(fileURLWithPath: Project.heroesModel).lastPathComponent))
    }

    /// All files below the folder, with their bytes.
    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: folder.path(name), isDirectory: &isFolder)
            if !isFolder.boolValue { contents[name] = try Data(contentsOf: URL(fileURLWithPath: folder.path(name))) }
        }
        return contents
    }

    private static let export = ["export", "--store", "S.sqlite", "--entity", "Hero", "-o"]
    private static let report = ["import", "heroes.json", "--entity", "Hero", "--store", "S.sqlite", "--report"]

    @Test(arguments: [
        Call(arguments: export + ["S.sqlite"]), Call(arguments: export + ["./S.sqlite"]),
        Call(arguments: export + ["Link.sqlite"]), Call(arguments: export + ["Hard.sqlite"]),
        Call(arguments: export + ["T.sqlite"]), Call(arguments: export + ["S.sqlite-wal"]),
        Call(arguments: export + ["S.sqlite-shm"]), Call(arguments: export + ["T.sqlite-journal"]),
        Call(arguments: export + ["Link.sqlite-wal"]),
        Call(arguments: export + [".S_SUPPORT/photo"]),
        Call(
            arguments: export + ["Heroes.xcdatamodeld/Heroes.xcdatamodel/contents", "--model", "Heroes.xcdatamodeld"]),
        Call(arguments: ["archive", "S.sqlite", "-o", "S.sqlite"]),
        Call(arguments: ["archive", "S.sqlite", "-o", "T.sqlite-wal"]),
        Call(arguments: ["diagram", "S.sqlite", "--output", "S.sqlite", "--format", "dot"]),
        Call(arguments: ["diagram", "S.archive", "-o", "S.archive", "--format", "mermaid"]),
        Call(arguments: ["inspect", "S.sqlite", "--html", "S.sqlite"]),
        Call(arguments: ["inspect", "S.sqlite", "--html", "T.sqlite"]),
        Call(arguments: report + ["S.sqlite"]), Call(arguments: report + ["heroes.json"]),
        Call(arguments: report + ["S.sqlite-wal"]), Call(arguments: report + ["B.sqlite", "--backup", "B.sqlite"]),
        Call(arguments: [
            "import", "heroes.json", "--entity", "Hero", "--store", "New.sqlite", "--model", "Heroes.xcdatamodeld",
            "--report", "New.sqlite",
        ]),
        Call(arguments: [
            "import", "heroes.json", "--entity", "Hero", "--store", "S.sqlite-wal", "--model", "Heroes.xcdatamodeld",
        ]),
        Call(arguments: ["restore", "S.archive", "--store", "S.sqlite-wal"]),
        Call(arguments: [
            "import", "heroes.json", "--entity", "Hero", "--store", "S.sqlite", "--backup", "S.sqlite-wal",
        ]),
    ])
    func `a result replaces neither a store nor what the command reads`(_ call: Call) throws {
        let before = try contents()
        let run = try graft(call.arguments, in: folder)
        #expect(run.status == 1, "\(run.text)\(run.diagnostics)")
        #expect(run.diagnostics.contains("Name another file"), "\(run.diagnostics)")
        #expect(try contents() == before)
    }

    @Test(arguments: [
        Call(arguments: ["merge", "S.archive", "S.archive", "S.archive", "-o", "T.sqlite"]),
        Call(arguments: ["merge", "S.sqlite", "S.sqlite", "T.sqlite", "-o", "S.archive"]),
        Call(arguments: ["merge", "S.sqlite", "S.sqlite", "T.sqlite", "-o", "T.sqlite-wal"]),
        Call(arguments: ["merge", "S.archive", "S.archive", "S.archive", "-o", "T.sqlite-wal"]),
    ])
    func `a merge makes no file one of another kind`(_ call: Call) throws {
        let before = try contents()
        let run = try graft(call.arguments, in: folder)
        #expect(run.status == 2, "\(run.text)\(run.diagnostics)")
        #expect(try contents() == before)
    }

    @Test func `other files are replaced, and links keep pointing where they point`() throws {
        _ = try folder.file("old.json", "old")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.json"), withDestinationPath: "old.json")
        for options in [Self.export + ["link.json"], Self.report + ["link.json"]] {
            _ = try folder.file("old.json", "old")
            #expect(try graft(options, in: folder).status == 0)
            #expect(try String(contentsOfFile: folder.path("old.json"), encoding: .utf8) != "old")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link.json")) == "old.json")
        }
    }

    @Test(arguments: [
        export, report, ["archive", "S.sqlite", "-o"], ["diagram", "S.sqlite", "--format", "dot", "-o"],
        ["inspect", "S.sqlite", "--html"],
    ])
    func `a dash is standard output, and nothing else is written there`(_ arguments: [String]) throws {
        let run = try graft(arguments + ["-"], in: folder)
        #expect(
            run.status == 0 && ["[", "{", "d", "<"].contains { run.text.hasPrefix($0) }, "\(run.text)\(run.diagnostics)"
        )
        if arguments == Self.report { _ = try JSONDecoder().decode(ImportReport.self, from: Data(run.text.utf8)) }
        #expect(!FileManager.default.fileExists(atPath: folder.path("-")))
    }

    @Test(arguments: [
        ["diagram", "Heroes.xcdatamodeld", "--format", "dot", "-o"], ["inspect", "S.sqlite", "--html"], Self.report,
        Self.export,
    ])
    func `a named pipe is written to, not replaced`(_ arguments: [String]) throws {
        let command = arguments.joined(separator: " ")
        let run = try shell(
            "mkfifo pipe && (cat pipe > out & \"$GRAFT\" \(command) pipe > messages; wait; test -p pipe && cat out)",
            in: folder)
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(run.output.count > 100)
    }
}
