// The derived attributes that each connection keeps for itself (SQL/SQLComputedAttributes.swift).

import Foundation
import GRDB

extension SQLiteStoreBackend {
    /// Makes the temporary triggers. What the file has triggers for is left to those, and so is what only the program that
    /// made the file can compute.
    func keepComputedAttributes() throws {
        let computed = schema.computedAttributes()
        if computed.isEmpty { return }
        try database.withoutTransaction { db in
            let names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'")
            for attribute in computed where !names.contains(where: attribute.isKept(byTrigger:)) {
                for trigger in attribute.triggers { try db.execute(sql: trigger) }
            }
        }
    }
}
