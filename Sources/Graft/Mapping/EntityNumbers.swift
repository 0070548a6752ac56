// From the entities of a model to their numbers in a schema.

import CoreData

/// The numbers of a model's entities. The model, which has to stay, keeps their identifiers valid.
struct EntityNumbers: Sendable {
    private let numbers: [ObjectIdentifier: Int]

    init(_ model: NSManagedObjectModel, _ schema: GraphSchema) {
        let pairs = model.entities.compactMap { entity in
            entity.name.flatMap(schema.number(ofEntity:)).map { (ObjectIdentifier(entity), $0) }
        }
        numbers = Dictionary(pairs) { first, _ in first }
    }

    /// The number of an entity; nil for one of another model.
    @inline(__always)
    subscript(entity: NSEntityDescription) -> Int? { numbers[ObjectIdentifier(entity)] }

    /// The number of an object's entity; nil for one of another model.
    @inline(__always)
    subscript(id: NSManagedObjectID) -> Int? { numbers[id.entityIdentifier] }

    /// The number of an object's entity.
    ///
    /// - Throws: ``GraftError`` with `unknownEntity` for one of another model.
    @inline(__always)
    func number(of id: NSManagedObjectID) throws -> Int { try self[id] ?? number(of: id.entity) }

    /// The number of an entity.
    ///
    /// - Throws: ``GraftError`` with `unknownEntity` for one of another model.
    @inline(__always)
    func number(of entity: NSEntityDescription) throws -> Int {
        if let number = self[entity] { return number }
        throw GraftError(.unknownEntity(entity.name ?? "", closest: nil))
    }
}
