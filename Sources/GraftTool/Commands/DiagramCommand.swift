// The options of `graft diagram`. Jobs/DiagramJob.swift does the work.

import ArgumentParser

struct DiagramCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram",
        abstract: "Draw a model.",
        discussion: """
            Shows entities with their attributes, inheritance, and relationships with their counts and delete rules; a \
            filled diamond is at the owner. SVG is made by Graphviz; the others need nothing.
            """
                + Examples.text(
                    "graft diagram Heroes.sqlite --format mermaid",
                    "graft diagram Heroes.xcdatamodeld --format dot --output heroes.dot")
    )

    @Argument(
        path: ArgumentHelp(
            "The model: .xcdatamodeld, .xcdatamodel, .momd or .mom; or a store or an archive that carries one.",
            valueName: "model"))
    var model: String

    @Option(help: ArgumentHelp("The form of the diagram.", valueName: "svg|mermaid|dot"))
    var format = DiagramJob.Format.svg

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many attributes of an entity are shown; 0 shows all (default: all, or 12 in models of more than 30 entities).",
            valueName: "n"))
    var attributes: Int?

    @Option(
        name: .shortAndLong,
        path: ArgumentHelp("The file to write; standard output without it.", valueName: "file"))
    var output: String?

    func validate() throws {
        if let attributes, attributes < 0 {
            throw ValidationError("--attributes needs a number from 0 up, not \(attributes).")
        }
    }

    func run(console: Console) throws {
        try DiagramJob(model: model, format: format, attributeLimit: attributes, output: OutputFile.path(output)).run(
            on: console)
    }
}

extension DiagramJob.Format: ExpressibleByArgument {}
