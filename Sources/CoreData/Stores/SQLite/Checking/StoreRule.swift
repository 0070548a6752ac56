// A question to the tables of a store whose answers are findings. Finding and mending are SQL over the same condition, so that
// neither keeps rows in memory, and a mend touches just what was found.

import Foundation
import GRDB

/// One thing that has to hold for the rows of a store.
struct StoreRule {
    /// How what was found is mended.
    enum Mend {
        /// Statements, and what they do: `sets it to null`.
        case statements([String], String)
        case impossible(String)
    }

    var kind: StoreFinding.Kind
    var entity: String
    var property: String?
    /// Gives the row's key, its entity number or NULL, and what the words show.
    var select: String
    /// The finding, from a row of the statement.
    var words: (RowStatement) -> String
    var mend: Mend

    /// Runs the question.
    ///
    /// - Returns: Whether anything was found.
    func find(_ db: Database, _ schema: SQLSchema, _ report: (StoreFinding) throws -> Void) throws -> Bool {
        let statement = try RowStatement(db, select)
        defer { statement.reset() }
        var isFound = false
        while try statement.step() {
            isFound = true
            let number = Int(exactly: statement.integer(at: 1))
            let actual = statement.storage(at: 1) == .null ? nil : number.flatMap { schema.entity(numbered: $0) }
            let mend: StoreFinding.Mend =
                switch mend {
                case .statements(_, let deed): .possible(deed)
                case .impossible(let reason): .impossible(reason)
                }
            try report(
                StoreFinding(
                    kind, entity: actual?.name ?? entity, row: statement.integer(at: 0), property: property,
                    words(statement), mend: mend))
        }
        return isFound
    }
}

extension SQLEntity {
    /// The condition that a row belongs to this entity or one below it.
    ///
    /// - Parameter alias: The table's name in the statement.
    func rowCondition(of alias: String) -> String {
        "\(alias).Z_ENT IN (\(hierarchyNumbers.map(String.init).joined(separator: ", ")))"
    }

    /// The stored properties that the entity has and its super-entity hasn't, by name.
    var ownProperties: [(name: String, property: SQLProperty)] {
        let inherited = description.superentity?.propertiesByName ?? [:]
        return properties.filter { inherited[$0.key] == nil }.sorted { SQLNaming.precedes($0.key, $1.key) }
            .map { ($0.key, $0.value) }
    }
}
