// Runs a command line: arguments in, results on the console, exit code out.

import ArgumentParser
import Foundation
import Graft

#if PostgreSQL
    import PostgreSQLStore
#endif

/// The tool.
enum Tool {
    /// The version that `--version` shows; CHANGELOG.md says what is in it.
    static let version = "0.1.0"

    /// Runs one command line.
    ///
    /// - Returns: 0, 1 when the job failed, 64 when the command line can't be understood, or 128 and the number of the
    ///   signal that has cancelled the work.
    static func run(_ arguments: [String], console: Console) -> Int32 {
        StoreAccess.expectOthersModels()
        #if PostgreSQL
            PostgreSQLStore.register()
        #endif
        do {
            var command = try GraftCommand.parseAsRoot(arguments)
            if let job = command as? any JobCommand {
                var console = console
                console.outlivesReader = job.outlivesReader
                return run(job, console: console)
            }
            try command.run()
            return ExitCode.success.rawValue
        } catch {
            return finish(with: error, arguments, console: console)
        }
    }

    private static func run(_ job: any JobCommand, console: Console) -> Int32 {
        StoreAccess.wait(job.wait) { console.note($0) }
        do {
            try ModelTransformers.take(job.transformerRules)
            try job.run(console: console)
            return ExitCode.success.rawValue
        } catch is OutputClosed {
            return ExitCode.success.rawValue
        } catch let exit as QuietExit {
            return exit.code
        } catch let error as ValidationError {
            // What the parser alone can't tell: whether the model leaves a choice.
            console.note("Error: \(error.message)")
            return ExitCode.validationFailure.rawValue
        } catch {
            console.note("graft: \(StoreAccess.shown(words(of: error)))")
            let interrupted = Interruption.received.load(ordering: .relaxed)
            if case .cancelled? = (error as? GraftError)?.problem, interrupted > 0 { return 128 + interrupted }
            return job.failureCode
        }
    }

    /// Place, finding and remedy, whoever has thrown the error.
    static func words(of error: any Error) -> String {
        switch error {
        case let error as GraftError: error.description
        case let failures as ImportFailures: failures.description
        // Foundation's own description is for programmers; what a person should read is here.
        default: GraftError.words(of: error)
        }
    }

    /// The words for the first option that the command doesn't have.
    private static func unknownOption(in arguments: [String]) -> String? {
        guard
            let command = GraftCommand.configuration.subcommands.first(where: {
                $0.configuration.commandName == arguments.first
            })
        else { return nil }
        let known = Set(command.helpMessage().matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
        let given = arguments.dropFirst().prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.prefix { $0 != "=" }) }
        guard let unknown = given.first(where: { !known.contains($0) }) else { return nil }
        let closest = NameSuggestion.closest(to: unknown, among: known).map { " Did you mean '\($0)'?" } ?? ""
        return "Unknown option '\(unknown)'.\(closest)"
    }

    /// The words for a command that there isn't.
    private static func unknownCommand(in arguments: [String]) -> String? {
        let known = GraftCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let name = words.first, !name.hasPrefix("-"), !known.contains(name) else { return nil }
        let closest = NameSuggestion.closest(to: name, among: known).map { " Did you mean '\($0)'?" } ?? ""
        return "There is no command '\(name)'.\(closest)"
    }

    /// Help and version are results; what the parser couldn't understand isn't.
    private static func finish(with error: any Error, _ arguments: [String], console: Console) -> Int32 {
        // The parser takes a wrong name behind `help` for none.
        let error = unknownCommand(in: arguments).map { ValidationError($0) as any Error } ?? error
        let code = GraftCommand.exitCode(for: error)
        let message = GraftCommand.fullMessage(for: error)
        guard code.isSuccess else {
            // What is missing is told before what is wrong; a slip in an option's name is both.
            if !message.contains("Unknown option"), let option = unknownOption(in: arguments) {
                console.note("Error: \(option)")
            }
            console.note(message)
            return code.rawValue
        }
        do {
            if !message.isEmpty { try console.print(message) }
            return code.rawValue
        } catch {
            return error is OutputClosed ? ExitCode.success.rawValue : ExitCode.failure.rawValue
        }
    }
}

/// A subcommand that does its work on a console.
protocol JobCommand: ParsableCommand {
    /// Does the work.
    ///
    /// - Throws: ``GraftError`` when it fails, ``OutputClosed`` when nobody reads the result any more.
    func run(console: Console) throws

    /// Whether the job goes on when nobody reads its output any more, because its exit code is an answer or its effect stays.
    var outlivesReader: Bool { get }

    /// The exit code when the job fails.
    var failureCode: Int32 { get }

    /// How many seconds to wait for a store that is locked; nil for as long as usual.
    var wait: Double? { get }

    /// The rules of the transformers that models name: `NAME=RULE`.
    var transformerRules: [String] { get }
}

/// The end of a job that has said everything, with an exit code that says the rest.
struct QuietExit: Error {
    var code: Int32
}

extension JobCommand {
    var outlivesReader: Bool { false }
    var failureCode: Int32 { ExitCode.failure.rawValue }
    var wait: Double? { nil }
    var transformerRules: [String] { [] }

    // The parser's own entry, unused here: `Tool.run` calls `run(console:)`.
    func run() throws { try run(console: Console()) }
}
