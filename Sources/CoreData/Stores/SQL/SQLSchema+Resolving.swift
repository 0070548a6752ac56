// Fitting a model's schema to the tables that a file has. Files that were migrated in place have columns in any order,
// join tables named after either side, and indexes, columns and tables that the model knows nothing of: those are left
// alone. Everything is found by name, never by position.

import Foundation

/// What a file has: read from it by the store, so that resolving needs no connection.
struct SQLFileContents {
    /// One row of `Z_PRIMARYKEY`.
    struct EntityRow {
        var number: Int
        var name: String
        var superNumber: Int
    }

    /// The columns of each table, in the file's order.
    var tables: [String: [String]]
    var entityRows: [EntityRow]

    /// The entities that a schema doesn't have and whose rows a root's table can hold.
    fileprivate func otherEntities(below root: Int, than schema: SQLSchema) -> Set<Int64> {
        let superNumbers = Dictionary(
            entityRows.map { ($0.number, $0.superNumber) }, uniquingKeysWith: { first, _ in first })
        let others = entityRows.filter { row in
            guard schema.entity(numbered: row.number) == nil else { return false }
            // The chain of a damaged file may be a circle.
            var ancestor = row.superNumber
            for _ in 0..<entityRows.count where ancestor != 0 && ancestor != root {
                ancestor = superNumbers[ancestor] ?? 0
            }
            return ancestor == root
        }
        return Set(others.map { Int64($0.number) })
    }

    /// What a configuration leaves out below the entities that it names, and the file has: Core Data shows these objects, too.
    /// Observed: macOS 15, a store of a whole model that is opened by a configuration.
    fileprivate func subentities(of members: [NSEntityDescription]) -> [NSEntityDescription] {
        let names = Set(entityRows.map(\.name))
        var known = Set(members.map(ObjectIdentifier.init))
        var found: [NSEntityDescription] = []
        var next = members[...]
        while let entity = next.popFirst() {
            let more = entity.subentities.filter {
                names.contains($0.name ?? "") && known.insert(ObjectIdentifier($0)).inserted
            }
            found += more
            next += more
        }
        return found
    }

    fileprivate func columns(of table: String) -> [String]? {
        tables[table] ?? tables.first { $0.key.caseInsensitiveCompare(table) == .orderedSame }?.value
    }
}

extension SQLEntityNumbering {
    /// The numbers that a file gives to entities: by name; where an entity was renamed without a change of numbers, by
    /// its renaming identifier, else by the number that it would get and its super-entity's.
    ///
    /// - Throws: ``SQLSchemaError`` naming the entities that the file doesn't have.
    init(entities: [NSEntityDescription], file: SQLFileContents) throws {
        let ideal = SQLEntityNumbering(entities: entities)
        let rowByName = Dictionary(file.entityRows.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var free = file.entityRows
        var rows: [Int: SQLFileContents.EntityRow] = [:]
        func take(_ row: SQLFileContents.EntityRow, for entry: Entry) {
            rows[entry.number] = row
            free.removeAll { $0.number == row.number }
        }
        for entry in ideal.entries {
            if let row = rowByName[entry.name] { take(row, for: entry) }
        }
        for entry in ideal.entries where rows[entry.number] == nil {
            let oldName = entry.entity.renamingIdentifier
            if let row = free.first(where: { $0.name == oldName }) {
                take(row, for: entry)
            } else if let row = free.first(where: {
                $0.number == entry.number && $0.superNumber == entry.superNumber
            }) {
                take(row, for: entry)
            }
        }
        let missing = ideal.entries.filter { rows[$0.number] == nil }
        if !missing.isEmpty {
            throw SQLSchemaError(.missing(missing.map { "entity '\($0.name)' in Z_PRIMARYKEY" }))
        }
        self.init(
            entries: ideal.entries.map { entry in
                Entry(
                    entity: entry.entity, name: entry.name, number: rows[entry.number]?.number ?? entry.number,
                    superNumber: rows[entry.superNumber]?.number ?? 0)
            })
    }
}

extension SQLSchema {
    /// The schema of an existing file.
    ///
    /// - Throws: ``SQLSchemaError`` that lists every table and column that the model needs and the file lacks.
    convenience init(model: NSManagedObjectModel, configuration: String?, file: SQLFileContents) throws {
        let members = Self.entities(of: model, configuration: configuration)
        let all = members + file.subentities(of: members)
        do {
            try self.init(entities: all, configuration: configuration, file: file)
        } catch is SQLSchemaError where all.count > members.count {
            // What the configuration doesn't name may be of another version there.
            try self.init(entities: members, configuration: configuration, file: file)
        }
    }

    private convenience init(entities: [NSEntityDescription], configuration: String?, file: SQLFileContents) throws {
        let numbering = try SQLEntityNumbering(entities: entities, file: file)
        let ideal = try SQLSchema(numbering: numbering, configuration: configuration)
        var resolver = SQLSchemaResolver(file: file)
        for table in ideal.tables { resolver.check(table) }
        let joins = ideal.joinTables.compactMap { resolver.find($0) }
        if !resolver.missing.isEmpty { throw SQLSchemaError(.missing(resolver.missing)) }
        let joinByIdealName = Dictionary(uniqueKeysWithValues: zip(ideal.joinTables.map(\.name), joins))
        for entity in ideal.entities {
            entity.setProperties(entity.properties.mapValues { $0.replacingJoinTable(from: joinByIdealName) })
            entity.noteOtherEntitiesInTable(file.otherEntities(below: entity.rootNumber, than: ideal))
        }
        self.init(entities: ideal.entities, tables: ideal.tables, joinTables: joins)
    }
}

extension SQLProperty {
    /// Columns of entity tables have the model's names in every file; only join tables may be called otherwise.
    fileprivate func replacingJoinTable(from tables: [String: SQLJoinTable]) -> SQLProperty {
        guard case .toMany(var toMany) = self, case .joinTable(let join) = toMany.storage,
            let table = tables[join.table]
        else { return self }
        let inverse = toMany.description.inverseRelationship ?? toMany.description
        toMany.storage = .joinTable(SQLJoin(of: toMany.description, inverse: inverse, in: table))
        return .toMany(toMany)
    }
}

/// Looks for the model's tables in a file, and notes what isn't there.
private struct SQLSchemaResolver {
    let file: SQLFileContents
    private(set) var missing: [String] = []

    init(file: SQLFileContents) { self.file = file }

    mutating func check(_ table: SQLTable) {
        guard let columns = file.columns(of: table.name) else {
            missing.append("table \(table.name)")
            return
        }
        let found = Set(columns.map { $0.uppercased() })
        for column in ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
        where !found.contains(column.uppercased()) {
            missing.append("column \(table.name).\(column)")
        }
    }

    /// The file's table for a pair of relationships, whichever of the two it is named after.
    mutating func find(_ ideal: SQLJoinTable) -> SQLJoinTable? {
        let inverse = ideal.master.inverseRelationship ?? ideal.master
        let asModelled = joinTable(
            named: ideal.name, master: ideal.master, other: inverse, numbers: (ideal.masterNumber, ideal.memberNumber))
        if let asModelled { return asModelled }
        let otherName = SQLNaming.join(ideal.memberNumber, inverse.name)
        let otherWay = joinTable(
            named: otherName, master: inverse, other: ideal.master, numbers: (ideal.memberNumber, ideal.masterNumber))
        if let otherWay { return otherWay }
        let columns = ([ideal.ownerColumn, ideal.memberColumn] + ideal.orderColumns).joined(separator: ", ")
        missing.append(
            "join table \(ideal.name) (\(columns)) of \(ideal.master.entity.name ?? "").\(ideal.master.name)")
        return nil
    }

    /// The two key columns of a join table are named after the inverse and the relationship, and the names tell which is
    /// which: older systems put them in the other order. Their entity numbers may be those of before a migration.
    private func joinTable(
        named name: String, master: NSRelationshipDescription, other: NSRelationshipDescription,
        numbers: (master: Int, member: Int)
    ) -> SQLJoinTable? {
        guard let columns = file.columns(of: name) else { return nil }
        let keys = columns.filter { !$0.uppercased().hasPrefix("Z_FOK_") }
        let pairs = keys.indices.flatMap { first in keys.indices.dropFirst(first + 1).map { [keys[first], keys[$0]] } }
        let found = pairs.lazy.compactMap { roles(of: $0, master: master, other: other, numbers: numbers) }
        guard let (owner, member) = found.first else { return nil }
        let orders = SQLJoinTable.orderColumns(owner: owner, member: member, master: master, inverse: other)
        let names = Set(columns.map { $0.uppercased() })
        guard orders.allSatisfy({ names.contains($0.uppercased()) }) else { return nil }
        return SQLJoinTable(
            name: name, ownerColumn: owner, memberColumn: member, orderColumns: orders, master: master,
            masterNumber: numbers.master, memberNumber: numbers.member)
    }

    /// Which of the two key columns holds the owners of the relationship and which its members; nil where their names
    /// don't say so. A name that is exactly the expected one counts for more than one with another number or a suffix,
    /// and the order that stores have today for more than the older one.
    private func roles(
        of keys: [String], master: NSRelationshipDescription, other: NSRelationshipDescription,
        numbers: (master: Int, member: Int)
    ) -> (owner: String, member: String)? {
        let orders = [(owner: keys[0], member: keys[1]), (owner: keys[1], member: keys[0])]
        if master === other {
            return orders.first {
                $0.member.uppercased() == SQLNaming.reflexive && Self.isColumn($0.owner, of: master.name)
            }
        }
        let exact = (
            owner: SQLNaming.join(numbers.master, other.name), member: SQLNaming.join(numbers.member, master.name)
        )
        return orders.first { $0.owner.uppercased() == exact.owner && $0.member.uppercased() == exact.member }
            ?? orders.first { Self.isColumn($0.owner, of: other.name) && Self.isColumn($0.member, of: master.name) }
    }

    /// Whether a column is `Z_<number><NAME>`, possibly with a suffix against a collision.
    private static func isColumn(_ column: String, of property: String) -> Bool {
        let upper = column.uppercased()
        guard upper.hasPrefix("Z_") else { return false }
        let name = upper.dropFirst(2).drop { $0.isASCII && $0.isNumber }
        let expected = SQLNaming.upper(property)
        guard name.hasPrefix(expected) else { return false }
        return name.dropFirst(expected.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}
