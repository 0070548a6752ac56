// What a store says of itself: entity numbers, metadata, the model cache, and the numbers in its history and in the tables of
// CloudKit's mirroring.

import Foundation
import GRDB

/// Rewrites the system tables of a migrated store.
struct StoreDescriptionMigration {
    let tables: MigrationTables
    let matching: ModelMatching
    let metadata: StoreMetadata
    let configuration: String?

    /// - Returns: The store's new metadata. The UUID stays, and so do the entries of the application.
    func write(_ db: Database) throws -> StoreMetadata {
        try writePrimaryKeys(db)
        try writeModelCache(db)
        try renumberHistory(db)
        var written = metadata.migrated(
            to: matching.destination, configuration: configuration, unchanged: unchangedHashes())
        for table in Self.mirroringTables where try db.columnNames(of: table).contains("ZENTITYID") {
            try renumber(table, "ZENTITYID", db)
            // As Core Data says it to its mirroring.
            written.entries["PFCloudKitMetadataNeedsZoneFetchAfterClientMigrationKey"] = [String: Any]()
        }
        try written.update(db)
        return written
    }

    private func writePrimaryKeys(_ db: Database) throws {
        var counters: [Int: Int64] = [:]
        try db.readRows(of: "Z_PRIMARYKEY", ["Z_ENT", "Z_MAX"]) { row in
            counters[Int(try row.integer(0))] = try row.integer(1, ifNull: 0)
        }
        for entity in tables.schemas.source.entities {
            try db.execute(sql: "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = ?", arguments: [entity.number])
        }
        for entity in tables.schemas.destination.entities {
            var counter: Int64 = 0
            if entity.isRoot {
                let roots = matching.matches(under: entity.description)
                    .compactMap { tables.schemas.source.entity(for: $0.source)?.rootNumber }
                let largest = try db.number("SELECT IFNULL(MAX(Z_PK), 0) FROM \(entity.table)")
                counter = max(largest, roots.compactMap { counters[$0] }.max() ?? 0)
            }
            try db.execute(
                sql: "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)",
                arguments: [entity.number, entity.name, entity.superNumber, counter])
        }
    }

    private func writeModelCache(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM Z_MODELCACHE")
        try db.execute(
            sql: "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)",
            arguments: [try matching.destination.modelCacheData()])
    }

    /// The hashes that can't be computed, of entities in which nothing has changed.
    private func unchangedHashes() -> [String: Data] {
        let changed = Set(matching.differences().map(\.entity))
        var hashes: [String: Data] = [:]
        for match in matching.matches {
            guard let name = match.destination.name, match.source.name == name,
                !match.destination.lineage.contains(where: { changed.contains($0.name ?? "") })
            else { continue }
            hashes[name] = metadata.versionHashes[name]
        }
        return hashes
    }

    // MARK: Entity numbers

    /// The entities of the source, with what they have become.
    private var entities: [(old: SQLEntity, new: SQLEntity?)] {
        tables.schemas.source.entities.map { old in
            (
                old,
                matching.match(ofSource: old.description).flatMap {
                    tables.schemas.destination.entity(for: $0.destination)
                }
            )
        }
    }

    /// What CloudKit's mirroring knows of objects, by entity and key.
    private static let mirroringTables = ["ANSCKRECORDMETADATA", "ANSCKHISTORYANALYZERSTATE"]

    /// Gives the rows of a table that speak of entities by number the new ones. Those of entities that are gone go as well.
    private func renumber(_ table: String, _ column: String, _ db: Database) throws {
        let gone = entities.filter { $0.new == nil }.map { "\($0.old.number)" }.joined(separator: ", ")
        if !gone.isEmpty { try db.execute(sql: "DELETE FROM \(table) WHERE \(column) IN (\(gone))") }
        let moved = entities.compactMap { pair in pair.new.map { (old: pair.old.number, new: $0.number) } }
            .filter { $0.old != $0.new }
        if moved.isEmpty { return }
        // By way of negative numbers: entity and key together may be unique, and numbers can be swapped.
        let cases = moved.map { "WHEN \($0.old) THEN \(-$0.new)" }.joined(separator: " ")
        let passing = moved.map { "\(-$0.new)" }.joined(separator: ", ")
        try db.execute(sql: "UPDATE \(table) SET \(column) = CASE \(column) \(cases) ELSE \(column) END")
        try db.execute(sql: "UPDATE \(table) SET \(column) = -\(column) WHERE \(column) IN (\(passing))")
    }

    // MARK: History

    /// Which properties an update changed, and what tombstones hold, is known by position only and means something else where
    /// properties changed. Our own details go by name.
    private func renumberHistory(_ db: Database) throws {
        guard try db.hasTable("ACHANGE") else { return }
        let columns = try db.columnNames(of: "ACHANGE")
        let changed = Set(matching.differences().filter { $0.property != nil }.map(\.entity))
        let positional = columns.filter { $0 == "ZCOLUMNS" || $0.hasPrefix("ZTOMBSTONE") }.sorted()
        for (old, new) in entities {
            guard let new else { continue }
            try HistoryDetails.rename(renamedProperties(of: old), ofEntity: old.number, db)
            let isChanged = new.description.lineage.contains { changed.contains($0.name ?? "") }
            guard isChanged, !positional.isEmpty else { continue }
            let cleared = positional.map { "\($0) = NULL" }.joined(separator: ", ")
            try db.execute(sql: "UPDATE ACHANGE SET \(cleared) WHERE ZENTITY = \(old.number)")
        }
        try renumber("ACHANGE", "ZENTITY", db)
        try addTombstones(existing: columns, db)
    }

    /// The new names of an entity's properties, and paths of its composite attributes' elements, by the old ones.
    private func renamedProperties(of old: SQLEntity) -> [String: String] {
        guard let match = matching.match(ofSource: old.description) else { return [:] }
        var names: [String: String] = [:]
        for (new, old) in match.elements { names[old] = new }
        for (new, property) in match.attributes { names[property.name] = new }
        for (new, property) in match.relationships { names[property.name] = new }
        return names
    }

    /// As many columns as the entity with the most kept attributes has.
    private func addTombstones(existing: Set<String>, _ db: Database) throws {
        let wanted =
            tables.schemas.destination.entities.map { entity in
                entity.description.attributesByName.values.filter(\.preservesValueInHistoryOnDeletion).count
            }.max() ?? 0
        for index in 0..<wanted where !existing.contains("ZTOMBSTONE\(index)") {
            try db.execute(sql: "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
        }
    }
}
