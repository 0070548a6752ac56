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
        subcommands: [
            ImportCommand.self,
            ExportCommand.self,
            ArchiveCommand.self,
            RestoreCommand.self,
            DiffCommand.self,
            ApplyCommand.self,
            MergeCommand.self,
            MigrateCommand.self,
            InspectCommand.self,
            CheckCommand.self,
            LintCommand.self,
            GenerateCommand.self,
        ]
    )
}
