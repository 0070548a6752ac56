// `graft apply --entity` is for patches. With a diff it is looked up in the model and then means nothing: the whole diff is applied, also to the
// objects of all other entities. `--reverse` with a patch, the other pair that doesn't go together, is refused.

import Foundation
import Testing

@Suite struct DiffWithEntityTests {
    @Test func `a diff isn't applied to other entities than the one that is named`() throws {
        let folder = try TemporaryFolder()
        let old = try heroStore(in: folder, named: "Old.sqlite"), new = try heroStore(in: folder, named: "New.sqlite")
        let change = try folder.file("change.json", #"[{"id": "101", "motto": "New"}]"#)
        try graft("import", change, "--entity", "Hero", "--store", new).succeeded()
        let diff = try folder.file("diff.json", graft("diff", old, new, "--format", "json").text)
        let before = try StoreFile(path: old).content
        // Nothing in the diff is about powers. An error would do; a hero that is changed wouldn't.
        _ = try graft("apply", diff, "--store", old, "--entity", "Power")
        #expect(try StoreFile(path: old).content == before)
    }
}
