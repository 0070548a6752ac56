// The store's errors as Core Data's: `CocoaError` with the path, SQLite's own error underneath, and what to do about
// it.

import Foundation
import GRDB

/// Makes the errors that leave a SQLite store.
struct SQLiteErrors: Sendable {
    /// The store's file, for messages; `/dev/null` in memory.
    let path: String

    enum Operation {
        case opening, reading, saving
    }

    /// An error of any layer below as the caller shall see it. Conflicts and `CocoaError`s pass unchanged.
    func translated(_ error: any Error, _ operation: Operation) -> any Error {
        switch error {
        case let error as DatabaseError: return translated(error, operation)
        case let error as RowError:
            return CoreDataError.make(
                .fileReadCorruptFile,
                "The store \(path) is damaged. \(error.description) \(error.remedy); graft check lists all that is damaged.",
                userInfo: [
                    NSFilePathErrorKey: path, CoreDataError.recommendsCheckKey: true,
                    NSUnderlyingErrorKey: CoreDataError.make(
                        .fileReadCorruptFile, String(error.description.dropLast())),
                ])
        case let error as SQLSchemaError:
            return CoreDataError.make(
                .persistentStoreIncompatibleSchema, "The store \(path): \(error.description)",
                userInfo: [NSFilePathErrorKey: path])
        default: return error
        }
    }

    private func translated(_ error: DatabaseError, _ operation: Operation) -> CocoaError {
        let code = Int(error.extendedResultCode.rawValue)
        let message = error.message ?? "no message"
        var userInfo: [String: Any] = [
            NSFilePathErrorKey: path,
            NSSQLiteErrorDomain: NSNumber(value: code),
            NSUnderlyingErrorKey: NSError(
                domain: NSSQLiteErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: message]),
        ]
        if let sql = error.sql { userInfo[SQLiteErrors.statementKey] = sql }
        // Settings of ours say nothing to anybody.
        let shown = error.sql.flatMap { $0.hasPrefix("PRAGMA") ? nil : $0 }
        let statement = shown.map { " while running \"\($0.prefix(400))\"" } ?? ""
        let (cocoaCode, remedy) = meaning(of: error.extendedResultCode, operation)
        if cocoaCode == .fileReadCorruptFile { userInfo[CoreDataError.recommendsCheckKey] = true }
        let verb =
            switch operation {
            case .opening: "opened"
            case .reading: "read"
            case .saving: "saved; nothing has been written"
            }
        return CoreDataError.make(
            cocoaCode,
            "The store \(path) could not be \(verb): SQLite error \(code) (\(message))\(statement). \(remedy)",
            userInfo: userInfo)
    }

    /// The statement that failed, in `userInfo`.
    static let statementKey = "NSSQLiteStatement"

    private func meaning(of extended: ResultCode, _ operation: Operation) -> (CocoaError.Code, String) {
        switch extended.primaryResultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT:
            return (
                .fileReadCorruptFile,
                "The file is damaged or not a SQLite database. Restore it or name another one; graft check says what is damaged."
            )
        case .SQLITE_FULL: return (.fileWriteOutOfSpace, "The disk is full. Free some space and try again.")
        case .SQLITE_IOERR where extended.rawValue == Database.movedFile:
            return (
                .fileWriteUnknown,
                "Put the file back, or remove the store from its coordinator and add it again; destroy stores instead of removing "
                    + "their files."
            )
        case .SQLITE_IOERR:
            return (
                operation == .reading ? .fileReadUnknown : .fileWriteUnknown,
                "The system couldn't read or write the file or its log. Check the free space and the disk, and try again."
            )
        case .SQLITE_READONLY where extended == .SQLITE_READONLY_ROLLBACK:
            return (
                .persistentStoreOpen,
                "A program ended while it was changing the file, and only a program that may write can take that back. Open "
                    + "the store once for writing."
            )
        case .SQLITE_READONLY, .SQLITE_PERM:
            return (
                .fileWriteNoPermission,
                "The file or its folder isn't writable. Change its permissions, or open it for reading only."
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return (.persistentStoreTimeout, "Somebody else has locked it. Try again when they have finished.")
        case .SQLITE_CANTOPEN:
            return (
                .persistentStoreOpen, "Check that the folder exists and that the file and its folder can be accessed."
            )
        case .SQLITE_ERROR where operation != .saving:
            return (
                operation == .opening ? .persistentStoreOpen : .persistentStoreOperation,
                "A table, a column or a function that the model needs isn't there. Check that the model is the store's."
            )
        default: break
        }
        switch operation {
        case .opening: return (.persistentStoreOpen, "Correct the cause and open it again.")
        case .reading: return (.persistentStoreOperation, "Correct the cause and read again.")
        case .saving: return (.persistentStoreSave, "Correct the cause and save again.")
        }
    }

    // MARK: What is found on opening

    func missing() -> CocoaError {
        CoreDataError.make(
            .fileReadNoSuchFile, "There is no store at \(path). Check the path, or open it for writing to create it.",
            userInfo: [NSFilePathErrorKey: path])
    }

    /// - Parameter start: The file's first bytes.
    func notADatabase(start: Data) -> CocoaError {
        let shown = String(decoding: start.prefix(16), as: UTF8.self)
        let found = start.isEmpty ? "an empty file" : "a file that begins with \(shown.debugDescription)"
        // SQLite's code for this is 26, "file is not a database".
        let underlying = NSError(
            domain: NSSQLiteErrorDomain, code: 26,
            userInfo: [NSLocalizedDescriptionKey: "file is not a database", NSFilePathErrorKey: path])
        return CoreDataError.make(
            .fileReadCorruptFile,
            "\(path) isn't a SQLite store: found \(found) where a SQLite database begins with \"SQLite format 3\". "
                + "Name another file.",
            userInfo: [
                NSFilePathErrorKey: path, NSUnderlyingErrorKey: underlying, NSSQLiteErrorDomain: NSNumber(value: 26),
            ])
    }

    func noFile() -> CocoaError {
        CoreDataError.make(
            .fileReadCorruptFile,
            "\(path) isn't a SQLite store: it is a folder, a pipe, a socket or a device, where a file is expected. Name a file.",
            userInfo: [NSFilePathErrorKey: path])
    }

    func notAStore(tables: [String]) -> CocoaError {
        CoreDataError.make(
            .persistentStoreTypeMismatch,
            "\(path) is a SQLite database but no Core Data store: it has no table Z_METADATA "
                + "(its tables: \(tables.sorted().prefix(10).joined(separator: ", "))). Name another file.",
            userInfo: [NSFilePathErrorKey: path])
    }

    func wrongType(_ type: String) -> CocoaError {
        CoreDataError.make(
            .persistentStoreTypeMismatch,
            "The store \(path) is of type '\(type)', where '\(NSSQLiteStoreType)' is expected. Open it as what it is.",
            userInfo: [NSFilePathErrorKey: path])
    }

    func badMetadata(_ finding: String) -> CocoaError {
        CoreDataError.make(
            .fileReadCorruptFile, "The store \(path) has no usable metadata: \(finding). Restore it from a copy.",
            userInfo: [NSFilePathErrorKey: path])
    }

    /// - Parameter differences: One phrase for each entity that differs.
    func incompatible(_ differences: [String], metadata: [String: Any]) -> CocoaError {
        CoreDataError.make(
            .persistentStoreIncompatibleVersionHash,
            "The store \(path) was made with another version of the model: \(differences.joined(separator: "; ")). "
                + "Open it with that version, or migrate it.",
            userInfo: [
                NSFilePathErrorKey: path, "metadata": metadata, "differences": differences,
                "reason": "The model isn't the one that the store was made with.",
            ])
    }

    func changedWhileRead() -> CocoaError {
        CoreDataError.make(
            .persistentStoreTimeout,
            "The store \(path) was changed by somebody else while it was read. Try again when they have finished.",
            userInfo: [NSFilePathErrorKey: path])
    }

    func readOnly() -> CocoaError {
        CoreDataError.make(
            .fileWriteNoPermission,
            "The store \(path) was opened for reading only and can't be saved. Open it for writing.",
            userInfo: [NSFilePathErrorKey: path])
    }
}
