// A staged migration: lightweight migrations with the program's own work between them. The file is of one version after the
// other, and a migration that was interrupted goes on with the stage that begins with the version it has come to. So a handler
// that is interrupted before its stage's step runs again; one that is interrupted after it doesn't.

public import Foundation

/// The option under which a store's staged migration manager is given.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"

/// Leads a store through the versions of its model.
open class NSStagedMigrationManager: NSObject {
    /// The stages, from the oldest version on.
    open private(set) var stages: [NSMigrationStage]
    /// The store, for a custom stage's handlers; nil otherwise.
    open internal(set) var container: NSPersistentContainer?

    /// A manager with stages, the one of the oldest versions first.
    public init(_ stages: [NSMigrationStage]) { self.stages = stages }
}

/// One run of a manager's stages.
struct StagedMigration {
    let manager: NSStagedMigrationManager
    let url: URL
    let destination: NSManagedObjectModel
    let configuration: String?
    let options: SQLiteStoreOptions

    /// - Throws: `CocoaError`: `.stagedMigrationBackwardMigration` for a store that is newer than the model,
    ///   `.managedObjectModelReferenceNotFound`, `.migration` for a store that no stage begins with, and what a handler
    ///   or the migration of a stage throws. The store is then of the version that the last complete stage led to.
    func run() throws {
        let start = try checksum()
        guard let first = try firstStage(start) else { throw unknownStart(start) }
        if try manager.stages[..<first].contains(where: { try beginsWithDestination($0, start) }) { throw backward() }
        for index in manager.stages.indices[first...] {
            if try isStore(of: destination) { return }
            switch manager.stages[index] {
            case is NSLightweightMigrationStage: try migrate(to: modelAfter(index))
            case let stage as NSCustomMigrationStage: try run(stage)
            default: break
            }
        }
        try migrate(to: destination)
    }

    /// Whether the store is of a model's version. Checksums alone don't tell: those of versions in which only derived or composite attributes
    /// differ may be the same.
    private func isStore(of model: NSManagedObjectModel) throws -> Bool {
        try SQLiteStoreFile.differences(of: model, configuration: configuration, fromStoreAt: url).isEmpty
    }

    /// The stage to begin with. Of several that begin with the store's checksum it is the custom one that begins with the store's version;
    /// where there is none, no custom one if possible: its handlers would meet a store of another version.
    private func firstStage(_ checksum: String) throws -> Int? {
        let fitting = manager.stages.indices.filter { Self.begins(manager.stages[$0], with: checksum) }
        guard fitting.count > 1 else { return fitting.first }
        let exact = try fitting.first { index in
            guard let stage = manager.stages[index] as? NSCustomMigrationStage else { return false }
            return try isStore(of: stage.currentModel.resolved())
        }
        return exact ?? fitting.first { !(manager.stages[$0] is NSCustomMigrationStage) } ?? fitting.first
    }

    /// Whether a stage that the store has behind it begins with the destination. Where that has the store's checksum, models alone tell.
    private func beginsWithDestination(_ stage: NSMigrationStage, _ start: String) throws -> Bool {
        let goal = destination.versionChecksum
        guard Self.begins(stage, with: goal) else { return false }
        if goal != start { return true }
        guard let stage = stage as? NSCustomMigrationStage else { return false }
        return try !ModelMatching(source: stage.currentModel.resolved(), destination: destination).needsMigration
    }

    private static func begins(_ stage: NSMigrationStage, with checksum: String) -> Bool {
        switch stage {
        case let stage as NSLightweightMigrationStage: stage.versionChecksums.contains(checksum)
        case let stage as NSCustomMigrationStage: stage.currentModel.versionChecksum == checksum
        default: false
        }
    }

    /// The checksum of the version that the store is of, computed like a model's.
    private func checksum() throws -> String {
        let metadata = try SQLiteStoreFile.metadata(at: url)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        if configuration != nil {
            // The store has the hashes of its configuration's entities alone, and stages name whole models.
            if try isStore(of: destination) { return destination.versionChecksum }
            // Of versions that are the same for the configuration, the one that a stage begins with.
            for case let stage as NSCustomMigrationStage in manager.stages {
                let model = try stage.currentModel.resolved()
                if try isStore(of: model) { return model.versionChecksum }
            }
            let search = SourceModelSearch(
                store: url, metadata: metadata, configuration: configuration, destination: destination)
            if let model = search.run().model { return model.versionChecksum }
        }
        var hash = ModelHash()
        for name in hashes.keys.sorted(by: SQLNaming.precedes) { hash.add(hashes[name] ?? Data()) }
        return hash.finished().base64EncodedString()
    }

    /// Where a lightweight stage leads: to the version that the next custom stage begins with, else to the last.
    private func modelAfter(_ index: Int) throws -> NSManagedObjectModel {
        for case let stage as NSCustomMigrationStage in manager.stages[index...].dropFirst() {
            return try stage.currentModel.resolved()
        }
        return destination
    }

    private func run(_ stage: NSCustomMigrationStage) throws {
        let (older, newer) = (try stage.currentModel.resolved(), try stage.nextModel.resolved())
        try calling(stage.willMigrateHandler, stage, older)
        try migrate(to: newer)
        try calling(stage.didMigrateHandler, stage, newer)
    }

    private func calling(
        _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
        _ stage: NSCustomMigrationStage, _ model: NSManagedObjectModel
    ) throws {
        guard let handler else { return }
        let container = NSPersistentContainer(name: stage.label ?? "migration", managedObjectModel: model)
        try container.persistentStoreCoordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration, at: url)
        manager.container = container
        defer { manager.container = nil }
        let result = Result { try handler(manager, stage) }
        for store in container.persistentStoreCoordinator.persistentStores {
            try (store.backend as? SQLiteStoreBackend)?.close()
            try container.persistentStoreCoordinator.remove(store)
        }
        try result.get()
    }

    private func migrate(to model: NSManagedObjectModel) throws {
        if try isStore(of: model) { return }
        let metadata = try SQLiteStoreFile.metadata(at: url)
        let errors = MigrationErrors(store: url)
        let found = SourceModelSearch(
            store: url, metadata: metadata, configuration: configuration, destination: destination
        ).run()
        guard let source = found.model else { throw errors.missingSourceModel(searched: found.searched) }
        do {
            _ = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: model)
        } catch let error as CocoaError {
            throw errors.missingMapping(source, model, underlying: error)
        }
        try StoreMigration(
            url: url, source: source, destination: model, configuration: configuration, options: options
        ).run()
    }

    // MARK: Errors

    private func unknownStart(_ checksum: String) -> CocoaError {
        CoreDataError.make(
            .migration,
            "The store \(url.path) can't be migrated: no stage begins with its version (checksum \(checksum)). Add one.",
            userInfo: [NSFilePathErrorKey: url.path])
    }

    private func backward() -> CocoaError {
        CoreDataError.make(
            .stagedMigrationBackwardMigration,
            "The store \(url.path) is of a newer version than the model, and stages lead forward only. Open it with a "
                + "newer version.",
            userInfo: [NSFilePathErrorKey: url.path])
    }
}
