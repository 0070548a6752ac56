// Fetches: one SELECT each, whatever the predicate.

import Foundation
import GRDB

extension SQLiteStoreBackend {
    func rows(matching query: StoreQuery) throws -> [StoreRow] {
        let entity = try sqlEntity(query.entity)
        let plan = selectPlan(entity, includesSubentities: query.includesSubentities)
        let isInKeyOrder = query.isInKeyOrder
        var select = try select(query)
        if !isInKeyOrder { select.addKeyOrder() }
        let fragment = select.statement(columns: Self.list(plan.columns))
        var rows: [StoreRow] = []
        try reading { db in
            rows = []
            let statement = try Self.statement(db, fragment)
            var decoder = RowDecoder(plan: plan, external: external)
            while try statement.step() { rows.append(try decoder.row(of: statement)) }
        }
        if isInKeyOrder { try sortByKey(&rows, entity, \.objectID.number) }
        return rows
    }

    func objectIDs(matching query: StoreQuery) throws -> [NSManagedObjectID] {
        let entity = try sqlEntity(query.entity)
        let isInKeyOrder = query.isInKeyOrder
        var select = try select(query)
        if !isInKeyOrder { select.addKeyOrder() }
        let fragment = select.statement(columns: "t0.Z_PK, t0.Z_ENT")
        var ids: [NSManagedObjectID] = []
        try reading { db in
            ids = []
            let statement = try Self.statement(db, fragment)
            var kinds = KindLookup(self, table: entity)
            while try statement.step() {
                let number = try statement.integer(at: 0, of: "\(entity.table).Z_PK")
                let entityNumber = try statement.integer(at: 1, of: "\(entity.table).Z_ENT of row \(number)")
                guard let kind = kinds.kind(ofEntity: entityNumber) else {
                    throw Self.unknownEntity(entityNumber, in: entity.table, row: number)
                }
                ids.append(NSManagedObjectID(kind, number: number))
            }
        }
        if isInKeyOrder { try sortByKey(&ids, entity, \.number) }
        return ids
    }

    func count(matching query: StoreQuery) throws -> Int {
        var query = query
        query.sortDescriptors = []
        let select = try select(query)
        func fragment(_ column: String) -> SQLFragment {
            guard query.limit != nil || query.offset > 0 else { return select.statement(columns: "COUNT(\(column))") }
            var fragment = select.statement(columns: "\(column == "*" ? "1" : column) AS counted")
            fragment.sql = "SELECT COUNT(counted) FROM (\(fragment.sql))"
            return fragment
        }
        return try reading { db in
            let statement: RowStatement
            do {
                statement = try Self.statement(db, fragment("*"))
            } catch let error as DatabaseError where error.message?.hasPrefix("no such collation sequence") ?? false {
                // To count, SQLite takes the smallest index, whatever it is sorted by. This one column is in none.
                statement = try Self.statement(db, fragment("t0.Z_OPT IS NULL"))
            }
            defer { statement.reset() }
            return try statement.step() ? Int(statement.integer(at: 0)) : 0
        }
    }

    func rows(withIDs ids: [NSManagedObjectID], slots: [Int]?) throws -> [StoreRow] {
        guard !ids.isEmpty else { return [] }
        return try reading { db in try rows(withIDs: ids, slots: slots, db) }
    }

    /// The same inside a transaction, for the rows of a conflict.
    func rows(withIDs ids: [NSManagedObjectID], slots: [Int]? = nil, _ db: Database) throws -> [StoreRow] {
        var groups: [(entity: SQLEntity, keys: [Int64])] = []
        var groupByNumber: [Int: Int] = [:]
        var last: (id: NSManagedObjectID, group: Int)?
        for id in ids {
            // One entity after the other is the rule.
            if let last, last.id.isOfKind(of: id) {
                groups[last.group].keys.append(id.number)
                continue
            }
            let entity = try sqlEntity(id.entity)
            // An ID of another store or a temporary one has no row here.
            guard id.space === space(of: entity) else { continue }
            let group = groupByNumber[entity.number] ?? groups.count
            if group == groups.count {
                groupByNumber[entity.number] = group
                groups.append((entity, []))
            }
            groups[group].keys.append(id.number)
            last = (id, group)
        }
        var rows: [StoreRow] = []
        rows.reserveCapacity(ids.count)
        for (entity, keys) in groups {
            let plan = selectPlan(entity, includesSubentities: true, slots: slots)
            var decoder = RowDecoder(plan: plan, external: external)
            let isSorted = zip(keys, keys.dropFirst()).allSatisfy { $0 <= $1 }
            for chunk in KeyChunks(isSorted ? keys : keys.sorted()) {
                var sql =
                    "SELECT \(Self.list(plan.columns)) FROM \(entity.table) AS t0 WHERE t0.Z_PK \(chunk.test)"
                if let condition = entity.rowCondition(includingSubentities: true) { sql += " AND t0.\(condition)" }
                let statement = try RowStatement(db, sql)
                try chunk.bind(to: statement)
                while try statement.step() { rows.append(try decoder.row(of: statement)) }
            }
        }
        return rows
    }

    // MARK: Pieces

    /// Everything of a query but the columns and the last criterion of its order.
    func select(_ query: StoreQuery) throws -> SQLSelect {
        let entity = try sqlEntity(query.entity)
        var select = SQLSelect(schema: schema, entity: entity, includesSubentities: query.includesSubentities)
        if let predicate = query.predicate { try select.add(predicate: predicate) { self.space(of: $0) } }
        for descriptor in query.sortDescriptors { try select.add(sortDescriptor: descriptor) }
        select.limit = query.limit
        select.offset = query.offset
        return select
    }

    private static func list(_ columns: [String]) -> String {
        columns.map { "t0.\($0)" }.joined(separator: ", ")
    }

    static func statement(_ db: Database, _ fragment: SQLFragment) throws -> RowStatement {
        let statement = try RowStatement(db, fragment.sql)
        for (index, argument) in fragment.arguments.enumerated() {
            try statement.bind(argument, at: Int32(index + 1))
        }
        return statement
    }

    /// - Throws: ``RowError`` for two rows with one key, which a table without a primary key may have.
    private func sortByKey<Row>(_ rows: inout [Row], _ entity: SQLEntity, _ key: (Row) -> Int64) throws {
        // By their places: pairs of rows would be copied.
        if rows.indices.dropFirst().allSatisfy({ key(rows[$0 - 1]) < key(rows[$0]) }) { return }
        rows.sort { key($0) < key($1) }
        guard let twice = zip(rows, rows.dropFirst()).first(where: { key($0) == key($1) }) else { return }
        throw errors.translated(Self.keyTwice(key(twice.0), in: entity.table), .reading)
    }

    /// - Parameter body: May be run again, so it begins from nothing.
    func reading<T>(_ body: (Database) throws -> T) throws -> T {
        do {
            return try database.read(body)
        } catch {
            throw errors.translated(error, .reading)
        }
    }

    static func keyTwice(_ key: Int64, in table: String) -> RowError {
        RowError(
            place: "\(table).Z_PK", found: "the key \(key) in several rows", expected: "another one in each row",
            owner: "Core Data has")
    }

    static func unknownEntity(_ number: Int64, in table: String, row: Int64) -> RowError {
        RowError(
            place: "\(table).Z_ENT of row \(row)", found: "entity number \(number)",
            expected: "no entity of that number")
    }
}

extension StoreQuery {
    /// Whether all rows are wanted in the order of their keys. SQLite would sort them with all their columns, unless they come in
    /// that order anyway.
    fileprivate var isInKeyOrder: Bool { sortDescriptors.isEmpty && limit == nil && offset == 0 }
}

/// Finds what kind of object a row is by `Z_ENT`; rows of one entity mostly follow each other.
struct KindLookup {
    private let backend: SQLiteStoreBackend
    /// The root of the entities that are looked for; nil for all.
    private let root: Int?
    private var lastNumber: Int64 = -1
    private var last: ObjectKind?

    /// - Parameter table: An entity in whose table the rows are; nil where they are in several.
    init(_ backend: SQLiteStoreBackend, table: SQLEntity? = nil) {
        self.backend = backend
        root = table?.rootNumber
    }

    mutating func kind(ofEntity number: Int64) -> ObjectKind? {
        if number == lastNumber { return last }
        lastNumber = number
        let plan = backend.plans[Int(number)]
        last = root == nil || plan?.entity.rootNumber == root ? plan?.kind : nil
        return last
    }
}

/// Keys in portions: what follows each other without a gap as a range, the rest for `IN (?, ?, …)`. The lists have few different
/// lengths, so that few statements are compiled; the last one is filled up by repeating its last key.
struct KeyChunks: Sequence {
    struct Chunk {
        let keys: ArraySlice<Int64>
        /// How long a list is; nil for a range.
        let size: Int?

        /// What a column is compared with. Numbered, so that a statement can use it twice.
        var test: String { size.map { "IN (\(KeyChunks.marks[$0] ?? ""))" } ?? "BETWEEN ?1 AND ?2" }

        func bind(to statement: RowStatement) throws {
            guard let size else {
                try statement.bind(keys[keys.startIndex], at: 1)
                return try statement.bind(keys[keys.endIndex - 1], at: 2)
            }
            for index in 0..<size {
                let key = keys[Swift.min(keys.startIndex + index, keys.endIndex - 1)]
                try statement.bind(key, at: Int32(index + 1))
            }
        }
    }

    static let sizes = [1, 4, 16, 64, 256, 1024]
    private static let marks = Dictionary(
        uniqueKeysWithValues: sizes.map { size in (size, (1...size).map { "?\($0)" }.joined(separator: ",")) })
    /// How many keys make a range.
    private static let shortestRange = 64
    private let keys: [Int64]

    init(_ keys: [Int64]) { self.keys = keys }

    func makeIterator() -> AnyIterator<Chunk> {
        var next = 0
        return AnyIterator {
            let left = keys.count - next
            guard left > 0, let largest = Self.sizes.last else { return nil }
            let range = range(from: next)
            if range.count >= Self.shortestRange {
                next = range.endIndex
                return Chunk(keys: keys[range], size: nil)
            }
            let size = Self.sizes.first { $0 >= left } ?? largest
            let slice = keys[next..<Swift.min(next + size, keys.count)]
            next += size
            return Chunk(keys: slice, size: size)
        }
    }

    /// The keys from a place on that follow each other without a gap.
    private func range(from start: Int) -> Range<Int> {
        var end = start + 1
        while end < keys.count, keys[end - 1] < .max, keys[end] == keys[end - 1] + 1 { end += 1 }
        return start..<end
    }
}
