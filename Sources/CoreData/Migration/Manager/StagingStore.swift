// A store that is being made beside the place where it shall be.

import Foundation

/// A store that takes its place when it is complete.
struct StagingStore {
    let url: URL
    private let destination: URL

    init(destination: URL) {
        self.destination = destination
        url = destination.deletingLastPathComponent()
            .appendingPathComponent(".\(UUID().uuidString)-\(destination.lastPathComponent)")
    }

    /// Puts the store in its place, with the files of its large values. What was there is gone.
    func commit() throws {
        try SQLiteStoreFile.replace(at: destination, withStoreAt: url)
        discard()
    }

    /// Removes what has been made.
    func discard() {
        // Best effort: what stays is a file with a dot in front that nobody opens.
        try? SQLiteStoreFile.destroy(at: url)
    }
}
