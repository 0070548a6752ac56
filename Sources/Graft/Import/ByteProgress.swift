// How far an import is, in bytes of its texts, and whether somebody has called it off.

import Foundation

/// Reports to a `Progress`, where there is one.
final class ByteProgress {
    /// Reading a text without importing it is this much faster.
    private static let checkShare: Int64 = 8

    private let progress: Progress?
    private var finished: Int64 = 0
    /// What has been told: it never becomes less, for who is part of another progress counts there once it is complete.
    private var furthest: Int64 = 0
    private var isChecking: Bool

    init(_ progress: Progress?, sources: [ImportSource], isReadTwice: Bool) {
        self.progress = progress
        isChecking = isReadTwice
        guard let progress else { return }
        let sizes = sources.map(\.size)
        // An unknown size makes the whole unknown; Foundation's word for it is a negative total.
        let total = sizes.contains(nil) ? -1 : sizes.compactMap { $0 }.reduce(0, +)
        progress.totalUnitCount = total > 0 && isReadTwice ? total + total / Self.checkShare : total
    }

    /// Whether nobody has called the import off; for threads of any kind.
    var keepsWaiting: @Sendable () -> Bool {
        let progress = progress
        return { !(progress?.isCancelled ?? false || Task.isCancelled) }
    }

    /// - Throws: ``GraftError`` with `cancelled`.
    func checkCancellation() throws {
        if !keepsWaiting() { throw GraftError(.cancelled) }
    }

    /// Tells how far the current text has been read.
    func advance(to offset: Int) { tell(finished + share(Int64(offset))) }

    func finishSource(_ source: ImportSource) {
        finished += share(source.size ?? 0)
        tell(finished)
    }

    func finishCheck() { isChecking = false }

    /// Begins anew. Nothing is told until it has got as far again.
    func begin() { finished = 0 }

    func finish() {
        guard let progress else { return }
        if progress.totalUnitCount < 0 { progress.totalUnitCount = max(1, progress.completedUnitCount) }
        progress.completedUnitCount = progress.totalUnitCount
    }

    private func tell(_ bytes: Int64) {
        furthest = max(furthest, bytes)
        progress?.completedUnitCount = furthest
    }

    private func share(_ bytes: Int64) -> Int64 { isChecking ? bytes / Self.checkShare : bytes }
}
