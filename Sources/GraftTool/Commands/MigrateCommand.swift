// The options of `graft migrate`. Jobs/MigrateJob.swift does the work.

import ArgumentParser

struct MigrateCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate a store to another version of its model.",
        discussion: """
            Entities and properties are found again by their renaming identifiers and names. The store stays as it was \
            until the migration has succeeded.
            """
    )

    @Argument(help: "The store.", completion: .file())
    var store: String

    @Option(
        help: ArgumentHelp("The model to migrate to (.xcdatamodeld, .xcdatamodel, .momd, .mom).", valueName: "path"),
        completion: .file())
    var model: String

    @Option(parsing: .unconditional, help: .wait)
    var wait: Double?

    @Option(help: .backup, completion: .file())
    var backup: String?

    @Flag(name: [.customShort("n"), .long], help: "Show the differences, and change nothing.")
    var dryRun = false

    func validate() throws { try checkWait() }

    func run(console: Console) throws {
        try MigrateJob(store: store, model: model, isDryRun: dryRun, backup: backup).run(on: console)
    }
}
