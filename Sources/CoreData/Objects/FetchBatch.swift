// The objects that were fetched together. When one of them needs a relationship, all of them get it in one query.

import Foundation

/// The IDs of up to ``limit`` objects fetched together. IDs, not objects: a batch keeps nobody alive.
final class FetchBatch {
    static let limit = 1000

    let ids: [NSManagedObjectID]

    init(ids: [NSManagedObjectID]) { self.ids = ids }
}
