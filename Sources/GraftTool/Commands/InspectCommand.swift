// The options of `graft inspect`. Jobs/InspectJob.swift does the work.

import ArgumentParser

struct InspectCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a store, a model or an archive holds.",
        discussion: """
            A store is opened for reading only, and not a byte of it changes. Of an archive the header is shown; it isn't \
            verified. The page of a store needs nothing from elsewhere; of large entities its numbers are those of a sample.
            """
                + Examples.text(
                    "graft inspect Heroes.sqlite",
                    "graft inspect Heroes.sqlite --html heroes.html")
    )

    @Argument(
        path: ArgumentHelp("The store, the model or the archive.", valueName: "store|model|archive"))
    var file: String

    @Option(path: .model)
    var model: String?

    @Flag(help: "Write JSON.")
    var json = false

    @Option(
        path: ArgumentHelp(
            "Write a page with the model, numbers of all values and the first objects.", valueName: "file"))
    var html: String?

    var outlivesReader: Bool { true }

    func validate() throws {
        if json, html != nil { throw ValidationError("--json and --html can't be used together.") }
    }

    func run(console: Console) throws {
        if let html { return try PageJob(store: file, model: model, output: html).run(on: console) }
        let isWhole = try InspectJob(file: file, model: model, isJSON: json).run(on: console)
        if !isWhole { throw QuietExit(code: 1) }
    }
}
