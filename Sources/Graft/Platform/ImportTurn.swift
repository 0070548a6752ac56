// The turn at writing that an import has from its first look-up to its save: two that ran side by side would both look for
// an object, both find none, and both make it. Our Core Data holds the stores' own write locks, which keep everybody out.
// Apple's has no way to them: there, imports wait for each other, in this process (a lock for each coordinator) and in others
// (a locked file beside each store), and whoever only saves doesn't wait.

import CoreData
import Foundation
import Synchronization

/// A turn at writing into the stores of a context. Begins and ends on one thread.
final class ImportTurn {
    #if canImport(Darwin) || GRAFT_PORTABLE
        private let lock: ImportLock
        private var files: [Int32] = []
        private var isOver = false

        /// Waits for the turn, as long as the closure says.
        init(in context: NSManagedObjectContext, keepsWaiting: @escaping @Sendable () -> Bool) throws {
            lock = ImportLock.lock(of: context)
            while !lock.lock.lock(before: Date(timeIntervalSinceNow: 0.01)) {
                guard keepsWaiting() else { throw GraftError(.cancelled) }
            }
            let stores = context.persistentStoreCoordinator?.persistentStores ?? []
            // Two stores of one file, under two configurations, would wait for each other.
            let paths = Set(stores.filter { $0.type == NSSQLiteStoreType }.compactMap(\.url).map(Self.lockPath))
            for path in paths.sorted() {
                let file = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
                // Where no file can be made, the store can't be written either, and the save says so.
                guard file >= 0 else { continue }
                files.append(file)
                // A file system without locks has nobody to wait for.
                while flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
                    guard keepsWaiting() else {
                        end()
                        throw GraftError(.cancelled)
                    }
                    Thread.sleep(forTimeInterval: 0.01)
                }
            }
        }

        /// The locked file beside a store.
        private static func lockPath(_ store: URL) -> String {
            store.deletingLastPathComponent().appendingPathComponent(".graft-\(store.lastPathComponent).lock").path
        }

        /// Ends the turn. May be called again.
        func end() {
            if isOver { return }
            isOver = true
            for file in files { close(file) }
            lock.lock.unlock()
        }

        /// Whether it is certain that nobody has written since another turn ended.
        func directlyFollows(_ other: ImportTurn) -> Bool { false }
    #else
        private let coordinator: NSPersistentStoreCoordinator?
        private let turn: WriteTurn?

        /// Waits for the turn, as long as the closure says.
        init(in context: NSManagedObjectContext, keepsWaiting: @escaping @Sendable () -> Bool) throws {
            coordinator = context.persistentStoreCoordinator
            turn = try coordinator?.beginWriting(keepsWaiting: keepsWaiting)
        }

        /// Ends the turn, if the save hasn't. May be called again.
        func end() { if let turn { coordinator?.end(turn) } }

        /// Whether it is certain that nobody has written since another turn ended.
        func directlyFollows(_ other: ImportTurn) -> Bool {
            guard let turn, let before = other.turn else { return false }
            return turn.directlyFollows(before)
        }
    #endif
}

#if canImport(Darwin) || GRAFT_PORTABLE
    /// Lets the imports of one coordinator wait for each other.
    private final class ImportLock: Sendable {
        private struct Entry {
            weak var lock: ImportLock?
        }

        /// By coordinator. An entry goes when nobody imports any more.
        private static let locks = Mutex<[ObjectIdentifier: Entry]>([:])

        /// Recursive, because an object's own code may import while it is being imported.
        let lock = NSRecursiveLock()

        static func lock(of context: NSManagedObjectContext) -> ImportLock {
            guard let coordinator = context.persistentStoreCoordinator else { return ImportLock() }
            let key = ObjectIdentifier(coordinator)
            return locks.withLock { locks in
                if let known = locks[key]?.lock { return known }
                locks = locks.filter { $0.value.lock != nil }
                let lock = ImportLock()
                locks[key] = Entry(lock: lock)
                return lock
            }
        }
    }
#endif
