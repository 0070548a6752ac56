// `graft apply --dry-run` says what would be deleted and nothing of the limit that lets the same call without `--dry-run` fail. `graft import
// --dry-run` does say it.

import Foundation
import Testing

@Suite struct ApplyDryRunLimitTests {
    @Test func `a dry run of a patch that deletes too much says so, as that of an import does`() throws {
        let folder = try TemporaryFolder()
        let model = try folder.model(
            """
            <entity name="Item"><attribute name="id" optional="YES" attributeType="Integer 64"/>
            <userInfo><entry key="identityAttributes" value="id"/></userInfo></entity>
            """)
        let store = folder.path("Store.sqlite"), emptied = folder.path("Emptied.sqlite")
        let objects = (1...150).map { #"{"id": \#($0)}"# }.joined(separator: ",")
        let records = try folder.file("items.json", "[\(objects)]")
        let none = try folder.file("none.json", "[]")
        let gone = try folder.file("gone.json", "[\((1...150).map(String.init).joined(separator: ","))]")
        for path in [store, emptied] {
            try graft("import", records, "--entity", "Item", "--store", path, "--model", model).succeeded()
        }
        let deleting = ["import", none, "--deleted", gone, "--entity", "Item", "--store"]
        try graft(deleting + [emptied, "--max-deletions", "100%", "--no-backup"]).succeeded()
        let patch = try folder.file("patch.json", graft("diff", store, emptied, "--format", "json").text)

        try graft("apply", patch, "--store", store).failed(saying: "--max-deletions")
        let trial = try graft("apply", patch, "--store", store, "--dry-run")
        #expect((trial.text + trial.diagnostics).contains("--max-deletions"), "\(trial.text)\(trial.diagnostics)")
        #expect(try StoreFile(path: store).count("ZITEM") == 150)
    }
}
