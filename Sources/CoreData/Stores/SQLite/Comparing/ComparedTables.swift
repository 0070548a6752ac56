// Where that which is compared stands in a file. Files that agree in it can be asked with the same statements.

/// The entities whose rows are told apart, and their tables.
struct ComparedTables: Equatable {
    struct Entity: Equatable {
        let name: String
        let number: Int
        let table: String
        /// The columns that tell its rows apart; empty where their numbers do.
        let identity: [String]
        let lastRow: Int64
        var isCompared = false
        var values: [Value] = []
        var links: [Link] = []
        var lists: [List] = []
    }

    struct Value: Equatable {
        let column: String
        let isExternal: Bool
    }

    struct Link: Equatable {
        let column: String
        let entityColumn: String?
        let destination: String
    }

    /// Which members an object has, where their own rows or rows of their own say it.
    struct List: Equatable {
        let table: String
        /// The owners' table.
        let owners: String
        let owner: String
        /// The member's column in a join table; nil where the table is the members' own.
        let member: String?
        let order: String?
        let destination: String
        let isReflexive: Bool
    }

    private(set) var entities: [Entity] = []

    /// - Returns: Nil where the file hasn't got a place for something.
    init?(_ compared: [ComparedEntity], _ backend: SQLiteStoreBackend) {
        for compared in compared {
            guard let sqlEntity = backend.schema.entity(named: compared.name),
                let plan = backend.plans[sqlEntity.number]
            else { return nil }
            let identity = compared.identity.compactMap { plan.field(ofSlot: $0)?.column }
            guard identity.count == compared.identity.count else { return nil }
            var entity = Entity(
                name: sqlEntity.name, number: sqlEntity.number, table: sqlEntity.table, identity: identity,
                lastRow: compared.lastRow)
            entity.isCompared = compared.slots != nil
            for slot in compared.slots ?? [] { guard entity.add(slot, plan) else { return nil } }
            entities.append(entity)
        }
    }

    /// The tables that matter, in a defined order.
    var tables: [String] {
        let compared = entities.filter(\.isCompared)
        let ends = compared.flatMap { $0.links.map(\.destination) + $0.lists.map(\.destination) }
        return Set(compared.map(\.table) + ends).sorted()
    }

    /// The lists, each once, although sub-entities inherit them.
    var lists: [List] {
        entities.flatMap(\.lists).reduce(into: []) { lists, list in
            if !lists.contains(list) { lists.append(list) }
        }
    }
}

extension ComparedTables.Entity {
    fileprivate mutating func add(_ slot: Int, _ plan: EntityPlan) -> Bool {
        if let relationship = plan.toMany.first(where: { $0.slot == slot })?.relationship {
            let destination = relationship.destination.table
            switch relationship.storage {
            case .foreignKey(let key):
                lists.append(
                    .init(
                        table: key.table, owners: table, owner: key.column, member: nil, order: key.orderColumn,
                        destination: destination, isReflexive: false))
            case .joinTable(let join):
                lists.append(
                    .init(
                        table: join.table, owners: table, owner: join.ownerColumn, member: join.memberColumn,
                        order: join.orderColumn, destination: destination, isReflexive: join.isReflexive))
            }
            return true
        }
        guard let field = plan.field(ofSlot: slot) else { return false }
        switch field.kind {
        case .toOne(let destination):
            links.append(
                .init(
                    column: field.column, entityColumn: field.entityColumn, destination: destination.entity.table))
        case .data(let isExternal), .transformable(_, let isExternal):
            values.append(.init(column: field.column, isExternal: isExternal))
        default: values.append(.init(column: field.column, isExternal: false))
        }
        return true
    }
}

extension EntityPlan {
    fileprivate func field(ofSlot slot: Int) -> Field? {
        guard fieldBySlot.indices.contains(slot) else { return nil }
        return fieldBySlot[slot].map { fields[$0] }
    }
}
