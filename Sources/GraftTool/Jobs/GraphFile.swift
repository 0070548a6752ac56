// A file that holds a graph, whatever its kind: one side of a comparison or of a merge.

import CoreData
import Foundation
import Graft

/// A file that holds a graph.
struct GraphFile {
    let path: String
    let kind: SourceKind

    /// Looks at a file.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile`; with `wrongKind` for a file that can't be used here.
    init(path: String, for need: SourceKind.Need) throws {
        self.path = path
        kind = try FileKind.contents(of: path)
        try kind.require(need, source: path)
    }

    var isStore: Bool { kind == .store }

    var isArchive: Bool { if case .archive = kind { true } else { false } }

    /// Whether the file has some records, which needn't say everything of their objects.
    var isPlain: Bool { [.json, .text, .empty].contains(kind) }

    /// The model that the file carries, or nil.
    func model() throws -> NSManagedObjectModel? {
        if isStore { return try StoreAccess.model(at: nil, forStore: path) }
        return isArchive ? try archive.model() : nil
    }

    /// The model at a path; without one, the first that a file carries.
    static func model(
        of files: [GraphFile], at path: String?, orWords reason: String
    ) throws -> NSManagedObjectModel {
        if let path { return try StoreAccess.model(at: path) }
        for file in files { if let model = try file.model() { return model } }
        guard files.allSatisfy({ $0.isPlain || $0.kind == .export }) else {
            throw GraftError(.missingModel(reason: reason))
        }
        throw GraftError(
            .other(
                finding: "there is no model: \(reason)",
                remedy: "Name one with --model; graft infer makes one of JSON."))
    }

    /// Runs work on files of one model. Where that fails because they carry two, the error says what differs, and how they get one.
    static func sharingModel<T>(_ files: [GraphFile], _ modelPath: String?, _ work: () throws -> T) throws -> T {
        do {
            return try work()
        } catch let error as GraftError {
            switch error.problem {
            case .modelMismatch, .otherModel: break
            default: throw error
            }
            guard modelPath == nil, let first = files.first, let model = try first.model() else { throw error }
            for file in files.dropFirst() {
                guard let other = try file.model() else { continue }
                guard !StoreAccess.comparison(from: model, to: other).differences.isEmpty else { continue }
                let common = Set(model.entities.map(\.name)).intersection(other.entities.map(\.name))
                if common.isEmpty { throw unrelated(first, file) }
                // A store is easier to migrate than an archive, as long as a mapping can be inferred.
                var (old, new) = ((first, model), (file, other))
                if !first.isStore, file.isStore { swap(&old, &new) }
                var comparison = StoreAccess.comparison(from: old.1, to: new.1)
                let back = StoreAccess.comparison(from: new.1, to: old.1)
                if !comparison.obstacles.isEmpty, back.obstacles.isEmpty {
                    swap(&old, &new)
                    comparison = back
                }
                throw otherModel(old.0, new.0, comparison.differences)
            }
            throw error
        }
    }

    private static func unrelated(_ one: GraphFile, _ other: GraphFile) -> GraftError {
        GraftError(
            .other(
                finding: "'\(one.path)' and '\(other.path)' have models without an entity in common",
                remedy: "Name two versions of the same data."))
    }

    private static func otherModel(_ old: GraphFile, _ new: GraphFile, _ differences: [String]) -> GraftError {
        let store = old.isStore ? old.path : "STORE"
        let way =
            old.isStore
            ? "Migrate one of them" : "Restore one of them, and migrate that: graft restore \(old.path) --store STORE"
        return GraftError(
            .other(
                finding: "'\(old.path)' and '\(new.path)' have different versions of the model",
                // A remedy is never shortened.
                remedy: "\(way): graft migrate \(store) --model \(new.path). What differs: "
                    + differences.joined(separator: "; ") + "."))
    }

    /// The file as an archive, which it has to be.
    var archive: GraphArchive { GraphArchive(contentsOf: URL(fileURLWithPath: path)) }

    /// Whose rows the objects are; nil where that isn't known.
    func lineage(modelPath: String?) throws -> GraphSnapshot.Lineage? {
        guard isStore else { return isArchive ? try archive.header().lineage : nil }
        let container = try StoreAccess.openForReading(path, modelPath: modelPath)
        let context = container.newBackgroundContext()
        return try context.performAndWait { try context.lineage() }
    }

    /// The objects in memory.
    func snapshot(_ model: NSManagedObjectModel, modelPath: String?, entity: String?) throws -> GraphSnapshot {
        do {
            if isStore {
                let container = try StoreAccess.openForReading(path, modelPath: modelPath)
                let context = container.newBackgroundContext()
                return try context.performAndWait { try GraphSnapshot(of: context, entities: entity.map { [$0] }) }
            }
            let source = ImportSource.file(URL(fileURLWithPath: path))
            return try GraphSnapshot(reading: source, entity: kind == .export ? nil : entity, model: model)
        } catch let error as GraftError {
            throw error.located(in: .init(source: StoreAccess.shown(path)))
        }
    }

    /// The JSON that patches are about: the file itself, or the export of a store or an archive.
    ///
    /// - Parameters:
    ///   - model: The model of an archive that carries none.
    ///   - entity: The entity of the export; nil for all.
    func document(_ model: NSManagedObjectModel, modelPath: String?, entity: String?) throws -> JSONValue {
        guard isStore || isArchive else {
            do {
                return try JSONValue(parsing: Data(contentsOf: URL(fileURLWithPath: path)))
            } catch let error as GraftError {
                throw error.located(in: .init(source: path))
            }
        }
        guard let entity else {
            return try JSONValue(parsing: snapshot(model, modelPath: modelPath, entity: nil).json(model: model))
        }
        let container =
            isStore
            ? try StoreAccess.openForReading(path, modelPath: modelPath) : try StoreAccess.temporaryStore(model)
        if isArchive { try container.restore(archive) }
        let context = container.newBackgroundContext()
        let data = try context.performAndWait {
            try context.exportJSON(NSFetchRequest<NSManagedObject>(entityName: entity))
        }
        return try JSONValue(parsing: data)
    }
}
