// `Heroes.graft.json` beside `Heroes.sqlite` is read by each command about that store. An export to it replaces it, although no result replaces
// what the command itself reads (docs/tool.md); and from then on no command can do anything with the store.

import Foundation
import Testing

@Suite struct ConfigurationFileTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = try heroStore(in: folder)
    }

    @Test func `a result doesn't replace the configuration that the command reads`() throws {
        let configuration = try folder.file("Heroes.graft.json", #"{"transformers": {}}"#)
        let run = try graft("export", "--store", store, "--entity", "Hero", "--output", configuration)
        #expect(run.status == 1 && run.diagnostics.contains("Name another file"), "\(run.text)\(run.diagnostics)")
        #expect(try String(contentsOfFile: configuration, encoding: .utf8) == #"{"transformers": {}}"#)
    }

    @Test func `a result doesn't take the place of a configuration, so that the store can be used no more`() throws {
        _ = try graft("export", "--store", store, "--entity", "Hero", "--output", folder.path("Heroes.graft.json"))
        let run = try graft("inspect", store)
        #expect(run.status == 0, "\(run.diagnostics)")
    }

    @Test(arguments: [
        ["copy", "Heroes.sqlite", "Heroes.graft.json"], ["restore", "Heroes.archive", "--store", "Heroes.graft.json"],
        ["restore", "Heroes.archive", "--store", "Heroes.graft.json", "--dry-run"],
        ["import", "Heroes.archive", "--store", "Heroes.graft.json"],
        ["import", "Heroes.archive", "--store", "Heroes.graft.json", "--dry-run"],
        ["import", "Heroes.archive", "--store", "Other.graft.json"],
        ["merge", "Heroes.sqlite", "Heroes.sqlite", "Heroes.sqlite", "--output", "Other.graft.json"],
        ["import", "Heroes.archive", "--store", "Heroes.sqlite", "--backup", "Other.graft.json"],
        ["copy", "Heroes.sqlite", "link"],
    ])
    func `a new store doesn't take the place of a configuration`(_ arguments: [String]) throws {
        try graft("archive", "Heroes.sqlite", "--output", "Heroes.archive", in: folder).succeeded()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: "Heroes.graft.json")
        let before = try folder.names
        let run = try graft(arguments, in: folder)
        #expect(run.status != 0 && run.diagnostics.contains("Name another file"), "\(run.text)\(run.diagnostics)")
        #expect(try folder.names == before)
        try graft("inspect", store).succeeded()
    }
}
