// How the objects of an entity stand in JSON, from Graft's own compiled mapping, so that what is shown is what happens.

import CoreData
@testable import Graft

/// The mapping of each entity of a model.
struct MappingReport {
    private let mapping: GraphMapping

    init(_ model: NSManagedObjectModel) throws { mapping = try GraphMapping(model) }

    /// The names of the attributes that identify an entity's objects.
    func identity(of entity: String) -> [String] {
        guard let number = mapping.schema.number(ofEntity: entity) else { return [] }
        let description = mapping.schema.entities[number]
        return description.identity.map { description.properties[$0].name }
    }

    /// Where an entity's properties are in JSON, by name; those that take no part are left out.
    func keyPaths(of entity: String) -> [String: String] {
        guard let number = mapping.schema.number(ofEntity: entity) else { return [:] }
        let properties = zip(mapping.schema.entities[number].properties, mapping.entities[number].properties)
        return properties.reduce(into: [:]) { paths, property in
            if let path = property.1?.path { paths[property.0.name] = path.joined(separator: ".") }
        }
    }
}
