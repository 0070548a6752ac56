// Finding the rows that differ between `main`, which is old, and `other`, which is new. For a table ZHERO:
//
//     moved_ZHERO   rows of the old side whose number isn't theirs on the new one, with the new number, or -1 where they are gone
//     came_ZHERO    rows of the new side, likewise
//     old_ZHERO     rows of the old side that may differ
//     new_ZHERO     rows of the new side that may differ
//
// As a rule nothing has moved, and a row is compared with the one of the same number.

import GRDB

/// A search on one connection. Its tables go with that.
struct RowSearch {
    private let db: Database
    private let outline: ComparedTables
    private let step: () throws -> Void
    /// The tables of which some rows have other numbers on the other side, or none.
    private var shifted: Set<String> = []

    init(_ db: Database, _ outline: ComparedTables, _ step: @escaping () throws -> Void) {
        self.db = db
        self.outline = outline
        self.step = step
    }

    /// - Returns: Whether rows can be told apart.
    mutating func run() throws -> Bool {
        for table in outline.tables { guard try match(table) else { return false } }
        for entity in outline.entities where entity.isCompared || shifted.contains(entity.table) {
            guard try !hasDuplicates(entity) else { return false }
        }
        for entity in outline.entities where entity.isCompared { try compare(entity) }
        for list in outline.lists { try compare(list) }
        // A pair of rows differs on both sides.
        for table in outline.tables {
            try run("INSERT OR IGNORE INTO new_\(table) SELECT \(counterpart("r.row", table)) FROM old_\(table) AS r")
            try run("INSERT OR IGNORE INTO old_\(table) SELECT \(origin("r.row", table)) FROM new_\(table) AS r")
        }
        return true
    }

    /// The rows of an entity that may differ.
    func rows(
        of entity: ComparedTables.Entity
    ) throws -> (old: [Int64], new: [Int64], sameCount: Int, sameValueCount: Int) {
        func rows(_ side: String, _ schema: String) throws -> [Int64] {
            let order = (entity.identity + ["Z_PK"]).map { "t.\($0)" }.joined(separator: ", ")
            return try numbers(
                "SELECT t.Z_PK FROM \(side)_\(entity.table) AS r JOIN \(schema).\(entity.table) AS t ON t.Z_PK = r.row "
                    + "WHERE t.Z_ENT = \(entity.number) ORDER BY \(order)")
        }
        let counts = ["COUNT(*)"] + (entity.identity.isEmpty ? entity.values.map { "COUNT(\($0.column))" } : [])
        let same = try numbers(
            "SELECT \(counts.joined(separator: ", ")) FROM main.\(entity.table) "
                + "WHERE Z_ENT = \(entity.number) AND Z_PK NOT IN (SELECT row FROM old_\(entity.table))",
            columns: counts.count
        ).map(Int.init)
        return (try rows("old", "main"), try rows("new", "other"), same[0], same.dropFirst().reduce(0, +))
    }

    // MARK: Which row is which

    /// Finds the rows of a table that aren't under their own number on the other side, and where they are.
    private mutating func match(_ table: String) throws -> Bool {
        try run("CREATE TEMP TABLE moved_\(table) (row INTEGER PRIMARY KEY, other INTEGER)")
        try run("CREATE TEMP TABLE came_\(table) (row INTEGER PRIMARY KEY, other INTEGER)")
        for side in ["old", "new"] { try run("CREATE TEMP TABLE \(side)_\(table) (row INTEGER PRIMARY KEY)") }
        let entities = outline.entities.filter { $0.table == table }
        let cases = entities.map { entity in
            let parts = entity.identity.map { "a.\($0) = b.\($0)" } + ["a.Z_PK = b.Z_PK"]
            let limit = entity.identity.isEmpty ? ["a.Z_PK <= \(entity.lastRow)"] : []
            return " WHEN \(entity.number) THEN \((parts + limit).joined(separator: " AND "))"
        }
        let isSame = cases.isEmpty ? "0" : "CASE a.Z_ENT\(cases.joined()) END"
        let pair = "ON b.Z_PK = a.Z_PK AND b.Z_ENT = a.Z_ENT WHERE (\(isSame)) IS NOT 1"
        try run(
            "INSERT INTO moved_\(table) SELECT a.Z_PK, -1 FROM main.\(table) AS a LEFT JOIN other.\(table) AS b \(pair)"
        )
        if try count("moved_\(table)") == 0, try count("main.\(table)") == count("other.\(table)") { return true }
        shifted.insert(table)
        try run(
            "INSERT INTO came_\(table) SELECT b.Z_PK, -1 FROM other.\(table) AS b LEFT JOIN main.\(table) AS a \(pair)")
        for entity in entities where !entity.identity.isEmpty { guard try find(entity) else { return false } }
        try run("INSERT OR REPLACE INTO came_\(table) SELECT other, row FROM moved_\(table) WHERE other > 0")
        try run("INSERT INTO old_\(table) SELECT row FROM moved_\(table) WHERE other < 0")
        try run("INSERT INTO new_\(table) SELECT row FROM came_\(table) WHERE other < 0")
        return true
    }

    /// Finds the rows of an entity that have come under another number by what tells them apart.
    private func find(_ entity: ComparedTables.Entity) throws -> Bool {
        let (table, columns) = (entity.table, entity.identity)
        let list = columns.joined(separator: ", ")
        func condition(_ alias: String) -> String { "\(alias).Z_ENT = \(entity.number)" }
        let isFound = columns.map { "f.\($0) = t.\($0)" }.joined(separator: " AND ")
        // Made from a SELECT, the columns have the types that let the index be used.
        try make(
            "found",
            "SELECT \(columns.map { "t.\($0) AS \($0)" }.joined(separator: ", ")), t.Z_PK AS row "
                + "FROM came_\(table) AS c JOIN other.\(table) AS t ON t.Z_PK = c.row WHERE \(condition("t"))")
        try run("CREATE INDEX temp.found_index ON found (\(list))")
        // Two objects of one identity aren't told apart by it.
        let isThereTwice =
            try has("SELECT 1 FROM found GROUP BY \(list) HAVING COUNT(*) > 1 AND COUNT(\(columns[0])) > 0")
            || has(
                "SELECT 1 FROM main.\(table) AS t CROSS JOIN found AS f ON \(isFound) WHERE \(condition("t")) "
                    + "AND t.Z_PK NOT IN (SELECT row FROM moved_\(table))")
        if isThereTwice { return false }
        try run(
            "INSERT OR REPLACE INTO moved_\(table) SELECT m.row, f.row FROM moved_\(table) AS m "
                + "JOIN main.\(table) AS t ON t.Z_PK = m.row CROSS JOIN found AS f ON \(isFound) WHERE \(condition("t"))"
        )
        return true
    }

    private func hasDuplicates(_ entity: ComparedTables.Entity) throws -> Bool {
        if entity.identity.isEmpty { return false }
        let list = entity.identity.joined(separator: ", ")
        return try has(
            "SELECT 1 FROM main.\(entity.table) WHERE Z_ENT = \(entity.number) GROUP BY \(list) "
                + "HAVING COUNT(*) > 1 AND COUNT(\(entity.identity[0])) > 0")
    }

    /// The number that a row of the old side has on the new one; -1 for none.
    private func counterpart(_ row: String, _ table: String) -> String {
        shifted.contains(table)
            ? "IFNULL((SELECT s.other FROM moved_\(table) AS s WHERE s.row = \(row)), \(row))" : row
    }

    /// The number that a row of the new side has on the old one; -1 for none.
    private func origin(_ row: String, _ table: String) -> String {
        shifted.contains(table)
            ? "IFNULL((SELECT s.other FROM came_\(table) AS s WHERE s.row = \(row)), \(row))" : row
    }

    // MARK: What differs

    private func compare(_ entity: ComparedTables.Entity) throws {
        var differences: [String] = []
        if !entity.values.isEmpty {
            let lists = ["a", "b"].map { side in
                entity.values.map { "\(side).\($0.column) COLLATE BINARY" }.joined(separator: ", ")
            }
            differences.append("(\(lists[0])) IS NOT (\(lists[1]))")
        }
        // What is in a file, only who reads it knows.
        for value in entity.values where value.isExternal {
            differences.append("substr(a.\(value.column), 1, 1) = x'02'")
        }
        for link in entity.links {
            differences.append("\(counterpart("a.\(link.column)", link.destination)) IS NOT b.\(link.column)")
            if let column = link.entityColumn { differences.append("a.\(column) IS NOT b.\(column)") }
            differences.append(leadsNowhere("a.\(link.column)", link.destination))
        }
        if differences.isEmpty { return }
        try run(
            "INSERT OR IGNORE INTO old_\(entity.table) SELECT a.Z_PK FROM main.\(entity.table) AS a "
                + "CROSS JOIN other.\(entity.table) AS b ON b.Z_PK = \(counterpart("a.Z_PK", entity.table)) "
                + "WHERE a.Z_ENT = \(entity.number) AND (\(differences.joined(separator: " OR ")))")
    }

    /// What a damaged store says of an object that isn't there.
    private func leadsNowhere(_ link: String, _ table: String) -> String {
        "\(link) NOT IN (SELECT Z_PK FROM main.\(table))"
    }

    private func compare(_ list: ComparedTables.List) throws {
        if let member = list.member { return try compare(list, member) }
        let (table, members) = (list.owners, list.table)
        func differences(_ side: String, _ other: String, _ owner: String) -> String {
            // Members whose order is the same stand in the order of their numbers.
            let order = list.order.map { " OR a.\($0) IS NOT b.\($0) OR a.Z_PK <> b.Z_PK" } ?? ""
            return "WHERE \(side).\(list.owner) NOT NULL AND (\(owner) IS NOT \(other).\(list.owner)\(order))"
        }
        try run(
            "INSERT OR IGNORE INTO old_\(table) SELECT a.\(list.owner) FROM main.\(members) AS a "
                + "LEFT JOIN other.\(members) AS b ON b.Z_PK = \(counterpart("a.Z_PK", members)) "
                + differences("a", "b", counterpart("a.\(list.owner)", table)))
        try run(
            "INSERT OR IGNORE INTO new_\(table) SELECT b.\(list.owner) FROM other.\(members) AS b "
                + "LEFT JOIN main.\(members) AS a ON a.Z_PK = \(origin("b.Z_PK", members)) "
                + differences("b", "a", origin("b.\(list.owner)", table)))
    }

    /// Pairs of a join table. Where each of the old side's has its counterpart and there are as many, all have.
    private func compare(_ list: ComparedTables.List, _ member: String) throws {
        let table = list.owners
        let ends = list.isReflexive ? [list.owner, member] : [list.owner]
        func lone(_ schema: String, without other: String, _ number: (String, String) -> String) throws -> Bool {
            let pairs = pairs(list, member, schema, other, number)
            try make("lone", "SELECT \(ends.joined(separator: ", ")) FROM (\(pairs))")
            let side = schema == "main" ? "old" : "new"
            for end in ends { try run("INSERT OR IGNORE INTO \(side)_\(table) SELECT \(end) FROM lone") }
            return try has("SELECT 1 FROM lone")
        }
        let hasLone = try lone("main", without: "other", counterpart)
        try addOwners(of: list, leadingNowhereBy: member, list.destination, ends)
        if list.isReflexive { try addOwners(of: list, leadingNowhereBy: list.owner, table, ends) }
        if try hasLone || count("main.\(list.table)") != count("other.\(list.table)") {
            _ = try lone("other", without: "main", origin)
        }
    }

    /// The pairs of one side without a counterpart on the other.
    private func pairs(
        _ list: ComparedTables.List, _ member: String, _ schema: String, _ other: String,
        _ number: (String, String) -> String
    ) -> String {
        let columns = ([list.owner, member] + [list.order].compactMap(\.self)).joined(separator: ", ")
        let pairs = "SELECT \(columns) FROM \(schema).\(list.table)"
        // Both sides are read once, in the order of an index, unless rows have other numbers.
        if shifted.isDisjoint(with: [list.owners, list.destination]) {
            return "\(pairs) EXCEPT SELECT \(columns) FROM \(other).\(list.table) ORDER BY 1, 2"
        }
        var same = [
            "o.\(list.owner) = \(number("j.\(list.owner)", list.owners))",
            "o.\(member) = \(number("j.\(member)", list.destination))",
        ]
        if let order = list.order { same += ["o.\(order) IS j.\(order)", "o.\(member) = j.\(member)"] }
        return "\(pairs) AS j WHERE NOT EXISTS (SELECT 1 FROM \(other).\(list.table) AS o "
            + "WHERE \(same.joined(separator: " AND ")))"
    }

    /// What a damaged store says of objects that aren't there.
    private func addOwners(
        of list: ComparedTables.List, leadingNowhereBy end: String, _ destination: String, _ owners: [String]
    ) throws {
        let nowhere =
            "FROM main.\(list.table) WHERE \(end) IN (SELECT \(end) FROM main.\(list.table) "
            + "EXCEPT SELECT Z_PK FROM main.\(destination) ORDER BY 1)"
        for owner in owners { try run("INSERT OR IGNORE INTO old_\(list.owners) SELECT \(owner) \(nowhere)") }
    }

    // MARK: Statements

    private func run(_ sql: String) throws {
        try step()
        try db.execute(sql: sql)
    }

    /// Makes a table instead of the last one of that name.
    private func make(_ table: String, _ select: String) throws {
        try run("DROP TABLE IF EXISTS temp.\(table)")
        try run("CREATE TEMP TABLE \(table) AS \(select)")
    }

    private func numbers(_ sql: String, columns: Int = 1) throws -> [Int64] {
        try step()
        let statement = try RowStatement(db, sql)
        var numbers: [Int64] = []
        while try statement.step() {
            for column in 0..<columns { numbers.append(statement.integer(at: Int32(column))) }
        }
        return numbers
    }

    private func count(_ table: String) throws -> Int64 { try db.number("SELECT COUNT(*) FROM \(table)") }

    private func has(_ sql: String) throws -> Bool { try !numbers(sql + " LIMIT 1").isEmpty }
}
