// Stores that Apple's Core Data has written: their archives make stores with the same graph.

import CoreData
import Foundation
import Graft
import Synchronization
import Testing

@Suite(.needsReferenceData) struct RealStoreArchiveTests {
    /// Each store in each encoding, or at least in one of them.
    private static let cases = RealStore.all.enumerated().flatMap { index, store in
        let encodings = GraphArchive.Encoding.allCases
        return (Laws.isThorough ? encodings : [encodings[index % encodings.count]]).map { (store, $0) }
    }

    @Test(arguments: cases)
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

    /// The stores of Apple's apps and of others without a model beside them, by their paths below the shared data.
    static let paths: [String] = {
        let inside = sharedData.appendingPathComponent("more-stores")
        let files = FileManager.default.enumerator(atPath: inside.path)?.compactMap { $0 as? String } ?? []
        // Apple's Core Data saves nothing that breaks its model's rules, and tells no bytes of objects whose classes aren't here.
        let unfit = isPortable ? ["Photos-26.1/", "Notes/"] : []
        return files.filter { path in !unfit.contains { path.hasPrefix($0) } }
            .filter { (try? SQLiteStoreFile.metadata(at: inside.appendingPathComponent($0))) != nil }.sorted()
            .map { "more-stores/\($0)" }
    }()

    private func container(
        _ model: NSManagedObjectModel, _ url: URL, isReadOnly: Bool
    ) throws -> NSPersistentContainer {
        try .opened(url, model) { $0.isReadOnly = isReadOnly }
    }

    @Test(arguments: paths)
    func `a store of Apple's comes back from its archive, with what breaks its own rules and its version hashes`(
        _ path: String
    ) throws {
        let url = sharedData.appendingPathComponent(path)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = try container(try #require(try SQLiteStoreFile.model(at: url)), url, isReadOnly: true)
        let file = folder.appendingPathComponent("store.archive")
        var options = GraphArchive.WritingOptions(.binary)
        let damages = Mutex(0)
        options.onDamage = { _ in damages.withLock { $0 += 1 } }
        let header = try original.writeArchive(to: .file(file), options: options)
        // Photos has links to rows that aren't there.
        #expect(damages.withLock { $0 == 0 } || path.contains("Photos"))
        let archive = GraphArchive(contentsOf: file)
        let copy = folder.appendingPathComponent("Copy.sqlite")
        let restored = try container(try #require(try archive.model()), copy, isReadOnly: false)
        let report = try restored.restore(archive)
        #expect(report.total.inserted == header.objectCount)
        let labels = try [original, restored].map { container in
            let context = container.newBackgroundContext()
            return try context.performAndWait { try GraphFingerprint.labels(context) }
        }
        #expect(labels[0] == labels[1])
        let hashes = try [url, copy].map {
            try SQLiteStoreFile.metadata(at: $0)[NSStoreModelVersionHashesKey] as? [String: Data]
        }
        #expect(hashes[0] == hashes[1])
    }
}
