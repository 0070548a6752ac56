// One side of a comparison: what kind of file it is, and its objects.

import CoreData
import Foundation
import Graft

/// A file that holds a graph.
enum GraphFile {
    case store(String)
    case archive(String, Data)
    /// JSON of another kind.
    case plain(String, Data)

    /// Looks at a file.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile`.
    init(path: String) throws {
        try FileKind.requireReadable(path)
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw GraftError(.unreadableFile(reason: SystemError.reason()), at: .init(source: path))
        }
        defer { try? handle.close() }
        do {
            if try handle.read(upToCount: 16) == Data("SQLite format 3\0".utf8) {
                self = .store(path)
                return
            }
            try handle.seek(toOffset: 0)
            let data = try handle.readToEnd() ?? Data()
            self = Self.isArchive(data) ? .archive(path, data) : .plain(path, data)
        } catch {
            throw GraftError(.unreadableFile(reason: "reading failed"), at: .init(source: path), underlying: error)
        }
    }

    /// Whether the text is an object that begins with an archive's header.
    private static func isArchive(_ data: Data) -> Bool {
        var reader = JSONReader(data)
        // What isn't JSON is no archive; whoever reads it as JSON says what is wrong.
        guard case .beginObject? = try? reader.next(), case .key(let key)? = try? reader.next() else { return false }
        return reader.matches(key, "$graft")
    }

    var path: String {
        switch self {
        case .store(let path), .archive(let path, _), .plain(let path, _): path
        }
    }

    var isStore: Bool {
        if case .store = self { true } else { false }
    }

    var isPlain: Bool {
        if case .plain = self { true } else { false }
    }

    /// The model that the file carries, or nil.
    func model() throws -> NSManagedObjectModel? {
        guard case .store(let path) = self else { return nil }
        return try StoreAccess.model(at: nil, forStore: path)
    }

    /// The objects in memory.
    func snapshot(_ model: NSManagedObjectModel, modelPath: String?, entity: String?) throws -> GraphSnapshot {
        switch self {
        case .store(let path):
            let container = try StoreAccess.openForReading(path, modelPath: modelPath)
            let context = container.newBackgroundContext()
            return try context.performAndWait { try GraphSnapshot(of: context, entities: entity.map { [$0] }) }
        case .archive(let path, let data), .plain(let path, let data):
            do {
                return try GraphSnapshot(json: data, entity: isPlain ? entity : nil, model: model)
            } catch let error as GraftError {
                throw error.located(in: .init(source: path))
            }
        }
    }

    /// The JSON that patches are about: the file itself, or a store's export.
    ///
    /// - Parameter entity: The entity of the export; nil for an archive.
    func document(modelPath: String?, entity: String?) throws -> JSONValue {
        switch self {
        case .store(let path):
            let container = try StoreAccess.openForReading(path, modelPath: modelPath)
            let context = container.newBackgroundContext()
            let data = try context.performAndWait {
                try entity.map { try context.exportJSON(NSFetchRequest<NSManagedObject>(entityName: $0)) }
                    ?? context.exportArchive()
            }
            return try JSONValue(parsing: data)
        case .archive(let path, let data), .plain(let path, let data):
            do {
                return try JSONValue(parsing: data)
            } catch let error as GraftError {
                throw error.located(in: .init(source: path))
            }
        }
    }
}
