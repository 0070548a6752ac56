// A file that is whole after any crash: what is new is written beside it, forced to the disk, and put in its place in
// one step; then the folder is forced to the disk, which remembers the step.

import Foundation

/// A file that is replaced as a whole.
struct DurableFile: Sendable {
    /// The points at which a process can end. Tests end it at each of them.
    enum Step: String, Sendable, CaseIterable {
        case begin, written, synchronized, replaced, done
    }

    let url: URL
    /// Called at each step; what it throws ends the writing there, as a crash would.
    var atStep: @Sendable (Step) throws -> Void = { _ in }

    /// Returns the contents; nil where there is no file.
    func read() throws -> Data? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            return try Data(contentsOf: url)
        } catch {
            throw GraftError(
                .unreadableFile(reason: "reading failed"), at: .init(source: url.path), underlying: error)
        }
    }

    /// Replaces the contents.
    ///
    /// - Throws: ``GraftError`` with `unwritableFile`. The file is then as it was, or as it was to be.
    func write(_ data: Data) throws {
        try atStep(.begin)
        let temporary = url.appendingPathExtension("new")
        do {
            let mode = FileMode.ofFile(at: url.path)
            let handle = try Self.makeFile(temporary.path, mode: mode == nil ? 0o666 : 0o600)
            defer { try? handle.close() }
            try handle.write(contentsOf: data)
            // A file system without rights refuses, and has none to give.
            if let mode { _ = fchmod(handle.fileDescriptor, mode) }
            try atStep(.written)
            try handle.synchronize()
        } catch let error as CocoaError {
            throw GraftError(
                .unwritableFile(reason: "writing failed"), at: .init(source: temporary.path), underlying: error)
        }
        try atStep(.synchronized)
        // Safe: the strings live as long as the call.
        guard unsafe rename(temporary.path, url.path) == 0 else {
            throw GraftError(.unwritableFile(reason: "error \(errno)"), at: .init(source: url.path))
        }
        try atStep(.replaced)
        try Self.synchronizeFolder(of: url)
        try atStep(.done)
    }

    /// Makes an empty file in the place of what an earlier crash has left. Foundation would write one under a name of its own first, which
    /// a crash leaves.
    private static func makeFile(_ path: String, mode: mode_t) throws -> FileHandle {
        // Safe: the strings live as long as the calls.
        _ = unsafe unlink(path)
        let file = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode)
        guard file >= 0 else {
            throw GraftError(.unwritableFile(reason: "it can't be created"), at: .init(source: path))
        }
        return FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    /// Forces to the disk which files a file's folder has.
    static func synchronizeFolder(of url: URL) throws {
        let folder = url.deletingLastPathComponent().path
        // Safe: the string lives as long as the call.
        let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw GraftError(.unwritableFile(reason: "error \(errno)"), at: .init(source: folder))
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw GraftError(.unwritableFile(reason: "error \(errno)"), at: .init(source: folder))
        }
    }
}
