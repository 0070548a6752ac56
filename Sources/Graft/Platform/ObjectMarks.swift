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

        subscript(index: Int) -> NSManagedObjectID { samples[Int(kinds[index])].withNumber(numbers[index]) }
    #endif
}
