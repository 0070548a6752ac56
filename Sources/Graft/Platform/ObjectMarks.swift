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

        /// Takes over the marks of others, in place of its own.
        mutating func merge(_ other: ObjectMarks) { marks.merge(other.marks) { $1 } }

        mutating func removeAll() { marks.removeAll(keepingCapacity: true) }
    #else
        /// 32 rows that follow each other: about three bytes an object where most of a table is met.
        private struct Page: Hashable {
            var space: ObjectIdentifier
            var number: Int64
        }

        private var indexes: [Page: Int] = [:]
        private var pages: [SIMD32<UInt8>] = []
        /// The page that was marked last: mostly the next row is on it, too.
        private var last: (page: Page, index: Int)?

        subscript(key: ObjectIDKey) -> UInt8? {
            get {
                guard let index = index(of: Page(space: key.space, number: key.number >> 5)) else { return nil }
                let mark = pages[index][Int(key.number & 31)]
                return mark == 0 ? nil : mark
            }
            set {
                let index = makeIndex(of: Page(space: key.space, number: key.number >> 5))
                pages[index][Int(key.number & 31)] = newValue ?? 0
            }
        }

        /// Takes over the marks of others, in place of its own.
        mutating func merge(_ other: ObjectMarks) {
            for (page, index) in other.indexes {
                let marks = other.pages[index]
                pages[makeIndex(of: page)].replace(with: marks, where: marks .!= 0)
            }
        }

        mutating func removeAll() {
            indexes.removeAll(keepingCapacity: true)
            pages.removeAll(keepingCapacity: true)
            last = nil
        }

        private func index(of page: Page) -> Int? {
            if let last, last.page == page { return last.index }
            return indexes.isEmpty ? nil : indexes[page]
        }

        private mutating func makeIndex(of page: Page) -> Int {
            if let last, last.page == page { return last.index }
            let index = indexes[page] ?? pages.count
            if index == pages.count {
                indexes[page] = index
                pages.append(.zero)
            }
            last = (page, index)
            return index
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
            while kind >= 0, !samples[kind].isOfKind(of: id) { kind -= 1 }
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
