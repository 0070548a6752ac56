// Opening models and stores. The only file of the tool that uses more of the runtime than Core Data's public API: reading the
// model that a store carries, and errors instead of nil or a stop for models and predicates that come from a user.

import CoreData
import Foundation
import Graft
import Synchronization

/// Models and stores by their paths.
enum StoreAccess {
    /// Keeps the runtime quiet about classes: models come from others' programs, whose classes aren't here.
    static func expectOthersModels() { ManagedObjectClasses.ignoreMissingClasses() }

    // MARK: Models

    /// The model to use with a store: the one given, else the one that the store carries. The transformers that it names are
    /// registered, as far as there are rules for them.
    ///
    /// - Throws: ``GraftError`` with `missingModel`; what is wrong with the model, its configuration or the store.
    static func model(at path: String?, forStore store: String) throws -> NSManagedObjectModel {
        let model = try read(path, forStore: store)
        try ModelTransformers.registerKnown(for: model, at: path ?? store, needsGiven: false)
        return model
    }

    private static func read(_ path: String?, forStore store: String) throws -> NSManagedObjectModel {
        if let server = server(path: store) {
            if let path { return try read(path) }
            if let model = try server.provider.model(at: server.url) { return model }
            throw GraftError(
                .missingModel(reason: "there is no store yet, and there is no --model"), at: place(store))
        }
        // What is no store is told before a model that is missing or doesn't fit.
        switch FileKind(ofPath: store) {
        case .file: try requireStore(store)
        case .folder, .device: try FileKind.requireReadable(store)
        case .missing, .server: break
        }
        if let path { return try read(path) }
        guard FileKind(ofPath: store) != .missing else {
            throw GraftError(
                .other(
                    finding: "there is no model: the store doesn't exist yet, and there is no --model",
                    remedy: "Name a model with --model."), at: place(store))
        }
        do {
            if let model = try carriedModel(of: store) { return model }
        } catch let error as ModelError {
            let reason = "the one in the store is damaged (\(error.reasons)), and there is no --model"
            throw GraftError(.missingModel(reason: reason), at: place(store))
        }
        throw GraftError(.missingModel(reason: "the store carries none, and there is no --model"), at: place(store))
    }

    /// The model in a store's file; nil where there is none.
    private static func carriedModel(of store: String) throws -> NSManagedObjectModel? {
        let url = URL(fileURLWithPath: store)
        guard let model = try SQLiteStoreFile.model(at: url) else { return nil }
        let metadata = try SQLiteStoreFile.metadata(at: url)
        let fits = ([nil] + model.configurations.map(Optional.some)).contains {
            model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
        }
        if fits { return model }
        throw GraftError(
            .missingModel(reason: "the store carries that of another version, and there is no --model"),
            at: place(store))
    }

    /// Reads a model from a file or folder, or takes it from a store or an archive that carries it; as
    /// ``model(at:forStore:)`` does.
    static func model(at path: String) throws -> NSManagedObjectModel {
        let model = try read(path)
        try ModelTransformers.registerKnown(for: model, at: path, needsGiven: false)
        return model
    }

    private static func read(_ path: String) throws -> NSManagedObjectModel {
        try FileKind.requireName(path)
        if server(path: path) != nil { return try read(nil, forStore: path) }
        if FileKind(ofPath: path) == .file, !path.hasSuffix(".mom"), !isModelFile(path) {
            let kind = try FileKind.contents(of: path)
            try kind.require(.model, source: path)
            if kind == .store { return try read(nil, forStore: path) }
            if let model = try GraphArchive(contentsOf: URL(fileURLWithPath: path)).model() { return model }
            throw GraftError(.missingModel(reason: "the archive was written without one"), at: place(path))
        }
        return try NSManagedObjectModel(readingContentsOf: URL(fileURLWithPath: path))
    }

    /// Whether a file is a part of a model: the `contents` of an `.xcdatamodel`, for instance.
    static func isModelFile(_ path: String) -> Bool {
        let folders = URL(fileURLWithPath: path).deletingLastPathComponent().pathExtension
        return ["xcdatamodel", "xcdatamodeld", "momd"].contains(folders)
    }

    /// Refuses a file that isn't a store, and names the command for it. An empty file is one that SQLite would make a store of.
    static func requireStore(_ path: String) throws {
        let kind = try FileKind.contents(of: path)
        switch kind {
        // Another program's text or bytes may be a damaged store; what opens it says what is wrong.
        case .store, .empty, .text, .other: break
        default: try kind.require(.store, source: path)
        }
    }

    // MARK: Stores

    /// The server that a store's URL leads to, and what opens its stores; nil for the path of a file.
    static func server(path: String) -> (url: URL, provider: any StoreProvider)? {
        guard path.contains("://"), let url = URL(string: path), let provider = StoreProviders.provider(for: url) else {
            return nil
        }
        return (url, provider)
    }

    /// Whether there is no store yet: nothing, or an empty file, as `mktemp` makes it.
    ///
    /// - Throws: ``GraftError`` for a place where no store can be made.
    static func isMissing(_ path: String) throws -> Bool {
        try FileKind.requireName(path)
        if let server = server(path: path) { return try server.provider.model(at: server.url) == nil }
        guard FileKind.isFree(path) else { return false }
        try OutputFile.requirePlaceOfStore(path)
        return true
    }

    /// Makes a store and fills it. A file appears when it is complete. On a server there is the empty store if that fails: others may
    /// have put something in meanwhile.
    ///
    /// - Parameter original: The store that it is a copy of: who may not read it may not read the copy.
    static func makeStore<T>(
        at path: String, _ model: NSManagedObjectModel, copyOf original: String? = nil,
        _ body: (NSPersistentContainer) throws -> T
    ) throws -> T {
        guard server(path: path) != nil else { return try Draft(of: path).makeStore(model, copyOf: original, body) }
        let container = try openForWriting(path, model: model)
        let result = try body(container)
        try close(container)
        return result
    }

    /// The name of a store for a title, without what may be secret.
    static func title(of path: String) -> String {
        guard let server = server(path: path) else { return URL(fileURLWithPath: path).lastPathComponent }
        return server.url.lastPathComponent
    }

    /// A text without the passwords of URLs in it.
    static func shown(_ text: String) -> String {
        text.replacing(/(postgres(?:ql)?:\/\/[^:\/@\s]*):[^@\/\s]*@/) { "\($0.output.1)@" }
            .replacing(/([?&]password=)[^&\s]*/) { "\($0.output.1)***" }
    }

    /// Refuses a store on a server where only a file will do.
    static func requireFile(_ path: String, remedy: String) throws {
        if server(path: path) == nil { return }
        throw GraftError(
            .other(finding: "that works with stores in files, and this one is on a server", remedy: remedy),
            at: place(title(of: path)))
    }

    /// Opens a store of which not a byte will change.
    ///
    /// - Parameter modelPath: The model; nil for the one that the store carries.
    /// - Throws: An error that names the file, what is wrong with it and what to do.
    static func openForReading(_ path: String, modelPath: String?) throws -> NSPersistentContainer {
        try FileKind.requireReadable(path)
        if FileKind(ofPath: path) == .file { try requireStore(path) }
        return try open(path, model(at: modelPath, forStore: path), isReadOnly: true)
    }

    /// Opens a store, and makes it if there is none.
    ///
    /// - Throws: As ``openForReading(_:modelPath:)``.
    static func openForWriting(_ path: String, model: NSManagedObjectModel) throws -> NSPersistentContainer {
        if FileKind(ofPath: path) != .missing { try FileKind.requireReadable(path) }
        if FileKind(ofPath: path) == .file { try requireStore(path) }
        if server(path: path) == nil {
            try FileKind.requireFolder(of: FilePath.target(of: path), shownAs: shown(path))
        }
        return try open(path, model, isReadOnly: false)
    }

    /// What there is to do to make a store one of another version of its model.
    ///
    /// - Parameter mapping: A mapping model's file, or `inferred`; nil for one that is found, else inferred.
    static func migration(
        of path: String, to model: NSManagedObjectModel, mapping: String?
    ) throws -> MigrationPlan {
        try requireFile(
            path, remedy: "Opening a store on a server with a newer model migrates it, where that is asked for.")
        if let mapping { try FileKind.requireName(mapping) }
        let mapping: MigrationPlan.Mapping =
            switch mapping {
            case nil: .automatic
            case "inferred": .inferred
            case let file?: .file(URL(fileURLWithPath: file))
            }
        return try MigrationPlan(store: URL(fileURLWithPath: path), destination: model, mapping: mapping)
    }

    /// Migrates a store.
    static func migrate(_ plan: MigrationPlan) throws { try plan.run(timeout: patience.withLock { $0 }) }

    /// Migrates a copy of a store, which is gone then, to see whether its objects allow it.
    static func tryMigration(_ plan: MigrationPlan, of store: String) throws {
        let name = URL(fileURLWithPath: store).lastPathComponent
        let draft = try Draft(of: FileManager.default.temporaryDirectory.appendingPathComponent(name).path)
        defer { draft.remove() }
        try draft.copy(store, isPrivate: true)
        try plan.run(on: URL(fileURLWithPath: draft.path), timeout: nil)
    }

    /// A check of all that a store has.
    static func check(
        _ path: String, model: NSManagedObjectModel, identities: [String: [String]], families: [String: String]
    ) -> StoreCheck {
        StoreCheck(
            store: URL(fileURLWithPath: path), model: model, identities: identities, families: families,
            timeout: patience.withLock { $0 })
    }

    /// How many values of a store lie in files that aren't there; nil on a server, which keeps none in files.
    static func missingFiles(_ path: String, model: NSManagedObjectModel) throws -> Int? {
        guard server(path: path) == nil else { return nil }
        return try check(path, model: model, identities: [:], families: [:]).missingFileCount()
    }

    /// A check of the file, where the store has no model that can be read.
    static func checkFile(_ path: String, _ report: (StoreFinding) throws -> Void) throws {
        try StoreCheck.checkFile(
            of: URL(fileURLWithPath: path), timeout: patience.withLock { $0 }, report)
    }

    /// How much of a store's file its tables take; nil on a server, and where SQLite can't tell.
    static func tableSizes(_ path: String, model: NSManagedObjectModel) throws -> TableSizes? {
        guard server(path: path) == nil else { return nil }
        return try TableSizes(
            store: URL(fileURLWithPath: path), model: model, timeout: patience.withLock { $0 })
    }

    /// What differs between two versions of a model.
    static func comparison(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel
    ) -> ModelVersionComparison { ModelVersionComparison(from: old, to: new) }

    private static func open(
        _ path: String, _ model: NSManagedObjectModel, isReadOnly: Bool
    ) throws -> NSPersistentContainer {
        let url = server(path: path)?.url ?? URL(fileURLWithPath: path)
        let description = NSPersistentStoreDescription(url: url)
        description.isReadOnly = isReadOnly
        // A store of another version of the model is an error, not something to convert on the way.
        description.shouldMigrateStoreAutomatically = false
        description.shouldInferMappingModelAutomatically = false
        return try container(model, description)
    }

    /// A store that is gone with the container, to try an import in.
    static func temporaryStore(_ model: NSManagedObjectModel) throws -> NSPersistentContainer {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        return try container(model, description)
    }

    /// How long the stores that are opened from now on wait for somebody else's lock, and who says that they do.
    static func wait(_ seconds: Double?, notice: @escaping @Sendable (String) -> Void) {
        patience.withLock { $0 = seconds }
        StoreLock.notice.withLock { known in
            known = { notice("graft: \($0) is locked by another process; waiting until it is free") }
        }
    }

    /// Does work that can be cancelled also while it waits for somebody else's lock.
    ///
    /// - Throws: ``GraftError`` with `cancelled` where it was, whatever the work failed with.
    static func cancelling<T>(with progress: Progress, _ body: () throws -> T) throws -> T {
        do {
            return try StoreLock.waiting(while: { !progress.isCancelled }, body)
        } catch  where progress.isCancelled {
            throw GraftError(.cancelled)
        }
    }

    private static let patience = Mutex<Double?>(nil)

    private static func container(
        _ model: NSManagedObjectModel, _ description: NSPersistentStoreDescription
    ) throws -> NSPersistentContainer {
        if let seconds = patience.withLock({ $0 }) {
            description.setOption(NSNumber(value: seconds), forKey: NSPersistentStoreTimeoutOption)
        }
        let container = NSPersistentContainer(name: "graft", managedObjectModel: model)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    /// Lets go of a store, so that its log goes into its file now and not when somebody opens it next.
    static func close(_ container: NSPersistentContainer) throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Runs a closure and lets go of the store, whether it fails or not.
    static func closing<T>(_ container: NSPersistentContainer, after body: () throws -> T) throws -> T {
        let result: T
        do {
            result = try body()
        } catch {
            // Nothing more is written, and the error that counts is the first.
            try? close(container)
            throw error
        }
        try close(container)
        return result
    }

    /// Copies a store as it is now, its log and its external data included.
    ///
    /// - Throws: ``GraftError`` where there is something already, or the folder doesn't exist.
    static func backUp(_ store: String, to path: String) throws {
        try requireFile(store, remedy: "Make a backup with pg_dump, or with graft archive, and leave --backup out.")
        try FileKind.requireName(path)
        guard FileKind(ofPath: path) == .missing else {
            throw GraftError(
                .other(finding: "there is a file already, and a backup replaces none", remedy: "Name another file."),
                at: place(path))
        }
        try OutputFile.requireNoPartOfStore(path, besides: [store])
        try FileKind.requireFolder(of: FilePath.target(of: path), shownAs: shown(path))
        try FileKind.requireReadable(store)
        if case .archive = try FileKind.contents(of: store) {
            try FileManager.default.copyItem(at: FilePath.target(of: store), to: FilePath.target(of: path))
        } else {
            try requireStore(store)
            try copy(store, to: path)
        }
    }

    /// Makes what is at a path a copy of a store, external data included, in one step.
    static func copy(_ store: String, to path: String) throws {
        if FileKind.isFree(path) {
            let draft = try Draft(of: path)
            defer { draft.remove() }
            try draft.copy(store)
            return try draft.putInPlace()
        }
        let target = FilePath.target(of: path)
        try SQLiteStoreFile.replace(at: target, withStoreAt: FilePath.target(of: store))
    }

    /// Deletes a store with everything that belongs to it.
    static func destroy(_ container: NSPersistentContainer) throws {
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores {
            guard let url = store.url else { continue }
            try coordinator.destroyPersistentStore(at: url, ofType: store.type)
        }
    }

    /// Refuses an entity that the model of stores doesn't have. Where they have another model, that is the mistake.
    static func requireEntity(
        _ name: String, in model: NSManagedObjectModel, at modelPath: String?, of stores: [String]
    ) throws {
        if model.entitiesByName[name] != nil { return }
        if modelPath != nil {
            for store in stores { try close(openForReading(store, modelPath: modelPath)) }
        }
        _ = try model.entity(named: name)
    }

    // MARK: Predicates

    /// Reads a predicate.
    ///
    /// - Throws: An error that shows the text and the place in it.
    static func predicate(_ text: String) throws -> NSPredicate { try NSPredicate.parsing(text) }

    private static func place(_ path: String) -> GraftError.Place { GraftError.Place(source: shown(path)) }
}

extension NSManagedObjectModel {
    /// The names of the entities that inherit from none.
    var rootNames: [String] { entities.filter { $0.superentity == nil }.compactMap(\.name).sorted() }
}
