// The options of `graft apply`. Jobs/ApplyJob.swift does the work.

public import ArgumentParser
public import Graft

struct ApplyCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply a diff, a JSON Patch or a Merge Patch to a store.",
        discussion: """
            The patch is what `graft diff` writes with --format json, json-patch or merge-patch; its form is told by its \
            contents. JSON Patch and Merge Patch are applied to the export of the store, a JSON Patch with --entity to that of \
            the entity's objects. A diff that tells objects apart by a key that was guessed needs --key; one by rows needs the store \
            that it is about, or a copy of it. The store is changed whole or not at all.
            """
                + Examples.text(
                    "graft apply changes.json --store Heroes.sqlite --dry-run",
                    "graft apply changes.json --store Heroes.sqlite")
    )

    @Argument(
        path: ArgumentHelp("The patch; - is standard input.", valueName: "patch"))
    var patch: String

    @Option(path: ArgumentHelp("The store.", valueName: "store"))
    var store: String

    @Option(path: .model)
    var model: String?

    @Option(help: ArgumentHelp("The entity whose export a JSON Patch is about.", valueName: "name"))
    var entity: String?

    @OptionGroup
    var key: KeyOptions

    @OptionGroup
    var transformer: TransformerOptions

    @Option(parsing: .unconditional, help: .wait)
    var wait: Double?

    @OptionGroup
    var deletion: DeletionOptions

    @Flag(help: "Take the changes back. Only for diffs.")
    var reverse = false

    @Flag(help: "Say what would be done, and change nothing.")
    var dryRun = false

    @Option(
        help:
            "What becomes of changes that don't fit the store: nothing at all is done, or they are left out or forced.")
    var onConflict = GraphDiff.ConflictPolicy.fail

    var transformerRules: [String] { transformer.texts }

    func validate() throws { try checkWait() }

    func run(console: Console) throws {
        try ApplyJob(
            patch: patch, store: store, model: model, entity: entity, isReversed: reverse, isDryRun: dryRun,
            conflicts: onConflict, options: key.diffOptions, deletionLimit: deletion.maxDeletions,
            backup: deletion.storeBackup
        ).run(on: console)
    }
}

extension GraphDiff.ConflictPolicy: ExpressibleByArgument {}
