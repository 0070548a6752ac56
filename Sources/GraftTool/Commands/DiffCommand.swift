// The options of `graft diff`. Jobs/DiffJob.swift does the work.

public import ArgumentParser
public import Graft

struct DiffCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what differs between two stores, archives, JSON files or models.",
        discussion: """
            Objects are matched by what --key says, else by the identity that the model declares, else by an attribute called \
            id, uuid, identifier, guid or <entity>ID in which both sides are unique, else by their rows where both sides \
            come from one store, else by place and contents. What isn't the model's word is said at the head of the \
            output. Two stores are read side by side, so that they may be larger than \
            memory; archives and JSON files are read whole, and so are both sides for JSON Patch and Merge Patch, which \
            lead from the export of the old side to that of the new one. What a JSON file leaves out isn't compared. Not a \
            byte of either side changes. Of two models, entities and properties are compared, and whether stores can be \
            migrated by an inferred mapping is said.
            """
                + Examples.text(
                    "graft diff Heroes.sqlite Copy.sqlite",
                    "graft diff Old.xcdatamodeld Heroes.xcdatamodeld --exit-code")
    )

    @Argument(
        path: ArgumentHelp("What was: a store, an archive, a JSON file or a model.", valueName: "old"))
    var old: String

    @Argument(path: ArgumentHelp("What is.", valueName: "new"))
    var new: String

    @Option(path: .model)
    var model: String?

    @Option(
        help: ArgumentHelp(
            "Of stores, the entity to compare, with its sub-entities and what its objects own; of JSON, that of the objects at the top.",
            valueName: "name"))
    var entity: String?

    @OptionGroup
    var key: KeyOptions

    @OptionGroup
    var transformer: TransformerOptions

    @Option(
        path: ArgumentHelp(
            "The store or archive that both sides come from: rows that came later are different objects.",
            valueName: "base"))
    var base: String?

    @Option(help: "The form of the output.")
    var format = DiffRendering.Format.text

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The longest value in texts and pages, in characters; 0 shows all.", valueName: "n"))
    var valueLength = 200

    @Flag(help: "Show links at both of their ends in texts and pages, not only at the one that says more.")
    var allLinks = false

    @Flag(help: "Exit with 1 where there are differences, and with 2 where the job failed.")
    var exitCode = false

    var failureCode: Int32 { exitCode ? 2 : 1 }
    var outlivesReader: Bool { exitCode }
    var transformerRules: [String] { transformer.texts }

    func validate() throws {
        let isOfObjects =
            format != .text || entity != nil || model != nil || base != nil || allLinks || !key.texts.isEmpty
            || !transformer.texts.isEmpty
        if ModelDiffJob.isModel(old), ModelDiffJob.isModel(new), isOfObjects {
            throw ValidationError(
                "Two models are compared as text and whole; --format, --entity, --model, --key, --transformer, --base and "
                    + "--all-links are for objects.")
        }
        if valueLength < 0 { throw ValidationError("--value-length needs a number from 0 up, not \(valueLength).") }
    }

    func run(console: Console) throws {
        if ModelDiffJob.isModel(old) || ModelDiffJob.isModel(new) {
            let hasDifferences = try ModelDiffJob(old: old, new: new).run(on: console)
            if exitCode, hasDifferences { throw QuietExit(code: 1) }
            return
        }
        let job = DiffJob(
            old: old, new: new, model: model, entity: entity, format: format,
            maximumValueLength: valueLength == 0 ? nil : valueLength, showsAllLinks: allLinks,
            options: key.diffOptions, base: base)
        let hasDifferences = try job.run(on: console)
        if exitCode, hasDifferences { throw QuietExit(code: 1) }
        // An exit code says it to a script.
        if !exitCode, !hasDifferences, format == .text { console.note("no difference") }
    }
}

// The conformance of a public type is public.
extension DiffRendering.Format: ExpressibleByArgument {}
