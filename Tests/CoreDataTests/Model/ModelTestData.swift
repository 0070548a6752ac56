// Real models and stores that the tests of models read. What they are is in the README.md of their folder.

import CoreData
import Foundation
import GRDB
import Testing

enum ModelTestData {
    /// The folder `stores` of the shared data, beside the package.
    static let stores: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) { break }
            folder.deleteLastPathComponent()
        }
        return folder.deletingLastPathComponent().appendingPathComponent("shared/data/stores")
    }()

    /// Paths below ``stores`` that end so, sorted.
    static func paths(endingIn ending: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: stores.path)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix(ending) }.sorted()
    }

    static let sources = paths(endingIn: ".xcdatamodel")
    static let compiled = paths(endingIn: ".mom")
    static let databases = paths(endingIn: ".sqlite")

    static func model(_ path: String) throws -> NSManagedObjectModel {
        try NSManagedObjectModel(readingContentsOf: stores.appendingPathComponent(path))
    }

    /// The source of a compiled version: `A/B.momd/C.mom` -> `A/B.xcdatamodeld/C.xcdatamodel`; nil where there is none.
    static func source(of compiled: String) -> String? {
        let name = URL(fileURLWithPath: compiled).deletingPathExtension().lastPathComponent
        let project = compiled.prefix { $0 != "/" }
        return sources.first { $0.hasPrefix(project) && $0.hasSuffix("/\(name).xcdatamodel") }
    }

    /// What a store keeps about its model.
    struct StoreModel {
        var cache: Data?
        var metadata: [String: Any]

        var hashes: [String: Data] { metadata["NSStoreModelVersionHashes"] as? [String: Data] ?? [:] }
    }

    /// Reads a copy of a store: the original's folder is read-only, which SQLite's write-ahead log can't be.
    static func storeModel(_ path: String) throws -> StoreModel {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
        try FileManager.default.copyItem(at: stores.appendingPathComponent(path), to: copy)
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.path + suffix) }
        }
        return try DatabaseQueue(path: copy.path).read { database in
            let metadata = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA") ?? Data()
            let hasCache = try database.tableExists("Z_MODELCACHE")
            return StoreModel(
                cache: hasCache ? try Data.fetchOne(database, sql: "SELECT Z_CONTENT FROM Z_MODELCACHE") : nil,
                metadata: try unsafe PropertyListSerialization.propertyList(from: metadata, format: nil)
                    as? [String: Any] ?? [:])
        }
    }
}

/// A folder that is removed with the value.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file, with the folders on the way to it.
    @discardableResult
    func write(_ text: String, to path: String) throws -> URL {
        try write(Data(text.utf8), to: path)
    }

    @discardableResult
    func write(_ data: Data, to path: String) throws -> URL {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where the project stands alone, without the real data beside it.
    static var needsReferenceData: Self {
        .enabled("The reference data isn't there") { FileManager.default.fileExists(atPath: ModelTestData.stores.path) }
    }
}
