// A reader of the output that goes away (`| head -1`) makes every command exit with 0, also those whose exit code is their answer: git
// takes a merge with conflicts for a clean one, and a repair that was taken back looks like one that was done.

import Foundation
import GRDB
import TestSupport
import Testing

@Suite struct ClosedOutputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the tool when the reader of its output has gone, and returns what it said and `status N`.
    private func withoutReader(_ arguments: String) throws -> ToolRun {
        try shell("{ sleep 1; \"$GRAFT\" \(arguments); echo \"status $?\" >&2; } | true", in: folder)
    }

    private func change(_ store: String, _ json: String) throws {
        let file = try folder.file("change.json", json)
        _ = try graft("import", file, "--entity", "Hero", "--store", store).succeeded()
    }

    @Test func `a merge with conflicts fails, whether or not somebody reads them`() throws {
        let base = try heroStore(in: folder, named: "Base.sqlite")
        let ours = try heroStore(in: folder, named: "Ours.sqlite")
        let theirs = try heroStore(in: folder, named: "Theirs.sqlite")
        try change(ours, #"[{"id": "101", "rescues": 50}]"#)
        try change(theirs, #"[{"id": "101", "rescues": 60}, {"id": "102", "rescues": 1}]"#)
        // Git takes 0 for: what is in ours now is the merge.
        let run = try withoutReader("merge '\(base)' '\(ours)' '\(theirs)' --output '\(ours)'")
        #expect(run.diagnostics.contains("status 1"), "\(run.diagnostics)")
    }

    @Test func `a diff says by its exit code that there is one, whether or not somebody reads it`() throws {
        let old = try heroStore(in: folder, named: "Old.sqlite")
        let new = try heroStore(in: folder, named: "New.sqlite")
        try change(new, #"[{"id": "101", "rescues": 50}]"#)
        let run = try withoutReader("diff '\(old)' '\(new)' --exit-code")
        #expect(run.diagnostics.contains("status 1"), "\(run.diagnostics)")
    }

    @Test func `a check finds something, whether or not somebody reads it`() throws {
        let store = try KennelStore(in: folder)
        try StoreSQL.run("UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada'", at: URL(filePath: store.path))
        let run = try withoutReader("check '\(store.path)'")
        #expect(run.diagnostics.contains("status 1"), "\(run.diagnostics)")
    }

    @Test func `a repair whose report nobody reads is done, or says that it isn't`() throws {
        let store = try KennelStore(in: folder)
        try StoreSQL.run("UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada'", at: URL(filePath: store.path))
        let run = try withoutReader("check '\(store.path)' --repair")
        let isRepaired = try graft("check", store.path).status == 0
        #expect(run.diagnostics.contains("status 0") == isRepaired, "\(run.diagnostics)")
    }
}
