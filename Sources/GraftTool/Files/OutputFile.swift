// Where a command writes its result: the file that was named, or standard output.

import Foundation
import Graft

enum OutputFile {
    /// Says what was written into a file.
    static func report(_ output: String?, _ console: Console) throws {
        guard let output, FileKind(ofPath: output) == .file else { return }
        let target = URL(fileURLWithPath: output).resolvingSymlinksInPath().path
        let size = try FileManager.default.attributesOfItem(atPath: target)[.size] as? NSNumber
        try console.report(["\(output): \(size?.int64Value ?? 0) bytes"], after: "\(output) is written")
    }

    /// The place of a result.
    ///
    /// - Parameter output: The file's path; nil for standard output.
    /// - Throws: ``GraftError`` with the problem `unwritableFile`.
    static func destination(_ output: String?, _ console: Console) throws -> ExportDestination {
        guard let output else { return .handle(FileHandle(fileDescriptor: console.output)) }
        // A link keeps pointing where it points, and the file there is replaced.
        let url = URL(fileURLWithPath: output).resolvingSymlinksInPath()
        switch FileKind(ofPath: url.path) {
        case .missing, .file:
            guard FileKind(ofPath: url.deletingLastPathComponent().path) == .folder else {
                throw GraftError(.unwritableFile(reason: "its folder doesn't exist"), at: .init(source: output))
            }
            return .file(url)
        case .folder:
            throw GraftError(.unwritableFile(reason: "it is a folder"), at: .init(source: output))
        case .device:
            guard let handle = FileHandle(forWritingAtPath: url.path) else {
                throw GraftError(.unwritableFile(reason: SystemError.reason()), at: .init(source: output))
            }
            return .handle(handle)
        }
    }
}
