// What the stores of a context keep less exactly than they are given it, or refuse. Only on Linux there are stores on a server.

import CoreData
import Foundation

extension NSManagedObjectContext {
    var rounding: Rounding {
        var rounding: Rounding = []
        for store in persistentStoreCoordinator?.persistentStores ?? [] {
            if store.type == NSSQLiteStoreType { rounding.insert(.decimals) }
            #if !canImport(Darwin) && !GRAFT_PORTABLE
                if store.type == SQLDialect.postgreSQLStoreType { rounding.insert(.dates) }
            #endif
        }
        return rounding
    }
}

extension Double {
    /// The seconds since 2001 that a PostgreSQL store gives back for these; nil for a date that it can't hold.
    var keptByPostgreSQL: Double? {
        #if canImport(Darwin) || GRAFT_PORTABLE
            self
        #else
            PostgreSQLDate.microseconds(self).map(PostgreSQLDate.seconds)
        #endif
    }
}

extension GraphValue {
    /// What keeps a PostgreSQL store from holding a value; nil where nothing does.
    var refusalByPostgreSQL: GraftError.Problem? {
        #if !canImport(Darwin) && !GRAFT_PORTABLE
            switch self {
            case .string(let text) where text.utf8.contains(0):
                return .outOfRange(found: "\"\(text)\"", type: "PostgreSQL", range: "a text without U+0000")
            case .date(let seconds) where !seconds.isNaN && seconds.keptByPostgreSQL == nil:
                return .outOfRange(
                    found: "\(seconds) s from 2001", type: "PostgreSQL", range: PostgreSQLDate.shownRange)
            default: break
            }
        #endif
        return nil
    }
}
