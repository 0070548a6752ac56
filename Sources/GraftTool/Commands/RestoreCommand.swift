// The options of `graft restore`. Jobs/RestoreJob.swift does the work.

public import ArgumentParser
public import Graft

struct RestoreCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a store from an archive, or bring one up to it.",
        discussion: """
            A store that doesn't exist is made with the archive's model; it appears when it is complete. In one that exists, \
            objects are found by their identity, else by their contents, and updated; what the archive doesn't have stays. \
            Either everything is restored or nothing. With --batch, the batches that are saved in an existing store stay.
            """
                + Examples.text(
                    "graft restore heroes.archive --store Restored.sqlite",
                    "graft restore heroes.archive --store Copy.sqlite")
    )

    @Argument(path: ArgumentHelp("The archive.", valueName: "file"))
    var file: String

    @Option(
        path: ArgumentHelp("The store; it is created if it doesn't exist.", valueName: "store"))
    var store: String

    @Option(
        path: ArgumentHelp(
            "Another model than that of the archive: .xcdatamodeld, .xcdatamodel, .momd or .mom.", valueName: "model"))
    var model: String?

    @Option(
        help: """
            How much the models may differ. exact: not at all. compatible: the archive has nothing that the model has no \
            place for. partial: what the model has no place for is left out.
            """)
    var fit = GraphArchive.ModelFit.exact

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Save after each so many objects, to bound the memory.", valueName: "n"))
    var batch: Int?

    @Option(parsing: .unconditional, help: .wait)
    var wait: Double?

    @Option(path: .backup)
    var backup: String?

    @Flag(
        name: .customLong("validate"), help: "Refuse an archive whose objects break the model's rules, and list them.")
    var keepsRules = false

    @Flag(help: "Say what would be inserted and updated, and change nothing.")
    var dryRun = false

    func validate() throws {
        try checkWait()
        if let batch, batch < 1 { throw ValidationError("--batch needs a number of objects from 1 up, not \(batch).") }
    }

    func run(console: Console) throws {
        var options = GraphArchive.RestoringOptions()
        options.fit = fit
        options.isDryRun = dryRun
        options.validates = keepsRules
        if let batch {
            options.batchSize = batch
            options.savesEachBatch = true
        }
        try RestoreJob(file: file, store: store, model: model, options: options, backup: backup).run(on: console)
    }
}

extension GraphArchive.ModelFit: ExpressibleByArgument {}
