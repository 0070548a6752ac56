// An empty file, as `mktemp` makes it, is a store to be made (KindMatrixTests: storing an empty file), and goes another way than one that isn't
// there: the store is made in place, so that it stays when the import fails, and a dry run refuses what the import takes.

import Foundation
import Testing

@Suite struct EmptyStoreFileTests {
    private let folder: TemporaryFolder
    private let store: String
    private let model: String

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.file("New.sqlite", "")
        model = try folder.model(
            """
            <entity name="Item"><attribute name="id" optional="YES" attributeType="Integer 64"/>
            <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """)
    }

    private func arguments(_ json: String) throws -> [String] {
        ["import", try folder.file("items.json", json), "--entity", "Item", "--store", store, "--model", model]
    }

    @Test func `an import that fails leaves an empty file as it was`() throws {
        let run = try graft(arguments(#"[{"id": 1}, {"id": "x"}]"#))
        #expect(run.status == 1 && run.diagnostics.contains("$[1].id"), "\(run.diagnostics)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)).count == 0)
    }

    @Test func `a dry run says of an empty file what the import says`() throws {
        let arguments = try arguments(#"[{"id": 1}]"#)
        let trial = try graft(arguments + ["--dry-run"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)).count == 0)
        let run = try graft(arguments)
        #expect(run.status == 0, "\(run.diagnostics)")
        #expect(trial.status == run.status, "\(trial.diagnostics)")
        #expect(trial.text == run.text)
    }
}
