// The delete rule deny counts objects that are there after the deletion. SnapshotPatcher+Deleting.swift asks it of each object in the order of
// the diff, before what later ones take with them is known; Core Data, and ContextObjects.requireUndenied, ask it at the end.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DenyOrderTests {
    /// Boxes own notes; of an album that has notes, nothing may be deleted but with them.
    private func model(_ album: String) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Box", info: ["id": "name"],
            [.attribute("name"), .toMany("notes", "Note", inverse: "box", rule: .cascadeDeleteRule)])
        sketch.entity(
            album, info: ["id": "name"],
            [.attribute("name"), .toMany("notes", "Note", inverse: "album", rule: .denyDeleteRule)])
        sketch.entity(
            "Note", info: ["id": "name"],
            [.attribute("name"), .toOne("box", "Box", inverse: "notes"), .toOne("album", album, inverse: "notes")])
        return sketch.model()
    }

    // "Album" comes before "Box" in a diff, and "Zine" after it.
    @Test(arguments: ["Album", "Zine"])
    func `an object is deleted whose members all go with their owner, in whichever order the diff has them`(
        _ album: String
    ) throws {
        let model = model(album)
        try TestStack(model).perform { context in
            let (box, owner) = (context.make("Box", ["name": "b"]), context.make(album, ["name": "a"]))
            try context.save()
            let diff = try GraphDiff(from: GraphSnapshot(of: context), to: GraphSnapshot(model: model))
            let note = context.make("Note", ["name": "n"])
            note.setValue(box, forKey: "box")
            note.setValue(owner, forKey: "album")
            try context.save()
            let report = try context.apply(diff, options: GraphDiff.ApplyingOptions(conflicts: .force))
            try context.save()
            #expect(report.cascaded == [ObjectKey("Note", [.string("n")])])
            for entity in ["Box", "Note", album] { #expect(try context.all(entity).isEmpty, "\(entity)") }
        }
    }
}
