// The options of `graft check`. Jobs/CheckJob.swift does the work.

import ArgumentParser

struct CheckCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find what is damaged in a store, and mend what can be mended.",
        discussion: """
            Lists values that can't be read, missing external files, links that lead nowhere or only one way, broken order, \
            duplicates, objects without what the model says is mandatory, and what SQLite's own check finds. What Apple's own \
            stores have too, and harms nobody, is a note. The store is opened for reading only, and not a byte of it changes. \
            The exit code is 1 where there is something.

            With --repair, what can be mended without inventing anything is mended, all at once or not at all, after a copy \
            of the store has been made. The exit code is 1 where something is left.
            """
                + Examples.text(
                    "graft check Heroes.sqlite", "graft check Heroes.sqlite --repair --backup Before.sqlite")
    )

    @Argument(path: "The store.")
    var store: String

    @Option(path: .model)
    var model: String?

    @Flag(help: "Mend what can be mended.")
    var repair = false

    @Option(
        path: ArgumentHelp(
            "Where the store is copied to before it is changed; else a new file beside it.", valueName: "file"))
    var backup: String?

    @Flag(help: "Make no copy before the store is changed.")
    var noBackup = false

    @Option(parsing: .unconditional, help: .wait)
    var wait: Double?

    @Flag(help: "Write JSON.")
    var json = false

    var outlivesReader: Bool { true }

    func validate() throws {
        try checkWait()
        if !repair, backup != nil { throw ValidationError("--backup goes with --repair.") }
        if !repair, noBackup { throw ValidationError("--no-backup goes with --repair.") }
        if backup != nil, noBackup { throw ValidationError("--backup and --no-backup can't both be given.") }
    }

    func run(console: Console) throws {
        let job = CheckJob(
            store: store, model: model, repairs: repair, backup: StoreBackup(backup, isOff: noBackup),
            isJSON: json)
        if try !job.run(on: console) { throw QuietExit(code: 1) }
    }
}
