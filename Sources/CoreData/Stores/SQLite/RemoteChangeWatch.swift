// Noticing what other processes, and other coordinators of this one, write into a store's file. Nothing tells of that; so SQLite
// is asked four times a second whether its data are others' than before, which costs it a look into the log's shared index.

import Dispatch
import Foundation

/// What tells two states of a file apart that others have written.
enum DatabaseVersion: Equatable, Sendable {
    /// `PRAGMA data_version` of the writing connection, which its own changes leave alone.
    case number(Int64)
    /// Of a file that is only read.
    case files(DatabaseFilesState)
}

/// Looks for others' changes until it goes, and has them announced.
final class RemoteChangeWatch: @unchecked Sendable {
    // Everything that changes belongs to the queue.

    private static let interval = DispatchTimeInterval.milliseconds(250)

    private let announce: @Sendable () -> Void
    private weak var database: SQLiteDatabase?
    private let queue = DispatchQueue(label: "RemoteChangeWatch", qos: .utility)
    private var last: DatabaseVersion?

    /// Begins.
    init(_ database: SQLiteDatabase, _ announce: @escaping @Sendable () -> Void) {
        self.announce = announce
        self.database = database
        ask()
    }

    /// Asks again only some time after the answer: behind a long write, questions would pile up.
    private func ask() {
        database?.tellVersion { [weak self] version in
            guard let self else { return }
            queue.async { self.note(version) }
            queue.asyncAfter(deadline: .now() + Self.interval) { [weak self] in self?.ask() }
        }
    }

    private func note(_ version: DatabaseVersion?) {
        guard let version else { return }
        defer { last = version }
        if let last, last != version { announce() }
    }
}
