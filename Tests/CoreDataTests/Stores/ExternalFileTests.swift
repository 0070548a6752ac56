// The files of large values: each belongs to one row, none goes that a row needs, and none stays that no row needs.

import Foundation
import GRDB
import Synchronization
import Testing

@testable import CoreData

@Suite struct ExternalFileTests {
    private static let large = Data(repeating: 7, count: 200_000)

    private func model() -> NSManagedObjectModel {
        TestModel.model([
            TestModel.entity(
                "Photo",
                [
                    TestModel.attribute("name", .stringAttributeType),
                    TestModel.attribute("pixels", .binaryDataAttributeType, external: true),
                ])
        ])
    }

    private func store(_ folder: TemporaryFolder, _ name: String = "Photos.sqlite") throws -> TestStore {
        try TestStore(model(), at: folder.url.appendingPathComponent(name))
    }

    private func files(_ url: URL) throws -> [String] { try ExternalDataFolder(storeURL: url).names().sorted() }

    private func pixels(_ store: TestStore) throws -> [Int] {
        let entity = try store.entity("Photo")
        let slot = try #require(entity.layout.slot(named: "pixels"))
        return try store.backend.rows(matching: StoreQuery(entity: entity)).map { row in
            if case .data(let data) = row.values[slot] { data.count } else { 0 }
        }
    }

    private func update(_ store: TestStore, _ data: Data) throws {
        let entity = try store.entity("Photo")
        let pixels = try #require(entity.attributesByName["pixels"])
        let assignment = StoreBatchAssignment(attribute: pixels, value: .constant(.data(data)))
        _ = try store.backend.execute(StoreBatch(operation: .update(StoreQuery(entity: entity), [assignment])))
    }

    // MARK: Batches

    @Test func `a batch update gives each of its rows a value that no other row's end takes away`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        let ids = try store.insert("Photo", [[:], [:], [:]])
        try update(store, Self.large)
        #expect(try pixels(store) == [200_000, 200_000, 200_000])
        try store.delete(ids[0], version: 2)
        try store.update(ids[1], version: 2, ["pixels": .null])
        #expect(try pixels(store) == [0, 200_000])
        // One row has a file of its own.
        try store.delete(ids[1], version: 3)
        try update(store, Self.large)
        #expect(try files(store.url).count == 1)
    }

    // MARK: Rows that SQL has copied

    @Test func `a file that two rows refer to goes with the last of them, and is a finding`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        let ids = try store.insert("Photo", [["pixels": .data(Self.large)], [:], [:]])
        try store.sql { db in
            try db.execute(sql: "UPDATE ZPHOTO SET ZPIXELS = (SELECT ZPIXELS FROM ZPHOTO WHERE Z_PK = 1)")
        }
        var findings: [StoreFinding] = []
        _ = try StoreCheck(store: store.url, model: model()).run { findings.append($0) }
        #expect(findings.map(\.kind) == [.sharedFile, .sharedFile])
        #expect(findings.map(\.row) == [2, 3])
        try store.update(ids[1], ["pixels": .null])
        #expect(try pixels(store) == [200_000, 0, 200_000])
        try store.delete(ids[0])
        #expect(try pixels(store) == [0, 200_000])
        try update(store, Data([1]))
        #expect(try pixels(store) == [1, 1])
        #expect(try files(store.url) == [])
    }

    // MARK: Files that can't be read

    /// A store with a large value where there is a folder in the place of its file.
    private func unreadable(_ folder: TemporaryFolder) throws -> URL {
        let store = try store(folder)
        try store.insert("Photo", ["name": .string("a"), "pixels": .data(Self.large)])
        try store.backend.close()
        let external = ExternalDataFolder(storeURL: store.url)
        let file = external.url.appendingPathComponent(try #require(try files(store.url).first))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        return store.url
    }

    @Test func `a file that can't be read is an error that names it, and a finding`() throws {
        let folder = try TemporaryFolder()
        let url = try unreadable(folder)
        let name = try #require(try files(url).first)
        let store = try TestStore(model(), at: url)
        let error = try #require(throws: CocoaError.self) { try pixels(store) }
        #expect(error.localizedDescription.contains(name))
        try store.backend.close()
        var findings: [StoreFinding] = []
        _ = try StoreCheck(store: url, model: model()).run { findings.append($0) }
        #expect(findings.map(\.kind) == [.unreadableValue])
        // A missing one is a missing value.
        try FileManager.default.removeItem(at: ExternalDataFolder(storeURL: url).url.appendingPathComponent(name))
        let opened = try TestStore(model(), at: url)
        #expect(try pixels(opened) == [0])
    }

    @Test func `a migration that can't read a large value fails, and the file stays`() throws {
        let folder = try TemporaryFolder()
        let url = try unreadable(folder)
        let before = try files(url)
        let next = model()
        try next.entity("Photo").attribute("pixels").allowsExternalBinaryDataStorage = false
        let error = try #require(throws: CocoaError.self) {
            try StoreMigration(url: url, source: model(), destination: next).run()
        }
        #expect(error.localizedDescription.contains(before[0]))
        #expect(try files(url) == before)
        let manager = NSMigrationManager(sourceModel: model(), destinationModel: next)
        manager.usesStoreSpecificMigrationManager = false
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: model(), destinationModel: next)
        #expect(throws: CocoaError.self) {
            try manager.migrateStore(
                from: url, type: .sqlite, mapping: mapping, to: url, type: .sqlite)
        }
        #expect(try files(url) == before)
    }

    // MARK: Two stores with one folder

    @Test func `stores that differ in their extensions alone keep what the other one needs`() throws {
        let folder = try TemporaryFolder()
        let first = try store(folder), url = first.url
        let id = try first.insert("Photo", ["pixels": .data(Self.large)])
        try first.backend.close()
        let copy = folder.url.appendingPathComponent("Photos.bak")
        try SQLiteStoreFile.replace(at: copy, withStoreAt: url)
        #expect(try pixels(TestStore(model(), at: url)) == [200_000])
        #expect(try pixels(TestStore(model(), at: copy)) == [200_000])
        // Again, into the one that is there.
        try SQLiteStoreFile.replace(at: copy, withStoreAt: url)
        #expect(try files(url).count == 1)
        // What one lets go of, the other one still has.
        let again = try TestStore(model(), at: url)
        try again.update(id, ["pixels": .null])
        try again.insert("Photo", ["pixels": .data(Self.large)])
        try again.backend.close()
        #expect(try pixels(TestStore(model(), at: copy)) == [200_000])
        #expect(try files(url).count == 2)
        try SQLiteStoreFile.destroy(at: url)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        #expect(try pixels(TestStore(model(), at: copy)) == [200_000])
        #expect(try files(copy).count == 1)
        try SQLiteStoreFile.destroy(at: copy)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func `a store that is opened through a link keeps its files beside itself`() throws {
        let folder = try TemporaryFolder()
        let first = try store(folder)
        _ = try first.insert("Photo", [["pixels": .data(Self.large)]])
        try first.backend.close()
        let links = folder.url.appendingPathComponent("links")
        try FileManager.default.createDirectory(at: links, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: links.appendingPathComponent("Linked.sqlite").path, withDestinationPath: "../Photos.sqlite")
        let linked = try store(folder, "links/Linked.sqlite")
        #expect(try pixels(linked) == [200_000])
        _ = try linked.insert("Photo", [["pixels": .data(Self.large)]])
        try linked.backend.close()
        #expect(try pixels(store(folder)) == [200_000, 200_000])
    }

    @Test func `a store is moved to where another one has the folder`() throws {
        let folder = try TemporaryFolder()
        let draft = try store(folder, "Draft.sqlite"), kept = try store(folder)
        try draft.insert("Photo", ["pixels": .data(Self.large)])
        try kept.insert("Photo", ["pixels": .data(Self.large + [1])])
        try draft.backend.close()
        let target = folder.url.appendingPathComponent("Photos.db")
        try SQLiteStoreFile.move(from: draft.url, to: target)
        #expect(try pixels(TestStore(model(), at: target)) == [200_000])
        #expect(try pixels(kept) == [200_001])
        #expect(try files(target).count == 2)
        #expect(try files(draft.url) == [])
    }

    // MARK: Copies

    @Test func `a copy has the files that its rows refer to, and no others`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        try store.insert("Photo", ["pixels": .data(Self.large)])
        let own = try files(store.url)
        let stray = ExternalDataFolder(storeURL: store.url).url.appendingPathComponent(UUID().uuidString)
        try Self.large.write(to: stray)
        let copy = folder.url.appendingPathComponent("Copy.sqlite")
        try SQLiteStoreFile.copy(storeAt: store.url, to: copy)
        #expect(try files(copy) == own)
        #expect(try pixels(TestStore(model(), at: copy)) == [200_000])
    }

    @Test func `each copy of a store that is being written has all of its values`() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        let ids = try store.insert("Photo", (0..<4).map { _ in ["pixels": .data(Self.large)] })
        let failures = Mutex<[String]>([])
        nonisolated(unsafe) let writing = store
        let writer = Thread {
            do {
                for round in 1...60 {
                    for id in ids {
                        try unsafe writing.update(id, version: Int64(round), ["pixels": .data(Self.large)])
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        writer.start()
        var round = 0
        while !writer.isFinished || round < 3 {
            round += 1
            let copy = folder.url.appendingPathComponent("Copy\(round).sqlite")
            try SQLiteStoreFile.copy(storeAt: store.url, to: copy)
            let opened = try TestStore(model(), at: copy)
            #expect(try pixels(opened) == Array(repeating: 200_000, count: 4))
            try opened.backend.close()
            try SQLiteStoreFile.destroy(at: copy)
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try store.rows("SELECT MIN(Z_OPT) FROM ZPHOTO") == ["61"])
    }

    @Test func `a store that is removed from its coordinator leaves no file that no row needs`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Photos.sqlite")
        let library = try Library(at: url, model: model())
        let photo = library.insert("Photo", ["pixels": Self.large])
        try library.context.save()
        // Whoever reads an earlier state keeps the log from being emptied, and the file with it.
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: url.path, configuration: configuration)
        try reader.inDatabase { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM ZPHOTO")
        }
        photo.setValue(nil, forKey: "pixels")
        try library.context.save()
        #expect(try files(url).count == 1)
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        try reader.close()
        try library.coordinator.remove(library.coordinator.persistentStores[0])
        #expect(try files(url) == [])
    }
}
