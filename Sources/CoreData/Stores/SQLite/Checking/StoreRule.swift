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
    /// Gives the row's key or NULL, its entity number or NULL, and what the words show.
    var select: String
    /// The finding, from a row of the statement.
    var words: (RowStatement) -> String
    var mend: Mend

    /// Whether the question is about rows of some tables.
    func asks(ofAnyOf tables: Set<String>) -> Bool {
        if tables.isEmpty { return false }
        return !tables.isDisjoint(
            with: select.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    }

    /// Whether there is anything.
    func isFound(_ db: Database) throws -> Bool {
        let statement = try RowStatement(db, select)
        defer { statement.reset() }
        return try statement.step()
    }

    /// The keys of the rows that are found.
    func rows(_ db: Database) throws -> Set<Int64?> {
        let statement = try RowStatement(db, select)
        defer { statement.reset() }
        var rows: Set<Int64?> = []
        while try statement.step() { rows.insert(Self.row(statement)) }
        return rows
    }

    private static func row(_ statement: RowStatement) -> Int64? {
        statement.storage(at: 0) == .integer ? statement.integer(at: 0) : nil
    }

    /// Runs the question.
    func find(_ db: Database, _ schema: SQLSchema, _ report: (StoreFinding) throws -> Void) throws {
        let statement = try RowStatement(db, select)
        defer { statement.reset() }
        while try statement.step() {
            let number = Int(exactly: statement.integer(at: 1))
            let actual = statement.storage(at: 1) == .null ? nil : number.flatMap { schema.entity(numbered: $0) }
            let mend: StoreFinding.Mend =
                switch mend {
                case .statements(_, let deed): .possible(deed)
                case .impossible(let reason): .impossible(reason)
                }
            try report(
                StoreFinding(
                    kind, entity: actual?.name ?? entity, row: Self.row(statement), property: property,
                    words(statement), mend: mend))
        }
    }
}

extension SQLEntity {
    /// The condition that a row belongs to this entity or one below it.
    ///
    /// - Parameters:
    ///   - alias: The table's name in the statement, or what gives the entity number.
    ///   - isNumber: Whether it is the latter.
    func rowCondition(of alias: String, isNumber: Bool = false) -> String {
        "\(isNumber ? alias : "\(alias).Z_ENT") IN (\(hierarchyNumbers.map(String.init).joined(separator: ", ")))"
    }

    /// The stored properties that the entity has and its super-entity hasn't, by name.
    var ownProperties: [(name: String, property: SQLProperty)] {
        let inherited = description.superentity?.propertiesByName ?? [:]
        return properties.filter { inherited[$0.key] == nil }.sorted { SQLNaming.precedes($0.key, $1.key) }
            .map { ($0.key, $0.value) }
    }
}
