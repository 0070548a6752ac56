// The schema of a store in PostgreSQL: the same tables as in SQLite under the names that a person would give them, quoted
// everywhere. A row doesn't repeat of which entity its destinations are: their own rows say so.
//
//     entity Hero: Character      table "app"."character"
//       .realName                 "real_name"
//       .publisher                "publisher", and "publisher_order" where the publisher's characters have an order
//       .powers                   table "app"."hero_powers" ("hero", "power")

import Foundation

extension SQLSchema {
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
    private var joinColumns: [String: (owner: String, member: String)] = [:]

    init(_ ideal: SQLSchema, namespace: String) {
        self.ideal = ideal
        self.namespace = namespace
    }

    mutating func claim() {
        var tableClaims = SQLNameClaims()
        for entity in ideal.entities where entity.isRoot {
            tables[entity.table] = qualified(tableClaims.claim(Self.plain(entity.name)))
        }
        var claims: [String: SQLNameClaims] = [:]
        func claim(_ column: String, _ name: String, in table: String) {
            guard columns[table]?[column] == nil else { return }
            columns[table, default: [:]][column] = Self.quoted(
                claims[table, default: SQLNameClaims()].claim(Self.plain(name)))
        }
        for entity in ideal.entities {
            for property in entity.description.ownProperties {
                for (path, _) in property.storedParts {
                    switch entity.property(named: path) {
                    case .attribute(let attribute): claim(attribute.column, path, in: entity.table)
                    case .toOne(let toOne): claim(toOne.column, path, in: entity.table)
                    case .toMany, nil: break
                    }
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
            joinColumns[join.name] = (Self.plain(master), Self.plain(member == master ? join.master.name : member))
        }
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
        let columns = joinColumns[old.name] ?? ("", "")
        let orders = old.orderColumns.map { order in
            order == SQLNaming.orderColumn(forJoinColumn: old.ownerColumn) ? columns.owner : columns.member
        }
        return SQLJoinTable(
            name: tables[old.name] ?? "", ownerColumn: Self.quoted(columns.owner),
            memberColumn: Self.quoted(columns.member), orderColumns: orders.map { Self.quoted("\($0)_order") },
            master: old.master, masterNumber: old.masterNumber, memberNumber: old.memberNumber)
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
                let (owner, member) = join.isMaster ? (columns.owner, columns.member) : (columns.member, columns.owner)
                storage = .joinTable(
                    SQLJoin(
                        table: table.name, ownerColumn: Self.quoted(owner), memberColumn: Self.quoted(member),
                        orderColumn: join.orderColumn.map { _ in Self.quoted("\(member)_order") },
                        inverseOrderColumn: join.inverseOrderColumn.map { _ in Self.quoted("\(owner)_order") },
                        isReflexive: join.isReflexive, isMaster: join.isMaster))
            }
            return .toMany(SQLToMany(description: toMany.description, storage: storage, destination: destination))
        }
    }
}
