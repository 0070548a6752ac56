// Files of stores that this process has open. Closing any other descriptor of such a file takes SQLite's locks on it away (POSIX), so nothing
// may look into it besides SQLite.

import CoreData
import Foundation

extension URL {
    /// Whether a store in the file is open. Apple's Core Data doesn't tell.
    var isOpenStore: Bool {
        #if canImport(Darwin) || GRAFT_PORTABLE
            false
        #else
            SQLiteStoreFile.isOpen(at: self)
        #endif
    }
}
