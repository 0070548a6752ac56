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

    /// Listens for SIGINT, SIGTERM and SIGHUP from now on. One that came before has had its default effect: none is lost.
    init(cancelling progress: Progress) {
        let queue = DispatchQueue(label: "graft.interruption")
        let registered = DispatchSemaphore(value: 0)
        sources = Self.numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                Self.received.store(number, ordering: .relaxed)
                progress.cancel()
                // Whoever asks twice doesn't want to wait for the orderly end.
                _ = signal(number, SIG_DFL)
            }
            source.setRegistrationHandler { registered.signal() }
            source.resume()
            return source
        }
        for _ in sources { registered.wait() }
        #if canImport(Darwin)
            // Elsewhere Dispatch has a handler of its own, which comes with the registration.
            for number in Self.numbers { _ = signal(number, SIG_IGN) }
        #endif
    }

    /// Gives the signals their default effect back.
    func end() {
        for source in sources { source.cancel() }
        for number in Self.numbers { _ = signal(number, SIG_DFL) }
    }
}
