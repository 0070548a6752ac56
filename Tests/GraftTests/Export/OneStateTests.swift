// What is written batch by batch is one state of the store.

import CoreData
import Foundation
import Graft
import Synchronization
import Testing

@Suite struct OneStateTests {
    /// Does something when it is used for the first time.
    final class Interruption: ValueTransformer {
        private let action: Mutex<(@Sendable () throws -> Void)?>

        init(_ action: @escaping @Sendable () throws -> Void) { self.action = Mutex(action) }

        override class func allowsReverseTransformation() -> Bool { true }

        override func transformedValue(_ value: Any?) -> Any? { value }

        override func reverseTransformedValue(_ value: Any?) -> Any? {
            let action = action.withLock { action in
                defer { action = nil }
                return action
            }
            do {
                try action?()
            } catch {
                Issue.record(error)
            }
            return value
        }
    }

    @Test func `an export is what the store had when it began, whatever is saved meanwhile`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        var sketch = ModelSketch()
        sketch.entity(
            "Place", info: ["identityAttributes": "id"],
            [.attribute("id", json: "id"), .attribute("name", json: "name", transformer: "Interruption")])
        let container = NSPersistentContainer(name: "Places", managedObjectModel: sketch.model())
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appending(path: "places.sqlite"))
        ]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        ValueTransformer.setValueTransformer(Interruption {}, forName: NSValueTransformerName("Interruption"))
        let places = #"[{"id": "1", "name": "a"}, {"id": "2", "name": "b"}, {"id": "3", "name": "c"}]"#
        try container.importJSON(from: [.data(Data(places.utf8))], entity: "Place")
        let other = container.newBackgroundContext()
        ValueTransformer.setValueTransformer(
            Interruption {
                try other.performAndWait {
                    let places = try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Place"))
                    for place in places where place.text("id") == "2" { place.setValue("changed", forKey: "name") }
                    for place in places where place.text("id") == "3" { other.delete(place) }
                    try other.save()
                }
            }, forName: NSValueTransformerName("Interruption"))
        let file = folder.appending(path: "places.json")
        var options = ExportOptions()
        options.batchSize = 1
        try container.exportJSON(ExportRequest(entity: "Place"), to: .file(file), options: options)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(
            text.trimmingCharacters(in: .newlines)
                == #"[{"id":"1","name":"a"},{"id":"2","name":"b"},{"id":"3","name":"c"}]"#)
        try container.exportJSON(ExportRequest(entity: "Place"), to: .file(file), options: options)
        let later = try String(contentsOf: file, encoding: .utf8)
        #expect(later.trimmingCharacters(in: .newlines) == #"[{"id":"1","name":"a"},{"id":"2","name":"changed"}]"#)
    }
}
