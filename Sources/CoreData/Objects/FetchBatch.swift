// Faults that came together are read together, so that walking over them doesn't ask the store once for each.

import Foundation

/// Objects of one fetch or one relationship. What one of them asks the store for is read for the others too: a list with what
/// its members lead to takes one statement for each relationship and one for the rows.
///
/// Further away from the fetch this would read what nobody asks for: a walk along a graph meets few of the many objects that
/// are as far as the one it is at. There only few are read along at first and, as long as they are asked for, more each time,
/// so that no walk reads more than a small multiple of what it needs.
final class FetchBatch {
    static let limit = 1000
    private static let growth = 4
    /// How many are read at once at first, by the number of relationships between the objects and the fetch.
    private static let firstReadAhead = [limit, 64, 4]

    /// What is read of an object.
    enum Part: Hashable {
        case row
        case relationship(slot: Int)
    }

    let ids: [NSManagedObjectID]
    /// How many relationships lie between the objects and the fetch that the way to them began with.
    let distance: Int
    /// How many are read at once when a part is asked for next.
    private var readAhead: [Part: Int] = [:]

    init(ids: [NSManagedObjectID], distance: Int) {
        self.ids = ids
        self.distance = distance
    }

    /// What a closure makes of the objects that are read along with one of the batch: of the next ones after it, from the
    /// beginning again after the last. Those for which the closure gives nil don't count.
    func readingAlong<T>(with id: NSManagedObjectID, _ part: Part, _ body: (NSManagedObjectID) -> T?) -> [T] {
        let count = readAhead[part] ?? Self.firstReadAhead[min(distance, Self.firstReadAhead.count - 1)]
        readAhead[part] = min(count * Self.growth, Self.limit)
        let key = id.key
        guard let position = ids.firstIndex(where: { $0 === id || $0.key == key }) else { return [] }
        var along: [T] = []
        // Where most have been read already, the search for others ends before it costs more than it saves.
        for step in 1..<max(1, min(ids.count, count * Self.growth)) {
            let next = position + step
            guard let wanted = body(ids[next < ids.count ? next : next - ids.count]) else { continue }
            along.append(wanted)
            if along.count >= count - 1 { break }
        }
        return along
    }
}
