// Archives of test stacks, and what restoring them gives.

import CoreData
import Foundation
import Graft
import Testing

extension GraphArchive.WritingOptions {
    init(_ encoding: GraphArchive.Encoding, isCompressed: Bool = true) {
        self.init()
        self.encoding = encoding
        self.isCompressed = isCompressed
    }
}

extension TestStack {
    /// An archive of the whole store.
    func archive(
        _ encoding: GraphArchive.Encoding = .json, _ change: (inout GraphArchive.WritingOptions) -> Void = { _ in }
    ) throws -> Data {
        var options = GraphArchive.WritingOptions(encoding)
        change(&options)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString).archive")
        defer { try? FileManager.default.removeItem(at: url) }
        try container.writeArchive(to: .file(url), options: options)
        return try Data(contentsOf: url)
    }

    @discardableResult
    func restore(
        _ data: Data, _ change: (inout GraphArchive.RestoringOptions) -> Void = { _ in }
    ) throws -> ImportReport {
        var options = GraphArchive.RestoringOptions()
        change(&options)
        return try container.restore(GraphArchive(data), options: options)
    }

    /// A new stack with the contents of an archive, of the model in the archive.
    static func restored(
        from data: Data, _ kind: StoreKind = .inMemory,
        _ change: (inout GraphArchive.RestoringOptions) -> Void = { _ in }
    ) throws -> TestStack {
        let stack = try TestStack(try #require(try GraphArchive(data).model()), kind)
        try stack.restore(data, change)
        return stack
    }

    func labels() throws -> [String] { try perform { try GraphFingerprint.labels($0) } }

    /// What a check of the store's file finds.
    func findings() throws -> [String] {
        let url = try #require(container.persistentStoreCoordinator.persistentStores.first?.url)
        var found: [String] = []
        _ = try StoreCheck(store: url, model: container.managedObjectModel).run { found.append("\($0)") }
        return found
    }

    /// Fills and saves.
    func fill(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try perform { context in
            try body(context)
            try context.save()
        }
    }
}

extension NSManagedObjectContext {
    /// A new object with values.
    @discardableResult
    func add(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }
}

/// The lines of a JSON archive.
func lines(_ archive: Data) -> [String] {
    String(decoding: archive, as: UTF8.self).split(separator: "\n").map(String.init)
}
