// All real stores that are at hand, with whatever model they carry themselves.

import Foundation
import GRDB
import Testing

@testable import CoreData

/// A store that Apple's Core Data has written.
struct EveryStore: CustomTestStringConvertible, Sendable {
    let path: String
    var testDescription: String { path }
    var url: URL { Self.folder.appendingPathComponent(path) }

    private static let folder = ModelTestData.stores.deletingLastPathComponent()

    static let all: [EveryStore] = ["stores", "more-stores"].flatMap { name in
        let inside = folder.appendingPathComponent(name).path
        let files = FileManager.default.enumerator(atPath: inside)?.compactMap { $0 as? String } ?? []
        return files.filter { SQLiteStoreFile.isDatabase(at: folder.appendingPathComponent("\(name)/\($0)")) }.sorted()
            .map { EveryStore(path: "\(name)/\($0)") }
    }

    func model() throws -> NSManagedObjectModel { try #require(try SQLiteStoreFile.model(at: url)) }

    /// A copy of the file and its log, which may be written to.
    func copied(into folder: TemporaryFolder) throws -> URL {
        let copy = folder.url.appendingPathComponent("Copy.sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path + suffix)
        }
        return copy
    }

    /// Opens the store to read it.
    func open(_ url: URL? = nil) throws -> TestStore {
        var options = SQLiteStoreOptions()
        options.isReadOnly = true
        return try TestStore(try model(), at: url ?? self.url, options: options)
    }

    /// Looks at a copy without going through the store.
    func sql<T>(_ body: (Database) throws -> T) throws -> T {
        let folder = try TemporaryFolder()
        return try DatabaseQueue(path: copied(into: folder).path).read(body)
    }
}

/// What is in a folder: names, bytes and times of change.
struct FolderContents: Equatable, CustomStringConvertible {
    struct File: Equatable {
        let bytes: Data
        let changed: Date?
    }

    private(set) var files: [String: File] = [:]

    init(_ folder: URL) throws {
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: folder.path) {
            let file = folder.appendingPathComponent(name)
            let attributes = try manager.attributesOfItem(atPath: file.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            files[name] = File(bytes: try Data(contentsOf: file), changed: attributes[.modificationDate] as? Date)
        }
    }

    var description: String {
        files.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.bytes.count)" }.joined(separator: ", ")
    }
}
