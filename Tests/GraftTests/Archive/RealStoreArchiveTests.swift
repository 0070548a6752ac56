// Stores that Apple's Core Data has written: their archives make stores with the same graph.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct RealStoreArchiveTests {
    /// Those that are small enough to be compared object by object.
    static let stores = RealStoreExportTests.stores.filter { $0.count < 1000 }

    @Test(arguments: stores, GraphArchive.Encoding.allCases)
    func `a real store comes back from its archive`(
        _ store: RealStoreExportTests.Store, _ encoding: GraphArchive.Encoding
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = try open(store, folder)
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

    /// Opens a copy, because opening writes.
    private func open(_ store: RealStoreExportTests.Store, _ folder: URL) throws -> NSPersistentContainer {
        let original = sharedData.appendingPathComponent("stores/\(store.file)")
        let copy = folder.appendingPathComponent(original.lastPathComponent)
        try FileManager.default.copyItem(at: original, to: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path)
        let model = try #require(
            NSManagedObjectModel(contentsOf: sharedData.appendingPathComponent("stores/\(store.model)")))
        let container = NSPersistentContainer(name: "Real", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: copy)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        return container
    }
}
