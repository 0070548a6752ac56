// The options of `graft merge`. Jobs/MergeJob.swift does the work.

import ArgumentParser
import Graft

struct MergeCommand: JobCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merge two versions of a store or an archive that come from a third one.",
        discussion: """
            Objects are matched as graft diff does it; a guessed key is taken with --key auto only. Changes of different \
            properties combine. Where conflicts remain, they are listed, nothing is written, and the \
            exit code is 1; it is 2 when the job failed. All three are read into memory. An empty file as BASE is a \
            store without objects, as git has it for a file that both sides have added. The output is of our version's kind.

            As a merge driver of git:
              git config merge.graft.driver 'graft merge %O %A %B --output %A'
              echo '*.sqlite merge=graft' >> .gitattributes
              echo '*.archive merge=graft' >> .gitattributes
            """
                + Examples.text(
                    "graft merge Base.sqlite Ours.sqlite Theirs.sqlite --output All.sqlite",
                    "graft merge Base.sqlite Ours.sqlite Theirs.sqlite --output Ours.sqlite")
    )

    @Argument(
        path: ArgumentHelp("The store or archive that both versions come from.", valueName: "base"))
    var base: String

    @Argument(path: ArgumentHelp("Our version.", valueName: "ours"))
    var ours: String

    @Argument(path: ArgumentHelp("Their version.", valueName: "theirs"))
    var theirs: String

    @Option(
        name: .shortAndLong,
        path: ArgumentHelp(
            "The store or archive to write, whole or not at all; may be one of the three. It continues our version.",
            valueName: "store"))
    var output: String

    @Option(path: .model)
    var model: String?

    @OptionGroup
    var key: KeyOptions

    @OptionGroup
    var transformer: TransformerOptions

    @OptionGroup
    var deletion: DeletionOptions

    @Option(help: "Whose change counts where both changed the same.")
    var prefer: MergeSide?

    var failureCode: Int32 { 2 }
    var outlivesReader: Bool { true }
    var transformerRules: [String] { transformer.texts }

    func run(console: Console) throws {
        let job = MergeJob(
            base: base, ours: ours, theirs: theirs, output: output, model: model, prefer: prefer,
            options: key.diffOptions, deletionLimit: deletion.maxDeletions, backup: deletion.storeBackup)
        if try job.run(on: console) > 0 { throw QuietExit(code: 1) }
    }
}

/// One side of a merge.
enum MergeSide: String, CaseIterable, ExpressibleByArgument {
    case ours, theirs
}
