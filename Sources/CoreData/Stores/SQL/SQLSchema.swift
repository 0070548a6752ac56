// Where the entities and properties of a model stand in the tables of a store. A schema is a value without a
// connection: it is made from a model alone (SQLSchema+Building.swift), and then fitted to the names that an existing
// file has (SQLSchema+Resolving.swift). Predicates, sort descriptors and the row codec look names up here and nowhere
// else.
//
//     entity Hero: Character      table ZCHARACTER, number 2, numbers of the hierarchy [2, 3]
//       .name                     .attribute: ZNAME VARCHAR
//       .publisher                .toOne: ZPUBLISHER, plus Z4_PUBLISHER where Publisher has sub-entities
//       .powers                   .toMany, .joinTable: Z_1POWERS (Z_1HEROES -> owner, Z_5POWERS -> member)
//       .sidekicks                .toMany, .foreignKey: the column ZMENTOR of ZCHARACTER

import Foundation

/// The tables of a store and what of a model stands in them.
///
/// Nothing in it changes once it is made, so that several threads may look names up at once.
package final class SQLSchema: @unchecked Sendable {
    // Safe to share: everything below is set before the initialiser returns, and a model is immutable once a
    // coordinator uses it.

    /// The entities in the order of their numbers.
    package let entities: [SQLEntity]
    /// The tables of the root entities, in the order of the roots' numbers.
    package let tables: [SQLTable]
    /// The join tables in the order in which they are created.
    package let joinTables: [SQLJoinTable]
    /// Choices that the model leaves open, in words; see `SQLJoinTable`.
    let ambiguities: [String]
    package let dialect: SQLDialect

    private let byName: [String: SQLEntity]
    private let byNumber: [Int: SQLEntity]
    private let byDescription: [ObjectIdentifier: SQLEntity]

    init(
        entities: [SQLEntity], tables: [SQLTable], joinTables: [SQLJoinTable], ambiguities: [String] = [],
        dialect: SQLDialect = .sqlite
    ) {
        self.dialect = dialect
        self.entities = entities
        self.tables = tables
        self.joinTables = joinTables
        self.ambiguities = ambiguities
        byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        byNumber = Dictionary(entities.map { ($0.number, $0) }) { first, _ in first }
        byDescription = Dictionary(entities.map { (ObjectIdentifier($0.description), $0) }) { first, _ in first }
    }

    /// The entity's place in the store; nil where the entity isn't in the store's configuration.
    package func entity(for description: NSEntityDescription) -> SQLEntity? {
        if let found = byDescription[ObjectIdentifier(description)] { return found }
        return description.name.flatMap { byName[$0] }
    }

    package func entity(named name: String) -> SQLEntity? { byName[name] }

    /// The entity of a row, by its `Z_ENT`.
    package func entity(numbered number: Int) -> SQLEntity? { byNumber[number] }
}

/// What one entity's rows look like.
package final class SQLEntity {
    package let description: NSEntityDescription
    package let name: String
    /// `Z_ENT` of the entity's own rows.
    package let number: Int
    /// The number of the direct super-entity; 0 for a root.
    package let superNumber: Int
    /// The number of the root entity, in whose `Z_PRIMARYKEY` row the table's largest key stands.
    package let rootNumber: Int
    /// The table of the root entity.
    package let table: String
    let dialect: SQLDialect
    /// The numbers of the entity and all its descendants, ascending: `Z_ENT IN (…)` of a fetch with sub-entities.
    package let hierarchyNumbers: [Int]
    /// The same as the column of the entity has them.
    private let hierarchyLiterals: [String]
    /// The numbers of entities that the schema doesn't have and whose rows the table may hold, which no fetch may show.
    private(set) var otherEntityNumbers: Set<Int64> = []
    /// The stored properties by name, inherited ones included. Transient and fetched properties are absent.
    package fileprivate(set) var properties: [String: SQLProperty] = [:]

    init(
        description: NSEntityDescription, name: String, number: Int, superNumber: Int, rootNumber: Int, table: String,
        hierarchyNumbers: [Int], dialect: SQLDialect = .sqlite, hierarchyLiterals: [String]? = nil
    ) {
        self.dialect = dialect
        self.hierarchyLiterals = hierarchyLiterals ?? hierarchyNumbers.map { "\($0)" }
        self.description = description
        self.name = name
        self.number = number
        self.superNumber = superNumber
        self.rootNumber = rootNumber
        self.table = table
        self.hierarchyNumbers = hierarchyNumbers
    }

    package var isRoot: Bool { superNumber == 0 }

    package var hasSubentities: Bool { hierarchyNumbers.count > 1 }

    /// Where a property stands; nil for an unknown, transient or fetched one.
    package func property(named name: String) -> SQLProperty? { properties[name] }

    func setProperties(_ properties: [String: SQLProperty]) { self.properties = properties }

    func noteOtherEntitiesInTable(_ numbers: Set<Int64>) { otherEntityNumbers = numbers }

    var tableHasOtherEntities: Bool { !otherEntityNumbers.isEmpty }

    /// The condition that a row of the table belongs to this entity, without a table prefix: nil where every row does,
    /// else for instance `Z_ENT = 3` or `Z_ENT IN (3, 4)`.
    package func rowCondition(includingSubentities: Bool) -> String? {
        if isRoot, !tableHasOtherEntities, includingSubentities || !hasSubentities { return nil }
        if includingSubentities, hasSubentities {
            return "\(dialect.entity) IN (\(hierarchyLiterals.joined(separator: ", ")))"
        }
        return "\(dialect.entity) = \(dialect.literal(self))"
    }
}

/// Where one property stands.
package enum SQLProperty {
    case attribute(SQLAttribute)
    case toOne(SQLToOne)
    case toMany(SQLToMany)
}

/// An attribute: a column of the entity's table.
package struct SQLAttribute {
    package let description: NSAttributeDescription
    package var column: String
    package var type: NSAttributeType { description.attributeType }
}

/// A to-one relationship: the destination's `Z_PK` in a column of the entity's table.
package struct SQLToOne {
    package let description: NSRelationshipDescription
    package var column: String
    /// Holds the destination row's `Z_ENT` (`Z<n>_<NAME>`); nil where the destination has no sub-entities.
    package var entityColumn: String?
    /// Holds the row's order key within its owner (`Z_FOK_<NAME>`); nil unless the inverse is an ordered to-many.
    package var orderColumn: String?
    /// The destination as the model declares it.
    package unowned let destination: SQLEntity
}

/// A to-many relationship. It has no column in its own entity's table.
package struct SQLToMany {
    package enum Storage {
        /// The members' rows hold the owner's `Z_PK`: the inverse to-one's column, or, without an inverse, one made for
        /// the purpose (`Z<n><NAME>`). The order column stands in the same table.
        case foreignKey(SQLForeignKey)
        case joinTable(SQLJoin)
    }

    package let description: NSRelationshipDescription
    package var storage: Storage
    /// The members' entity as the model declares it.
    package unowned let destination: SQLEntity
    package var isOrdered: Bool { description.isOrdered }
}

/// The column of the members' table that points at the owner.
package struct SQLForeignKey {
    /// The members' table.
    package var table: String
    package var column: String
    /// Holds the owner's `Z_ENT` where the owner's entity has sub-entities (the inverse's `entityColumn`).
    package var entityColumn: String?
    /// Ascending order keys; nil for an unordered relationship.
    package var orderColumn: String?
    /// False where the column exists only for this relationship.
    package let hasInverse: Bool
}

/// A join table as seen from one of its two relationships.
package struct SQLJoin {
    package var table: String
    /// Holds the `Z_PK` of the object that has the relationship.
    package var ownerColumn: String
    /// Holds the `Z_PK` of a member.
    package var memberColumn: String
    /// Orders the members of one owner; nil for an unordered relationship.
    package var orderColumn: String?
    /// Orders the owners of one member: the inverse's `orderColumn`.
    package var inverseOrderColumn: String?
    /// The relationship is its own inverse: a pair stands in the table once, in either direction, and both columns have
    /// to be searched.
    package let isReflexive: Bool
    /// Whether the table is named after this relationship and not after its inverse.
    package let isMaster: Bool
}

extension SQLJoin {
    /// The table as seen from a relationship of the pair.
    init(of relationship: NSRelationshipDescription, inverse: NSRelationshipDescription, in table: SQLJoinTable) {
        isMaster = table.master === relationship
        isReflexive = inverse === relationship
        self.table = table.name
        ownerColumn = isMaster ? table.ownerColumn : table.memberColumn
        memberColumn = isMaster ? table.memberColumn : table.ownerColumn
        orderColumn = relationship.isOrdered ? SQLNaming.orderColumn(forJoinColumn: memberColumn) : nil
        inverseOrderColumn =
            inverse.isOrdered && !isReflexive ? SQLNaming.orderColumn(forJoinColumn: ownerColumn) : nil
    }
}

/// A table of a root entity and all its descendants.
package final class SQLTable {
    package let name: String
    package let rootNumber: Int
    /// All columns after `Z_PK, Z_ENT, Z_OPT`, in the order in which a new table has them.
    package let columns: [SQLColumn]

    init(name: String, rootNumber: Int, columns: [SQLColumn]) {
        self.name = name
        self.rootNumber = rootNumber
        self.columns = columns
    }
}

/// A column and its declared type.
package struct SQLColumn: Equatable {
    package var name: String
    package var type: SQLType
    /// Whether a plain index belongs to it: to-one columns and those of to-many relationships without inverse.
    package var isIndexed = false
}

/// A join table.
///
/// Its name follows one of the two relationships, the master: the one whose entity comes first in processing order.
/// Where both are declared by the same entity, Core Data's choice depends on the order of a hash table; a new store
/// takes the name that sorts last and says so in ``SQLSchema/ambiguities``, an existing one is read either way.
package final class SQLJoinTable {
    package let name: String
    /// Holds the keys of the master relationship's owners.
    package let ownerColumn: String
    package let memberColumn: String
    /// The order keys, the owner column's first.
    package let orderColumns: [String]
    package let master: NSRelationshipDescription
    /// The number of the entity that declares the master relationship.
    package let masterNumber: Int
    package let memberNumber: Int

    init(
        name: String, ownerColumn: String, memberColumn: String, orderColumns: [String],
        master: NSRelationshipDescription, masterNumber: Int, memberNumber: Int
    ) {
        self.name = name
        self.ownerColumn = ownerColumn
        self.memberColumn = memberColumn
        self.orderColumns = orderColumns
        self.master = master
        self.masterNumber = masterNumber
        self.memberNumber = memberNumber
    }

    /// Order keys follow the key columns: first the one of the owners (where the inverse is ordered), then the
    /// members'.
    static func orderColumns(
        owner: String, member: String, master: NSRelationshipDescription, inverse: NSRelationshipDescription
    ) -> [String] {
        var orders: [String] = []
        if inverse.isOrdered, inverse !== master { orders.append(SQLNaming.orderColumn(forJoinColumn: owner)) }
        if master.isOrdered { orders.append(SQLNaming.orderColumn(forJoinColumn: member)) }
        return orders
    }
}
