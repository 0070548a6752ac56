// A report on standard output that can't be written says that the import is saved (EnvironmentTests). One in a file (`--report`) says only that
// something can't be written, not what, and not that the store has changed; and it hides why an import has failed.

import Foundation
import Testing

@Suite struct ReportFileFailureTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = try heroStore(in: folder)
    }

    private func imported(_ json: String) throws -> ToolRun {
        let file = try folder.file("in.json", json)
        return try graft("import", file, "--entity", "Hero", "--store", store, "--report", "/dev/full")
    }

    @Test func `a report file that can't be written is named, and the work is said to be saved`() throws {
        let run = try imported(#"[{"id": 77, "name": "New"}]"#)
        #expect(run.status == 1)
        #expect(try StoreFile(path: store).count("ZCHARACTER", where: "ZNAME = 'New'") == 1)
        #expect(run.diagnostics.contains("the import is saved"), "\(run.diagnostics)")
        #expect(run.diagnostics.contains("/dev/full"), "\(run.diagnostics)")
    }

    @Test func `a report file that can't be written doesn't hide why the import has failed`() throws {
        let run = try imported(#"[{"id": 78, "name": ["none"]}]"#)
        #expect(run.status == 1)
        #expect(run.diagnostics.contains("$[0].name"), "\(run.diagnostics)")
    }
}
