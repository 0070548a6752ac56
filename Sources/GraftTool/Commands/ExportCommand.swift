// The options of `graft export`. Jobs/ExportJob.swift does the work.

public import ArgumentParser
public import Graft

struct ExportCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a store's objects as JSON.",
        discussion: """
            With one --entity: its objects, each with what it leads to. Otherwise one object with the objects of the entities \
            named, or of all, each once and under its entity's name, from which an import makes an equal store. The store is opened for reading only, and not a byte of it \
            changes.
            """
                + Examples.text(
                    "graft export --store Heroes.sqlite --entity Hero --sort name --pretty",
                    "graft export --store Heroes.sqlite --output everything.json")
    )

    @Argument(path: .hidden)
    var path: String?

    @Option(path: ArgumentHelp("The store.", valueName: "store"))
    var store: String?

    @Option(path: .model)
    var model: String?

    @Option(help: ArgumentHelp("An entity to export, with its sub-entities; can be repeated.", valueName: "name"))
    var entity: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            """
            Which objects: a predicate, such as 'name BEGINSWITH \"A\"' or 'day >= \"2026-01-31\"'; texts stand for what the \
            attribute is, written as in JSON.
            """, valueName: "predicate"))
    var predicate: String?

    @Option(help: ArgumentHelp("The attribute or key path to sort by.", valueName: "key"))
    var sort: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The largest number of objects.", valueName: "n"))
    var limit: Int?

    @Option(help: "The form of the output.")
    var format = ExportOptions.Format.json

    @Flag(help: "Indent the output.")
    var pretty = false

    @OptionGroup
    var transformer: TransformerOptions

    @Option(
        help: ArgumentHelp("How relationships are written that the model says nothing of.", valueName: "form"))
    var relationships: ExportOptions.RelationshipForm?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many levels of related objects are nested; deeper ones are identifiers.", valueName: "n"))
    var depth: Int?

    @Flag(help: "Leave out what has no value, instead of writing null.")
    var omitNulls = false

    @Flag(help: "Order the keys of every object.")
    var sortKeys = false

    @Option(
        help: ArgumentHelp(
            "Name objects that have no identity, under this key: by the URI in their store.", valueName: "key"))
    var nameKey: String?

    @Flag(help: "Leave out what can't be read, such as links that lead nowhere, list it, and exit with 1.")
    var keepGoing = false

    @Option(
        name: .shortAndLong,
        path: ArgumentHelp("The file to write, whole or not at all; else standard output.", valueName: "file"))
    var output: String?

    var transformerRules: [String] { transformer.texts }

    func validate() throws {
        // The other commands that read a store take it without an option.
        guard (path == nil) != (store == nil) else {
            throw ValidationError("Name one store to export, with --store.")
        }
        if let limit, limit < 0 { throw ValidationError("--limit needs a number of objects from 0 up, not \(limit).") }
        if entity.count > 1, predicate != nil || sort != nil || limit != nil || format == .ndjson {
            throw ValidationError("--where, --sort, --limit and NDJSON are for the objects of one --entity.")
        }
        if let depth, depth < 0 || depth > 255 { throw ValidationError("--depth is a number of levels from 0 to 255.") }
        if entity.count > 1, relationships != nil || depth != nil || omitNulls || nameKey != nil {
            throw ValidationError(
                "--relationships, --depth, --omit-nulls and --name-key are for the objects of one --entity.")
        }
        if pretty, format == .ndjson { throw ValidationError("NDJSON has one object on a line; leave out --pretty.") }
    }

    func run(console: Console) throws {
        let job = ExportJob(
            store: store ?? path ?? "", model: model, entities: entity, predicate: predicate, sortKey: sort,
            limit: limit,
            isPlain: relationships != nil || depth != nil || omitNulls || nameKey != nil, options: options,
            output: OutputFile.path(output), keepsGoing: keepGoing)
        if try job.run(on: console) > 0 { throw QuietExit(code: 1) }
    }
}

extension ExportCommand {
    private var options: ExportOptions {
        var options = ExportOptions()
        options.format = format
        options.isPretty = pretty
        options.relationshipForm = relationships
        if let depth { options.maximumNesting = depth + 1 }
        options.includesNulls = !omitNulls
        options.sortsKeys = sortKeys
        options.stableIdentifierKey = nameKey
        return options
    }
}

extension ExportOptions.Format: ExpressibleByArgument {}
extension ExportOptions.RelationshipForm: ExpressibleByArgument {}
