// What `graft merge` does. The result is a copy of our store with their changes, which takes the output's place in one
// step.

import CoreData
import Foundation
import Graft

/// A merge of stores.
struct MergeJob {
    var base: String
    var ours: String
    var theirs: String
    var output: String
    var model: String?
    var prefer: MergeSide?
    private let progress = Progress(totalUnitCount: 1)

    init(base: String, ours: String, theirs: String, output: String, model: String? = nil, prefer: MergeSide? = nil) {
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
        let model = try StoreAccess.model(at: self.model, forStore: ours)
        let ourSnapshot = try snapshot(ours, model)
        var options = MergeOptions()
        options.diff.takesAbsentAsNull = true
        switch prefer {
        case .ours?: options.policy = .ours
        case .theirs?: options.policy = .theirs
        case nil: options.policy = .leave
        }
        let merge = try GraphMerge(
            base: snapshot(base, model), ours: ourSnapshot, theirs: snapshot(theirs, model), options: options)
        if progress.isCancelled { throw GraftError(.cancelled) }
        for conflict in merge.conflicts { try console.print(conflict.description) }
        guard merge.conflicts.isEmpty else {
            let conflicts = merge.conflicts.count == 1 ? "1 conflict is" : "\(merge.conflicts.count) conflicts are"
            console.note("graft: \(conflicts) left; nothing was written")
            return merge.conflicts.count
        }
        let diff = try GraphDiff(from: ourSnapshot, to: merge.snapshot, options: options.diff)
        try write(diff, options.diff)
        let counts = [diff.inserted.count, diff.changed.count, diff.deleted.count]
        let line = "\(counts[0]) new, \(counts[1]) changed, \(counts[2]) deleted by the other side"
        try console.report([line] + merge.settled.map { "settled: \($0.0)" }, after: "the merged store is written")
        return 0
    }

    private func snapshot(_ path: String, _ model: NSManagedObjectModel) throws -> GraphSnapshot {
        try FileKind.requireReadable(path)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        if path == base, size == 0 { return try GraphSnapshot(model: model) }
        let container = try StoreAccess.openForReading(path, modelPath: self.model)
        let context = container.newBackgroundContext()
        let snapshot = try context.performAndWait { try GraphSnapshot(of: context) }
        try StoreAccess.close(container)
        return snapshot
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
                try context.apply(diff, options: PatchOptions(diff: options))
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
