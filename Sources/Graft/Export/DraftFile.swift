// A file that is written under another name beside its place, and takes it when it is complete. Its maker holds a lock on it,
// which the system lets go with the process: so the next export to the same place can tell what a killed one has left.
//
//     heroes.json        .heroes.json.1F2E3D4C

package import Foundation

/// A file on its way to its place.
struct DraftFile {
    let handle: FileHandle
    private let path: String
    private let target: String
    /// The rights of the file that will be replaced.
    private let mode: mode_t?

    /// Makes an empty file beside its place. Until it takes the place of another one, only its owner may read it.
    ///
    /// - Throws: `POSIXError`.
    init(of url: URL) throws {
        target = url.path
        let name = ".\(url.lastPathComponent).\(DraftLock.makeKey())"
        path = url.deletingLastPathComponent().appendingPathComponent(name).path
        mode = FileMode.ofFile(at: target)
        let file = DraftLock.makeFile(path, mode: mode == nil ? 0o666 : 0o600)
        guard file >= 0 else { throw Self.systemError() }
        handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    /// Puts the file in its place, in one step, when all of it is on the disk.
    ///
    /// - Throws: `POSIXError`; ``GraftError`` with `unwritableFile`.
    func commit() throws {
        // A file system without rights refuses, and has none to give.
        if let mode { _ = fchmod(handle.fileDescriptor, mode) }
        guard fsync(handle.fileDescriptor) == 0 else { throw Self.systemError() }
        guard unsafe rename(path, target) == 0 else { throw Self.systemError() }
        try DurableFile.synchronizeFolder(of: URL(fileURLWithPath: target))
        try handle.close()
    }

    /// Removes the file.
    func discard() {
        // The file may be gone already; the error that matters is on its way.
        try? FileManager.default.removeItem(atPath: path)
        try? handle.close()
    }

    private static func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// Removes the drafts for a place whose makers are gone.
    static func removeLeftovers(of url: URL) {
        DraftLock.removeLeftovers(in: url.deletingLastPathComponent(), prefix: ".\(url.lastPathComponent).", suffix: "")
        {
            // What can't be removed now is found by the next export.
            try? FileManager.default.removeItem(atPath: $0)
        }
    }
}

extension FileHandle {
    /// Makes a file that only its owner may read and write, as every file has to be in the folder for temporary ones.
    ///
    /// - Throws: `POSIXError`.
    package static func makePrivateFile(at url: URL) throws -> FileHandle {
        let file = unsafe open(url.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }
}

/// Who may read and write a file.
package enum FileMode {
    /// The rights of a file, links followed; nil where there is none.
    package static func ofFile(at path: String) -> mode_t? {
        var status = stat()
        // Safe: the call fills a structure of ours, and copies the path.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status.st_mode & 0o777
    }
}

/// The lock by which others tell that a draft's maker is still there: the system lets it go with the process.
package enum DraftLock {
    /// What tells one draft for a place from another.
    package static func makeKey() -> String { String(UUID().uuidString.prefix(keyLength)) }

    private static let keyLength = 8

    /// Makes a file that is locked until it is closed.
    ///
    /// - Returns: The descriptor; negative where the file can't be made.
    package static func makeFile(_ path: String, mode: mode_t) -> Int32 {
        let file = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode)
        // Without a lock, where a file system has none, it is only that leftovers can't be told.
        if file >= 0 { _ = flock(file, LOCK_EX | LOCK_NB) }
        return file
    }

    /// Calls the closure with the paths of locked files whose makers are gone.
    ///
    /// - Parameters:
    ///   - prefix: What their names have before their key.
    ///   - suffix: What they have behind it.
    package static func removeLeftovers(in folder: URL, prefix: String, suffix: String, _ remove: (String) -> Void) {
        // A folder that can't be read is one in which nothing can be tidied up.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let key = name.dropFirst(prefix.count).dropLast(suffix.count)
            guard key.count == keyLength, key.allSatisfy({ $0.isHexDigit && !$0.isLowercase }) else { continue }
            let path = folder.appendingPathComponent(name).path
            let file = unsafe open(path, O_RDWR | O_CLOEXEC)
            if file < 0 { continue }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { remove(path) }
            close(file)
        }
    }
}
