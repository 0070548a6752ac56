// A value in a file that isn't there, and null on the other side: the comparison says of itself that the one "isn't null", and the same
// two stores read into memory are an error that names the row. Read side by side there is no difference at all.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct MissingFileDiffTests {
    private func stack(_ bytes: Int?) throws -> TestStack {
        var sketch = ModelSketch()
        let data = NSAttributeDescription()
        data.name = "data"
        data.attributeType = .binaryDataAttributeType
        data.allowsExternalBinaryDataStorage = true
        sketch.entity(
            "Page", info: ["id": "number"], [.attribute("number", .integer64AttributeType), .attribute(data)])
        let stack = try TestStack(sketch.model(), .sqlite)
        try stack.perform { context in
            let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
            page.setValue(1, forKey: "number")
            page.setValue(bytes.map { Data(repeating: 7, count: $0) }, forKey: "data")
            try context.save()
        }
        return stack
    }

    @Test(arguments: [true, false])
    func `a value whose file is gone isn't null`(_ isOld: Bool) throws {
        let (damaged, empty) = (try stack(200_000), try stack(nil))
        let store = try #require(damaged.container.persistentStoreCoordinator.persistentStores.first?.url)
        let stem = store.deletingPathExtension().lastPathComponent
        let folder = store.deletingLastPathComponent().appendingPathComponent(".\(stem)_SUPPORT/_EXTERNAL_DATA")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        try #require(names.count == 1)
        for name in names { try FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
        let (old, new) = isOld ? (damaged, empty) : (empty, damaged)
        let error = graftError { _ = try GraphDiff(from: old.container, to: new.container) }
        #expect(error?.description.contains("file that isn't there") == true)
        withExtendedLifetime((damaged, empty)) {}
    }
}
