// The readers of bytes that come from outside, each as a function of some bytes. Whatever the bytes are, it returns: an error is
// fine, a trap, an endless loop and a broken promise aren't. libFuzzer drives it (Fuzzing/Package.swift), and a test of the
// project runs what it found before (Tests/FuzzingTests).

import CoreData
package import Foundation
import Graft

/// A reader that is fuzzed.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// One value: read, written and read again it is the same.
    case json
    /// Records into a snapshot.
    case records
    /// Records into a store: all or none.
    case imports = "import"
    /// An archive's records, without a model: read, written and read again they are the same.
    case archiveInLines = "archive-lines"
    case archiveInBlocks = "archive-blocks"
    /// An archive into a store: all or none.
    case restore
    case diff
    case patch
    /// A predicate: its format is the same predicate.
    case predicate
    /// A predicate over the store in memory and over SQLite.
    case fetch
    case modelXML = "model-xml"
    case compiledModel = "model-compiled"
    case modelCache = "model-cache"
    case keyedArchive = "keyed-archive"
    case propertyList = "plist"
    case store
    case tracker

    /// Whether the bytes carry checksums, behind which nothing is reached unless a mutation mends them.
    package var hasChecksums: Bool { [.archiveInLines, .archiveInBlocks, .restore].contains(self) }

    /// Reads the bytes.
    package func run(_ bytes: Data) {
        do {
            switch self {
            case .json: try Self.readJSON(bytes)
            case .records: _ = try FuzzModel.snapshot(reading: bytes, entity: "Book")
            case .imports: try Self.importRecords(bytes)
            case .archiveInLines, .archiveInBlocks: try Self.rewrite(bytes)
            case .restore: try Self.restore(bytes)
            case .diff: try Self.applyDiff(bytes)
            case .patch: try Self.applyPatches(bytes)
            case .predicate: _ = try Self.predicate(bytes)
            case .fetch: try Self.fetch(bytes)
            case .modelXML: try Self.readModelXML(bytes)
            case .compiledModel: try Self.writeModel(NSManagedObjectModel(archive: bytes))
            case .modelCache: try Self.writeModel(NSManagedObjectModel(modelCache: bytes))
            case .keyedArchive: Self.readKeyedArchive(bytes)
            case .propertyList: _ = try PropertyListFile.object(of: bytes)
            case .store: try Self.readStore(bytes)
            case .tracker: try Self.openTracker(bytes)
            }
        } catch {
            // That an error can be described is a part of what is tried.
            precondition(!"\(error)".isEmpty, "an error without words")
        }
    }

    // MARK: Readers of Graft

    private static func readJSON(_ bytes: Data) throws {
        let value = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
        let again = try JSONValue(parsing: value.description)
        precondition(again == value, "written and read again it is another value")
        var reader = JSONReader(bytes, format: .sequence)
        while try reader.next() != .endOfInput {}
    }

    private static func importRecords(_ bytes: Data) throws {
        let context = FuzzModel.emptyContext()
        defer { context.reset() }
        do {
            try context.importJSON(bytes, entity: "Book")
        } catch {
            precondition(!context.hasChanges, "a failed import left objects behind")
            throw error
        }
        _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).toDictionaries()
    }

    private static func rewrite(_ bytes: Data) throws {
        let rewritten = try GraphArchive(bytes).rewritten()
        let again = try? GraphArchive(rewritten).rewritten()
        precondition(again == rewritten, "written and read again it is another archive")
    }

    private static func restore(_ bytes: Data) throws {
        let archive = GraphArchive(bytes)
        _ = try? archive.model()
        _ = try? FuzzModel.snapshot(reading: bytes)
        let context = FuzzModel.emptyContext()
        defer { context.reset() }
        do {
            try context.restore(archive)
        } catch {
            precondition(!context.hasChanges, "a failed restore left objects behind")
            throw error
        }
    }

    private static func applyDiff(_ bytes: Data) throws {
        let diff = try JSONDecoder().decode(GraphDiff.self, from: bytes)
        _ = diff.composed(with: diff.inverted).composed(with: diff)
        _ = try FuzzModel.snapshot.applying(diff)
        _ = try FuzzModel.snapshot.applying(diff.inverted)
    }

    private static func applyPatches(_ bytes: Data) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = try? JSONPatch.Pointer(parsing: text)
        let document = FuzzModel.document
        if let patch = try? JSONPatch(parsing: text) { _ = try patch.applying(to: document) }
        let merge = try JSONMergePatch(parsing: text)
        _ = merge.applying(to: document)
        _ = try JSONPatch(from: document, to: merge.applying(to: document)).applying(to: document)
    }

    private static func openTracker(_ bytes: Data) throws {
        let file = FuzzModel.folder.appending(path: "tracker.graft-sync")
        try bytes.write(to: file)
        let context = FuzzModel.emptyContext()
        defer { context.reset() }
        let tracker = try GraphTracker(file: file, context: context)
        _ = try tracker.pendingChange()
    }

    // MARK: Readers of the runtime

    private static func predicate(_ bytes: Data) throws -> NSPredicate {
        let predicate = try NSPredicate.parsing(String(decoding: bytes, as: UTF8.self))
        let again = try NSPredicate.parsing(predicate.formatText)
        precondition(
            again.formatText == predicate.formatText, "its format is another predicate: \(predicate) \(again)"
        )
        return predicate
    }

    private static func fetch(_ bytes: Data) throws {
        let predicate = try NSPredicate.parsing(String(decoding: bytes, as: UTF8.self))
        var counts: [Int] = []
        for container in FuzzModel.filledContainers {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = predicate
            // What one store refuses, the other may as well.
            do {
                counts.append(try container.viewContext.count(for: request))
            } catch {
                precondition(!"\(error)".isEmpty, "an error without words")
            }
        }
        precondition(counts.count < 2 || counts[0] == counts[1], "in memory and in SQLite it is another: \(predicate)")
    }

    private static func readModelXML(_ bytes: Data) throws {
        let folder = FuzzModel.folder.appending(path: "Fuzz.xcdatamodel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try bytes.write(to: folder.appending(path: "contents"))
        try writeModel(NSManagedObjectModel(readingContentsOf: folder))
    }

    /// What can be read can be written and read again, and is the same from then on. (What says nothing, such as a constraint of no
    /// properties, is left out the first time.)
    private static func writeModel(_ model: NSManagedObjectModel) throws {
        let archived = try NSManagedObjectModel(archive: model.archived()).archived()
        let again = try NSManagedObjectModel(archive: archived).archived()
        precondition(again == archived, "written and read again it is another model")
        _ = try? GraphSnapshot(model: model)
    }

    private static func readKeyedArchive(_ bytes: Data) {
        let transformer = NSSecureUnarchiveFromDataTransformer()
        guard let object = transformer.transformedValue(bytes) else { return }
        guard let data = transformer.reverseTransformedValue(object) as? Data else { return }
        precondition(transformer.transformedValue(data) != nil, "written and read again it is nothing")
    }

    private static func readStore(_ bytes: Data) throws {
        let store = FuzzModel.folder.appending(path: "fuzz.sqlite")
        for suffix in ["-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
        try bytes.write(to: store)
        let model = try SQLiteStoreFile.model(at: store) ?? FuzzModel.model
        _ = try GraphSnapshot(reading: .file(store), model: model)
    }
}
