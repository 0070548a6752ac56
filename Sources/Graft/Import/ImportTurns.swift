// An import writes in turns: one for all of it, or one for each batch that it saves. Before a turn, what was known of the store
// counts no more if somebody else has written meanwhile.

import CoreData
import Foundation

/// The turns of one import, one after the other.
final class ImportTurns {
    private let context: NSManagedObjectContext
    private let keepsWaiting: @Sendable () -> Bool
    private var current: ImportTurn?
    private var last: ImportTurn?

    init(_ context: NSManagedObjectContext, keepsWaiting: @escaping @Sendable () -> Bool) {
        self.context = context
        self.keepsWaiting = keepsWaiting
    }

    /// Waits for the next turn and takes it, unless there is one already.
    ///
    /// - Returns: Whether the store may be another one than at the end of the turn before.
    /// - Throws: ``GraftError`` with `cancelled`; the error of a store that stays locked.
    func begin() throws -> Bool {
        if current != nil { return false }
        let turn: ImportTurn
        do {
            turn = try ImportTurn(in: context, keepsWaiting: keepsWaiting)
        } catch {
            throw keepsWaiting() ? error : GraftError(.cancelled)
        }
        current = turn
        return last.map { !turn.directlyFollows($0) } ?? false
    }

    /// Ends the turn, if there is one.
    func end() {
        guard let turn = current else { return }
        turn.end()
        last = turn
        current = nil
    }
}
