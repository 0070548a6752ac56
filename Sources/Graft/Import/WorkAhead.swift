// The next piece of a work, made while its caller is busy with the one before.
//
//     made       1  2  3  4
//     taken         1  2  3  4

import Dispatch

/// Work that is done piece by piece on a queue of its own, where nothing speaks against it.
final class WorkAhead<Piece>: @unchecked Sendable {
    // Safe to share: what the work touches is touched by one piece on the queue, or by whoever has waited for its end and not begun
    // another one.

    private let isAhead: Bool
    private let make: () throws -> Piece
    private let queue = DispatchQueue(label: "Graft.WorkAhead")
    private var outcome: Result<Piece, any Error>?

    /// - Parameter isAhead: Whether pieces are made before they are asked for.
    init(isAhead: Bool = true, _ make: @escaping () throws -> Piece) {
        self.isAhead = isAhead
        self.make = make
    }

    /// Begins with the next piece.
    func begin() {
        if isAhead { queue.async { [self] in outcome = Result(catching: make) } }
    }

    /// The piece that was begun last.
    func take() throws -> Piece {
        wait()
        defer { outcome = nil }
        return try outcome?.get() ?? make()
    }

    /// Does other work while the next piece is made.
    ///
    /// - Parameter hasMore: Whether there is a next piece.
    func whileMaking(if hasMore: Bool = true, _ body: () throws -> Void) rethrows {
        if hasMore { begin() }
        do {
            try body()
        } catch {
            wait()
            throw error
        }
    }

    /// Waits until nothing is being made.
    private func wait() {
        if isAhead { queue.sync {} }
    }
}
