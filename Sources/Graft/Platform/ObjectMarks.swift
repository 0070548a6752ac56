// What an import remembers of each object that it has met, in as little room as possible: there may be millions.

import CoreData
import Foundation

/// A small number, not 0, for each of many objects.
struct ObjectMarks {
    #if canImport(Darwin) || GRAFT_PORTABLE
        private var marks: [ObjectIDKey: UInt8] = [:]

        subscript(key: ObjectIDKey) -> UInt8? {
            get { marks[key] }
            set { marks[key] = newValue }
        }
    #else
        /// 32 rows that follow each other: about three bytes an object where most of a table is met.
        private struct Page: Hashable {
            var space: ObjectIdentifier
            var number: Int64
        }

        private var pages: [Page: SIMD32<UInt8>] = [:]

        subscript(key: ObjectIDKey) -> UInt8? {
            get {
                let mark = pages[Page(space: key.space, number: key.number >> 5)]?[Int(key.number & 31)] ?? 0
                return mark == 0 ? nil : mark
            }
            set {
                let page = Page(space: key.space, number: key.number >> 5)
                pages[page, default: .zero][Int(key.number & 31)] = newValue ?? 0
            }
        }
    #endif
}

/// A list of object IDs.
struct ObjectIDList {
    #if canImport(Darwin) || GRAFT_PORTABLE
        private var ids: [NSManagedObjectID] = []
        var count: Int { ids.count }
        mutating func append(_ id: NSManagedObjectID) { ids.append(id) }
        subscript(index: Int) -> NSManagedObjectID { ids[index] }

        /// Whether an ID is a number and a kind, so that it can be written down.
        static let isPacked = false
        func packed(_ index: Int) -> (number: Int64, kind: UInt16) { (0, 0) }
        func unpacked(_ number: Int64, _ kind: UInt16) -> NSManagedObjectID { ids[Int(number)] }
        mutating func removeAll() { ids.removeAll(keepingCapacity: true) }
    #else
        // Ten bytes an ID, instead of an object each.
        private var numbers: [Int64] = []
        private var kinds: [UInt16] = []
        /// An ID of each entity and store.
        private var samples: [NSManagedObjectID] = []

        var count: Int { numbers.count }

        mutating func append(_ id: NSManagedObjectID) {
            var kind = samples.count - 1
            while kind >= 0, samples[kind].entity !== id.entity || samples[kind].key.space != id.key.space { kind -= 1 }
            if kind < 0 {
                kind = samples.count
                samples.append(id)
            }
            numbers.append(id.key.number)
            kinds.append(UInt16(clamping: kind))
        }

        subscript(index: Int) -> NSManagedObjectID { unpacked(numbers[index], kinds[index]) }

        /// Whether an ID is a number and a kind, so that it can be written down.
        static let isPacked = true

        func packed(_ index: Int) -> (number: Int64, kind: UInt16) { (numbers[index], kinds[index]) }

        func unpacked(_ number: Int64, _ kind: UInt16) -> NSManagedObjectID {
            samples[Int(kind)].withNumber(number)
        }

        /// Forgets the IDs, but not what kinds there are: packed ones can still be unpacked.
        mutating func removeAll() {
            numbers.removeAll(keepingCapacity: true)
            kinds.removeAll(keepingCapacity: true)
        }
    #endif
}
