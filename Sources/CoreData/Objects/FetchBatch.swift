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
    enum Part: Equatable {
        case row
        case relationship(slot: Int)
        /// The objects for the members of a relationship, whose IDs have been read.
        case members(slot: Int)
    }

    private struct Progress {
        let part: Part
        /// How many are read at once when the part is asked for next.
        var readAhead: Int
        /// The positions that needn't be looked at again, a bit each.
        var settled: [UInt64]
    }

    private(set) var ids: [NSManagedObjectID] = []
    /// How many relationships lie between the objects and the fetch that the way to them began with.
    let distance: Int
    private var progress: [Progress] = []

    init(distance: Int) { self.distance = distance }

    /// Adds an object, before any has been asked for.
    ///
    /// - Parameter isItsBatch: False for one that is only read along with others, because it is in another batch itself.
    func append(_ object: NSManagedObject, isItsBatch: Bool = true) {
        if isItsBatch {
            object.batch = self
            object.batchPosition = Int32(ids.count)
        }
        ids.append(object.id)
    }

    /// What a closure makes of the objects that are read along with the one at a position: of the next ones after it, from the
    /// beginning again after the last. Those for which the closure gives nil don't count, and none is asked about twice.
    func readingAlong<T>(withPosition position: Int32, _ part: Part, _ body: (NSManagedObjectID) -> T?) -> [T] {
        let index = progress.firstIndex { $0.part == part } ?? begin(part)
        // Taken out, so that there is one owner.
        var settled = progress[index].settled
        progress[index].settled = []
        let count = progress[index].readAhead
        progress[index].readAhead = min(count * Self.growth, Self.limit)
        let position = Int(position)
        settled.settle(position)
        var along: [T] = []
        for range in [position..<ids.count, 0..<position] {
            var next = range.lowerBound
            while along.count < count - 1, let open = settled.firstOpen(in: next..<range.upperBound) {
                settled.settle(open)
                if let wanted = body(ids[open]) { along.append(wanted) }
                next = open + 1
            }
        }
        progress[index].settled = settled
        return along
    }

    private func begin(_ part: Part) -> Int {
        let readAhead = Self.firstReadAhead[min(distance, Self.firstReadAhead.count - 1)]
        let settled = [UInt64](repeating: 0, count: (ids.count + 63) / 64)
        progress.append(Progress(part: part, readAhead: readAhead, settled: settled))
        return progress.count - 1
    }

    /// Notes that an object has lost what was read of it.
    func reopen(position: Int32) {
        for index in progress.indices { progress[index].settled.reopen(Int(position)) }
    }
}

/// Puts faults that are made together into batches.
struct FaultBatches {
    let distance: Int
    private var current: FetchBatch?

    init(distance: Int) { self.distance = distance }

    /// Adds an object, unless it has values or is in a batch already.
    mutating func add(_ object: NSManagedObject) {
        guard object.isFault, object.batch == nil else { return }
        if current.map({ $0.ids.count == FetchBatch.limit }) ?? true { current = FetchBatch(distance: distance) }
        current?.append(object)
    }
}

extension [UInt64] {
    fileprivate mutating func settle(_ position: Int) { self[position / 64] |= 1 << UInt64(position % 64) }

    fileprivate mutating func reopen(_ position: Int) { self[position / 64] &= ~(1 << UInt64(position % 64)) }

    /// The first position of a range whose bit isn't set.
    fileprivate func firstOpen(in range: Range<Int>) -> Int? {
        var position = range.lowerBound
        while position < range.upperBound {
            let open = ~self[position / 64] >> UInt64(position % 64)
            if open != 0 {
                let found = position + open.trailingZeroBitCount
                return found < range.upperBound ? found : nil
            }
            position += 64 - position % 64
        }
        return nil
    }
}
