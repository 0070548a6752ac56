// Importing into a context that saves to another context.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct ChildContextImportTests {
    private func books() throws -> TestStack {
        var sketch = ModelSketch()
        sketch.entity(
            "Book", info: ["id": "number"],
            [.attribute("number", .integer32AttributeType), .attribute("title"), .toOne("sequel", "Book")])
        return try TestStack(sketch.model(), .sqlite)
    }

    @Test func `an import finds what the parent hasn't saved, and reaches it with the child's save`() throws {
        let stack = try books()
        try stack.importJSON(#"[{"number": 1, "title": "stored"}]"#, "Book")
        let parent = stack.container.newBackgroundContext()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        parent.performAndWait {
            let unsaved = NSEntityDescription.insertNewObject(forEntityName: "Book", into: parent)
            unsaved.setValuesForKeys(["number": 2, "title": "unsaved"])
        }
        let text = """
            [{"number": 1, "title": "one", "sequel": 2}, {"number": 2, "title": "two", "sequel": {"number": 3}}]
            """
        try child.performAndWait {
            _ = try child.importJSON(from: .data(Data(text.utf8)), entity: "Book")
            #expect(child.insertedObjects.count == 1 && child.updatedObjects.count == 2)
            try child.save()
        }
        try parent.performAndWait {
            #expect(try parent.all("Book", by: "number").map { $0.text("title") } == ["one", "two", nil])
            #expect(parent.insertedObjects.count == 2 && parent.updatedObjects.count == 1)
            try parent.save()
        }
        try stack.perform { context in
            let first = try #require(try context.one("Book", "number", 1))
            #expect(first.object("sequel")?.object("sequel")?.number("number") == 3)
            #expect(try context.all("Book").count == 3)
        }
    }
}
