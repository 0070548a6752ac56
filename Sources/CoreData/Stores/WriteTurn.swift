// A turn at writing: a context looks something up, and writes what follows from it, while nobody else can write. Without one,
// two that look for the same object at the same time both find none, and both make it.
//
//     begin       waits for the saves and turns of this process, then takes the write lock of each store's file
//     (reading)   goes on everywhere: in WAL mode always; in rollback mode others' reads wait while the save is committed
//     save        writes in the transaction that holds the lock, and ends the turn
//     end         gives the locks back where nothing was saved
//
// A file that is open under two configurations has two stores, each with connections of its own: one would wait for the lock of the other
// without end. There a turn keeps this coordinator's saves out alone, and each save takes the lock itself.

import Foundation

/// The exclusive right to write into the stores of a coordinator, until the next save. For one thread.
package final class WriteTurn {
    fileprivate let backends: [any StoreBackend]
    /// What the stores had seen of others' changes, by store, and of ours, when the turn began and ended.
    private let others: [Int64]
    /// Nil where others can write meanwhile.
    private let began: Int?
    fileprivate var ended: Int?

    fileprivate init(_ backends: [any StoreBackend], others: [Int64], began: Int?) {
        self.backends = backends
        self.others = others
        self.began = began
    }

    /// Whether nobody has written since another turn ended.
    package func directlyFollows(_ other: WriteTurn) -> Bool {
        began != nil && others == other.others && began == other.ended
    }
}

/// Who has the turn in a coordinator, and how often it has been written to.
struct WriteTurns {
    var current: WriteTurn?
    var saveCount = 0
}

extension NSPersistentStoreCoordinator {
    /// Waits for the turn at writing into all stores, and takes it.
    ///
    /// End it on the same thread. A turn that begins within another one on the same thread ends with it.
    ///
    /// - Parameter keepsWaiting: Is asked again and again while another process has a file locked, and says whether to go on
    ///   waiting. Stores that were opened with `NSPersistentStoreTimeoutOption` wait no longer than that.
    /// - Throws: The error of a store that stays locked.
    package func beginWriting(keepsWaiting: @escaping @Sendable () -> Bool) throws -> WriteTurn {
        saveLock.lock()
        if turns.current != nil {
            saveLock.unlock()
            let inner = WriteTurn([], others: [], began: -1)
            inner.ended = -1
            return inner
        }
        // In one order everywhere, so that two processes never wait for each other.
        let writable = persistentStores.filter { !$0.isReadOnly }
        let identifiers = writable.compactMap(\.identifier)
        let isEachAlone = Set(identifiers).count == identifiers.count
        let stores =
            isEachAlone
            ? writable.sorted { ($0.url?.absoluteString ?? "") < ($1.url?.absoluteString ?? "") } : []
        var begun: [any StoreBackend] = []
        do {
            var others: [Int64] = []
            for store in stores {
                let backend = try store.requiredBackend
                let isPatient = store.options?[NSPersistentStoreTimeoutOption] == nil
                let patience = StoreLock.Patience(isEndless: isPatient, keepsWaiting: keepsWaiting)
                others.append(try StoreLock.$patience.withValue(patience) { try backend.beginWriting() })
                begun.append(backend)
            }
            let turn = WriteTurn(begun, others: others, began: isEachAlone ? turns.saveCount : nil)
            turns.current = turn
            return turn
        } catch {
            for backend in begun { backend.endWriting() }
            saveLock.unlock()
            throw error
        }
    }

    /// Ends a turn, unless a save has done so.
    package func end(_ turn: WriteTurn) {
        guard turn.ended == nil, turns.current === turn else { return }
        finishTurn()
    }

    /// Counts a save, and ends the turn that it was part of. Behind the lock of saves.
    func didWrite() {
        turns.saveCount += 1
        if turns.current != nil { finishTurn() }
    }

    private func finishTurn() {
        guard let turn = turns.current else { return }
        for backend in turn.backends { backend.endWriting() }
        turn.ended = turns.saveCount
        turns.current = nil
        saveLock.unlock()
    }
}
