// A source that is a store which this process has open: closing any other descriptor of its file would take SQLite's locks on it away.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct OpenStoreSourceTests {
    @Test(.enabled(if: FileLocks.canBeAsked, "there is no Python"))
    func `what a store that is open holds is told without touching its file`() throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("text")])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.perform { context throws in
            _ = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            try context.save()
        }
        let url = try #require(stack.container.persistentStoreCoordinator.persistentStores.first?.url)
        try #require(try FileLocks.isRead(url))
        #expect(try ImportSource.file(url).kind() == .store)
        #expect(try FileLocks.isRead(url))
    }
}
