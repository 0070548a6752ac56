// The options of `graft diff`. Jobs/DiffJob.swift does the work.

public import ArgumentParser
public import Graft

struct DiffCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what differs between two stores, archives or JSON files.",
        discussion: """
            Objects are matched by their identity. Two stores are read side by side, so that they may be larger than \
            memory; archives and JSON files are read whole, and so are both sides for JSON Patch and Merge Patch, which \
            lead from the export of the old side to that of the new one. What a JSON file leaves out isn't compared. Not a \
            byte of either side changes.
            """
    )

    @Argument(
        help: ArgumentHelp("What was: a store, an archive or a JSON file.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("What is.", valueName: "new"), completion: .file())
    var new: String

    @Option(help: .model, completion: .file())
    var model: String?

    @Option(
        help: ArgumentHelp(
            "Of stores, the entity to compare, with its sub-entities; of JSON, that of the objects at the top.",
            valueName: "name"))
    var entity: String?

    @Option(help: "The form of the output.")
    var format = DiffFormat.text

    @Option(help: ArgumentHelp("The longest value in texts and pages, in characters; 0 shows all.", valueName: "n"))
    var valueLength = 200

    @Flag(help: "Show links at both of their ends in texts and pages, not only at the one that says more.")
    var allLinks = false

    @Flag(help: "Exit with 1 where there are differences, and with 2 where the job failed.")
    var exitCode = false

    var failureCode: Int32 { exitCode ? 2 : 1 }

    func validate() throws {
        if valueLength < 0 { throw ValidationError("--value-length needs a number from 0 up, not \(valueLength).") }
    }

    func run(console: Console) throws {
        let job = DiffJob(
            old: old, new: new, model: model, entity: entity, format: format,
            maximumValueLength: valueLength == 0 ? nil : valueLength, showsAllLinks: allLinks)
        let hasDifferences = try job.run(on: console)
        if exitCode, hasDifferences { throw QuietExit(code: 1) }
        // An exit code says it to a script.
        if !exitCode, !hasDifferences, format == .text { console.note("no difference") }
    }
}

// The conformance of a public type is public.
extension DiffFormat: ExpressibleByArgument {}
