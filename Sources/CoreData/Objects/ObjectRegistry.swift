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
    // Safe to share: the table is behind a lock, and `context` is touched on the context's queue alone.

    /// Used under the lock only.
    @safe private struct Entry: @unchecked Sendable {
        let pointer: UnsafeRawPointer
    }

    private let entries = Mutex<[ObjectKey: Entry]>([:])

    /// Valid while it isn't nil: the context clears it when it goes.
    unowned(unsafe) var context: NSManagedObjectContext?

    /// The object with an ID, if there still is one.
    func object(for key: ObjectKey) -> NSManagedObject? {
        entries.withLock { entries in
            guard let entry = entries[key] else { return nil }
            return unsafe Self.object(at: entry.pointer)
        }
    }

    /// All objects that there still are.
    var objects: [NSManagedObject] {
        // Nothing may be released under the lock: it could be the last release, which wants the lock.
        entries.withLock { entries in entries.values.compactMap { unsafe Self.object(at: $0.pointer) } }
    }

    func insert(_ object: NSManagedObject, for key: ObjectKey) {
        let entry = unsafe Entry(pointer: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
        entries.withLock { $0[key] = entry }
    }

    func move(_ object: NSManagedObject, from old: ObjectKey, to key: ObjectKey) {
        let entry = unsafe Entry(pointer: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
        entries.withLock { entries in
            entries.removeValue(forKey: old)
            entries[key] = entry
        }
    }

    func remove(_ key: ObjectKey) {
        entries.withLock { _ = $0.removeValue(forKey: key) }
    }

    func removeAll() {
        entries.withLock { $0.removeAll() }
    }

    /// Called by an object that is being deallocated. Its key may stand for another object by now.
    func removeDying(_ object: NSManagedObject, for key: ObjectKey) {
        let pointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        entries.withLock { entries in
            if unsafe entries[key]?.pointer == pointer { entries[key] = nil }
        }
    }

    /// The object at a pointer of the table, retained; nil if it is being deallocated.
    private static func object(at pointer: UnsafeRawPointer) -> NSManagedObject? {
        // Safe: the pointer is in the table, whose lock is held, so the object's memory is still there.
        guard let retained = unsafe core_data_try_retain(pointer) else { return nil }
        return unsafe Unmanaged<NSManagedObject>.fromOpaque(retained).takeRetainedValue()
    }
}
