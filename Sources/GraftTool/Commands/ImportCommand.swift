// The options of `graft import`. Jobs/ImportJob.swift does the work.

public import ArgumentParser
public import Graft

struct ImportCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import JSON, an archive or another store into a store.",
        discussion: """
            Objects are found by their identity and updated, or inserted where there are none. All files are one job: \
            it succeeds whole, or it leaves the store as it was. A store that doesn't exist appears when it is complete; \
            without --model its model is that of the first store or archive among the files, or else what the JSON has. \
            With --batch, the batches that are saved in an existing store stay. Imports into one store wait for each other, \
            with --batch before each batch. Keys that the model doesn't map are listed \
            behind the table; an object that has no other key is an error. Where the model doesn't say what identifies an \
            entity's objects, they are compared by their contents, unless --key says it: auto takes an attribute called \
            id, uuid, identifier, guid or <entity>ID that identifies them in the store and in the data.
            """
                + Examples.text(
                    "graft import heroes.json --store New.sqlite",
                    "graft import heroes-update.json --entity Hero --store Heroes.sqlite")
    )

    @Argument(
        path: ArgumentHelp(
            "JSON, NDJSON, an archive or a store to import; - is standard input.", valueName: "file"))
    var files: [String]

    @Option(
        path: ArgumentHelp("The store; it is created if it doesn't exist.", valueName: "store"))
    var store: String

    @Option(path: .model)
    var model: String?

    @Option(
        help: ArgumentHelp(
            "The entity of the objects at the top of the JSON; the one that is taken of an archive or a store.",
            valueName: "name"))
    var entity: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Save after each so many objects, to bound the memory.", valueName: "n"))
    var batch: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for other imports and for a store that another process has locked (default: as long as it takes).",
            valueName: "seconds"))
    var wait: Double?

    @OptionGroup
    var key: KeyOptions

    @OptionGroup
    var transformer: TransformerOptions

    @Option(
        path: ArgumentHelp(
            "A list of objects that are gone, by their identity; they are deleted. Can be repeated.", valueName: "file")
    )
    var deleted: [String] = []

    @OptionGroup
    var deletion: DeletionOptions

    @Flag(help: "Say what would be inserted, updated and deleted, and change nothing.")
    var dryRun = false

    @Flag(help: "Fail where the data has a key that the model doesn't map.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "When a record can't be taken: end the import, end it with a list of all (one save, also with --batch), or leave the record out.",
            valueName: "fail|collect|skip"))
    var onError = ImportOptions.FailurePolicy.fail

    @Option(
        path: ArgumentHelp(
            "A file for the report, in JSON: what was done, and every failure; - for standard output.",
            valueName: "file"))
    var report: String?

    var transformerRules: [String] { transformer.texts }

    func validate() throws {
        try checkWait()
        if let batch, batch < 1 { throw ValidationError("--batch needs a number of objects from 1 up, not \(batch).") }
        if (files + deleted).count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read only once.")
        }
    }

    func run(console: Console) throws {
        try ImportJob(
            files: files, store: store, model: model, entity: entity, batchSize: batch, isDryRun: dryRun,
            failurePolicy: onError, isStrict: strict, keys: key.keys, guessesKeys: key.isAuto, deleted: deleted,
            deletionLimit: deletion.maxDeletions, backup: deletion.storeBackup, wait: wait, report: report
        ).run(on: console)
    }
}

extension ImportOptions.FailurePolicy: ExpressibleByArgument {}

extension JobCommand {
    func checkWait() throws {
        if let wait, !(0...86400).contains(wait) {
            throw ValidationError("--wait needs a number of seconds from 0 to 86400, not \(wait).")
        }
    }
}

extension MappingOptions.DeletionLimit {
    /// Reads `100` or `10%`.
    static func parsing(_ text: String) throws -> MappingOptions.DeletionLimit {
        if let limit = MappingOptions.DeletionLimit(text) { return limit }
        throw ValidationError("It is a number of objects or a percentage, such as 10%.")
    }

    /// What the tool lets a job delete unless it is told otherwise: 10% of an entity's objects, and 100 in any case.
    static let ofTool = MappingOptions.DeletionLimit.percent(10, atLeast: 100)
}

extension ArgumentHelp {
    /// The same option in all commands that write.
    static let backup = ArgumentHelp(
        "Copy the store there before it is changed, with its external data.", valueName: "file")

    /// The same option in all commands that write.
    static let wait = ArgumentHelp(
        "How long to wait for a store that another process has locked (default: 240).", valueName: "seconds")

    /// The same option in all commands.
    static let model = ArgumentHelp(
        "The model: .xcdatamodeld, .xcdatamodel, .momd or .mom; or a store or an archive with it. Not needed where the store carries it.",
        valueName: "model")
}
