// What another context has saved, or a batch request has inserted, may be what decoding is looking for.

import CoreData
import Foundation
import Synchronization

/// Counts the saves of all contexts in this process, and the batch requests as far as somebody tells.
final class SaveCounter: Sendable {
    static let shared = SaveCounter()
    private let saves = Atomic<Int>(0)

    var count: Int { saves.load(ordering: .acquiring) + (NSManagedObjectContext.batchCount ?? 0) }

    private init() {
        // As long as the process runs, so the token needn't be kept.
        _ = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { _ in SaveCounter.shared.saves.add(1, ordering: .acquiringAndReleasing) }
    }
}
