// What is at a path.

import Foundation
import Graft

enum FileKind {
    case missing, folder, file
    /// A terminal, a named pipe, `/dev/null`: can be written to, but not replaced.
    case device

    /// Looks at a path, links followed.
    init(ofPath path: String) {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // What has no attributes isn't there, or can't be looked at; whoever opens it gets the system's reason.
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        switch attributes?[.type] as? FileAttributeType {
        case nil: self = .missing
        case .typeDirectory?: self = .folder
        case .typeRegular?: self = .file
        default: self = .device
        }
    }

    /// Says in plain words what is wrong with a file that is to be read, before anything has begun.
    ///
    /// - Throws: ``GraftError`` with the problem `unreadableFile`.
    static func requireReadable(_ path: String) throws {
        let reason: String
        switch FileKind(ofPath: path) {
        case .missing: reason = "no such file or directory"
        case .folder: reason = "it is a folder"
        case .file, .device:
            if FileManager.default.isReadableFile(atPath: path) { return }
            reason = "permission denied"
        }
        throw GraftError(.unreadableFile(reason: reason), at: GraftError.Place(source: path))
    }

    /// What a file holds, told by its bytes.
    ///
    /// - Throws: ``GraftError`` with the problem `unreadableFile`.
    static func contents(of path: String) throws -> SourceKind {
        try requireReadable(path)
        return try ImportSource.file(URL(fileURLWithPath: path)).kind()
    }

    /// Refuses a file that a command can't use, and names the one that can.
    ///
    /// - Throws: ``GraftError`` with `unreadableFile` or `wrongKind`.
    static func require(_ need: SourceKind.Need, at path: String) throws {
        try contents(of: path).require(need, source: path)
    }
}
