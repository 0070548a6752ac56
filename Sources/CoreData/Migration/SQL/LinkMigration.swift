// Relationships that the two versions keep in different ways, and all join tables: first the pairs of objects are gathered
// in a temporary table, then they are written where the destination keeps them.
//
//     version 1   Book.author to-one: ZBOOK.ZAUTHOR        version 2   Book.authors to-many: Z_2AUTHORS
//
// Where there is room for fewer objects than there were, the migration fails: which of them is to stay is nobody's guess.

import Foundation

/// The gathering and writing of links.
struct LinkMigration {
    let tables: MigrationSchemas
    let matching: ModelMatching
    let plan: RelationshipPlan
    let checks: MigrationChecks

    private var dialect: SQLDialect { tables.destination.dialect }
    /// A temporary table.
    private var links: String { dialect == .sqlite ? "temp.Z_LINK" : "pg_temp.z_link" }

    func writeLinks(_ db: any MigrationDatabase) throws {
        if plan.jobs.isEmpty { return }
        let columns = "OWNER BIGINT, MEMBER BIGINT, MEMBERORDER BIGINT, OWNERORDER BIGINT"
        try db.run(SQLFragment(sql: "CREATE TEMP TABLE Z_LINK (\(columns), UNIQUE (OWNER, MEMBER))"))
        try db.run(SQLFragment(sql: "CREATE INDEX Z_LINK_MEMBER ON Z_LINK (MEMBER)"))
        for job in plan.jobs {
            try db.run(SQLFragment(sql: "DELETE FROM \(links)"))
            try gather(job, db)
            try write(job, db)
        }
        try db.run(SQLFragment(sql: "DROP TABLE \(links)"))
    }

    /// Looks at where the links of each relationship that comes along lead, from either side: an object whose entity has left the
    /// destination may have lost its own side with that.
    ///
    /// - Throws: `CocoaError` where a relationship has objects that it can't lead to any more.
    func checkDestinations(_ db: any MigrationDatabase) throws {
        for owner in tables.destination.entities {
            for case let relationship as NSRelationshipDescription in owner.description.ownProperties {
                guard let destination = destination(of: owner.property(named: relationship.name)) else { continue }
                for (match, old) in plan.sources(of: relationship) {
                    guard let entity = tables.source.entity(for: match.source),
                        let property = entity.property(named: old.name)
                    else { continue }
                    let links =
                        "SELECT k.a, k.b FROM (\(selection(property, of: entity, keepsDirection: false))) AS k "
                        + "JOIN \(tables.old(entity.table)) AS o ON o.\(dialect.key) = k.a "
                        + "WHERE o.\(dialect.entity) = \(dialect.literal(entity))"
                    try checks.checkDestinations(of: links, from: owner, relationship, old, destination, db)
                }
            }
        }
    }

    // MARK: Gathering

    private func gather(_ job: RelationshipPlan.Job, _ db: any MigrationDatabase) throws {
        let sources = plan.sources(of: job.relationship)
        try gather(sources, job, isReversed: false, db)
        if let inverse = job.inverse, !job.isOwnInverse {
            // What isn't the other side of a relationship that has been gathered has links of its own.
            let others = plan.sources(of: inverse).filter { other in
                !sources.contains { $0.old.inverseRelationship === other.old }
            }
            try gather(others, job, isReversed: true, db)
        }
        guard job.isOwnInverse, !job.isLinkTable else { return }
        // Whom one leads to leads back.
        try db.run(
            SQLFragment(
                sql: "INSERT INTO \(links) (OWNER, MEMBER) SELECT MEMBER, OWNER FROM \(links) WHERE true "
                    + "ON CONFLICT DO NOTHING"))
    }

    /// - Parameter isReversed: Whether the sources are those of the job's inverse.
    private func gather(
        _ sources: [(match: EntityMatch, old: NSRelationshipDescription)], _ job: RelationshipPlan.Job,
        isReversed: Bool, _ db: any MigrationDatabase
    ) throws {
        guard let member = destination(of: job.owner.property(named: job.relationship.name)) else { return }
        var groups: [(old: NSRelationshipDescription, entities: [SQLEntity], match: EntityMatch)] = []
        for (match, old) in sources {
            guard let entity = tables.destination.entity(for: match.destination) else { continue }
            if let index = groups.firstIndex(where: { $0.old === old }) {
                groups[index].entities.append(entity)
            } else {
                groups.append((old, [entity], match))
            }
        }
        for group in groups {
            guard let property = tables.source.entity(for: group.match.source)?.property(named: group.old.name),
                let entity = tables.source.entity(for: group.match.source)
            else { continue }
            let select = selection(property, of: entity, keepsDirection: job.isOwnInverse && job.isLinkTable)
            // Of pairs whose rows aren't there, a line tells; a reference has nothing else that could tell of it.
            if case .toOne(let toOne) = property {
                try checks.checkRows(of: select, from: entity, group.old, to: toOne.destination, db)
            }
            let columns = isReversed ? "l.b, l.a, l.d, l.c" : "l.a, l.b, l.c, l.d"
            let (from, to) = isReversed ? (member, job.owner) : (job.owner, member)
            try db.run(
                SQLFragment(
                    sql: "INSERT INTO \(links) (OWNER, MEMBER, MEMBERORDER, OWNERORDER) "
                        + "SELECT \(columns) FROM (\(select)) AS l WHERE \(exists("l.a", in: from.table, tables.list(group.entities))) "
                        + "AND \(exists("l.b", in: to.table, tables.list(under: to))) ON CONFLICT DO NOTHING"))
        }
    }

    private func exists(_ key: String, in table: String, _ entities: String) -> String {
        "EXISTS (SELECT 1 FROM \(table) AS t WHERE t.\(dialect.key) = \(key) AND t.\(dialect.entity) IN (\(entities)))"
    }

    private func destination(of property: SQLProperty?) -> SQLEntity? {
        switch property {
        case .toOne(let toOne): toOne.destination
        case .toMany(let toMany): toMany.destination
        case .attribute, nil: nil
        }
    }

    /// The pairs of a source relationship: owner a, member b, position c of the member, position d of the owner in the
    /// inverse.
    ///
    /// - Parameter keepsDirection: For a relationship that is its own inverse and stays a list: one row for a pair.
    private func selection(_ property: SQLProperty, of entity: SQLEntity, keepsDirection: Bool) -> String {
        switch property {
        case .attribute: return "SELECT \(none) AS a, \(none) AS b, \(none) AS c, \(none) AS d WHERE 1 = 0"
        case .toOne(let toOne):
            return "SELECT \(dialect.key) AS a, \(toOne.column) AS b, \(none) AS c, \(toOne.orderColumn ?? none) AS d "
                + "FROM \(tables.old(entity.table)) WHERE \(toOne.column) IS NOT NULL"
        case .toMany(let toMany):
            switch toMany.storage {
            case .foreignKey(let key):
                return "SELECT \(key.column) AS a, \(dialect.key) AS b, \(key.orderColumn ?? none) AS c, \(none) AS d "
                    + "FROM \(tables.old(key.table)) WHERE \(key.column) IS NOT NULL"
            case .joinTable(let join): return selection(join, keepsDirection: keepsDirection)
            }
        }
    }

    private func selection(_ join: SQLJoin, keepsDirection: Bool) -> String {
        let table = tables.old(join.table)
        let forward =
            "SELECT \(join.ownerColumn) AS a, \(join.memberColumn) AS b, \(join.orderColumn ?? none) AS c, "
            + "\(join.inverseOrderColumn ?? none) AS d FROM \(table)"
        guard join.isReflexive, !keepsDirection else { return forward }
        return forward + " UNION SELECT \(join.memberColumn), \(join.ownerColumn), \(none), \(none) FROM \(table)"
    }

    private let none = "CAST(NULL AS BIGINT)"

    // MARK: Writing

    private func write(_ job: RelationshipPlan.Job, _ db: any MigrationDatabase) throws {
        switch job.owner.property(named: job.relationship.name) {
        case .toMany(let toMany):
            switch toMany.storage {
            case .joinTable(let join): try write(job, into: join, db)
            case .foreignKey(let key):
                if let inverse = job.inverse {
                    try requireOne(per: "MEMBER", of: toMany.destination, inverse, db)
                } else {
                    try requireOne(per: "MEMBER", db) { count, first in
                        "\(job.owner.name).\(job.relationship.name) has no inverse now, so an object can be in one such list, but "
                            + "\(count) object(s) are in several, the first of them \(toMany.destination.name)/p\(first)"
                    }
                }
                try update(
                    Target(
                        table: key.table, column: key.column, entityColumn: key.entityColumn,
                        orderColumn: key.orderColumn, isOwner: false, otherTable: job.owner.table), db)
            }
        case .toOne(let toOne):
            try requireOne(per: "OWNER", of: job.owner, job.relationship, db)
            if let inverse = job.inverse, !job.isOwnInverse,
                case .toOne(let back)? = toOne.destination.property(named: inverse.name)
            {
                try requireOne(per: "MEMBER", of: toOne.destination, inverse, db)
                try update(Target(back, table: toOne.destination.table, isOwner: false, other: job.owner), db)
            }
            try update(Target(toOne, table: job.owner.table, isOwner: true, other: toOne.destination), db)
        case .attribute, nil: break
        }
    }

    /// Makes sure that there is one link for each object of a side.
    private func requireOne(
        per side: String, of entity: SQLEntity, _ relationship: NSRelationshipDescription, _ db: any MigrationDatabase
    ) throws {
        try requireOne(per: side, db) { count, first in
            "\(entity.name).\(relationship.name) leads to one object now, but \(count) object(s) have several in it, the "
                + "first of them \(entity.name)/p\(first)"
        }
    }

    private func requireOne(
        per side: String, _ db: any MigrationDatabase, _ words: (_ count: Int64, _ first: Int64) -> String
    ) throws {
        let several = "FROM (SELECT \(side) AS id FROM \(links) GROUP BY \(side) HAVING COUNT(*) > 1) AS s"
        let count = try db.number("SELECT COUNT(*) \(several)")
        guard count > 0 else { return }
        let first = try db.number("SELECT MIN(id) \(several)")
        throw checks.errors.badData(
            ["\(words(count, first)). Take the others out first, or make a mapping model that chooses"],
            reason: "Several objects where one has room")
    }

    /// The order keys of one side: those that there are, or new ones in the order of the primary keys.
    private func order(of side: String, within other: String, _ db: any MigrationDatabase) throws -> String {
        let missing = try db.number("SELECT COUNT(*) FROM \(links) WHERE \(side)ORDER IS NULL")
        if missing == 0 { return "\(side)ORDER" }
        // Core Data begins with 2048 and goes on in steps of 1024.
        return "1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(other) ORDER BY \(side)ORDER NULLS FIRST, \(side))"
    }

    private func write(_ job: RelationshipPlan.Job, into join: SQLJoin, _ db: any MigrationDatabase) throws {
        var columns = [join.ownerColumn, join.memberColumn]
        var values = ["OWNER", "MEMBER"]
        if let column = join.orderColumn {
            columns.append(column)
            values.append(try order(of: "MEMBER", within: "OWNER", db))
        }
        if let column = join.inverseOrderColumn {
            columns.append(column)
            values.append(try order(of: "OWNER", within: "MEMBER", db))
        }
        // A pair of a relationship that is its own inverse stands in the table once.
        let condition =
            join.isReflexive
            ? " WHERE OWNER <= MEMBER OR NOT EXISTS (SELECT 1 FROM \(links) AS r "
                + "WHERE r.OWNER = \(links).MEMBER AND r.MEMBER = \(links).OWNER)"
            : ""
        try db.run(
            SQLFragment(
                sql: "INSERT INTO \(join.table) (\(columns.joined(separator: ", "))) "
                    + "SELECT \(values.joined(separator: ", ")) FROM \(links)\(condition) ORDER BY OWNER, MEMBER"))
    }

    private func update(_ target: Target, _ db: any MigrationDatabase) throws {
        let (row, other) = target.isOwner ? ("OWNER", "MEMBER") : ("MEMBER", "OWNER")
        var assignments = ["\(target.column) = l.REFERENCE"]
        if let column = target.entityColumn {
            assignments.append("\(column) = (SELECT t.Z_ENT FROM \(target.otherTable) AS t WHERE t.Z_PK = l.REFERENCE)")
        }
        var position = "NULL"
        if let column = target.orderColumn {
            position = try order(of: row, within: other, db)
            assignments.append("\(column) = l.POSITION")
        }
        try db.run(
            SQLFragment(
                sql: "UPDATE \(target.table) SET \(assignments.joined(separator: ", ")) FROM "
                    + "(SELECT \(row) AS ROWKEY, \(other) AS REFERENCE, \(position) AS POSITION FROM \(links)) AS l "
                    + "WHERE \(target.table).\(dialect.key) = l.ROWKEY"))
    }
}

/// The columns of a table that hold a reference.
private struct Target {
    var table: String
    var column: String
    var entityColumn: String?
    var orderColumn: String?
    /// Whether the rows are the links' owners, which refer to the members.
    var isOwner: Bool
    var otherTable: String
}

extension Target {
    init(_ toOne: SQLToOne, table: String, isOwner: Bool, other: SQLEntity) {
        self.init(
            table: table, column: toOne.column, entityColumn: toOne.entityColumn, orderColumn: toOne.orderColumn,
            isOwner: isOwner, otherTable: other.table)
    }
}
