// The options of `graft copy`. Jobs/CopyJob.swift does the work.

import ArgumentParser

struct CopyCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Make a new store with everything that another has, of the same or of another type.",
        discussion: """
            Each store is a file, or the URL of one on a server: from SQLite to PostgreSQL, and back. The new store gets the \
            model of the other. It is filled from an archive, which lies in the folder for temporary files meanwhile. The store \
            that is copied is opened for reading only, and not a byte of it changes.
            """
                + Examples.text(
                    "graft copy Heroes.sqlite Second.sqlite",
                    "graft copy Heroes.sqlite Third.sqlite --batch 10000")
    )

    @Argument(path: ArgumentHelp("The store.", valueName: "store"))
    var store: String

    @Argument(path: ArgumentHelp("The new store.", valueName: "copy"))
    var copy: String

    @Option(path: .model)
    var model: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Save after each so many objects, to bound the memory.", valueName: "n"))
    var batch: Int?

    func validate() throws {
        if let batch, batch < 1 { throw ValidationError("--batch needs a number of objects from 1 up, not \(batch).") }
    }

    func run(console: Console) throws {
        try CopyJob(store: store, copy: copy, model: model, batchSize: batch).run(on: console)
    }
}
