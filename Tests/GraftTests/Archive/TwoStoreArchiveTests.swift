// An archive of a container with several stores (a private and a shared one, as with CloudKit): rows of two stores have the same
// numbers, and objects without identity are named by those. Their names have to differ all the same.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct TwoStoreArchiveTests {
    @Test(arguments: GraphArchive.Encoding.allCases)
    func `an archive of two stores has the objects of both, each under its own name`(
        _ encoding: GraphArchive.Encoding
    ) throws {
        var sketch = ModelSketch()
        sketch.entity("Note", [.attribute("text"), .toOne("next", "Note")])
        let stack = try TestStack(sketch.model(), .sqlite)
        let coordinator = stack.container.persistentStoreCoordinator
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let first = try #require(coordinator.persistentStores.first)
        let second = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appendingPathComponent("Second.sqlite"))
        defer {
            try? coordinator.remove(second)
            try? FileManager.default.removeItem(at: folder)
        }
        try stack.fill { context in
            for (store, name) in [(first, "here"), (second, "there")] {
                let one = context.add("Note", ["text": "\(name) 1"])
                let other = context.add("Note", ["text": "\(name) 2", "next": one])
                context.assign(one, to: store)
                context.assign(other, to: store)
            }
        }
        let data = try stack.archive(encoding)
        #expect(throws: Never.self) { _ = try GraphArchive(data).verify() }
        let copy = try TestStack.restored(from: data)
        let links = try copy.perform { context in
            try context.all("Note", by: "text").map {
                "\($0.text("text") ?? "") -> \($0.object("next")?.text("text") ?? "")"
            }
        }
        #expect(links == ["here 1 -> ", "here 2 -> here 1", "there 1 -> ", "there 2 -> there 1"])
    }
}
