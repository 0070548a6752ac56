// The schema of a store in PostgreSQL: the same tables as in SQLite under the names that a person would give them, quoted
// everywhere. A row doesn't repeat of which entity its destinations are: their own rows say so.
//
//     entity Hero: Character      table "app"."character"
//       .realName                 "real_name"
//       .publisher                "publisher", and "publisher_order" where the publisher's characters have an order
//       .powers                   table "app"."hero_powers" ("hero", "power")
//
// The names are made anew whenever a store is opened, and have to be the same each time: where two properties would have one name, it
// goes to the first in the order of the properties' own names, in whatever order the model lists them.

import Foundation

extension SQLSchema {
    /// The tables of a store in PostgreSQL that aren't the model's, each before those that it refers to.
    package static let postgreSQLSystemTables = [
        "_changes", "_transactions", "_commits", "_entities", "_tables", "_store",
    ]

    /// The schema of a new store in PostgreSQL.
    ///
    /// - Parameter namespace: The schema, in PostgreSQL's sense, that the tables stand in.
    /// - Throws: ``SQLSchemaError`` for a property that can't be stored.
    package convenience init(
        postgreSQL model: NSManagedObjectModel, configuration: String?, namespace: String
    ) throws {
        let ideal = try SQLSchema(model: model, configuration: configuration)
        var names = PlainNames(ideal, namespace: namespace)
        names.claim()
        let entities = ideal.entities.map { names.entity($0, in: ideal) }
        let byNumber = Dictionary(entities.map { ($0.number, $0) }) { first, _ in first }
        let joins = Dictionary(uniqueKeysWithValues: ideal.joinTables.map { ($0.name, names.joinTable($0)) })
        for (old, new) in zip(ideal.entities, entities) {
            new.setProperties(
                old.properties.compactMapValues { names.property($0, of: old, byNumber, joins) })
        }
        self.init(
            entities: entities,
            tables: ideal.tables.map {
                SQLTable(name: names.tables[$0.name] ?? "", rootNumber: $0.rootNumber, columns: [])
            },
            joinTables: ideal.joinTables.compactMap { joins[$0.name] }, dialect: .postgreSQL)
    }
}

/// What SQLite's names become.
private struct PlainNames {
    let ideal: SQLSchema
    let namespace: String
    private(set) var tables: [String: String] = [:]
    private var columns: [String: [String: String]] = [:]
    private var joinColumns: [String: JoinColumns] = [:]

    /// The columns of a join table, and of the orders that it may keep.
    private struct JoinColumns {
        let owner: String
        let member: String
        let ownerOrder: String
        let memberOrder: String
    }

    /// Names that are taken in each table: the store's own, and those that PostgreSQL gives to every table.
    private static let systemColumns: Set<String> = [
        "_id", "_entity", "_version", "cmax", "cmin", "ctid", "tableoid", "xmax", "xmin",
    ]

    init(_ ideal: SQLSchema, namespace: String) {
        self.ideal = ideal
        self.namespace = namespace
    }

    mutating func claim() {
        var tableClaims = SQLNameClaims(Set(SQLSchema.postgreSQLSystemTables))
        for entity in ideal.entities where entity.isRoot {
            tables[entity.table] = qualified(tableClaims.claim(Self.plain(entity.name)))
        }
        var claims: [String: SQLNameClaims] = [:]
        func claim(_ column: String, _ name: String, in table: String) {
            guard columns[table]?[column] == nil else { return }
            columns[table, default: [:]][column] = Self.quoted(
                claims[table, default: SQLNameClaims(Self.systemColumns)].claim(Self.plain(name)))
        }
        for entity in ideal.entities {
            let paths = entity.description.ownProperties.flatMap { $0.storedParts.map(\.name) }
            for path in paths.sorted(by: SQLNaming.precedes) {
                switch entity.property(named: path) {
                case .attribute(let attribute): claim(attribute.column, path, in: entity.table)
                case .toOne(let toOne): claim(toOne.column, path, in: entity.table)
                case .toMany, nil: break
                }
            }
        }
        for entity in ideal.entities {
            for (name, property) in entity.properties.sorted(by: { $0.key < $1.key }) {
                switch property {
                case .attribute: break
                case .toOne(let toOne):
                    if let order = toOne.orderColumn { claim(order, "\(name)_order", in: entity.table) }
                case .toMany(let toMany):
                    guard case .foreignKey(let key) = toMany.storage, !key.hasInverse else { continue }
                    claim(key.column, "\(entity.name)_\(name)", in: key.table)
                    if let order = key.orderColumn { claim(order, "\(entity.name)_\(name)_order", in: key.table) }
                }
            }
        }
        for join in ideal.joinTables {
            let master = join.master.entity.name ?? ""
            tables[join.name] = qualified(tableClaims.claim(Self.plain("\(master)_\(join.master.name)")))
            let member = join.master.destinationEntity?.name ?? ""
            joinColumns[join.name] = Self.joinColumns(master, member == master ? join.master.name : member)
        }
    }

    private static func joinColumns(_ owner: String, _ member: String) -> JoinColumns {
        var claims = SQLNameClaims(systemColumns)
        let owner = claims.claim(plain(owner)), member = claims.claim(plain(member))
        return JoinColumns(
            owner: quoted(owner), member: quoted(member), ownerOrder: quoted(claims.claim("\(owner)_order")),
            memberOrder: quoted(claims.claim("\(member)_order")))
    }

    private func qualified(_ name: String) -> String { "\(Self.quoted(namespace)).\(Self.quoted(name))" }

    private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// `realName` -> `real_name`, `URLOfPage` -> `url_of_page`, cut so that PostgreSQL, which cuts at 63 bytes, leaves it as it
    /// is with a suffix too.
    static func plain(_ name: String) -> String {
        var result = ""
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            if character == "." {
                result += "_"
                continue
            }
            if character.isUppercase, index > 0, characters[index - 1] != "_" {
                let startsWord = index + 1 < characters.count && characters[index + 1].isLowercase
                if !characters[index - 1].isUppercase || startsWord { result += "_" }
            }
            result += character.lowercased()
        }
        while result.utf8.count > 50 { result.removeLast() }
        return result
    }

    // MARK: Results

    func entity(_ old: SQLEntity, in schema: SQLSchema) -> SQLEntity {
        SQLEntity(
            description: old.description, name: old.name, number: old.number, superNumber: old.superNumber,
            rootNumber: old.rootNumber, table: tables[old.table] ?? "", hierarchyNumbers: old.hierarchyNumbers,
            dialect: .postgreSQL,
            hierarchyLiterals: old.hierarchyNumbers.compactMap { number in
                schema.entity(numbered: number).map { SQLDialect.postgreSQL.literal($0) }
            })
    }

    func joinTable(_ old: SQLJoinTable) -> SQLJoinTable {
        let columns = joinColumns[old.name] ?? Self.joinColumns("", "")
        let orders = old.orderColumns.map { order in
            order == SQLNaming.orderColumn(forJoinColumn: old.ownerColumn) ? columns.ownerOrder : columns.memberOrder
        }
        return SQLJoinTable(
            name: tables[old.name] ?? "", ownerColumn: columns.owner, memberColumn: columns.member,
            orderColumns: orders, master: old.master, masterNumber: old.masterNumber, memberNumber: old.memberNumber)
    }

    func property(
        _ old: SQLProperty, of entity: SQLEntity, _ entities: [Int: SQLEntity], _ joins: [String: SQLJoinTable]
    ) -> SQLProperty? {
        func column(_ name: String, in table: String) -> String { columns[table]?[name] ?? "" }
        switch old {
        case .attribute(var attribute):
            attribute.column = column(attribute.column, in: entity.table)
            return .attribute(attribute)
        case .toOne(let toOne):
            guard let destination = entities[toOne.destination.number] else { return nil }
            return .toOne(
                SQLToOne(
                    description: toOne.description, column: column(toOne.column, in: entity.table),
                    orderColumn: toOne.orderColumn.map { column($0, in: entity.table) }, destination: destination))
        case .toMany(let toMany):
            guard let destination = entities[toMany.destination.number] else { return nil }
            let storage: SQLToMany.Storage
            switch toMany.storage {
            case .foreignKey(let key):
                storage = .foreignKey(
                    SQLForeignKey(
                        table: tables[key.table] ?? "", column: column(key.column, in: key.table),
                        orderColumn: key.orderColumn.map { column($0, in: key.table) }, hasInverse: key.hasInverse))
            case .joinTable(let join):
                guard let table = joins[join.table], let columns = joinColumns[join.table] else { return nil }
                let isMaster = join.isMaster
                let memberOrder = isMaster ? columns.memberOrder : columns.ownerOrder
                let ownerOrder = isMaster ? columns.ownerOrder : columns.memberOrder
                storage = .joinTable(
                    SQLJoin(
                        table: table.name, ownerColumn: isMaster ? columns.owner : columns.member,
                        memberColumn: isMaster ? columns.member : columns.owner,
                        orderColumn: join.orderColumn.map { _ in memberOrder },
                        inverseOrderColumn: join.inverseOrderColumn.map { _ in ownerOrder },
                        isReflexive: join.isReflexive, isMaster: isMaster))
            }
            return .toMany(SQLToMany(description: toMany.description, storage: storage, destination: destination))
        }
    }
}
