// What a migration makes of the history, which speaks of entities and properties by name, and keeps values of deleted objects in property
// lists by name, too: changes of entities that are gone go, and all that is known of others has the new names. Without that a name that is
// used anew would be told of what had it before. HistoryDetails.swift and StoreDescriptionMigration.swift do the same in SQLite.

#if PostgreSQL

    import CoreData
    import Foundation

    /// The migration of one store's history.
    struct PostgreSQLHistoryMigration {
        let address: PostgreSQLAddress
        let matching: ModelMatching

        private var table: String { address.qualified("_changes") }

        func run(_ connection: PostgreSQLConnection) throws {
            let removed = matching.removed.compactMap { $0.name?.sqlLiteral }
            if !removed.isEmpty {
                try connection.execute("DELETE FROM \(table) WHERE entity IN (\(removed.joined(separator: ", ")))")
            }
            for match in matching.matches {
                try renameUpdated(match, connection)
                try renameKept(match, connection)
            }
            let names = matching.matches.map { ($0.source.name ?? "", $0.destination.name ?? "") }.filter { $0 != $1 }
            if names.isEmpty { return }
            let cases = names.map { "WHEN \($0.sqlLiteral) THEN \($1.sqlLiteral)" }
            try connection.execute(
                "UPDATE \(table) SET entity = CASE entity \(cases.joined(separator: " ")) ELSE entity END")
        }

        /// The names of what updates have changed.
        private func renameUpdated(_ match: EntityMatch, _ connection: PostgreSQLConnection) throws {
            var names: [String: String] = [:]
            for (new, old) in match.attributes { names[old.name] = new }
            for (new, old) in match.relationships { names[old.name] = new }
            if Self.isUnchanged(match.source.propertiesByName.keys, names) { return }
            let kept = names.keys.sorted().map(\.sqlLiteral).joined(separator: ", ")
            let cases = names.sorted { $0.key < $1.key }.map { "WHEN \($0.sqlLiteral) THEN \($1.sqlLiteral)" }
            let renamed =
                names.isEmpty
                ? "NULL"
                : "(SELECT array_agg(CASE p \(cases.joined(separator: " ")) END) FROM unnest(properties) AS p "
                    + "WHERE p IN (\(kept)))"
            try connection.execute(
                "UPDATE \(table) SET properties = \(renamed) WHERE entity = $1 AND properties IS NOT NULL",
                [.text(match.source.name ?? "")])
        }

        /// The names of the values that are kept of deleted objects, paths to the elements of composite attributes among them.
        private func renameKept(_ match: EntityMatch, _ connection: PostgreSQLConnection) throws {
            var names: [String: String] = [:]
            for (new, old) in match.attributes { names[old.name] = new }
            for (new, old) in match.elements { names[old] = new }
            let paths = match.source.attributesByName.values.flatMap { $0.storedParts.map(\.name) }
            if Self.isUnchanged(paths, names) { return }
            var last: Int64 = 0
            while true {
                let result = try connection.execute(
                    "SELECT number, tombstone FROM \(table) WHERE entity = $1 AND tombstone IS NOT NULL AND number > $2 "
                        + "ORDER BY number LIMIT 500", [.text(match.source.name ?? ""), .integer(last)])
                if result.rowCount == 0 { return }
                for row in 0..<result.rowCount {
                    guard let number = try result.integer(row, 0), case .bytes(let kept) = try result.value(row, 1)
                    else {
                        throw PostgreSQLFailure("the table _changes has a row without number")
                    }
                    last = number
                    let renamed = try PostgreSQLTombstone.renamed(kept, names).map(PostgreSQLValue.bytes) ?? .null
                    try connection.execute(
                        "UPDATE \(table) SET tombstone = $1 WHERE number = $2",
                        [PostgreSQLParameter(type: .bytes, value: renamed), .integer(number)])
                }
            }
        }

        /// Whether each name stays what it is.
        private static func isUnchanged(_ old: some Sequence<String>, _ names: [String: String]) -> Bool {
            old.allSatisfy { names[$0] == $0 }
        }
    }

#endif
