// What can be told about a store's files without reading them, and which of them this process has open with locks.

import Foundation
import GRDB
import Synchronization

/// A file, whatever path leads to it.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
}

/// A file at one time. Two states that are equal hold the same bytes, as far as a file system tells.
struct FileState: Equatable, Sendable {
    let identity: FileIdentity
    let size: Int64
    /// Whether it is a file, and no folder, pipe, socket or device.
    let isRegular: Bool
    let isFolder: Bool
    /// Seconds and nanoseconds of the last change of the contents.
    private let time: [Int]

    /// Nil where there is no such file.
    init?(_ path: String) {
        var info = stat()
        guard unsafe stat(path, &info) == 0 else { return nil }
        identity = FileIdentity(device: UInt64(info.st_dev), number: UInt64(info.st_ino))
        size = Int64(info.st_size)
        isFolder = info.st_mode & S_IFMT == S_IFDIR
        isRegular = info.st_mode & S_IFMT == S_IFREG
        // Not of the last change of anything about the file: SQLite sets the owner of a log when root opens it.
        time = [info.st_mtim.tv_sec, info.st_mtim.tv_nsec]
    }

    /// The path of a file that a link may lead to. What belongs to a database is beside that, and not beside the link.
    static func real(_ path: String) -> String {
        var info = stat()
        guard unsafe lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFLNK else { return path }
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}

extension FileState {
    /// Makes an empty file that the same people may use as another one, where there is none: of which SQLite makes a copy, with
    /// logs that have its rights.
    ///
    /// - Throws: `DatabaseError`, as SQLite does where it can't make a file.
    static func makeFile(_ path: String, like other: String) throws {
        var info = stat()
        // Safe: the calls fill a structure of ours, and copy the paths.
        // Who copies a file that can't be written to wants to write the copy.
        let mode = unsafe stat(other, &info) == 0 ? info.st_mode & 0o777 | 0o600 : 0o600
        let file = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode)
        if file < 0, errno == EEXIST { return }
        guard file >= 0 else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
        // What the process's mask has taken away. A file system without rights refuses, and has none to give.
        _ = fchmod(file, mode)
        close(file)
    }
}

/// The files of a database at one time: the database, its write-ahead log and the shared index of that.
struct DatabaseFilesState: Equatable, Sendable {
    let database: FileState?
    let log: FileState?
    let hasSharedIndex: Bool

    init(_ path: String) {
        let path = FileState.real(path)
        database = FileState(path)
        log = FileState(path + "-wal")
        hasSharedIndex = FileState(path + "-shm") != nil
    }

    var hasLog: Bool { log.map { $0.size > 0 } ?? false }
}

/// The databases that this process has open with SQLite's locks.
///
/// POSIX gives locks up as soon as a process closes *any* descriptor of the file (fcntl(2)). SQLite sees to that for its own
/// descriptors; this is for those that are none of its, or that are opened without locks.
enum LockedFiles {
    private struct Entry {
        var count = 0
        /// Connections without locks that are to be closed when the last one with locks is gone.
        var parked: [DatabaseQueue] = []
    }

    private static let entries = Mutex<[FileIdentity: Entry]>([:])

    static func contains(_ path: String) -> Bool {
        guard let identity = FileState(path)?.identity else { return false }
        return entries.withLock { $0[identity] != nil }
    }

    /// Notes that a database is open; the token's end notes that it is closed.
    static func enter(_ path: String) -> Token? {
        guard let identity = FileState(path)?.identity else { return nil }
        entries.withLock { $0[identity, default: Entry()].count += 1 }
        return Token(identity: identity)
    }

    /// Keeps a connection without locks from being closed while there are others with locks.
    static func park(_ queue: DatabaseQueue, of path: String) {
        guard let identity = FileState(path)?.identity else { return }
        entries.withLock { $0[identity]?.parked.append(queue) }
    }

    final class Token: Sendable {
        private let identity: FileIdentity
        private let isOver = Mutex(false)

        fileprivate init(identity: FileIdentity) { self.identity = identity }

        deinit { end() }

        /// Notes that the database is closed; once.
        func end() {
            let wasOver = isOver.withLock { isOver in
                defer { isOver = true }
                return isOver
            }
            if wasOver { return }
            // What was parked is closed behind the lock.
            let parked = LockedFiles.entries.withLock { entries -> [DatabaseQueue] in
                entries[identity]?.count -= 1
                guard let entry = entries[identity], entry.count <= 0 else { return [] }
                entries[identity] = nil
                return entry.parked
            }
            _ = parked
        }
    }
}
