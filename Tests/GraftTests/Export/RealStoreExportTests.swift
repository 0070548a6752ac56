// Stores that Apple's Core Data has written, without any annotation: their JSON makes equal stores.

import CoreData
import Foundation
import Graft
import Testing

@Suite(.needsReferenceData) struct RealStoreExportTests {
    // CareKit's second store has mandatory to-many relationships without members: Core Data asks for no more than their
    // minimum count, which is 0.
    @Test(arguments: RealStore.all)
    func `the JSON of a real store makes an equal one`(_ store: RealStore) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let container = try store.open(in: folder)
        let archive = folder.appendingPathComponent("archive.json")
        let count = try container.exportJSON(to: .file(archive))
        #expect(count == store.count)

        let copy = try TestStack(container.managedObjectModel, .sqlite)
        let report = try copy.container.importJSON(contentsOf: [archive])
        #expect(report.total.inserted == count)
        #expect(report.total.stubs == 0)
        // There, archives are made anew from the objects, and Foundation on Linux makes others than Apple's.
        if isPortable, try String(contentsOf: archive, encoding: .utf8).contains("$encoded") { return }
        let again = try copy.perform { try $0.exportJSON() }
        let difference = try zip(Data(contentsOf: archive), again + [0x0A]).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(difference == nil)
        #expect(try !copy.container.importJSON(contentsOf: [archive]).hasChanges)
    }
}
