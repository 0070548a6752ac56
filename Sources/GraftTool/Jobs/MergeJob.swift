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
    private let progress = Progress(totalUnitCount: 1)

    init(
        base: String, ours: String, theirs: String, output: String, model: String? = nil, prefer: MergeSide? = nil,
        options: DiffOptions = DiffOptions()
    ) {
        self.options = options
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.output = output
        self.model = model
        self.prefer = prefer
    }

    /// Merges, and reports what was done, or lists what is left to settle.
    ///
    /// - Returns: The number of conflicts.
    /// - Throws: What went wrong. The output is then as it was.
    func run(on console: Console) throws -> Int {
        let interruption = Interruption(cancelling: progress)
        defer { interruption.end() }
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
        let model = try model(files.ours, files.theirs)
        let ourSnapshot = try snapshot(files.ours, model)
        var options = GraphMerge.Options()
        options.diff = self.options
        // What is merged is written, so a guess has to be agreed to.
        options.diff.guessesKeys = self.options.guessesKeys ?? false
        switch prefer {
        case .ours?: options.policy = .ours
        case .theirs?: options.policy = .theirs
        case nil: options.policy = .leave
        }
        let merge = try GraphMerge(
            base: files.base.map { try snapshot($0, model) } ?? GraphSnapshot(model: model), ours: ourSnapshot,
            theirs: snapshot(files.theirs, model), options: options)
        if progress.isCancelled { throw GraftError(.cancelled) }
        for sentence in merge.identification.sentences { console.note("graft: \(sentence)") }
        for conflict in merge.conflicts { try console.print(conflict.description) }
        guard merge.conflicts.isEmpty else {
            let conflicts = merge.conflicts.count == 1 ? "1 conflict is" : "\(merge.conflicts.count) conflicts are"
            console.note("graft: \(conflicts) left; nothing was written")
            return merge.conflicts.count
        }
        let diff = try merge.diffFromOurs()
        if files.ours.isArchive {
            try write(diff, options.diff, archive: files.ours.archive, model)
        } else {
            try write(diff, options.diff)
        }
        let counts = [diff.inserted.count, diff.changed.count, diff.deleted.count]
        let line = "\(counts[0]) new, \(counts[1]) changed, \(counts[2]) deleted by the other side"
        try console.report([line] + merge.settled.map { "settled: \($0.0)" }, after: "the merged store is written")
        return 0
    }

    /// Git has an empty file where both sides have added one.
    private var isEmptyBase: Bool {
        get throws { try FileKind.contents(of: base) == .empty }
    }

    private func model(_ ours: GraphFile, _ theirs: GraphFile) throws -> NSManagedObjectModel {
        if let model { return try StoreAccess.model(at: model) }
        if let model = try ours.model() ?? theirs.model() { return model }
        throw GraftError(.missingModel(reason: "the archives were written without one, and there is no --model"))
    }

    private func snapshot(_ file: GraphFile, _ model: NSManagedObjectModel) throws -> GraphSnapshot {
        var snapshot = try file.snapshot(model, modelPath: self.model, entity: nil)
        // A version has all there is, JSON as well.
        if snapshot.absence == .unknown { snapshot.absence = .null }
        return snapshot
    }

    /// Makes our archive with the changes, and puts it in the output's place.
    private func write(
        _ diff: GraphDiff, _ options: DiffOptions, archive: GraphArchive, _ model: NSManagedObjectModel
    ) throws {
        let container = try StoreAccess.temporaryStore(model)
        try container.restore(archive)
        try container.apply(diff, options: GraphDiff.ApplyingOptions(diff: options))
        var writing = GraphArchive.WritingOptions()
        writing.encoding = try archive.header().encoding
        writing.includesModel = try archive.model() != nil
        let url = URL(fileURLWithPath: output).resolvingSymlinksInPath()
        try container.writeArchive(to: .file(url), options: writing)
    }

    /// Copies our store beside the output, changes the copy, and puts it in the output's place.
    private func write(_ diff: GraphDiff, _ options: DiffOptions) throws {
        let target = URL(fileURLWithPath: output).resolvingSymlinksInPath()
        let draft = try Draft(of: output)
        let copy = URL(fileURLWithPath: draft.path)
        let manager = FileManager.default
        defer { draft.remove() }
        do {
            try manager.copyItem(atPath: URL(fileURLWithPath: ours).resolvingSymlinksInPath().path, toPath: copy.path)
            // What isn't in the store's file yet is in its log.
            if FileKind(ofPath: ours + "-wal") == .file {
                try manager.copyItem(atPath: ours + "-wal", toPath: copy.path + "-wal")
            }
        } catch {
            throw GraftError(
                .unwritableFile(reason: "the merged store can't be begun"), at: .init(source: output), underlying: error
            )
        }
        let container = try StoreAccess.openForWriting(
            copy.path, model: StoreAccess.model(at: model, forStore: ours))
        let context = container.newBackgroundContext()
        try context.performAndWait {
            try context.withFaultsAsErrors {
                try context.apply(diff, options: GraphDiff.ApplyingOptions(diff: options))
                try context.save()
            }
        }
        try StoreAccess.close(container)
        if progress.isCancelled { throw GraftError(.cancelled) }
        // Safe: both paths are strings, which the call copies.
        guard unsafe rename(copy.path, target.path) == 0 else {
            throw GraftError(.unwritableFile(reason: SystemError.reason()), at: .init(source: output))
        }
        // A log of the store that was there before belongs to it, not to the new one.
        for end in ["-wal", "-shm"] where FileKind(ofPath: target.path + end) == .file {
            try manager.removeItem(atPath: target.path + end)
        }
    }
}
