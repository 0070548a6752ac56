// Histories in tests: a store that keeps one, and what it has.

import CoreData
import Foundation
import Testing

/// A suite that reads histories.
protocol HistoryReading {}

extension HistoryReading {
    /// A stack whose store keeps a history.
    func tracked(_ options: [String: Any] = [:]) throws -> Library {
        try Library(.database, options: [NSPersistentHistoryTrackingKey: true].merging(options) { _, new in new })
    }

    func result(_ library: Library, _ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        (try library.context.execute(request) as? NSPersistentHistoryResult)?.result
    }

    func transactions(
        _ library: Library, after token: NSPersistentHistoryToken? = nil
    ) throws -> [NSPersistentHistoryTransaction] {
        try #require(try result(library, .fetchHistory(after: token)) as? [NSPersistentHistoryTransaction])
    }
}
