// The options of `graft migrate`. Jobs/MigrateJob.swift does the work.

import ArgumentParser

struct MigrateCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate a store to another version of its model.",
        discussion: """
            A mapping model beside the versions of the model (.xcmappingmodel or .cdm) says what becomes of what; migration \
            policies are classes of the application, and a mapping that names one runs there alone. Where there is no mapping \
            model, entities and properties are found again by their renaming identifiers and names. The store stays as it was \
            until the migration has succeeded.
            """
                + Examples.text(
                    "graft migrate Heroes.sqlite --model Heroes.xcdatamodeld --dry-run",
                    "graft migrate Heroes.sqlite --model Heroes.xcdatamodeld")
    )

    @Argument(path: "The store.")
    var store: String

    @Option(
        path: ArgumentHelp("The model to migrate to (.xcdatamodeld, .xcdatamodel, .momd, .mom).", valueName: "path"))
    var model: String

    @Option(
        path: ArgumentHelp(
            "The mapping model; or 'inferred', for none, whether or not there is one beside the model.",
            valueName: "path"))
    var mapping: String?

    @Option(parsing: .unconditional, help: .wait)
    var wait: Double?

    @Option(path: .backup)
    var backup: String?

    @Flag(
        name: [.customShort("n"), .long], help: "Show the differences, try the migration on a copy, and change nothing."
    )
    var dryRun = false

    func validate() throws { try checkWait() }

    func run(console: Console) throws {
        try MigrateJob(store: store, model: model, mapping: mapping, isDryRun: dryRun, backup: backup).run(on: console)
    }
}
