// What `graft merge` does. The result is a copy of our store or archive with their changes, which takes the output's place in
// one step.

import CoreData
import Foundation
import Graft

/// A merge of stores or archives.
struct MergeJob {
    var base: String
    var ours: String
    var theirs: String
    var output: String
    var model: String?
    var prefer: MergeSide?
    var options: DiffOptions
    /// How many objects of an entity may be deleted; nil for what the tool says.
    var deletionLimit: MappingOptions.DeletionLimit?
    /// What becomes of what is at the output.
    var backup = StoreBackup.beside
    private let progress = Progress(totalUnitCount: 1)

    /// Merges, and reports what was done, or lists what is left to settle.
    ///
    /// - Returns: The number of conflicts.
    /// - Throws: What went wrong. The output is then as it was.
    func run(on console: Console) throws -> Int {
        let interruption = Interruption(cancelling: progress)
        defer { interruption.end() }
        let merged = try StoreAccess.cancelling(with: progress) { try merge(console) }
        if merged.conflicts == 0 { try console.report(merged.report, after: "the merged store is written") }
        return merged.conflicts
    }

    private func merge(_ console: Console) throws -> (conflicts: Int, report: [String]) {
        let files = (
            base: try isEmptyBase ? nil : GraphFile(path: base, for: .wholeGraph),
            ours: try GraphFile(path: ours, for: .wholeGraph), theirs: try GraphFile(path: theirs, for: .wholeGraph)
        )
        guard files.ours.isStore || files.ours.isArchive else {
            throw GraftError(
                .wrongKind(
                    found: files.ours.kind.words, expected: "a store or an archive",
                    remedy: "Import it into a store first: graft import."), at: .init(source: ours))
        }
        try requireReplaceableOutput(files.ours)
        let model = try GraphFile.model(
            of: [files.ours, files.theirs], at: model,
            orWords: "the archives were written without one, and there is no --model")
        try ModelTransformers.registerKnown(for: model, at: self.model ?? ours)
        var options = GraphMerge.Options()
        options.diff = self.options
        // What is merged is written, so a guess has to be agreed to.
        options.diff.guessesKeys = self.options.guessesKeys ?? false
        switch prefer {
        case .ours?: options.policy = .ours
        case .theirs?: options.policy = .theirs
        case nil: options.policy = .leave
        }
        let merge = try GraphFile.sharingModel(
            [files.ours, files.theirs] + [files.base].compactMap(\.self), self.model
        ) {
            try GraphMerge(
                base: files.base.map { try snapshot($0, model) } ?? GraphSnapshot(model: model),
                ours: snapshot(files.ours, model), theirs: snapshot(files.theirs, model), options: options)
        }
        if progress.isCancelled { throw GraftError(.cancelled) }
        for sentence in merge.identification.sentences { console.note("graft: \(sentence)") }
        for conflict in merge.conflicts { try console.print(conflict.description) }
        guard merge.conflicts.isEmpty else {
            let conflicts = merge.conflicts.count == 1 ? "1 conflict is" : "\(merge.conflicts.count) conflicts are"
            console.note("graft: \(conflicts) left; nothing was written")
            return (merge.conflicts.count, [])
        }
        let diff = try merge.diffFromOurs()
        func write(_ limits: DeletionLimits) throws {
            let patch = limits.options(.fail, options.diff)
            if files.ours.isArchive {
                try self.write(diff, patch, archive: files.ours.archive, model)
            } else {
                try self.write(diff, patch)
            }
        }
        if try [.file, .server].contains(FileKind(ofPath: output)) && FileKind.contents(of: output) != .empty {
            try backup.makeIfAsked(of: output)
            try backup.deleting(deletionLimit, in: output, console, write)
        } else {
            try write(DeletionLimits(given: deletionLimit))
        }
        let counts = [diff.inserted.count, diff.changed.count, diff.deleted.count]
        let line = "\(counts[0]) new, \(counts[1]) changed, \(counts[2]) deleted by the other side"
        return (0, [line] + merge.settled.map { "settled: \($0.0)" })
    }

    /// The output may be one of the versions, and is of our version's kind: no store becomes an archive, and no archive a store.
    /// Another store is replaced only where it continues ours, as the result of an earlier merge does.
    private func requireReplaceableOutput(_ ours: GraphFile) throws {
        try FileKind.requireName(output)
        if !FileKind.isSameFile(self.ours, output) {
            try StoreAccess.requireFile(
                self.ours, remedy: "Name it as the output, too, or put it into a file first: graft copy.")
            try StoreAccess.requireFile(output, remedy: "Name a file for the result.")
        }
        let versions = [base, self.ours, theirs]
        try OutputFile.requireNoPartOfStore(output, besides: versions + [model].compactMap(\.self))
        switch FileKind(ofPath: output) {
        case .missing, .server: return
        case .folder: throw GraftError(.unwritableFile(reason: "it is a folder"), at: .init(source: output))
        case .device:
            throw GraftError(
                .other(finding: "it is a pipe or a device, and a merge makes a file", remedy: "Name a file."),
                at: .init(source: output))
        case .file: break
        }
        let kind = try FileKind.contents(of: output)
        guard kind != .empty else { return }
        try kind.require(ours.isStore ? .store : .archive, source: output)
        guard ours.isStore, !versions.contains(where: { FileKind.isSameFile($0, output) }) else { return }
        guard try uuid(ofStore: output) == uuid(ofStore: self.ours) else {
            throw GraftError(
                .other(
                    finding: "the result would replace a store that doesn't continue our version",
                    remedy: "Name another file, or remove the store first."), at: .init(source: output))
        }
    }

    private func uuid(ofStore path: String) throws -> String? {
        let url = URL(fileURLWithPath: path)
        return try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)[NSStoreUUIDKey]
            as? String
    }

    /// Git has an empty file where both sides have added one.
    private var isEmptyBase: Bool {
        get throws { try FileKind.contents(of: base) == .empty }
    }

    private func snapshot(_ file: GraphFile, _ model: NSManagedObjectModel) throws -> GraphSnapshot {
        var snapshot = try file.snapshot(model, modelPath: self.model, entity: nil)
        // A version has all there is, JSON as well.
        if snapshot.absence == .unknown { snapshot.absence = .null }
        return snapshot
    }

    /// Makes our archive with the changes, and puts it in the output's place.
    private func write(
        _ diff: GraphDiff, _ options: GraphDiff.ApplyingOptions, archive: GraphArchive, _ model: NSManagedObjectModel
    ) throws {
        let container = try StoreAccess.temporaryStore(model)
        try container.restore(archive)
        try container.apply(diff, options: options)
        var writing = GraphArchive.WritingOptions()
        writing.encoding = try archive.header().encoding
        writing.includesModel = try archive.model() != nil
        let url = FilePath.target(of: output)
        try container.writeArchive(to: .file(url), options: writing)
    }

    /// Changes our store where it is the output too; else a copy of it, which then takes the output's place.
    private func write(_ diff: GraphDiff, _ options: GraphDiff.ApplyingOptions) throws {
        if FileKind.isSameFile(ours, output) { return try apply(diff, options, to: ours) }
        let draft = try Draft(of: output)
        defer { draft.remove() }
        try draft.copy(ours)
        try apply(diff, options, to: draft.path)
        if FileKind.isFree(output) {
            try draft.putInPlace()
        } else {
            try StoreAccess.copy(draft.path, to: output)
        }
    }

    private func apply(_ diff: GraphDiff, _ options: GraphDiff.ApplyingOptions, to store: String) throws {
        let container = try StoreAccess.openForWriting(store, model: StoreAccess.model(at: model, forStore: ours))
        try StoreAccess.closing(container) {
            if progress.isCancelled { throw GraftError(.cancelled) }
            _ = try container.apply(diff, options: options)
        }
    }
}
