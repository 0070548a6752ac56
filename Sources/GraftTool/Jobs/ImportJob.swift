// What `graft import` does: all files into one store, as one job.

import CoreData
import Foundation
import Graft

/// An import of files into a store.
struct ImportJob {
    var files: [String]
    var store: String
    var model: String?
    var entity: String?
    /// After how many objects to save; nil to save once, at the end.
    var batchSize: Int?
    var isDryRun: Bool
    var failurePolicy = ImportOptions.FailurePolicy.fail
    /// Whether a key that no property maps to is an error.
    var isStrict = false
    /// What tells the objects of entities apart.
    var keys: [String: [String]] = [:]
    /// Whether what may tell others apart is looked for.
    var guessesKeys = false
    /// Files with lists of objects that are gone.
    var deleted: [String] = []
    /// How many objects of an entity may be deleted; nil for what the tool or the model says.
    var deletionLimit: MappingOptions.DeletionLimit?
    var backup = StoreBackup.beside
    /// How many seconds to wait for others that make or change the store; nil for as long as it takes.
    var wait: Double?
    /// The file for the report in JSON.
    var report: String?

    /// Imports, and reports what was done.
    ///
    /// - Throws: What went wrong. The store is then as it was, except for saved batches, or isn't there if it wasn't.
    func run(on console: Console) throws {
        for file in files + deleted where file != "-" { try FileKind.require(.graph, at: file) }
        // A report that can't be written should be known before anything is imported.
        let reportDestination = try report.map {
            try OutputFile.destination(
                $0, besides: (files + deleted).map(\.self) + [store, model, backup.path], console)
        }
        // A model that can't be read is told before anybody waits.
        if let model { _ = try StoreAccess.model(at: model, forStore: store) }
        let making = try lockIfNew(console)
        defer { withExtendedLifetime(making) {} }
        let isNew = try StoreAccess.isMissing(store)
        let input = try input(isNew: isNew, console)
        defer { for source in input.sources + input.deletions { source.removeTemporaryFile() } }
        if let entity {
            try StoreAccess.requireEntity(entity, in: input.model, at: model, of: isNew ? [] : [store])
        }
        try ModelTransformers.register(for: input.model, at: model ?? store)
        let isChanged = !isNew && !isDryRun
        if isChanged { try backup.makeIfAsked(of: store) }
        let report: ImportReport
        do {
            report =
                try isChanged
                ? backup.deleting(deletionLimit, in: store, savesParts: batchSize != nil, console) {
                    try importFiles(input, $0, isNew: false, console)
                }
                : importFiles(input, DeletionLimits(given: deletionLimit), isNew: isNew, console)
        } catch {
            do {
                try write(error, to: reportDestination, console)
            } catch let unwritten {
                console.note("graft: \(StoreAccess.shown(Tool.words(of: unwritten)))")
            }
            throw error
        }
        let done = isDryRun ? nil : "the import is saved"
        // The rest is said, whatever becomes of the file.
        let written = Result { try write(report, to: reportDestination, after: done, console) }
        if self.report == nil || OutputFile.path(self.report) != nil {
            try console.report(
                input.remarks + ImportReportText.lines(report), after: done)
        }
        for sentence in report.identification.sentences { console.note("graft: \(sentence)") }
        for line in ImportReportText.failureLines(report) { console.note(line) }
        try written.get()
    }

    /// Waits for others that make the same new store.
    private func lockIfNew(_ console: Console) throws -> MakingLock? {
        if isDryRun || StoreAccess.server(path: store) != nil || !FileKind.isFree(store) { return nil }
        return try MakingLock(of: store, waitingFor: wait) {
            console.note("graft: \(store) is being made by another process; waiting until it is there")
        }
    }

    /// What is imported, and by which model.
    private struct Input {
        var sources: [ImportSource]
        /// Lists of objects that are gone.
        var deletions: [ImportSource]
        var model: NSManagedObjectModel
        /// What the user should know of the model.
        var remarks: [String] = []
    }

    /// The files and the model: the one given, that of the store, or for a new store the one that a file carries or that the data
    /// would have.
    private func input(isNew: Bool, _ console: Console) throws -> Input {
        var sources = files.map(console.source)
        var deletions = deleted.map { console.source($0).deleting() }
        let kinds = try (sources + deletions).map { try $0.kind() }
        for (kind, source) in zip(kinds, sources + deletions) { try kind.requireContents(source: source.name) }
        // What is no JSON is told where it is read, before a model that is missing.
        guard isNew, model == nil, kinds.prefix(sources.count).allSatisfy({ [.json, .text].contains($0) }) else {
            let carried = isNew && model == nil ? try carriedModel() : nil
            let model = try carried?.model ?? StoreAccess.model(at: model, forStore: store)
            // What may be tried twice is read twice.
            if !isNew, !isDryRun, batchSize == nil, backup.triesTwice(deletionLimit, in: store) {
                sources = try sources.rereadable()
                deletions = try deletions.rereadable()
            }
            return Input(
                sources: sources, deletions: deletions, model: model,
                remarks: carried.map { ["The model of \(store) is that of \($0.file).", ""] } ?? [])
        }
        sources = try sources.rereadable()
        do {
            let inference = try ModelInference(of: sources, entity: entity)
            for (index, entity) in inference.entities.enumerated() { sources[index].entity = entity }
            let remarks = try InferJob.remarks(inference) + Self.remarks(ofWholeGraphs: sources)
            return Input(sources: sources, deletions: deletions, model: inference.model, remarks: remarks)
        } catch {
            for source in sources { source.removeTemporaryFile() }
            throw error
        }
    }

    /// What to do where a text may be a store's export, of which an inferred model makes something else.
    private static func remarks(ofWholeGraphs sources: [ImportSource]) throws -> [String] {
        try sources.filter { try $0.kind { _ in true } == .export }.flatMap { source in
            [
                "\(source.name ?? "The data") is one object of the entity \(source.entity ?? ""). If it is the export of a store, name its "
                    + "model, or the store itself, with --model, and import it into a new store again.", "",
            ]
        }
    }

    /// The model of the first store or archive among the files that has one. What comes through a pipe is read only once.
    private func carriedModel() throws -> (file: String, model: NSManagedObjectModel)? {
        for file in files where file != "-" && !URL(fileURLWithPath: file).isPipe {
            if let model = try GraphFile(path: file, for: .graph).model() { return (file, model) }
        }
        return nil
    }

    private func importFiles(
        _ input: Input, _ limits: DeletionLimits, isNew: Bool, _ console: Console
    ) throws -> ImportReport {
        if isNew {
            if isDryRun {
                return try importSources(of: input, into: StoreAccess.temporaryStore(input.model), limits, console)
            }
            return try StoreAccess.makeStore(at: store, input.model) {
                try importSources(of: input, into: $0, limits, console)
            }
        }
        if !isDryRun, StoreAccess.server(path: store) == nil { Draft.removeLeftovers(of: store) }
        let container =
            isDryRun
            ? try StoreAccess.openForReading(store, modelPath: self.model)
            : try StoreAccess.openForWriting(store, model: input.model)
        return try StoreAccess.closing(container) { try importSources(of: input, into: container, limits, console) }
    }

    private func importSources(
        of input: Input, into container: NSPersistentContainer, _ limits: DeletionLimits,
        _ console: Console
    ) throws -> ImportReport {
        let title = files.count == 1 ? URL(fileURLWithPath: files[0]).lastPathComponent : "\(files.count) files"
        do {
            return try console.working(title) { progress in
                try container.importJSON(
                    from: (input.sources + input.deletions).map(\.kept), entity: entity,
                    options: options(container.managedObjectModel, limits), progress: progress)
            }
        } catch let error as GraftError {
            throw try advised(error, input.sources, container.managedObjectModel)
        }
    }

    private func options(_ model: NSManagedObjectModel, _ limits: DeletionLimits) throws -> ImportOptions {
        var options = ImportOptions()
        options.mapping.entityDefaults.deletionLimit = .ofTool
        if limits.isBesideUsual {
            options.deletionCeiling = limits.given
        } else if let limit = limits.given {
            for entity in model.entities { options.mapping[entity.name ?? ""].deletionLimit = limit }
        }
        // None at all turns off a guess, and no identity that the model declares.
        let declared = keys.values.contains(where: \.isEmpty) ? try MappingDescription(model) : nil
        for (entity, names) in keys where !names.isEmpty || declared?.identity(of: entity).isEmpty ?? true {
            options.mapping[entity].identity = names
        }
        options.guessesKeys = guessesKeys
        options.isDryRun = isDryRun
        options.failurePolicy = failurePolicy
        options.unknownKeys = isStrict ? .fail : .report
        if let batchSize {
            options.batchSize = batchSize
            options.savesEachBatch = true
        }
        return options
    }

    // MARK: Report

    private func write(_ error: any Error, to destination: ExportDestination?, _ console: Console) throws {
        switch error {
        case let failures as ImportFailures: try write(failures.report, to: destination, after: nil, console)
        case let error as GraftError:
            try write(ImportReport(failure: error), to: destination, after: nil, console)
        default: break
        }
    }

    /// Writes the report into its file, whole or not at all.
    ///
    /// - Parameter done: What is done already; nil where nothing has been changed.
    private func write(
        _ report: ImportReport, to destination: ExportDestination?, after done: String?, _ console: Console
    ) throws {
        let path = OutputFile.path(self.report)
        do {
            try destination?.write(Data("\(ReportText.json(report))\n".utf8))
        } catch  where path == nil && console.isOutputClosed {
            // Nobody reads it any more, and the import is what it is.
        } catch var error as GraftError {
            let place = path ?? "standard output"
            if let done { throw Console.unwritten(error, at: place, after: done) }
            error.place.source = place
            throw error
        }
    }

    /// The same error with the option that helps.
    private func advised(
        _ error: GraftError, _ sources: [ImportSource], _ model: NSManagedObjectModel
    ) throws -> GraftError {
        if case .unknownKeys(_, _, _, areAll: true) = error.problem, entity != nil,
            let source = sources.first(where: { $0.name == error.place.source }),
            try source.kind(isEntity: { model.entitiesByName[$0] != nil }) == .export
        {
            return GraftError(
                .other(
                    finding: "it is the JSON of a whole graph, with the objects of each entity under its name",
                    remedy: "Leave out --entity."), at: .init(source: source.name))
        }
        guard case .ambiguousEntity(let candidates) = error.problem else { return error }
        let names = candidates.filter { model.entitiesByName[$0]?.isAbstract != true }.sorted().joined(separator: ", ")
        for source in sources where source.name == error.place.source {
            // The JSON of a whole graph, but for what stands under the name.
            guard let key = try source.firstKey(), model.entitiesByName[key] != nil,
                try source.kind(isEntity: { model.entitiesByName[$0] != nil }) != .export
            else { continue }
            return GraftError(
                .other(
                    finding: "under the name of an entity, an array of its objects is expected",
                    remedy: "Put them into one; or name the entity of the whole with --entity: \(names)."),
                at: GraftError.Place(source: source.name, path: [.key(key)]))
        }
        return GraftError(
            .other(finding: "the data can be of several entities", remedy: "Name one with --entity: \(names)."),
            at: error.place)
    }
}
