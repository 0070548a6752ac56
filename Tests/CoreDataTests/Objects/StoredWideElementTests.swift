// Divergence 83: a number that is wider than its attribute and that others have stored stays, and keeps no other change from being saved.
// So it is with an element of a composite attribute beside the one that changes (KeptValuesTests has plain attributes).

import CoreData
import Foundation
import TestSupport
import Testing

@Suite struct StoredWideElementTests {
    private static func model() -> NSManagedObjectModel {
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.isOptional = true
        place.elements = [
            LibraryModel.attribute("note", .stringAttributeType),
            LibraryModel.attribute("floor", .integer16AttributeType),
        ]
        let quake = NSEntityDescription()
        quake.name = "Quake"
        quake.managedObjectClassName = "NSManagedObject"
        quake.properties = [place]
        let model = NSManagedObjectModel()
        model.entities = [quake]
        return model
    }

    @Test func `a wide number in a composite attribute keeps no other element from being saved`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Quakes.sqlite")
        let library = try Library(at: url, model: Self.model())
        let quake = library.insert("Quake")
        quake.setValue(["note": "a", "floor": 1] as [String: Any], forKey: "place")
        try library.context.save()
        try StoreSQL.run("UPDATE ZQUAKE SET ZFLOOR = 70000", at: url)
        library.context.refresh(quake, mergeChanges: false)
        #expect(quake.value(forKeyPath: "place.floor") as? Int == 70_000)

        quake.setValue("b", forKeyPath: "place.note")
        #expect(throws: Never.self) { try library.context.save() }

        // The whole dictionary, with what others have stored as it is.
        var place = try #require(quake.value(forKey: "place") as? [String: Any])
        place["note"] = "c"
        quake.setValue(place, forKey: "place")
        #expect(throws: Never.self) { try library.context.save() }

        let other = library.newContext()
        let stored = try #require(try library.fetch("Quake", in: other).first)
        #expect(stored.value(forKeyPath: "place.note") as? String == "c")
        #expect(stored.value(forKeyPath: "place.floor") as? Int == 70_000)

        // One that is set here is refused, as ever.
        quake.setValue(70_001, forKeyPath: "place.floor")
        #expect(throws: CocoaError.self) { try library.context.save() }
    }
}
