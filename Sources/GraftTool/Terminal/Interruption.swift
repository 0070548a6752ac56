// Control-C, `kill` and a terminal that is closed: the first one cancels the work in an orderly way, the second one ends the
// process at once.

import Foundation
import Synchronization

/// Cancels a `Progress` when the user interrupts the tool.
///
/// Handlers of our own, not Dispatch's sources: on Linux those hand a signal on from thread to thread, and may lose it.
final class Interruption {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    /// The signal that has cancelled the work; 0 for none. Shells expect 128 and this number as exit code.
    static let received = Atomic<Int32>(0)

    /// The way from the handlers, which may do nothing but write, to the thread that cancels. It stays open as long as the
    /// process, since a handler may be at work on any thread.
    private static let pipe = Pipe()
    private static let writing = pipe.fileHandleForWriting.fileDescriptor

    /// What is at work.
    private static let work = Mutex<[Progress]>([])
    /// The thread that cancels, from the first time that something is to be cancelled on. One is enough for the process.
    private static let listener: Void = Thread.detachNewThread {
        // The process that started this one may have left them blocked; one thread that takes them is enough.
        var wanted = sigset_t()
        unsafe sigemptyset(&wanted)
        for number in numbers { unsafe sigaddset(&wanted, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
        let reading = pipe.fileHandleForReading.fileDescriptor
        var byte: UInt8 = 0
        // Safe: variables that outlive the calls.
        while unsafe read(reading, &byte, 1) == 1 {
            received.store(Int32(byte), ordering: .relaxed)
            for progress in work.withLock({ $0 }) { progress.cancel() }
            // Whoever asks twice doesn't want to wait for the orderly end.
            restoreDefaults()
        }
    }

    private let progress: Progress

    /// Listens for SIGINT, SIGTERM and SIGHUP from now on. One that came before has had its default effect: none is lost.
    init(cancelling progress: Progress) {
        self.progress = progress
        Self.work.withLock { $0.append(progress) }
        _ = Self.listener
        // Before a handler can ask for it: the first access of a static value isn't for handlers.
        _ = Self.writing
        for number in Self.numbers { _ = signal(number) { Interruption.forward($0) } }
    }

    /// What a handler does: one call, which leaves the thread that it has interrupted as it was.
    private static func forward(_ number: Int32) {
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        // Safe: one byte from a variable that outlives the call.
        _ = unsafe write(writing, &byte, 1)
        errno = before
    }

    /// Listens no more; where nothing else is at work, the signals have their default effect again.
    func end() {
        Self.work.withLock { work in
            work.removeAll { $0 === progress }
            if work.isEmpty { Self.restoreDefaults() }
        }
    }

    private static func restoreDefaults() {
        for number in numbers { _ = signal(number, SIG_DFL) }
    }
}
