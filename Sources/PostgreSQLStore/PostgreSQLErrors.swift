// The server's errors as Core Data's: `CocoaError` with the store, SQLSTATE and message underneath, and what to do about it.

#if PostgreSQL

    import CoreData
    import Foundation

    /// Makes the errors that leave a PostgreSQL store.
    struct PostgreSQLErrors: Sendable {
        /// The store, for messages: without a password.
        let store: String

        enum Operation {
            case opening, reading, saving
        }

        /// The domain of the errors underneath; their `userInfo` has the SQLSTATE.
        static let domain = "PostgreSQL"
        static let stateKey = "SQLSTATE"

        /// An error of any layer below as the caller shall see it. Conflicts and `CocoaError`s pass unchanged.
        func translated(_ error: any Error, _ operation: Operation) -> any Error {
            switch error {
            case let failure as PostgreSQLFailure: return translated(failure, operation)
            case let error as SQLSchemaError:
                return CoreDataError.make(
                    .persistentStoreIncompatibleSchema, "The store \(store): \(error.description)")
            default: return error
            }
        }

        private func translated(_ failure: PostgreSQLFailure, _ operation: Operation) -> CocoaError {
            let (code, remedy) = Self.meaning(of: failure, operation)
            let verb =
                switch operation {
                case .opening: "opened"
                case .reading: "read"
                case .saving: "saved; nothing has been written"
                }
            let state = failure.state.isEmpty ? "" : " (SQLSTATE \(failure.state))"
            let detail = failure.detail.map { " \($0)" } ?? ""
            let underlying = NSError(
                domain: Self.domain, code: 0,
                userInfo: [NSLocalizedDescriptionKey: failure.message, Self.stateKey: failure.state])
            return CoreDataError.make(
                code, "The store \(store) could not be \(verb): \(failure.message)\(state).\(detail) \(remedy)",
                userInfo: [NSUnderlyingErrorKey: underlying])
        }

        private static func meaning(of failure: PostgreSQLFailure, _ operation: Operation) -> (CocoaError.Code, String)
        {
            if failure.isLost {
                let code: CocoaError.Code = operation == .opening ? .persistentStoreOpen : .persistentStoreOperation
                return (code, "Check that the server runs and can be reached, and try again.")
            }
            switch failure.state {
            case "57014", "55P03":
                return (.persistentStoreTimeout, "It took too long. Try again when others have finished.")
            case "53100":
                return (.fileWriteOutOfSpace, "The server's disk is full. Free some space there and try again.")
            case "42501", "28000", "28P01", "3D000":
                return (
                    .persistentStoreOpen,
                    "Check the user, the database and the password (PGPASSFILE), and what the user may do."
                )
            case "40001", "40P01": return (.persistentStoreSave, "Others were faster several times. Try again.")
            case "23502", "23514", "23503":
                return (.persistentStoreSave, "A rule of the tables forbids it. Correct the values, or the rule.")
            case "22003", "22008":
                return (
                    .persistentStoreOperation,
                    "A number or date got too large for its type. Change the expression or the value."
                )
            case "42P01", "42703", "3F000":
                return (.persistentStoreIncompatibleSchema, "Somebody has changed the tables. Open the store anew.")
            default: break
            }
            switch operation {
            case .opening: return (.persistentStoreOpen, "Correct the cause and open it again.")
            case .reading: return (.persistentStoreOperation, "Correct the cause and read again.")
            case .saving: return (.persistentStoreSave, "Correct the cause and save again.")
            }
        }

        // MARK: What is found

        /// A save whose end nobody has seen.
        func unknownOutcome() -> CocoaError {
            CoreDataError.make(
                .persistentStoreSave,
                "The connection to the store \(store) was lost while a save was committed, and the server can't be asked whether "
                    + "it was. Read the objects again before you save again.")
        }

        func incompatible(_ differences: [String], metadata: [String: Any]) -> CocoaError {
            CoreDataError.make(
                .persistentStoreIncompatibleVersionHash,
                "The store \(store) was made with another version of the model: \(differences.joined(separator: "; ")). Open it "
                    + "with that version, or ask for a migration: NSMigratePersistentStoresAutomaticallyOption and "
                    + "NSInferMappingModelAutomaticallyOption.",
                userInfo: ["metadata": metadata])
        }

        func migratedMeanwhile() -> CocoaError {
            CoreDataError.make(
                .persistentStoreIncompatibleVersionHash,
                "The store \(store) has been migrated to another version of the model meanwhile, or is gone. Nothing has been "
                    + "written. Open it anew with that version.")
        }

        func readOnly() -> CocoaError {
            CoreDataError.make(
                .fileWriteNoPermission,
                "The store \(store) was opened read-only. Open it without NSReadOnlyPersistentStoreOption to change it."
            )
        }

        func bad(_ place: String, found: String, expected: String) -> CocoaError {
            CoreDataError.make(
                .fileReadCorruptFile,
                "The store \(store) is damaged. \(place): found \(found), expected \(expected). Correct the row.")
        }
    }

#endif
