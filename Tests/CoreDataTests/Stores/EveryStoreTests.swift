// Every real store that is at hand: it opens with the model that it carries, reading it changes nothing, and what is read is
// what plain SQL finds, without any knowledge of which column belongs to which property.

import Foundation
import GRDB
import TestSupport
import Testing

@testable import CoreData

@Suite struct EveryStoreTests {
    // MARK: Nothing changes

    private func readSome(_ store: TestStore) throws {
        for entity in store.model.entities {
            let rows = try store.backend.rows(
                matching: StoreQuery(entity: entity, includesSubentities: false, limit: 20))
            for relationship in entity.relationshipsByName.values where relationship.isToMany {
                _ = try store.backend.members(of: relationship, owners: rows.map(\.objectID))
            }
        }
    }

    @Test(arguments: EveryStore.all)
    func `reading a store changes no byte of it and leaves nothing beside it`(_ real: EveryStore) throws {
        let folder = try TemporaryFolder()
        let copy = try real.copied(into: folder)
        let before = try FolderContents(folder.url), original = try FolderContents(real.url.deletingLastPathComponent())
        for url in [copy, real.url] {
            let store = try real.open(url)
            try readSome(store)
            let pinned = try store.backend.pinned()
            _ = try pinned?.count(matching: StoreQuery(entity: store.model.entities[0]))
            _ = try SQLiteStoreFile.metadata(at: url)
            try store.backend.close()
        }
        #expect(try FolderContents(folder.url) == before)
        #expect(try FolderContents(real.url.deletingLastPathComponent()) == original)
    }

    // MARK: Values

    /// A value of a row as SQLite has it; nil for none.
    private static func plain(_ value: ManagedValue, isExternal: Bool) throws -> PlainValue? {
        switch value {
        case .null: return nil
        case .boolean(let value): return .number(value ? 1 : 0)
        case .integer(let value): return .number(Double(value))
        case .double(let value), .date(let value): return .number(value)
        case .decimal(let value): return .number(NSDecimalNumber(decimal: value).doubleValue)
        case .string(let text): return .text(text)
        case .uri(let url): return .text(url.absoluteString)
        case .uuid(let id): return .bytes(unsafe withUnsafeBytes(of: id.uuid) { unsafe Data($0) })
        case .data(let bytes): return .bytes(isExternal ? ExternalDataFolder.inline(bytes) : bytes)
        case .transformable(let value):
            let bytes = try value.storedBytes()
            return .bytes(isExternal ? ExternalDataFolder.inline(bytes) : bytes)
        case .objectID(let id): return .number(Double(id.number))
        default: throw TestError("\(value.shown) isn't what a row has")
        }
    }

    private struct TestError: Error { init(_ text: String) { self.text = text }; let text: String }

    /// The columns of a table that hold values and links: not keys and versions, entity numbers beside links (`Z9_OWNER`), order
    /// keys, and the owners of to-many relationships without inverse (`Z9NOTES`).
    private func valueColumns(_ db: Database, _ table: String) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('\(table)')").filter { name in
            !["Z_PK", "Z_ENT", "Z_OPT"].contains(name) && !name.hasPrefix("Z_FOK_")
                && name.wholeMatch(of: /Z[0-9]+_?[A-Z].*/) == nil
        }
    }

    @Test(arguments: EveryStore.all)
    func `every value and link that SQL finds in a row is the row's, and no other`(_ real: EveryStore) throws {
        let store = try real.open()
        try real.sql { db in
            for entity in store.backend.schema.entities {
                let columns = try valueColumns(db, entity.table)
                let found = try Row.fetchAll(
                    db, sql: "SELECT * FROM \(entity.table) WHERE Z_ENT = ?", arguments: [entity.number])
                let rows = try store.backend.rows(
                    matching: StoreQuery(entity: entity.description, includesSubentities: false))
                #expect(rows.count == found.count)
                let byKey = Dictionary(uniqueKeysWithValues: rows.map { ($0.objectID.number, $0) })
                let slots = entity.description.layout.slots
                for row in found {
                    let read = try #require(byKey[row["Z_PK"]])
                    let stored = columns.compactMap { PlainValue((row as Row)[$0] as DatabaseValue) }
                    let values = try slots.indices.compactMap { slot -> PlainValue? in
                        let attribute = slots[slot].property as? NSAttributeDescription
                        if slots[slot].property.isTransient { return nil }
                        if (slots[slot].property as? NSRelationshipDescription)?.isToMany == true { return nil }
                        return try Self.plain(
                            read.values[slot], isExternal: attribute?.allowsExternalBinaryDataStorage ?? false)
                    }
                    #expect(
                        Self.counted(values) == Self.counted(stored), "\(entity.name) \(read.objectID.number)")
                }
            }
        }
    }

    private static func counted<Value: Hashable>(_ values: [Value]) -> [Value: Int] {
        values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    // MARK: Links

    /// A link between two rows, by their keys.
    private struct Link: Hashable {
        let owner: Int64, member: Int64
    }

    @Test(arguments: EveryStore.all)
    func `every pair in a join table is a link between its objects`(_ real: EveryStore) throws {
        let store = try real.open()
        let schema = store.backend.schema
        try real.sql { db in
            let entityTables = Set(schema.tables.map(\.name))
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
            #expect(schema.joinTables.map(\.name).sorted() == tables.filter { !entityTables.contains($0) }.sorted())
            for join in schema.joinTables {
                let relationship = join.master
                let owner = try #require(schema.entity(for: relationship.entity))
                let member = try #require(relationship.destinationEntity.flatMap(schema.entity(for:)))
                // The owners' column is named after the inverse.
                let name = try #require(relationship.inverseRelationship).name.uppercased()
                let keys = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('\(join.name)')")
                    .filter { !$0.hasPrefix("Z_FOK_") }
                let ownerColumn = try #require(keys.first { $0.hasPrefix("Z_\(owner.number)\(name)") })
                let memberColumn = try #require(keys.first { $0 != ownerColumn })
                let pairs = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT j.\(ownerColumn), j.\(memberColumn) FROM \(join.name) AS j
                        JOIN \(owner.table) AS o ON o.Z_PK = j.\(ownerColumn)
                        JOIN \(member.table) AS m ON m.Z_PK = j.\(memberColumn)
                        """
                ).map { Link(owner: $0[0], member: $0[1]) }
                let owners = try store.backend.objectIDs(matching: StoreQuery(entity: owner.description))
                let members = try store.backend.members(of: relationship, owners: owners)
                // A pair may lead to a row that isn't there: a fault that nothing fills.
                let rows = Set(try Int64.fetchAll(db, sql: "SELECT Z_PK FROM \(member.table)"))
                let links = zip(owners, members).flatMap { owner, members in
                    members.filter { rows.contains($0.number) }.map { Link(owner: owner.number, member: $0.number) }
                }
                var expected = Set(pairs)
                if relationship === relationship.inverseRelationship {
                    expected.formUnion(pairs.map { Link(owner: $0.member, member: $0.owner) })
                }
                #expect(Set(links) == expected, "\(join.name)")
            }
        }
    }

    // MARK: Entity numbers

    @Test(arguments: EveryStore.all)
    func `a new store of the carried model numbers its entities as the real one`(_ real: EveryStore) throws {
        let folder = try TemporaryFolder()
        let store = try TestStore(try real.model(), at: folder.url.appendingPathComponent("New.sqlite"))
        // Those from 16000 on are the history's.
        let sql = "SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT"
        var made = try store.sql { try String.fetchAll($0, sql: sql) }
        // The migration that made this one renamed an entity and left its old name among the numbers.
        if real.path.hasSuffix("SampleModel_V2.sqlite") { made[2] = "3 ExpensiveSportCar 2" }
        #expect(try real.sql { try String.fetchAll($0, sql: sql) } == made)
    }

    // MARK: Tables

    /// The names that systems before 2017 gave to the indexes of attributes, and how they kept constraints.
    private func asBefore2017(_ statement: String) throws -> String? {
        if statement.hasPrefix("CREATE UNIQUE INDEX Z_") { return nil }
        let index = /CREATE INDEX Z_\w+ ON (?<table>\w+) \((?<columns>.*)\)/
        guard let match = try index.wholeMatch(in: statement), match.columns.contains(" COLLATE BINARY ASC") else {
            return statement
        }
        let columns = match.columns.replacing(" COLLATE BINARY ASC", with: "")
        let names = columns.split(separator: ", ")
        let name = "\(match.table)_\(names.joined(separator: "_"))\(names.count == 1 ? "_INDEX" : "")"
        return "CREATE INDEX \(name) ON \(match.table) (\(columns))"
    }

    /// What stands in a file and in no model: SQL of Apple's own apps.
    private func isOfTheApp(_ statement: String) -> Bool {
        statement.contains(/CREATE TRIGGER ZT_|Z_RT_\w+|CREATE \w* ?INDEX RADAR/)
    }

    /// A statement without what Core Data itself leaves to chance or has changed: the order of several order keys of a table,
    /// which is that of a hash table, and the spaces of a partial index. In a migrated file columns come in any order.
    private func normalized(_ statement: String, isMigrated: Bool) throws -> String {
        let table = /CREATE TABLE "?(?<name>\w+)"? \( ?(?<columns>.*?) ?\)/
        guard let match = try table.wholeMatch(in: statement) else {
            return statement.replacing("WHERE  ", with: "WHERE ")
        }
        let columns = match.columns.components(separatedBy: ", ").map { $0.trimmingCharacters(in: .whitespaces) }
        let keys = columns.filter { $0.hasPrefix("Z_FOK_") }.sorted()
        let others = columns.filter { !$0.hasPrefix("Z_FOK_") }
        return "\(match.name): \((isMigrated ? others.sorted() : others) + keys)"
    }

    @Test(arguments: EveryStore.all)
    func `a new store of the carried model has the statements of the real one`(_ real: EveryStore) throws {
        let model = try real.model()
        var made = try withExtendedLifetime(model) { try SQLSchema(model: model).createStatements() }
        var (found, isMigrated) = try real.sql { db in
            let statements = try String.fetchAll(
                db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
            return (statements, try Int.fetchOne(db, sql: "PRAGMA schema_version") != statements.count)
        }
        // Apple's apps add statements of their own.
        if real.path.contains("KnowledgeC") || real.path.contains("Photos-10.15") { isMigrated = false }
        let version = try SQLiteStoreFile.metadata(at: real.url)["NSPersistenceFrameworkVersion"] as? Int ?? 0
        if version <= 754 {
            made = try made.compactMap(asBefore2017)
            found = found.map { $0.replacing(/, CONSTRAINT \w+ UNIQUE \([^)]*\)/, with: "") }
        }
        func compared(_ statements: [String]) throws -> Set<String> {
            Set(
                try statements.filter { !isOfTheApp($0) && !$0.contains(/ATRANSACTION|ACHANGE/) }
                    .map { try normalized($0, isMigrated: isMigrated) })
        }
        let (ours, theirs) = (try compared(made), try compared(found))
        #expect(ours.subtracting(theirs).sorted() == [])
        // A migration leaves indexes and columns of older versions behind.
        if !isMigrated { #expect(theirs.subtracting(ours).sorted() == []) }
    }
}
