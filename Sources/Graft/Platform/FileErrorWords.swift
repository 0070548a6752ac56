// What Foundation's errors of files say: enough by themselves on Apple's platforms, a number on Linux.

import CoreData
import Foundation

/// Errors of files in words.
enum FileErrorWords {
    static func words(of error: NSError) -> String {
        #if canImport(Darwin) || GRAFT_PORTABLE
            error.localizedDescription
        #else
            FileError.words(of: error)
        #endif
    }
}
