// How far an export is, in objects, and whether somebody has called it off.

import Foundation

/// Reports to a `Progress`, where there is one.
struct ObjectProgress {
    private let progress: Progress?

    init(_ progress: Progress?, total: () throws -> Int) rethrows {
        self.progress = progress
        guard let progress else { return }
        progress.totalUnitCount = Int64(try total())
        progress.completedUnitCount = 0
    }

    /// - Throws: ``GraftError`` with `cancelled`.
    func checkCancellation() throws {
        if progress?.isCancelled ?? false || Task.isCancelled { throw GraftError(.cancelled) }
    }

    func advance(by count: Int) {
        guard let progress else { return }
        progress.completedUnitCount = min(progress.totalUnitCount, progress.completedUnitCount + Int64(count))
    }

    func finish() {
        guard let progress else { return }
        progress.completedUnitCount = progress.totalUnitCount
    }
}
