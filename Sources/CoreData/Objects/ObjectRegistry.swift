// Which object stands for which ID in one context, without keeping it alive.
//
// Swift's weak references would do, but an object that has ever had one counts its references out of line, which made an
// import a quarter slower. So the table holds plain pointers, and an object takes itself out when it goes. Between an
// object's last release (on whatever thread) and its removal here a pointer may lead to an object that is going:
// the runtime's try-retain refuses that one, and its memory can't go before it has had the table's lock.

import CTryRetain
import Foundation
import Synchronization

/// The objects of one context by ID.
final class ObjectRegistry: @unchecked Sendable {
    // Safe to share: the table is behind a lock, and all else is touched on the context's queue alone.

    /// Used under the lock only.
    @safe private struct Tables: @unchecked Sendable {
        private var tables: [ObjectTable] = []
        private var indexes: [ObjectIdentifier: Int] = [:]
        /// One numbering after the other is the rule.
        private var last: (space: ObjectIdentifier, index: Int)?

        subscript(key: RowKey) -> UnsafeRawPointer? {
            mutating get {
                guard let index = index(of: key.space) else { return nil }
                return unsafe tables[index][key.number]
            }
        }

        mutating func insert(_ pointer: UnsafeRawPointer, for key: RowKey) {
            let index = index(of: key.space) ?? addTable(key.space)
            unsafe tables[index].insert(pointer, for: key.number)
        }

        mutating func remove(_ key: RowKey) {
            if let index = index(of: key.space) { tables[index].remove(key.number) }
        }

        var pointers: [UnsafeRawPointer] { unsafe tables.flatMap { unsafe $0.pointers } }

        private mutating func index(of space: ObjectIdentifier) -> Int? {
            if let last, last.space == space { return last.index }
            guard let index = indexes[space] else { return nil }
            last = (space, index)
            return index
        }

        private mutating func addTable(_ space: ObjectIdentifier) -> Int {
            tables.append(ObjectTable())
            indexes[space] = tables.count - 1
            return tables.count - 1
        }
    }

    private let tables = Mutex(Tables())

    /// Valid while it isn't nil: the context clears it when it goes.
    unowned(unsafe) var context: NSManagedObjectContext?
    /// How often attributes of the context's objects have been set.
    var attributeChangeCount = 0

    /// The object with an ID, if there still is one.
    func object(for key: RowKey) -> NSManagedObject? {
        tables.withLock { tables in
            guard let pointer = unsafe tables[key] else { return nil }
            return unsafe Self.object(at: pointer)
        }
    }

    /// All objects that there still are.
    var objects: [NSManagedObject] {
        // Nothing may be released under the lock: it could be the last release, which wants the lock.
        tables.withLock { tables in unsafe tables.pointers.compactMap { unsafe Self.object(at: $0) } }
    }

    func insert(_ object: NSManagedObject, for key: RowKey) {
        let pointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        tables.withLock { unsafe $0.insert(pointer, for: key) }
    }

    func move(_ object: NSManagedObject, from old: RowKey, to key: RowKey) {
        let pointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        tables.withLock { tables in
            tables.remove(old)
            unsafe tables.insert(pointer, for: key)
        }
    }

    func remove(_ key: RowKey) {
        tables.withLock { $0.remove(key) }
    }

    func removeAll() {
        tables.withLock { $0 = Tables() }
    }

    /// Called by an object that is being deallocated. Its key may stand for another object by now.
    func removeDying(_ object: NSManagedObject, for key: RowKey) {
        let pointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        tables.withLock { tables in
            if unsafe tables[key] == pointer { tables.remove(key) }
        }
    }

    /// The object at a pointer of the table, retained; nil if it is being deallocated.
    private static func object(at pointer: UnsafeRawPointer) -> NSManagedObject? {
        // Safe: the pointer is in the table, whose lock is held, so the object's memory is still there.
        guard let retained = unsafe core_data_try_retain(pointer) else { return nil }
        return unsafe Unmanaged<NSManagedObject>.fromOpaque(retained).takeRetainedValue()
    }
}
