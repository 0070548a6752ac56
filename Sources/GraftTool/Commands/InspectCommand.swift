// The options of `graft inspect`. Jobs/InspectJob.swift does the work.

import ArgumentParser

struct InspectCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a store, a model or an archive holds.",
        discussion: """
            A store is opened for reading only, and not a byte of it changes. Of an archive the header is shown; it isn't \
            verified.
            """
    )

    @Argument(
        help: ArgumentHelp("The store, the model or the archive.", valueName: "store|model|archive"),
        completion: .file())
    var file: String

    @Option(help: .model, completion: .file())
    var model: String?

    @Flag(help: "Write JSON.")
    var json = false

    func run(console: Console) throws {
        try InspectJob(file: file, model: model, isJSON: json).run(on: console)
    }
}
