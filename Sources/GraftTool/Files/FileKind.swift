// What is at a path.

import Foundation

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
}
