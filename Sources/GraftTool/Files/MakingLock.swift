// Two jobs that would each make the same new store: the second one waits, and then finds the store of the first. The lock is a
// file beside the store's place, `.graft-Heroes.sqlite.lock`, which goes when the store is there; one that a killed run has
// left is nobody's, and is used again.

import Foundation
import Graft

/// The right to make a file that isn't there yet.
final class MakingLock {
    private let path: String
    private let file: Int32

    /// Waits until nobody else makes the file.
    ///
    /// - Parameters:
    ///   - seconds: How long to wait; nil for as long as it takes.
    ///   - notice: Is called once where there is somebody to wait for.
    /// - Throws: ``GraftError`` with `unwritableFile`, where nothing can be made in the folder, or somebody takes too long.
    init(of target: String, waitingFor seconds: Double?, notice: () -> Void) throws {
        let url = FilePath.target(of: target)
        try FileKind.requireFolder(of: url, shownAs: target)
        path = Self.path(for: url)
        let start = ContinuousClock.now
        var hasNoticed = false
        while true {
            // Safe: the path is a string, which the call copies.
            let opened = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            guard opened >= 0 else {
                throw GraftError(.unwritableFile(reason: SystemError.reason()), at: .init(source: target))
            }
            // A file system without locks has nobody to wait for.
            let isLocked = flock(opened, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)
            if isLocked, Self.isStill(opened, at: path) {
                file = opened
                return
            }
            close(opened)
            if let seconds, (ContinuousClock.now - start) / .seconds(1) >= seconds {
                throw GraftError(.unwritableFile(reason: "another process is making it"), at: .init(source: target))
            }
            if !hasNoticed { notice() }
            hasNoticed = true
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    deinit {
        // Before the lock goes, so that nobody takes a file that is about to be removed for the lock.
        // Safe: the path is a string, which the call copies.
        _ = unsafe unlink(path)
        close(file)
    }

    private static func path(for url: URL) -> String {
        url.deletingLastPathComponent().appendingPathComponent(".graft-\(url.lastPathComponent).lock").path
    }

    /// Removes the lock of a killed run, if there is one.
    static func removeLeftover(of target: String) {
        let path = path(for: FilePath.target(of: target))
        // Safe: the path is a string, which the calls copy.
        let file = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return }
        if flock(file, LOCK_EX | LOCK_NB) == 0, isStill(file, at: path) { _ = unsafe unlink(path) }
        close(file)
    }

    /// Whether an open file is the one at a path: its maker may have removed it meanwhile.
    private static func isStill(_ file: Int32, at path: String) -> Bool {
        var (open, found) = (stat(), stat())
        // Safe: both calls fill a structure of ours, and copy the path.
        guard unsafe fstat(file, &open) == 0, unsafe stat(path, &found) == 0 else { return false }
        return open.st_ino == found.st_ino && open.st_dev == found.st_dev
    }
}
