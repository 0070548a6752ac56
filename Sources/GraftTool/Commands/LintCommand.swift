// The options of `graft lint`. Jobs/LintJob.swift does the work.

import ArgumentParser

struct LintCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check the annotations of a model.",
        discussion: """
            Shows what can't be followed, what is probably a slip, and what identifies the objects of each entity. The exit \
            code is 1 where there is an error, or with --strict a warning.
            """
                + Examples.text(
                    "graft lint Heroes.xcdatamodeld",
                    "graft lint Heroes.sqlite --json")
    )

    @Argument(
        path: ArgumentHelp(
            "The model: .xcdatamodeld, .xcdatamodel, .momd or .mom; or a store or an archive that carries one.",
            valueName: "model"))
    var model: String

    @Option(
        help: ArgumentHelp(
            "A transformer that the program registers, or NAME=RULE, what it does; can be repeated.",
            valueName: "name"))
    var transformer: [String] = []

    @Flag(help: "Fail for warnings, too.")
    var strict = false

    @Flag(help: "Write JSON.")
    var json = false

    var outlivesReader: Bool { true }
    var transformerRules: [String] { transformer.filter { $0.contains("=") } }

    func validate() throws { try ModelTransformers.check(transformerRules) }

    func run(console: Console) throws {
        let names = transformer.filter { !$0.contains("=") }
        try LintJob(model: model, transformers: names, isStrict: strict, isJSON: json).run(on: console)
    }
}
