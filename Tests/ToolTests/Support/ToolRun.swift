// Runs the built executable as a shell would, and keeps what it wrote.

import Foundation
import Testing

/// What one call of the tool came to.
struct ToolRun {
    var status: Int32
    /// Whether a signal ended the process; `status` is its number then.
    var isKilled = false
    var output: Data
    var diagnostics: String

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [Substring] { text.split(separator: "\n") }
}

/// Runs `graft` with arguments, standard input from a text, in a folder that is its working directory.
func graft(_ arguments: String..., input: String? = nil, in folder: TemporaryFolder? = nil) throws -> ToolRun {
    try run(Project.executable, arguments, input: input, in: folder)
}

func graft(
    _ arguments: [String], input: String? = nil, in folder: TemporaryFolder? = nil, environment: [String: String] = [:]
) throws -> ToolRun {
    try run(Project.executable, arguments, input: input, in: folder, environment: environment)
}

/// Runs a shell script in which `$GRAFT` is the tool.
func shell(_ script: String, in folder: TemporaryFolder) throws -> ToolRun {
    try run(URL(fileURLWithPath: "/bin/sh"), ["-c", script], input: nil, in: folder)
}

/// Runs a program to its end, or until `interrupt` has done something to the process.
func run(
    _ program: URL, _ arguments: [String], input: String?, in folder: TemporaryFolder?,
    environment: [String: String] = [:], interrupt: ((Process) throws -> Void)? = nil
) throws -> ToolRun {
    // Files rather than pipes: a pipe that nobody empties stops the writer.
    let streams = try TemporaryFolder()
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder?.url
    process.environment = ProcessInfo.processInfo.environment.merging(["GRAFT": Project.executable.path]) { $1 }
        .merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: streams.file("in", input ?? "")))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: streams.file("out", "")))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: streams.file("err", "")))
    try process.run()
    try interrupt?(process)
    process.waitUntilExit()
    return ToolRun(
        status: process.terminationStatus,
        isKilled: process.terminationReason == .uncaughtSignal,
        output: try Data(contentsOf: streams.url.appending(path: "out")),
        diagnostics: String(decoding: try Data(contentsOf: streams.url.appending(path: "err")), as: UTF8.self))
}

extension ToolRun {
    /// Checks that the job succeeded and said nothing else.
    @discardableResult
    func succeeded(sourceLocation: SourceLocation = #_sourceLocation) -> ToolRun {
        #expect(status == 0, "\(diagnostics)", sourceLocation: sourceLocation)
        #expect(diagnostics == "", sourceLocation: sourceLocation)
        return self
    }

    /// Whether a text has an error of Foundation's or of the runtime's in it as a programmer sees it.
    var showsRawError: Bool {
        diagnostics.contains("Error Domain") || diagnostics.contains("ErrorDomain error")
            || diagnostics.contains("CocoaError") || diagnostics.contains("POSIXError")
    }

    /// Checks that the job succeeded; it may say something on the side.
    @discardableResult
    func endedWell(sourceLocation: SourceLocation = #_sourceLocation) -> ToolRun {
        #expect(status == 0, "\(diagnostics)", sourceLocation: sourceLocation)
        return self
    }

    /// Checks that the job failed with a message of one line that contains all these words, and produced no result.
    ///
    /// - Parameter code: The exit code; 128 and a signal's number for a job that was interrupted.
    func failed(
        lines: Int = 1, code: Int32 = 1, saying words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(status == code && !isKilled, "\(text)\(diagnostics)", sourceLocation: sourceLocation)
        #expect(text == "", sourceLocation: sourceLocation)
        #expect(diagnostics.hasPrefix("graft: "), "\(diagnostics)", sourceLocation: sourceLocation)
        #expect(diagnostics.count(where: \.isNewline) == lines, "\(diagnostics)", sourceLocation: sourceLocation)
        for word in words {
            #expect(diagnostics.contains(word), sourceLocation: sourceLocation)
        }
    }
}
