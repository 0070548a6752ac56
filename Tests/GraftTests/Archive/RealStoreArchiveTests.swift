// Stores that Apple's Core Data has written: their archives make stores with the same graph.

import CoreData
import Foundation
import Graft
import Testing

@Suite(.needsReferenceData) struct RealStoreArchiveTests {
    @Test(arguments: RealStore.all, GraphArchive.Encoding.allCases)
    func `a real store comes back from its archive`(
        _ store: RealStore, _ encoding: GraphArchive.Encoding
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = try store.open(in: folder)
        let file = folder.appendingPathComponent("store.archive")
        try original.writeArchive(to: .file(file), options: .init(encoding))
        let archive = GraphArchive(contentsOf: file)
        #expect(try archive.verify().objectCount == store.count)
        let restored = try TestStack(try #require(try archive.model()), .sqlite)
        let report = try restored.container.restore(archive)
        #expect(report.total.inserted == store.count)
        let context = original.newBackgroundContext()
        let labels = try context.performAndWait { try GraphFingerprint.labels(context) }
        #expect(try restored.labels() == labels)
    }
}
