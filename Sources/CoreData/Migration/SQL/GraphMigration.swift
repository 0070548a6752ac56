// The graph of a store from the tables of one version of its model into those of another, whatever the database is.

import Foundation

/// Where a migration's SQL runs.
package protocol MigrationDatabase {
    func run(_ fragment: SQLFragment) throws

    /// The one value of a statement that gives an integer; 0 where there is none.
    func number(_ sql: String) throws -> Int64
}

/// The tables of both versions while a migration runs.
package struct MigrationSchemas {
    package let source: SQLSchema
    package let destination: SQLSchema
    /// What the tables of the source are called meanwhile, by their names in capitals.
    package let aside: [String: String]

    package init(source: SQLSchema, destination: SQLSchema, aside: (Int) -> String) {
        self.source = source
        self.destination = destination
        let names = source.tables.map(\.name) + source.joinTables.map(\.name)
        self.aside = Dictionary(
            names.enumerated().map { ($0.element.uppercased(), aside($0.offset)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// What a table of the source is called meanwhile.
    package func old(_ table: String) -> String { aside[table.uppercased()] ?? table }

    /// Entities as the column of the entity has them.
    func list(_ entities: [SQLEntity]) -> String {
        entities.map(destination.dialect.literal).joined(separator: ", ")
    }

    /// An entity of the destination and its descendants.
    func list(under entity: SQLEntity) -> String {
        list(entity.hierarchyNumbers.compactMap { destination.entity(numbered: $0) })
    }
}

/// The moving of rows and links.
package struct GraphMigration {
    package enum Step {
        case copied, linked
    }

    private let schemas: MigrationSchemas
    private let matching: ModelMatching
    private let errors: MigrationErrors

    package init(_ schemas: MigrationSchemas, _ matching: ModelMatching, _ errors: MigrationErrors) {
        self.schemas = schemas
        self.matching = matching
        self.errors = errors
    }

    /// Copies everything from the tables that were put aside.
    ///
    /// - Throws: `CocoaError` for rows that can't be ones of the destination; the database's error.
    package func run(_ db: any MigrationDatabase, onStep: (Step) throws -> Void = { _ in }) throws {
        let plan = RelationshipPlan(matching: matching, destination: schemas.destination)
        let checks = MigrationChecks(tables: schemas, matching: matching, plan: plan, errors: errors)
        try checks.checkEntityNumbers(db)
        try checks.checkAbstractEntities(db)
        let links = LinkMigration(tables: schemas, matching: matching, plan: plan, checks: checks)
        try links.checkDestinations(db)
        let rows = RowMigration(tables: schemas, matching: matching, plan: plan)
        try rows.copyRows(db)
        try onStep(.copied)
        try rows.clearLostReferences(db)
        try links.writeLinks(db)
        try checks.checkMandatoryRelationships(db)
        try onStep(.linked)
    }
}
