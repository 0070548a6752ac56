// The options of `graft generate`. Jobs/GenerateJob.swift does the work.

import ArgumentParser

struct GenerateCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write the Swift classes of a model's entities.",
        discussion: """
            Two files for each entity that has a class: the class, for you to go on with, and its properties. A class file that \
            is there already stays as it is; the properties are written anew. The code compiles on Apple's platforms and on \
            Linux. In a package, the plugin ManagedObjectClasses does the same in each build.
            """
                + Examples.text(
                    "graft generate Heroes.xcdatamodeld --output Classes",
                    "graft generate Heroes.xcdatamodeld --output Classes --entity Power")
    )

    @Argument(path: ArgumentHelp("The model.", valueName: "model"))
    var model: String

    @Option(name: .shortAndLong, path: "The folder to write into.", completion: .directory)
    var output: String

    @Option(help: "An entity to write the classes of; all of them, if left out.")
    var entity: [String] = []

    var outlivesReader: Bool { true }

    func run(console: Console) throws {
        try GenerateJob(model: model, folder: output, entities: entity).run(on: console)
    }
}
