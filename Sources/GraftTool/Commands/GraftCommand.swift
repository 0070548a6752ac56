// `graft`: the list of its subcommands.

import ArgumentParser

struct GraftCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graft",
        abstract: "Moves JSON into Core Data stores and out again.",
        discussion: """
            Results go to standard output, everything else to standard error. The exit code is 0, 1 when the job failed, \
            or 64 when the command line can't be understood.
            """,
        version: Tool.version,
        groupedSubcommands: [
            CommandGroup(
                name: "JSON and Store",
                subcommands: [ImportCommand.self, ExportCommand.self, InspectCommand.self, CheckCommand.self]),
            CommandGroup(
                name: "Model",
                subcommands: [
                    InferCommand.self, DiagramCommand.self, LintCommand.self, GenerateCommand.self, MigrateCommand.self,
                ]),
            CommandGroup(
                name: "Difference", subcommands: [DiffCommand.self, ApplyCommand.self, MergeCommand.self]),
            CommandGroup(
                name: "Archive", subcommands: [ArchiveCommand.self, RestoreCommand.self, CopyCommand.self]),
        ]
    )
}
