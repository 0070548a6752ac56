// What is at a path.

import Foundation
import Graft

enum FileKind {
    case missing, folder, file
    /// A terminal, a named pipe, `/dev/null`: can be written to, but not replaced.
    case device
    /// A store on a server, by its URL.
    case server

    /// Looks at a path, links followed.
    init(ofPath path: String) {
        if StoreAccess.server(path: path) != nil {
            self = .server
            return
        }
        guard let status = Self.status(of: path) else {
            // Links in a circle are there. Whoever opens them, or what can't be looked at, gets the system's reason.
            self = errno == ELOOP ? .device : .missing
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: self = .folder
        case S_IFREG: self = .file
        default: self = .device
        }
    }

    /// What the system knows of what is at a path, links followed; nil where there is nothing, or it can't be looked at.
    static func status(of path: String) -> stat? {
        var status = stat()
        // Safe: the call fills a structure of ours, and copies the path.
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    /// Whether a store can be made at a path: there is nothing, or a file without a byte. Beside a journal, somebody is making one.
    static func isFree(_ path: String) -> Bool {
        guard let status = Self.status(of: path) else { return FileKind(ofPath: path) == .missing }
        let journal = FilePath.target(of: path).path + "-journal"
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0 && FileKind(ofPath: journal) == .missing
    }

    /// Whether two paths lead to one file, or would where there is none yet; or whether two URLs are the same.
    static func isSameFile(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        let (first, second) = (number(of: one), number(of: other))
        if first != nil || second != nil { return first == second }
        let urls = [one, other].map(FilePath.target)
        guard urls[0].lastPathComponent == urls[1].lastPathComponent else { return false }
        let folders = urls.map { number(of: $0.deletingLastPathComponent().path) }
        return folders[0] != nil && folders[0] == folders[1]
    }

    /// Whether a file that is there is in a folder, a model for instance, or in one within it.
    static func isFile(_ path: String, inFolder folder: String) -> Bool {
        guard FileKind(ofPath: folder) == .folder, FileKind(ofPath: path) == .file else { return false }
        return FilePath.target(of: path).path.hasPrefix(FilePath.target(of: folder).path + "/")
    }

    /// The device and the inode of what is at a path, links followed.
    private static func number(of path: String) -> [UInt64]? {
        status(of: path).map { [UInt64($0.st_dev), UInt64($0.st_ino)] }
    }

    /// Says in plain words what is wrong with a file that is to be read, before anything has begun.
    ///
    /// - Parameter isReadOnce: Whether a pipe will do.
    /// - Throws: ``GraftError`` with the problem `unreadableFile`.
    static func requireReadable(_ path: String, isReadOnce: Bool = false) throws {
        try requireName(path)
        let reason: String
        switch FileKind(ofPath: path) {
        case .missing where path == "-":
            reason = "standard input can be read only once; write it to a file"
        case .missing: reason = "no such file or directory"
        case .server: return
        case .folder: reason = "it is a folder"
        case .device where !isReadOnce && URL(fileURLWithPath: path).isPipe:
            reason = "it is a pipe, which can be read only once; write its contents to a file"
        case .file, .device:
            if FileManager.default.isReadableFile(atPath: path) { return }
            reason = "permission denied"
        }
        throw GraftError(.unreadableFile(reason: reason), at: GraftError.Place(source: path))
    }

    /// Refuses a file to be written whose folder isn't there.
    static func requireFolder(of file: URL, shownAs path: String) throws {
        if FileKind(ofPath: file.deletingLastPathComponent().path) == .folder { return }
        throw GraftError(.unwritableFile(reason: "its folder doesn't exist"), at: .init(source: path))
    }

    /// Refuses an empty path, which stands for the working directory otherwise.
    static func requireName(_ path: String) throws {
        guard path.isEmpty else { return }
        throw GraftError(.other(finding: "the path of a file is empty", remedy: "Name a file."))
    }

    /// What a file holds, told by its bytes; of a store that this process has open, without touching the file.
    ///
    /// - Throws: ``GraftError`` with the problem `unreadableFile`.
    static func contents(of path: String) throws -> SourceKind {
        try requireReadable(path)
        if StoreAccess.server(path: path) != nil { return .store }
        return try ImportSource.file(URL(fileURLWithPath: path)).kind()
    }

    /// Refuses a file that a command can't use, and names the one that can. What is in a pipe turns out when it is read.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile` or `wrongKind`.
    static func require(_ need: SourceKind.Need, at path: String) throws {
        if [.graph, .records].contains(need), URL(fileURLWithPath: path).isPipe {
            return try requireReadable(path, isReadOnce: true)
        }
        try contents(of: path).require(need, source: path)
    }
}
