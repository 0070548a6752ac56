// Every value and link that SQL alone finds in a real store is in its archive, and nothing else is.

import Foundation
import GRDB
import TestSupport
import Testing

@Suite(.needsReferenceData) struct ArchiveOracleTests {
    typealias RealStore = RealStoreCheckTests.RealStore

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A copy of a store and what its archive says.
    private func opened(_ real: RealStore) throws -> (StoreFile, ArchivedRecords) {
        let copy = folder.path("Copy.sqlite"), archive = folder.path("Copy.archive")
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: real.url.path + end) {
            try Data(contentsOf: URL(fileURLWithPath: real.url.path + end))
                .write(to: URL(fileURLWithPath: copy + end))
        }
        // Photos has links to rows that aren't there: they are left out, and that ends with 1.
        let run = try graft("archive", copy, "--output", archive, "--keep-going")
        #expect(run.status == (real.path.contains("Photos-26") ? 1 : 0), "\(run.diagnostics)")
        return (StoreFile(path: copy), try ArchivedRecords(contentsOf: archive))
    }

    /// Columns of values that are in no archive, since they are computed of others: derived attributes.
    private static let derived = ["ZDERIVEDCAMERACAPTUREDEVICE"]

    /// The columns with a value in each row: not keys and versions, order keys, and entity numbers beside links (`Z9_OWNER`).
    private func rows(_ store: StoreFile, _ table: String) throws -> [Int64: [String: DatabaseValue]] {
        let rows = try store.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { row in
                ((row["Z_PK"] as Int64), Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }))
            }
        }
        return Dictionary(uniqueKeysWithValues: rows).mapValues { columns in
            columns.filter { name, value in
                !value.isNull && !["Z_PK", "Z_ENT", "Z_OPT"].contains(name) && !name.hasPrefix("Z_FOK_")
                    && name.wholeMatch(of: /Z[0-9]+_?[A-Z].*/) == nil && !Self.derived.contains(name)
            }
        }
    }

    private func counted<Value: Hashable>(_ values: [Value]) -> [Value: Int] {
        values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test(arguments: RealStore.all)
    func `every value and link of a row is in its record, and no other`(_ real: RealStore) throws {
        let (store, archive) = try opened(real)
        let byTable = Dictionary(grouping: archive.records) { "Z" + archive.root(of: $0.entity).uppercased() }
        // Which records lead to a record: a link is in one of both, where both know it.
        var leading: [String: Set<Int64>] = [:]
        for record in archive.records {
            let links = archive.entities[record.entity]?.properties ?? []
            for name in links.flatMap(record.names) { leading[name, default: []].insert(record.row) }
        }
        for table in Set(archive.entities.keys.map { "Z" + archive.root(of: $0).uppercased() }).sorted() {
            let rows = try rows(store, table)
            let byRow = Dictionary(uniqueKeysWithValues: byTable[table, default: []].map { ($0.row, $0) })
            #expect(Set(rows.keys) == Set(byRow.keys), "\(table)")
            for (key, columns) in rows {
                let record = try #require(byRow[key])
                try check(columns, record, archive, leading[record.name, default: []])
            }
        }
    }

    private func check(
        _ columns: [String: DatabaseValue], _ record: ArchivedRecords.Record, _ archive: ArchivedRecords,
        _ leading: Set<Int64>
    ) throws {
        let properties = try #require(archive.entities[record.entity]).properties.filter { $0.name != "$row" }
        let attributes = properties.filter { !$0.isLink }
        let written = attributes.compactMap { attribute in
            record.values[attribute.name].flatMap { PlainValue($0, type: attribute.type) }
        }
        #expect(written.count == attributes.count { record.values[$0.name] != nil }, "\(record.name)")
        let ofAttributes = columns.filter { name, _ in
            attributes.contains { stands(name.dropFirst(), for: $0.name) }
        }
        let found = ofAttributes.values.compactMap(PlainValue.init).map { value in
            guard !written.contains(value), let bytes = value.withoutMark else { return value }
            return bytes
        }
        #expect(counted(found) == counted(written), "\(record.name)")

        let toOnes = properties.filter { $0.type == "toOne" }
        var ends = counted(toOnes.flatMap(record.names).compactMap { archive.rows[$0] })
        for (name, value) in columns where ofAttributes[name] == nil {
            let end = try #require(Int64.fromDatabaseValue(value), "\(record.name) \(name)")
            if toOnes.contains(where: { stands(name.dropFirst(), for: $0.name) }), ends[end] != nil {
                ends[end] = ends[end].flatMap { $0 > 1 ? $0 - 1 : nil }
            } else {
                #expect(leading.contains(end), "\(record.name) \(name)")
            }
        }
        #expect(ends == [:], "\(record.name)")
    }

    @Test(arguments: RealStore.all)
    func `every pair of a join table is in a record of one of both, and no other`(_ real: RealStore) throws {
        let (store, archive) = try opened(real)
        let tables = Set(archive.entities.keys.map { "Z" + archive.root(of: $0).uppercased() })
        let numbers = try entityNames(store)
        let joins = try texts(store, "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        for join in joins where !tables.contains(join) {
            let columns = try texts(store, "SELECT name FROM pragma_table_info('\(join)')")
                .filter { !$0.hasPrefix("Z_FOK_") }
            // A column has an entity's number, and the name by which the other one knows it.
            let sides = try columns.map { column -> (entity: String, name: String) in
                let name = column == "REFLEXIVE" ? columns[0] : column
                let parts = try #require(name.wholeMatch(of: /Z_(\d+)(.*)/))
                return (try #require(Int(parts.1).flatMap { numbers[$0] }), String(parts.2))
            }
            try #require(sides.count == 2)
            let roots = sides.map { "Z" + archive.root(of: $0.entity).uppercased() }
            let found = try pairs(
                store,
                """
                SELECT \(columns[0]), \(columns[1]) FROM \(join)
                WHERE \(columns[0]) IN (SELECT Z_PK FROM \(roots[0])) AND \(columns[1]) IN (SELECT Z_PK FROM \(roots[1]))
                """)
            var told = archive.pairs(sides[0].entity, sides[1].name)
            told += archive.pairs(sides[1].entity, sides[0].name).map { [$0[1], $0[0]] }
            // A relationship that is its own inverse has each pair once, in either order.
            let isReflexive = columns.contains("REFLEXIVE")
            func normal(_ pairs: [[Int64]]) -> Set<[Int64]> { Set(isReflexive ? pairs.map { $0.sorted() } : pairs) }
            #expect(normal(told) == normal(found), "\(join)")
        }
    }

    private func entityNames(_ store: StoreFile) throws -> [Int: String] {
        let rows = try store.read { database in
            try Row.fetchAll(database, sql: "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY").map {
                ($0[0] as Int, $0[1] as String)
            }
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private func texts(_ store: StoreFile, _ sql: String) throws -> [String] {
        try store.read { try String.fetchAll($0, sql: sql) }
    }

    private func pairs(_ store: StoreFile, _ sql: String) throws -> [[Int64]] {
        try store.read { try Row.fetchAll($0, sql: sql).map { [$0[0] as Int64, $0[1] as Int64] } }
    }
}
