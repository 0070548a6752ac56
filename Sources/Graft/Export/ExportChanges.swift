// Which properties of an object have changed since a save or since a snapshot, for exports of changes.

import CoreData

/// Compares objects with what they were.
struct ExportChanges {
    /// What has changed in one object.
    enum Change {
        /// The object is new, or can't be compared.
        case all
        /// The numbers of the properties; none where nothing has.
        case properties(Set<Int>)

        func contains(_ property: Int) -> Bool {
            switch self {
            case .all: true
            case .properties(let numbers): numbers.contains(property)
            }
        }

        var isEmpty: Bool {
            switch self {
            case .all: false
            case .properties(let numbers): numbers.isEmpty
            }
        }
    }

    private let base: GraphSnapshot?
    private let schema: GraphSchema
    private let plans: [ExportPlan]
    private let numbers: [ObjectIdentifier: Int]

    /// Nil for an export of everything.
    ///
    /// - Throws: ``GraftError`` with `modelMismatch` for a snapshot of another model.
    init?(
        _ scope: ExportOptions.Scope, _ schema: GraphSchema, _ plans: [ExportPlan], _ numbers: [ObjectIdentifier: Int]
    ) throws {
        switch scope {
        case .everything: return nil
        case .changesSinceSave: base = nil
        case .changes(let snapshot):
            guard snapshot.schema == schema else {
                throw GraftError(.modelMismatch(reason: "the snapshot was made with another model"))
            }
            base = snapshot
        }
        self.schema = schema
        self.plans = plans
        self.numbers = numbers
    }

    /// What has changed in an object, as far as it is written.
    func change(of object: NSManagedObject, _ plan: ExportPlan) throws -> Change {
        guard let base else { return changeSinceSave(of: object, plan) }
        guard let identity = try identity(of: object),
            let row = row(identity, plan.number, base)
        else { return .all }
        var changed: Set<Int> = []
        let limit = min(plan.properties.count, schema.entities[row.entity].properties.count)
        for number in plan.written {
            let isSame = try number < limit && isSame(number, plan.properties[number], of: object, row, base)
            if !isSame { changed.insert(number) }
        }
        return .properties(changed)
    }

    private func changeSinceSave(of object: NSManagedObject, _ plan: ExportPlan) -> Change {
        if object.isInserted { return .all }
        let keys = object.changedValues()
        if keys.isEmpty { return .properties([]) }
        return .properties(Set(plan.written.filter { keys[plan.properties[$0].name] != nil }))
    }

    // MARK: Snapshots

    private func isSame(
        _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject, _ row: RowReference,
        _ base: GraphSnapshot
    ) throws -> Bool {
        let table = base.tables[row.entity]
        guard table.hasValue(number, row: row.row) else { return false }
        switch property.kind {
        case .attribute:
            return try object.graphValue(number, property).isSameIdentity(
                as: table.value(property.column, row: row.row))
        case .toOne:
            let before = table.toOne(property.column, row: row.row)
            guard let now = object.destination(number, property) else { return before.isNone }
            if before.isNone { return false }
            return try areSame([identity(of: now)], [identity(of: base.resolved(before), base)], isOrdered: true)
        case .toMany(_, let isOrdered):
            let before = table.toMany(property.column, row: row.row).indices.map {
                identity(of: base.resolved(base.members[$0]), base)
            }
            let now = try object.members(number, property).map(identity)
            return areSame(now, before, isOrdered: isOrdered)
        }
    }

    /// Whether two lists of identities are the same; one that is missing is the same as none.
    private func areSame(_ now: [[GraphValue]?], _ before: [[GraphValue]?], isOrdered: Bool) -> Bool {
        let (now, before) = (now.compactMap(\.self).map(Key.init), before.compactMap(\.self).map(Key.init))
        guard now.count == before.count else { return false }
        if isOrdered { return zip(now, before).allSatisfy { $0 == $1 } }
        let (one, other) = (now.sorted { $0.hash < $1.hash }, before.sorted { $0.hash < $1.hash })
        return zip(one, other).allSatisfy { $0 == $1 }
    }

    /// An identity with its hash.
    private struct Key: Equatable {
        var values: [GraphValue]
        var hash: UInt64

        init(_ values: [GraphValue]) {
            self.values = values
            var hash = IdentityHash()
            for value in values { hash.combine(value) }
            self.hash = hash.value
        }

        static func == (one: Key, other: Key) -> Bool {
            one.values.count == other.values.count
                && zip(one.values, other.values).allSatisfy { $0.isSameIdentity(as: $1) }
        }
    }

    /// The values that identify an object; nil where it has no complete identity of attributes.
    private func identity(of object: NSManagedObject) throws -> [GraphValue]? {
        guard let number = numbers[ObjectIdentifier(object.entity)] else { return nil }
        let entity = schema.entities[number]
        let values = try entity.identity.map { try object.graphValue($0, entity.properties[$0]) }
        return values.isEmpty || values.contains(where: \.isNull) ? nil : values
    }

    private func identity(of row: RowReference, _ base: GraphSnapshot) -> [GraphValue]? {
        let values = schema.entities[row.entity].identityColumns.map {
            base.tables[row.entity].value($0, row: row.row)
        }
        return values.isEmpty || values.contains(where: \.isNull) ? nil : values
    }

    /// The row of the object with an identity.
    private func row(_ identity: [GraphValue], _ entity: Int, _ base: GraphSnapshot) -> RowReference? {
        let found = base.rows(
            withIdentity: identity, hash: Key(identity).hash, columns: schema.entities[entity].identityColumns,
            schema.entities[entity].identitySpace)
        return found.first { schema.isEntity($0.entity, relatedTo: entity) }
    }
}
