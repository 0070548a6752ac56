// The options of `graft infer`. Jobs/InferJob.swift does the work.

import ArgumentParser
import Graft

struct InferCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "infer",
        abstract: "Make a model from JSON.",
        discussion: """
            Objects become entities, nested objects relationships, and values attributes with a type, each with the evidence \
            for it. An import by the model takes all of the data, and an export gives it back; where that would look \
            different, it is said. What has no type is kept as a tree in a transformable attribute.
            """
                + Examples.text(
                    "graft infer heroes.json",
                    "graft infer heroes.json --output Inferred.xcdatamodeld")
    )

    @Argument(
        path: ArgumentHelp("JSON or NDJSON; - is standard input.", valueName: "file"))
    var files: [String]

    @Option(
        name: .shortAndLong,
        path: ArgumentHelp(
            "The model to write, an .xcdatamodeld; without it, only the guesses are shown.", valueName: "model"))
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The entity of the records of all files; without it, the files' names name them.", valueName: "name"))
    var entity: String?

    @Flag(help: "Write the guesses as JSON.")
    var json = false

    func validate() throws {
        if let output, !output.hasSuffix(".xcdatamodeld") {
            throw ValidationError("--output needs a name that ends in .xcdatamodeld, not \(output).")
        }
        if let entity, !ModelInference.isName(entity) {
            throw ValidationError("--entity can't be '\(entity)'. \(ModelInference.rulesOfNames).")
        }
        if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read only once.") }
    }

    func run(console: Console) throws {
        try InferJob(files: files, output: output, entity: entity, isJSON: json).run(on: console)
    }
}
