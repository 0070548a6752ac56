// The options of `graft inspect`. Jobs/InspectJob.swift does the work.

import ArgumentParser

struct InspectCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a store or a model holds.",
        discussion: "A store is opened for reading only, and not a byte of it changes."
    )

    @Argument(help: ArgumentHelp("The store or the model.", valueName: "store|model"), completion: .file())
    var file: String

    @Flag(help: "Write JSON.")
    var json = false

    func run(console: Console) throws {
        try InspectJob(file: file, isJSON: json).run(on: console)
    }
}
