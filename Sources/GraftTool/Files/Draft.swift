// What is made under another name beside its place, and moved there when it is complete: whatever ends the tool, there is the
// whole or what was there before. A killed run leaves its draft; the next one that makes the same file takes it away. That a
// draft is nobody's any more is told by its lock, which the system lets go with the process:
//
//     Heroes.sqlite
//     .graft-1F2E3D4C-Heroes.sqlite          the draft, with -wal, -shm, -journal and a folder of external data
//     .graft-1F2E3D4C-Heroes.sqlite.lock     locked as long as its maker is there

import CoreData
import Foundation
import Graft

/// A name for something that isn't complete yet.
final class Draft {
    let path: String
    private let target: String
    private let lock: Int32

    /// Takes a name beside a target, and removes what killed runs have left there for the same target.
    ///
    /// - Throws: ``GraftError``: with `unwritableFile`, where nothing can be made in the folder; for the place of another store's log
    ///   or of a configuration.
    init(of target: String) throws {
        try OutputFile.requirePlaceOfStore(target)
        let url = FilePath.target(of: target)
        let folder = url.deletingLastPathComponent()
        try FileKind.requireFolder(of: url, shownAs: target)
        Self.removeLeftovers(of: url.lastPathComponent, in: folder)
        self.target = url.path
        path =
            folder.appendingPathComponent(Self.prefix + DraftLock.makeKey() + "-" + url.lastPathComponent).path
        lock = DraftLock.makeFile(path + Self.lockEnding, mode: 0o600)
        guard lock >= 0 else {
            throw GraftError(.unwritableFile(reason: SystemError.reason()), at: .init(source: target))
        }
    }

    deinit { close(lock) }

    /// Makes a store under the draft's name and moves it to its place when it is closed. It takes the rights of an empty file there.
    ///
    /// - Parameter original: The store that it is a copy of, whose rights it takes otherwise.
    /// - Throws: What the closure throws, without what it says of saved batches: they are gone with the draft.
    func makeStore<T>(
        _ model: NSManagedObjectModel, copyOf original: String?, _ body: (NSPersistentContainer) throws -> T
    ) throws -> T {
        defer { remove() }
        if let mode = FileMode.ofFile(at: target) ?? original.flatMap({ FileMode.ofFile(at: $0) }) {
            try makeFile(mode | 0o600)
        }
        let container = try StoreAccess.openForWriting(path, model: model)
        do {
            let result = try StoreAccess.closing(container) { try body(container) }
            try putInPlace()
            return result
        } catch {
            guard var error = error as? GraftError else { throw error }
            error.underlying = nil
            throw error
        }
    }

    /// Copies a store that is there, external data included, to the draft's name.
    ///
    /// - Parameter isPrivate: Whether only its owner may read the copy, as it has to be in the folder for temporary files.
    func copy(_ store: String, isPrivate: Bool = false) throws {
        if isPrivate {
            try makeFile(0o600)
            try FileManager.default.createDirectory(
                atPath: Self.supportFolder(of: path), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        let source = FilePath.target(of: store)
        try SQLiteStoreFile.copy(storeAt: source, to: URL(fileURLWithPath: path))
    }

    /// Makes an empty file under the draft's name, of which SQLite makes a store. Its logs get the same rights.
    private func makeFile(_ mode: mode_t) throws {
        let file = DraftLock.makeFile(path, mode: mode)
        guard file >= 0 else {
            throw GraftError(.unwritableFile(reason: SystemError.reason()), at: .init(source: target))
        }
        close(file)
    }

    /// Moves a store that is closed from the draft's name to its place, where there is none, or an empty file.
    func putInPlace() throws {
        if FileKind(ofPath: target) == .file, FileKind.isFree(target) {
            try FileManager.default.removeItem(atPath: target)
        }
        try SQLiteStoreFile.move(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: target))
    }

    /// Removes everything that is still there under the draft's name.
    func remove() { Self.removeFiles(of: path) }

    /// Removes what killed runs have left for a store: what they were making of it, and the lock of a new one.
    static func removeLeftovers(of target: String) {
        let url = FilePath.target(of: target)
        removeLeftovers(of: url.lastPathComponent, in: url.deletingLastPathComponent())
        MakingLock.removeLeftover(of: target)
    }

    // MARK: Names

    private static let prefix = ".graft-"
    private static let lockEnding = ".lock"

    private static func removeLeftovers(of name: String, in folder: URL) {
        DraftLock.removeLeftovers(in: folder, prefix: prefix, suffix: "-\(name)\(lockEnding)") {
            removeFiles(of: String($0.dropLast(lockEnding.count)))
        }
    }

    /// Removes a store with all that belongs to it. The lock comes last, so that what is left of a removal is found again.
    static func removeFiles(of path: String) {
        for item in ["", "-wal", "-shm", "-journal"].map({ path + $0 }) + [supportFolder(of: path), path + lockEnding] {
            // What can't be removed now is found by the next run.
            try? FileManager.default.removeItem(atPath: item)
        }
    }

    /// Where a store has its external data.
    private static func supportFolder(of path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let name = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
        return url.deletingLastPathComponent().appendingPathComponent(name).path
    }
}
