// Control-C and `kill`: the first one cancels the work in an orderly way, the second one ends the process at once.

import Foundation

/// Cancels a `Progress` when the user interrupts the tool.
final class Interruption {
    private let sources: [any DispatchSourceSignal]

    /// Starts to listen for SIGINT and SIGTERM.
    init(cancelling progress: Progress) {
        let queue = DispatchQueue(label: "graft.interruption")
        sources = [SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
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
        _ = signal(SIGINT, SIG_DFL)
        _ = signal(SIGTERM, SIG_DFL)
    }
}
