// Rows of which no object can be made: of an entity that the model doesn't have or that is abstract, without a number as their key,
// with the key of another row; and links that no object has, because a row at one of their ends isn't there. Who goes through a
// store entity by entity never meets most of them, so that whoever takes all along asks for them first; a check of the store names
// them, too.

import Foundation
import GRDB

/// A row that belongs to no entity that has objects, or a link that belongs to no object.
package struct StrayRow: Sendable, Equatable {
    /// The root entity of the row's table; of a link, the entity that has the relationship.
    package let entity: String
    /// The relationship of a link, where it is one of the entity's.
    package var property: String?
    /// Whether it is a link.
    package var isLink = false
    /// The row's key; nil where that isn't a number.
    package let row: Int64?
    /// `its entity number (Z_ENT) is 9, which isn't 'Animal' or a sub-entity`.
    package let finding: String
    package let remedy: String

    /// - Parameter statement: Stands on a row whose first columns are the key and the entity number.
    static func withoutKey(_ statement: RowStatement, _ entity: String) -> StrayRow {
        StrayRow(
            entity: entity, row: nil,
            finding: "the key of a row (Z_PK) is \(statement.shown(at: 0)) where an integer is expected",
            remedy: "Which key it had can't be told: give it one, or delete the row.")
    }

    static func ofNoEntity(_ statement: RowStatement, _ entity: String, _ schema: SQLSchema) -> StrayRow {
        let number = statement.storage(at: 1) == .integer ? Int(exactly: statement.integer(at: 1)) : nil
        let found = number.flatMap(schema.entity(numbered:))
        let reason =
            found?.description.isAbstract == true
            ? "that of '\(found?.name ?? "")', which is abstract and has no objects"
            : "which isn't '\(entity)' or a sub-entity"
        return StrayRow(
            entity: entity, row: statement.integer(at: 0),
            finding: "its entity number (Z_ENT) is \(statement.shown(at: 1)), \(reason)",
            remedy: "What it was can't be told: correct the number, or delete the row.")
    }

    static func withKeyOfAnother(_ key: Int64, _ count: Int64, _ entity: String) -> StrayRow {
        StrayRow(
            entity: entity, row: key, finding: "\(count) rows have the key \(key) (Z_PK)",
            remedy: "Which of them is the right one can't be told: give the others keys of their own, or delete them.")
    }
}

/// The stray rows of a table.
struct StrayRows {
    let schema: SQLSchema
    let table: SQLTable

    /// The entity that the table is named after.
    var root: String { schema.entity(numbered: table.rootNumber)?.name ?? "" }

    /// The entity numbers that rows may have.
    private var numbers: [Int64] {
        let own = schema.entities.filter { $0.rootNumber == table.rootNumber }
        let others = own.first?.otherEntityNumbers ?? []
        return own.filter { !$0.description.isAbstract }.map { Int64($0.number) } + others.sorted()
    }

    func all(_ db: Database) throws -> [StrayRow] {
        let list = numbers.map(String.init).joined(separator: ", ")
        let statement = try RowStatement(
            db,
            "SELECT Z_PK, Z_ENT FROM \(table.name) "
                + "WHERE typeof(Z_PK) <> 'integer' OR typeof(Z_ENT) <> 'integer' OR Z_ENT NOT IN (\(list))")
        var rows: [StrayRow] = []
        while try statement.step() {
            rows.append(
                statement.storage(at: 0) == .integer
                    ? .ofNoEntity(statement, root, schema) : .withoutKey(statement, root))
        }
        return try rows + withKeysOfOthers(db)
    }

    /// One for each key that several rows have. A primary key forbids that.
    func withKeysOfOthers(_ db: Database) throws -> [StrayRow] {
        let keys = try db.texts("SELECT name FROM pragma_table_info(?) WHERE pk > 0", [.text(table.name)])
        if keys.count == 1, keys[0].uppercased() == "Z_PK" { return [] }
        let statement = try RowStatement(
            db,
            "SELECT Z_PK, COUNT(*) FROM \(table.name) WHERE typeof(Z_PK) = 'integer' GROUP BY Z_PK HAVING COUNT(*) > 1")
        var rows: [StrayRow] = []
        while try statement.step() {
            rows.append(.withKeyOfAnother(statement.integer(at: 0), statement.integer(at: 1), root))
        }
        return rows
    }
}

extension SQLiteStoreBackend {
    func strayRows(below roots: Set<String>?) throws -> [StrayRow] {
        func isWanted(_ entity: SQLEntity?) -> Bool {
            guard let roots else { return true }
            return schema.entities.contains {
                $0.rootNumber == entity?.rootNumber && $0.isRoot && roots.contains($0.name)
            }
        }
        let links = StoreRules(schema: schema, identities: [:]).linksOfNoObject.filter { rule in
            isWanted(schema.entities.first { $0.name == rule.entity })
        }
        let tables = schema.tables.filter { table in
            isWanted(schema.entities.first { $0.rootNumber == table.rootNumber })
        }
        return try reading { db in
            var rows = try tables.flatMap { try StrayRows(schema: schema, table: $0).all(db) }
            for rule in links {
                try rule.find(db, schema) { finding in
                    let remedy = if case .impossible(let reason) = finding.mend { reason } else { "Remove the link." }
                    rows.append(
                        StrayRow(
                            entity: finding.entity ?? rule.entity, property: finding.property, isLink: true,
                            row: finding.row, finding: finding.finding, remedy: remedy))
                }
            }
            return rows
        }
    }
}

extension NSManagedObjectContext {
    /// The rows of the context's stores of which no object can be made, and the links that no object has.
    ///
    /// - Parameter entities: Only those in the tables of these entities; nil for all.
    package func strayRows(of entities: [NSEntityDescription]? = nil) throws -> [StrayRow] {
        var top = self
        while let parent = top.parent { top = parent }
        let roots = entities.map { Set($0.compactMap(\.rootEntity.name)) }
        return try (top.persistentStoreCoordinator?.persistentStores ?? []).flatMap { store in
            // A child reads what its parent reads, on the parent's queue; such rows aren't of one state more than of another.
            let backend = try parent == nil ? readBackend(of: store) : store.requiredBackend
            return try backend.strayRows(below: roots)
        }
    }
}
