// A deletion that a delete rule denies isn't made, and is a conflict. What the diff says of the deleted object's links has been taken away by
// then, and stays away: SnapshotPatcher+Linking.swift (unlinkContents) comes before SnapshotPatcher+Deleting.swift (isDenied).

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DeniedDeletionTests {
    private static func library() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity("City", info: ["id": "name"], [.attribute("name")])
        sketch.entity(
            "Publisher", info: ["id": "name"],
            [
                .attribute("name"), .toOne("city", "City"),
                .toMany("books", "Book", inverse: "publisher", rule: .denyDeleteRule),
            ])
        sketch.entity(
            "Book", info: ["id": "name"], [.attribute("name"), .toOne("publisher", "Publisher", inverse: "books")])
        return sketch.model()
    }

    @Test(arguments: StoreKind.allCases)
    func `an object whose deletion is denied keeps what it leads to`(_ kind: StoreKind) throws {
        let model = Self.library()
        try TestStack(model, kind).perform { context in
            let publisher = context.make("Publisher", ["name": "P"])
            publisher.setValue(context.make("City", ["name": "Ur"]), forKey: "city")
            context.make("Book", ["name": "A"]).setValue(publisher, forKey: "publisher")
            try context.save()
            var diff = try GraphDiff(from: GraphSnapshot(of: context), to: GraphSnapshot(model: model))
            // The publisher and its book go, the city stays.
            diff.deleted.removeAll { $0.key.entity == "City" }
            context.make("Book", ["name": "B"]).setValue(publisher, forKey: "publisher")
            try context.save()
            var snapshot = try GraphSnapshot(of: context)

            let options = GraphDiff.ApplyingOptions(conflicts: .force)
            let report = try context.apply(diff, options: options)
            try context.save()
            let denied = ObjectKey("Publisher", [.string("P")])
            #expect(report.conflicts.contains { $0.key == denied && $0.property == "books" })
            #expect(try context.all("Publisher").count == 1)
            #expect(publisher.object("city")?.text("name") == "Ur")

            try snapshot.apply(diff, options: options)
            let left = try #require(try snapshot.contents().first { $0.key.entity == "Publisher" })
            #expect(left["city"] == .toOne(ObjectKey("City", [.string("Ur")])))
        }
    }
}
