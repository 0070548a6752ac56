// Foundation's errors of files, which say nothing by themselves on Linux but a number.

import Foundation

/// What errors of files say.
package enum FileError {
    /// What an error says, in words for people.
    package static func words(of error: any Error) -> String {
        let error = error as NSError
        if let text = error.userInfo[NSLocalizedDescriptionKey] as? String { return text }
        guard error.domain == NSCocoaErrorDomain, (0..<1024).contains(error.code) else {
            // Foundation puts this in front of what the system says.
            return error.localizedDescription.replacing("The operation could not be completed. ", with: "")
        }
        return switch CocoaError.Code(rawValue: error.code) {
        case .fileNoSuchFile, .fileReadNoSuchFile: "there is no such file"
        case .fileLocking: "it is locked"
        case .fileReadNoPermission: "reading it isn't allowed"
        case .fileReadTooLarge: "it is too large"
        case .fileReadInapplicableStringEncoding, .fileReadUnknownStringEncoding: "it has another encoding"
        case .fileWriteNoPermission: "writing it isn't allowed"
        case .fileWriteFileExists: "there is a file already"
        case .fileWriteOutOfSpace: "there is no space left"
        case .fileWriteVolumeReadOnly: "nothing can be written on that disk"
        default:
            if let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error {
                words(of: cause)
            } else {
                error.code < 512 ? "reading stopped" : "writing stopped"
            }
        }
    }
}
