// One of the two stores: entities by number, and the keys of its objects.

import CoreData

/// A context on one of two stores that are compared.
struct StoreSide {
    let context: NSManagedObjectContext
    let schema: GraphSchema
    private let numbers: EntityNumbers
    let identification: GraphDiff.Identification
    private let damage: GraphDamage
    /// What is taken as a store keeps it: this side's, or the other one's.
    var rounding: Rounding

    init(
        _ context: NSManagedObjectContext, _ schema: GraphSchema, _ identification: GraphDiff.Identification = .init()
    ) throws {
        self.identification = identification
        self.context = context
        self.schema = schema
        damage = GraphDamage(context)
        rounding = context.rounding
        numbers = EntityNumbers(try context.requiredModel(), schema)
    }

    /// The store's file, for errors.
    var source: String? { context.soleStore?.url?.path }

    /// The number of an object's own entity.
    func number(of object: NSManagedObject) throws -> Int { try numbers.number(of: object.entity) }

    /// The value of an attribute.
    ///
    /// - Throws: ``GraftError`` where it is in a file that isn't there.
    func value(of object: NSManagedObject, _ number: Int, _ property: GraphSchema.Property) throws -> GraphValue {
        try damage.value(of: object, number, property).kept(rounding)
    }

    /// The value of an attribute, null where it is in a file that isn't there.
    func plainValue(
        of object: NSManagedObject, _ number: Int, _ property: GraphSchema.Property
    ) throws -> GraphValue {
        try object.graphValue(number, property).kept(rounding)
    }

    /// The values of an object's identifying attributes.
    ///
    /// - Throws: ``GraftError`` with `missingIdentity` where one has none.
    func identity(of object: NSManagedObject, _ entity: Int) throws -> [GraphValue] {
        let description = schema.entities[entity]
        if description.isByRow == true { return [try rowName(of: object, description)] }
        var identity: [GraphValue] = []
        identity.reserveCapacity(description.identity.count)
        for number in description.identity {
            let value = try plainValue(of: object, number, description.properties[number])
            if value.isNull { throw Self.missingIdentity(description) }
            identity.append(value)
        }
        if identity.isEmpty { throw Self.missingIdentity(description) }
        return identity
    }

    /// What an object is called by its row.
    private func rowName(of object: NSManagedObject, _ entity: GraphSchema.Entity) throws -> GraphValue {
        guard let number = object.rowNumber else { throw Self.missingIdentity(entity) }
        return try identification.rowName(number, of: object, entity)
    }

    /// By what objects are put into an order that all sides have: their identities, or the numbers of their rows and then what
    /// tells those apart that have one.
    func order(of object: NSManagedObject, _ entity: Int) throws -> [GraphValue] {
        let identity = try identity(of: object, entity)
        guard schema.entities[entity].isByRow == true, let name = identity.first else { return identity }
        return [
            .integer(GraphSnapshot.RowName.number(in: name) ?? 0), .string(GraphSnapshot.RowName.mark(in: name) ?? ""),
        ]
    }

    /// What an object is called in a diff.
    func key(of object: NSManagedObject) throws -> ObjectKey { try key(of: object, depth: 0) }

    /// What an object is called in a diff that a relationship leads to.
    ///
    /// - Throws: ``GraftError`` that names the link, where it leads nowhere.
    func key(of end: NSManagedObject, in property: GraphSchema.Property, of object: NSManagedObject) throws -> ObjectKey
    {
        do {
            return try key(of: end)
        } catch let error as GraftError {
            guard case .missingIdentity = error.problem, PresenceCheck().isGone(end) else { throw error }
            try damage.noteMissing(end.objectID, of: property.name, from: object)
            throw error
        }
    }

    /// Takes note of the rows that nobody would compare, because they are no objects.
    func checkRows(of entities: [Int]) throws {
        try damage.noteStrayRows(of: entities.map { schema.entities[$0].name })
    }

    private func key(of object: NSManagedObject, depth: Int) throws -> ObjectKey {
        let number = try number(of: object)
        let entity = schema.entities[number]
        var key = ObjectKey(entity.name, [])
        if entity.relatedIdentity.isEmpty {
            key.identity = try identity(of: object, number)
            key.isRow = entity.isByRow == true
            return key
        }
        guard depth < GraphSchema.maximumOwnerDepth else { throw Self.missingIdentity(entity) }
        for part in entity.relatedIdentity {
            let property = entity.properties[part]
            guard property.isAttribute else {
                let owner = object.destination(part, property)
                key.owners.append(try owner.map { try self.key(of: $0, depth: depth + 1) })
                continue
            }
            let value = try plainValue(of: object, part, property)
            if value.isNull { throw Self.missingIdentity(entity) }
            key.identity.append(value)
        }
        return key
    }

    private static func missingIdentity(_ entity: GraphSchema.Entity) -> GraftError {
        GraftError(.missingIdentity(attributes: entity.identityNames), at: .init(entity: entity.name))
    }
}
