// Control-C, `kill` and a terminal that is closed: the first one cancels the work in an orderly way, the second one ends the
// process at once.

import Foundation
import Synchronization

/// Cancels a `Progress` when the user interrupts the tool.
final class Interruption {
    private let sources: [any DispatchSourceSignal]
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// The signal that has cancelled the work; 0 for none. Shells expect 128 and this number as exit code.
    static let received = Atomic<Int32>(0)

    /// Starts to listen for SIGINT, SIGTERM and SIGHUP.
    init(cancelling progress: Progress) {
        let queue = DispatchQueue(label: "graft.interruption")
        sources = Self.numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                Self.received.store(number, ordering: .relaxed)
                progress.cancel()
                // Whoever asks twice doesn't want to wait for the orderly end.
                _ = signal(number, SIG_DFL)
            }
            // Dispatch sees a signal only when its default action is off.
            _ = signal(number, SIG_IGN)
            source.resume()
            return source
        }
    }

    /// Gives the signals their default effect back.
    func end() {
        for source in sources { source.cancel() }
        for number in Self.numbers { _ = signal(number, SIG_DFL) }
    }
}
