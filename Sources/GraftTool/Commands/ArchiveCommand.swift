// The options of `graft archive`. Jobs/ArchiveJob.swift does the work.

public import ArgumentParser
public import Graft

struct ArchiveCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Put everything that a store has into one file.",
        discussion: """
            The archive has each object once, with every value exactly as the store has it, and the model. It doesn't \
            depend on the mapping to JSON: for JSON in the keys of your data, use export. The store is opened for \
            reading only, and not a byte of it changes.
            """
                + Examples.text(
                    "graft archive Heroes.sqlite --output heroes.archive",
                    "graft archive Heroes.sqlite --format binary --output heroes.blocks")
    )

    @Argument(path: ArgumentHelp("The store.", valueName: "store"))
    var store: String

    @Option(
        name: .shortAndLong,
        path: ArgumentHelp("The file to write, whole or not at all; else standard output.", valueName: "file"))
    var output: String?

    @Option(path: .model)
    var model: String?

    @Option(help: "json: one object a line, to compare and to keep in git. binary: small.")
    var format = GraphArchive.Encoding.json

    @Flag(help: "Leave the model out. Restoring needs it then.")
    var withoutModel = false

    @Flag(help: "Leave out what can't be read, such as links that lead nowhere, list it, and exit with 1.")
    var keepGoing = false

    func run(console: Console) throws {
        var options = GraphArchive.WritingOptions()
        options.encoding = format
        options.includesModel = !withoutModel
        let job = ArchiveJob(
            store: store, model: model, output: OutputFile.path(output), options: options, keepsGoing: keepGoing)
        if try job.run(on: console) > 0 { throw QuietExit(code: 1) }
    }
}

extension GraphArchive.Encoding: ExpressibleByArgument {}
