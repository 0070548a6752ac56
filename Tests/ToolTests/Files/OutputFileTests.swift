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
        Call(arguments: export + ["link"]), Call(arguments: report + ["link"]),
        Call(arguments: ["archive", "S.sqlite", "-o", "link"]), Call(arguments: ["copy", "S.sqlite", "link"]),
        Call(arguments: ["restore", "S.archive", "--store", "link"]),
        Call(arguments: [
            "import", "heroes.json", "--entity", "Hero", "--store", "S.sqlite", "--backup", "link",
        ]),
        Call(arguments: ["merge", "S.sqlite", "S.sqlite", "T.sqlite", "-o", "link"]),
        Call(arguments: ["merge", "S.archive", "S.archive", "S.archive", "-o", "link"]),
    ])
    func `what is written by a link to what isn't there is made where the links lead`(_ call: Call) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder.path("there"), withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "there/second")
        try files.createSymbolicLink(atPath: folder.path("there/second"), withDestinationPath: "made")
        let run = try graft(call.arguments, in: folder)
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(try !Data(contentsOf: URL(fileURLWithPath: folder.path("there/made"))).isEmpty)
        for (link, destination) in [("link", "there/second"), ("there/second", "made")] {
            #expect(try files.destinationOfSymbolicLink(atPath: folder.path(link)) == destination)
        }
    }

    @Test func `links in a circle and links to a folder that isn't there are errors`() throws {
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.path("one"), withDestinationPath: "other")
        try files.createSymbolicLink(atPath: folder.path("other"), withDestinationPath: "one")
        try files.createSymbolicLink(atPath: folder.path("nowhere"), withDestinationPath: "no/file")
        try graft(Self.export + ["one"], in: folder).failed(saying: "one: the file can't be written")
        try graft(Self.export + ["nowhere"], in: folder).failed(saying: "nowhere", "its folder doesn't exist")
        #expect(try files.destinationOfSymbolicLink(atPath: folder.path("one")) == "other")
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
        Call(arguments: ["archive", "S.sqlite", "--output=~/T.sqlite"]),
        Call(arguments: ["archive", "S.sqlite", "--output", "here/../T.sqlite"]),
        Call(arguments: export + ["~/nowhere/../T.sqlite"]), Call(arguments: export + ["~/../T.sqlite"]),
        Call(arguments: ["inspect", "S.sqlite", "--html", "here/../T.sqlite"]),
        Call(arguments: ["copy", "S.sqlite", "~/T.sqlite"]),
    ])
    func `a path is what the system takes it for, whatever its tilde and its dots look like`(_ call: Call) throws {
        let files = FileManager.default
        // Where a shell's home would be, and where a link and `..` together would lead by their names.
        for place in ["~", "one/two"] {
            try files.createDirectory(atPath: folder.path(place), withIntermediateDirectories: true)
        }
        try files.createSymbolicLink(atPath: folder.path("here"), withDestinationPath: "one/two")
        for copy in ["one/T.sqlite", "~/T.sqlite"] {
            try files.copyItem(atPath: folder.path("T.sqlite"), toPath: folder.path(copy))
        }
        let before = try contents()
        let run = try graft(call.arguments, in: folder, environment: ["HOME": folder.url.path])
        #expect(run.status == 1, "\(run.text)\(run.diagnostics)")
        #expect(try contents() == before)
    }

    @Test func `what is read, made and changed is where the system has it`() throws {
        let files = FileManager.default
        for place in ["~", "one/two"] {
            try files.createDirectory(atPath: folder.path(place), withIntermediateDirectories: true)
        }
        try files.createSymbolicLink(atPath: folder.path("here"), withDestinationPath: "one/two")
        try files.moveItem(atPath: folder.path("T.sqlite"), toPath: folder.path("one/S.sqlite"))
        try files.moveItem(atPath: folder.path("heroes.json"), toPath: folder.path("~/heroes.json"))
        let before = try StoreFile(path: folder.path("S.sqlite")).content
        _ = try folder.file("change.json", #"[{"id": "101", "motto": "Elsewhere"}]"#)
        let environment = ["HOME": folder.path("nobody")]
        for arguments in [
            ["import", "change.json", "--entity", "Hero", "--store", "here/../S.sqlite"],
            [
                "import", "~/heroes.json", "--entity", "Hero", "--store", "~/New.sqlite", "--model",
                "Heroes.xcdatamodeld",
            ],
            ["export", "here/../S.sqlite", "--entity", "Hero", "-o", "here/../out.json"],
            ["archive", "~/New.sqlite", "-o", "~/New.archive"],
        ] {
            #expect(try graft(arguments, in: folder, environment: environment).status == 0, "\(arguments)")
        }
        #expect(try StoreFile(path: folder.path("S.sqlite")).content == before)
        #expect(try String(contentsOfFile: folder.path("one/out.json"), encoding: .utf8).contains("Elsewhere"))
        #expect(files.fileExists(atPath: folder.path("~/New.archive")))
        #expect(!files.fileExists(atPath: folder.path("out.json")) && !files.fileExists(atPath: folder.path("nobody")))
    }

    @Test(.enabled("There is no way here to run the tool without the rights of root") { Bystander.canRun })
    func `a file that can't be read may be a store, and isn't replaced`() throws {
        let files = FileManager.default
        let before = try contents()
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        try files.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path("T.sqlite"))
        for output in ["T.sqlite", "T.sqlite-wal"] {
            let run = try Bystander.run(Self.export + [output], in: folder)
            #expect(run.status == 1 && run.diagnostics.contains("Name another file"), "\(run.diagnostics)")
        }
        try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("T.sqlite"))
        #expect(try contents() == before)
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
