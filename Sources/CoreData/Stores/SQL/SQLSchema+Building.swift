// The schema that a new store of a model gets: part 3 of Core Data's layout. Three orders take part, and they differ:
// numbers (depth first over the inheritance forest) order tables and columns, and decide who gets the plain name where two
// columns of a table collide; processing order (by name, super-entities first) decides who is the master of a join table,
// and who gets the plain name there; names order the rest. docs/store-format.md says on what this rests.

import Foundation

extension SQLSchema {
    /// The schema of a new store.
    ///
    /// - Parameter configuration: The configuration whose entities the store holds; nil for all entities.
    /// - Throws: ``SQLSchemaError`` for a property that can't be stored.
    convenience init(model: NSManagedObjectModel, configuration: String? = nil) throws {
        let entities = Self.entities(of: model, configuration: configuration)
        try self.init(numbering: SQLEntityNumbering(entities: entities), configuration: configuration)
    }

    /// The schema for entities that have their numbers already, for instance those of an existing file.
    convenience init(numbering: SQLEntityNumbering, configuration: String? = nil) throws {
        if numbering.entries.isEmpty { throw SQLSchemaError(.noEntities(configuration: configuration)) }
        var builder = SQLSchemaBuilder(numbering: numbering, configuration: configuration)
        try builder.claimColumns()
        try builder.connectToMany()
        self.init(
            entities: builder.entities, tables: builder.makeTables(), joinTables: builder.sortedJoinTables(),
            ambiguities: builder.ambiguities)
    }

    static func entities(of model: NSManagedObjectModel, configuration: String?) -> [NSEntityDescription] {
        guard let configuration else { return model.entities }
        return model.entities(forConfigurationName: configuration) ?? []
    }
}

/// The steps of making a schema.
private struct SQLSchemaBuilder {
    /// A column on its way into a table.
    private struct Placed {
        let column: SQLColumn
        let rank: Int
        let entityNumber: Int
        /// Attributes before relationships, and what belongs to no entity behind both.
        let group: Int
        let propertyName: String
        /// A column that follows another one immediately has the same place and a higher step.
        var step = 0
    }

    let numbering: SQLEntityNumbering
    let configuration: String?
    let entities: [SQLEntity]
    private(set) var ambiguities: [String] = []

    private let byDescription: [ObjectIdentifier: SQLEntity]
    private var claims: [String: SQLNameClaims] = [:]
    private var joinClaims = SQLNameClaims()
    private var placed: [String: [Placed]] = [:]
    private var own: [Int: [String: SQLProperty]] = [:]
    private var joinTables: [SQLJoinTable] = []
    private var joinByMaster: [ObjectIdentifier: SQLJoinTable] = [:]

    init(numbering: SQLEntityNumbering, configuration: String?) {
        self.numbering = numbering
        self.configuration = configuration
        entities = Self.makeEntities(numbering)
        byDescription = Dictionary(
            entities.map { (ObjectIdentifier($0.description), $0) }, uniquingKeysWith: { first, _ in first })
        for entity in entities {
            claims[entity.table] = SQLNameClaims(["Z_PK", "Z_ENT", "Z_OPT"])
        }
    }

    private static func makeEntities(_ numbering: SQLEntityNumbering) -> [SQLEntity] {
        var tableClaims = SQLNameClaims(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])
        var tableByRoot: [Int: String] = [:]
        for entry in numbering.processingOrder where entry.superNumber == 0 {
            tableByRoot[entry.number] = tableClaims.claim(SQLNaming.table(entry.name))
        }
        let superNumbers = Dictionary(
            numbering.entries.map { ($0.number, $0.superNumber) }, uniquingKeysWith: { first, _ in first })
        var hierarchies: [Int: [Int]] = [:]
        var roots: [Int: Int] = [:]
        for entry in numbering.entries {
            var ancestor = entry.number
            while ancestor != 0 {
                hierarchies[ancestor, default: []].append(entry.number)
                roots[entry.number] = ancestor
                ancestor = superNumbers[ancestor] ?? 0
            }
        }
        return numbering.entries.map { entry in
            let root = roots[entry.number] ?? entry.number
            return SQLEntity(
                description: entry.entity, name: entry.name, number: entry.number, superNumber: entry.superNumber,
                rootNumber: root, table: tableByRoot[root] ?? SQLNaming.table(entry.name),
                hierarchyNumbers: (hierarchies[entry.number] ?? [entry.number]).sorted())
        }
    }

    // MARK: Attributes and to-one relationships

    /// Gives every attribute and to-one relationship its column. Siblings that share a name get `ZTITLE`, `ZTITLE1`, `ZTITLE2`
    /// in the order of their numbers, whatever they are called.
    mutating func claimColumns() throws {
        for entry in numbering.entries {
            guard let entity = byDescription[ObjectIdentifier(entry.entity)] else { continue }
            for property in Self.ownProperties(of: entry.entity) {
                switch property {
                case is NSAttributeDescription:
                    for case (let name, let attribute as NSAttributeDescription) in property.storedParts {
                        try place(attribute, named: name, of: entity)
                    }
                case let relationship as NSRelationshipDescription where !relationship.isToMany:
                    try place(relationship, of: entity)
                default: break
                }
            }
        }
    }

    /// - Parameter path: Its name, or the path to it where it is an element of a composite attribute: the column is named after
    ///   the element alone.
    private mutating func place(_ attribute: NSAttributeDescription, named path: String, of entity: SQLEntity) throws {
        guard let kind = SQLColumnKind(attribute.attributeType) else {
            let reason = "its type (\(attribute.attributeType.rawValue)) has no column; make it transient"
            throw SQLSchemaError(.unstorable(property: "\(entity.name).\(path)", reason: reason))
        }
        let name = claim(SQLNaming.column(attribute.name), in: entity.table)
        placed[entity.table, default: []].append(
            Placed(
                column: SQLColumn(name: name, type: kind.type), rank: kind.rank, entityNumber: entity.number, group: 0,
                propertyName: path))
        own[entity.number, default: [:]][path] = .attribute(SQLAttribute(description: attribute, column: name))
    }

    private mutating func place(_ relationship: NSRelationshipDescription, of entity: SQLEntity) throws {
        let destination = try destination(of: relationship, declaredBy: entity)
        let name = claim(SQLNaming.column(relationship.name), in: entity.table)
        var columns = [SQLColumn(name: name, type: .integer, isIndexed: true)]
        var toOne = SQLToOne(description: relationship, column: name, destination: destination)
        if destination.hasSubentities {
            let entityColumn = claim(
                SQLNaming.entityColumn(destinationNumber: destination.number, relationship.name), in: entity.table)
            columns.append(SQLColumn(name: entityColumn, type: .integer))
            toOne.entityColumn = entityColumn
        }
        for (step, column) in columns.enumerated() {
            placed[entity.table, default: []].append(
                Placed(
                    column: column, rank: SQLColumnKind.key.rank, entityNumber: entity.number, group: 1,
                    propertyName: relationship.name, step: step))
        }
        own[entity.number, default: [:]][relationship.name] = .toOne(toOne)
    }

    private mutating func claim(_ name: String, in table: String) -> String {
        claims[table, default: SQLNameClaims()].claim(name)
    }

    private func destination(
        of relationship: NSRelationshipDescription, declaredBy entity: SQLEntity
    ) throws -> SQLEntity {
        let path = "\(entity.name).\(relationship.name)"
        guard let description = relationship.destinationEntity else {
            throw SQLSchemaError(
                .unstorable(property: path, reason: "the relationship has no destination entity; set one"))
        }
        guard let destination = byDescription[ObjectIdentifier(description)] else {
            throw SQLSchemaError(
                .outsideConfiguration(
                    relationship: path, destination: description.name ?? "", configuration: configuration ?? "Default"))
        }
        return destination
    }

    /// The stored properties that the entity declares itself, by name.
    private static func ownProperties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
        let inherited = entity.superentity?.propertiesByName ?? [:]
        return entity.ownProperties
            .filter { !$0.isTransient && !($0 is NSFetchedPropertyDescription) && inherited[$0.name] == nil }
            .sorted { SQLNaming.precedes($0.name, $1.name) }
    }

    // MARK: To-many relationships

    /// Gives every to-many relationship its storage, and every entity its properties.
    mutating func connectToMany() throws {
        for entry in numbering.processingOrder {
            guard let entity = byDescription[ObjectIdentifier(entry.entity)] else { continue }
            for case let relationship as NSRelationshipDescription in Self.ownProperties(of: entry.entity)
            where relationship.isToMany {
                let destination = try destination(of: relationship, declaredBy: entity)
                let storage = storage(of: relationship, declaredBy: entity, destination: destination)
                own[entity.number, default: [:]][relationship.name] =
                    .toMany(SQLToMany(description: relationship, storage: storage, destination: destination))
            }
        }
        for entity in entities {
            var properties = own[entity.number] ?? [:]
            var ancestor = entity.description.superentity
            while let next = ancestor {
                let inherited = byDescription[ObjectIdentifier(next)].flatMap { own[$0.number] } ?? [:]
                properties.merge(inherited) { mine, _ in mine }
                ancestor = next.superentity
            }
            entity.setProperties(properties)
        }
    }

    private mutating func storage(
        of relationship: NSRelationshipDescription, declaredBy entity: SQLEntity, destination: SQLEntity
    ) -> SQLToMany.Storage {
        guard let inverse = relationship.inverseRelationship, !inverse.isTransient,
            let inverseEntity = byDescription[ObjectIdentifier(inverse.entity)]
        else {
            return .foreignKey(inverselessKey(of: relationship, declaredBy: entity, destination: destination))
        }
        if inverse.isToMany {
            let table = joinTable(of: relationship, entity, inverse, inverseEntity)
            return .joinTable(SQLJoin(of: relationship, inverse: inverse, in: table))
        }
        return .foreignKey(foreignKey(of: relationship, inverse: inverse, declaredBy: inverseEntity))
    }

    private mutating func inverselessKey(
        of relationship: NSRelationshipDescription, declaredBy entity: SQLEntity, destination: SQLEntity
    ) -> SQLForeignKey {
        let base = SQLNaming.inverselessColumn(ownerNumber: entity.number, relationship.name)
        let column = claim(base, in: destination.table)
        placeLast(SQLColumn(name: column, type: .integer, isIndexed: true), in: destination.table)
        var key = SQLForeignKey(table: destination.table, column: column, hasInverse: false)
        if relationship.isOrdered {
            // Assumed: no file with an ordered to-many without inverse has been seen.
            let order = claim(SQLNaming.orderColumn(forColumn: column), in: destination.table)
            placeLast(SQLColumn(name: order, type: .integer), in: destination.table)
            key.orderColumn = order
        }
        return key
    }

    private mutating func foreignKey(
        of relationship: NSRelationshipDescription, inverse: NSRelationshipDescription,
        declaredBy inverseEntity: SQLEntity
    ) -> SQLForeignKey {
        guard case .toOne(var toOne)? = own[inverseEntity.number]?[inverse.name] else {
            return SQLForeignKey(
                table: inverseEntity.table, column: SQLNaming.column(inverse.name), hasInverse: true)
        }
        if relationship.isOrdered, toOne.orderColumn == nil {
            let order = claim(SQLNaming.orderColumn(forColumn: toOne.column), in: inverseEntity.table)
            placeLast(SQLColumn(name: order, type: .integer), in: inverseEntity.table)
            toOne.orderColumn = order
            own[inverseEntity.number]?[inverse.name] = .toOne(toOne)
        }
        return SQLForeignKey(
            table: inverseEntity.table, column: toOne.column, entityColumn: toOne.entityColumn,
            orderColumn: relationship.isOrdered ? toOne.orderColumn : nil, hasInverse: true)
    }

    private mutating func placeLast(_ column: SQLColumn, in table: String) {
        placed[table, default: []].append(
            Placed(
                column: column, rank: SQLColumnKind.key.rank, entityNumber: .max, group: 2, propertyName: "",
                step: placed[table]?.count ?? 0))
    }

    // MARK: Join tables

    /// The join table of a pair; made at the first of the two sides in processing order, which thereby is the master.
    private mutating func joinTable(
        of relationship: NSRelationshipDescription, _ entity: SQLEntity, _ inverse: NSRelationshipDescription,
        _ inverseEntity: SQLEntity
    ) -> SQLJoinTable {
        if let known = joinByMaster[ObjectIdentifier(inverse)] ?? joinByMaster[ObjectIdentifier(relationship)] {
            return known
        }
        var (master, other) = (relationship, inverse)
        if entity === inverseEntity, inverse !== relationship {
            if SQLNaming.precedes(master.name, other.name) { swap(&master, &other) }
            ambiguities.append(
                "\(entity.name).\(master.name) and .\(other.name) are inverse to each other within one entity. Core "
                    + "Data may name their join table after either; this store's is named after '\(master.name)'.")
        }
        let isReflexive = inverse === relationship
        let owner = joinClaims.claim(SQLNaming.join(entity.number, other.name))
        let member =
            isReflexive ? SQLNaming.reflexive : joinClaims.claim(SQLNaming.join(inverseEntity.number, master.name))
        let orders = SQLJoinTable.orderColumns(owner: owner, member: member, master: master, inverse: other)
        let table = SQLJoinTable(
            name: joinTableName(entity.number, master.name), ownerColumn: owner, memberColumn: member,
            orderColumns: orders, master: master, masterNumber: entity.number, memberNumber: inverseEntity.number)
        joinTables.append(table)
        joinByMaster[ObjectIdentifier(master)] = table
        return table
    }

    private func joinTableName(_ number: Int, _ name: String) -> String {
        var claims = SQLNameClaims(Set(joinTables.map(\.name)))
        return claims.claim(SQLNaming.join(number, name))
    }

    // MARK: Results

    func makeTables() -> [SQLTable] {
        entities.filter(\.isRoot).map { root in
            let columns = (placed[root.table] ?? []).sorted(by: Self.standsBefore).map(\.column)
            return SQLTable(name: root.table, rootNumber: root.number, columns: columns)
        }
    }

    private static func standsBefore(_ first: Placed, _ second: Placed) -> Bool {
        if first.rank != second.rank { return first.rank < second.rank }
        if first.entityNumber != second.entityNumber { return first.entityNumber < second.entityNumber }
        if first.group != second.group { return first.group < second.group }
        if first.propertyName != second.propertyName {
            return SQLNaming.precedes(first.propertyName, second.propertyName)
        }
        return first.step < second.step
    }

    /// Join tables follow the table of their master's hierarchy.
    func sortedJoinTables() -> [SQLJoinTable] {
        joinTables.enumerated()
            .sorted { ($0.element.masterNumber, $0.offset) < ($1.element.masterNumber, $1.offset) }
            .map(\.element)
    }
}
