// Where the tool's words go: results to standard output, everything else to standard error. Tests give other
// descriptors.

import Foundation
import Graft

/// The reader of the output has gone, as `| head` does. Not a failure: the tool ends quietly, or goes on without a word
/// (``Console/outlivesReader``).
struct OutputClosed: Error {}

/// The three standard streams.
struct Console: Sendable {
    /// Where data is read from when a file is called `-`.
    var input: Int32 = STDIN_FILENO
    /// Results.
    var output: Int32 = STDOUT_FILENO
    /// Errors, notes and progress.
    var diagnostics: Int32 = STDERR_FILENO
    /// Whether a job goes on when the reader of its output has gone.
    var outlivesReader = false

    /// Whether somebody watches the diagnostics, and may be shown a line that changes.
    var isWatched: Bool { isatty(diagnostics) == 1 && environment["TERM"] != "dumb" }

    /// The width of the terminal that shows the diagnostics.
    var width: Int { environment["COLUMNS"].flatMap { Int($0) } ?? 80 }

    /// Fewer columns than this are taken for this many: the parser's help stops the process where lines have less room than its indent.
    private static let leastWidth = 40

    /// Lets help be as wide as it has to be, whatever the terminal says. To be called before there are other threads.
    static func widen() {
        var width = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
        if width == nil {
            var size = winsize()
            // Safe: the call fills in the size that it is given, and nothing else.
            if unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { width = Int(size.ws_col) }
        }
        // Safe: nobody else reads or writes the environment yet.
        if let width, width < leastWidth { _ = unsafe setenv("COLUMNS", "\(leastWidth)", 1) }
    }

    /// Whether the reader of the output, a pipe, has gone.
    var isOutputClosed: Bool {
        var request = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        // Safe: the pointer is to one request, and the count says so.
        return unsafe poll(&request, 1, 0) > 0 && Int32(request.revents) & POLLERR != 0
    }

    /// Whether results may have colours: on a terminal, unless its user doesn't want any (no-color.org).
    var hasColor: Bool {
        isatty(output) == 1 && environment["TERM"] != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// What a file has, or standard input where it is called `-`.
    func source(_ file: String) -> ImportSource {
        guard file == "-" else { return .file(URL(fileURLWithPath: file)) }
        return .handle(FileHandle(fileDescriptor: input), name: ImportSource.standardInputName)
    }

    /// Writes a result and ends its line.
    func print(_ line: String) throws {
        try write(line + "\n")
    }

    /// Writes the report on work whose effect stays, whether or not anybody reads the report.
    ///
    /// - Parameter done: What is done already; nil where nothing has been changed.
    /// - Throws: ``GraftError`` that says what is done, where the report can't be written.
    func report(_ lines: [String], after done: String?) throws {
        do {
            for line in lines { try print(line) }
        } catch is OutputClosed {
            // The job has more to say elsewhere: what was left out, and its exit code.
        } catch let error as GraftError {
            guard let done else { throw error }
            throw Self.unwritten(error, at: "standard output", after: done)
        }
    }

    /// The error of a report that can't be written.
    ///
    /// - Parameter done: What is done already.
    static func unwritten(_ error: GraftError, at place: String, after done: String) -> GraftError {
        GraftError(
            .other(
                finding: "\(done), but the report can't be written: \(error.failureReason ?? "\(error)")",
                remedy: "The work need not be done again."),
            at: .init(source: place))
    }

    /// Writes a result of several lines as it is.
    func write(_ text: String) throws {
        do {
            try FileDescriptor.write(Array(text.utf8), to: output)
        } catch is OutputClosed where outlivesReader {
            // What the job does, or its exit code, counts all the same.
        }
    }

    /// Writes a message that isn't a result. Where nobody listens nothing can be told any more, so a failure is
    /// ignored.
    func note(_ line: String) {
        show(line + "\n")
    }

    /// Writes text without ending the line, for progress.
    func show(_ text: String) {
        do {
            try FileDescriptor.write(Array(text.utf8), to: diagnostics)
        } catch {
            // There is no other place to report this to.
        }
    }
}

/// Writing to a descriptor; the tool's only unsafe call.
enum FileDescriptor {
    /// Writes all bytes.
    ///
    /// - Throws: ``OutputClosed`` when the reader has gone, else a ``GraftError`` with the system's reason.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var start = 0
        while start < bytes.count {
            // Safe: the pointer and the count are those of one slice, and `write` only reads.
            let written = unsafe bytes[start...].withUnsafeBytes {
                unsafe Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if written >= 0 {
                start += written
                continue
            }
            switch errno {
            case EINTR: continue
            case EPIPE: throw OutputClosed()
            case let code: throw GraftError(.unwritableFile(reason: SystemError.reason(code)))
            }
        }
    }
}

/// The system's words for its error numbers.
enum SystemError {
    /// Returns, for instance, `no space left on device`.
    static func reason(_ code: Int32 = errno) -> String {
        // Safe: `strerror` returns a string that stays valid until the next call, and it is copied at once.
        let text = unsafe String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
