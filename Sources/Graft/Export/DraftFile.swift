// A file that is written under another name beside its place, and takes it when it is complete. Its maker holds a lock on it,
// which the system lets go with the process: so the next export to the same place can tell what a killed one has left.
//
//     heroes.json        .heroes.json.1F2E3D4C

import Foundation

/// A file on its way to its place.
struct DraftFile {
    let handle: FileHandle
    private let path: String
    private let target: String

    /// Makes an empty file beside its place.
    ///
    /// - Throws: `POSIXError`.
    init(of url: URL) throws {
        target = url.path
        let key = UUID().uuidString.prefix(Self.keyLength)
        path = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).\(key)").path
        let file = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw Self.systemError() }
        // Without a lock, where a file system has none, it is only that leftovers can't be told.
        _ = flock(file, LOCK_EX | LOCK_NB)
        handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    /// Puts the file in its place, in one step.
    ///
    /// - Throws: `POSIXError`.
    func commit() throws {
        guard unsafe rename(path, target) == 0 else { throw Self.systemError() }
        try handle.close()
    }

    /// Removes the file.
    func discard() {
        // The file may be gone already; the error that matters is on its way.
        try? FileManager.default.removeItem(atPath: path)
        try? handle.close()
    }

    private static let keyLength = 8

    private static func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// Removes the drafts for a place whose makers are gone.
    static func removeLeftovers(of url: URL) {
        let folder = url.deletingLastPathComponent()
        let start = ".\(url.lastPathComponent)."
        // A folder that can't be read is one in which nothing can be tidied up.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(start) {
            let key = name.dropFirst(start.count)
            guard key.count == keyLength, key.allSatisfy({ $0.isHexDigit && !$0.isLowercase }) else { continue }
            let path = folder.appendingPathComponent(name).path
            let file = unsafe open(path, O_RDWR | O_CLOEXEC)
            if file < 0 { continue }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { unsafe unlink(path) }
            close(file)
        }
    }
}
