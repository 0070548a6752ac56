// How much a command may delete, and what is copied before.

import ArgumentParser
import Graft

/// `--max-deletions`, `--backup` and `--no-backup`, in the commands that delete.
struct DeletionOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            How many objects of an entity may be deleted, or how large a part of them, what goes with its owner included \
            (default: 10%, at least 100). More are an error.
            """, valueName: "n|n%"), transform: MappingOptions.DeletionLimit.parsing)
    var maxDeletions: MappingOptions.DeletionLimit?

    @Option(
        path: ArgumentHelp(
            """
            Copy the store that is to be changed there before, with its external data. Without it, a file is copied to a \
            new one beside it where --max-deletions lets more be deleted than the default does; with --batch, always then.
            """, valueName: "file"))
    var backup: String?

    @Flag(help: "Make no copy, however much is deleted.")
    var noBackup = false

    func validate() throws {
        if backup != nil, noBackup { throw ValidationError("--backup and --no-backup can't both be given.") }
    }

    var storeBackup: StoreBackup { StoreBackup(backup, isOff: noBackup) }
}
