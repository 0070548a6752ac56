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

    /// Merges, and reports what was done, or lists what is left to settle.
    ///
    /// - Returns: The number of conflicts.
    /// - Throws: What went wrong. The output is then as it was.
    func run(on console: Console) throws -> Int {
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
        for conflict in merge.conflicts { try console.print(conflict.description) }
        guard merge.conflicts.isEmpty else {
            let conflicts = merge.conflicts.count == 1 ? "1 conflict is" : "\(merge.conflicts.count) conflicts are"
            console.note("graft: \(conflicts) left; nothing was written")
            return merge.conflicts.count
        }
        let diff = try GraphDiff(from: ourSnapshot, to: merge.snapshot, options: options.diff)
        try write(diff, options.diff)
        try console.print(
            "\(diff.inserted.count) new, \(diff.changed.count) changed, \(diff.deleted.count) deleted by the other side"
        )
        for (conflict, _) in merge.settled { try console.print("settled: \(conflict)") }
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
        let copy = target.deletingLastPathComponent().appendingPathComponent(".graft-merge-\(UUID().uuidString)")
        let manager = FileManager.default
        defer { for end in ["", "-wal", "-shm"] { _ = try? manager.removeItem(atPath: copy.path + end) } }
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
            try context.apply(diff, options: PatchOptions(diff: options))
            try context.save()
        }
        try StoreAccess.close(container)
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
