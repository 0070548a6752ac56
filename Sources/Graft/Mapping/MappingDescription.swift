// What a compiled mapping says, as names and texts: for `graft inspect`, which shows what happens and not what was written
// in the model.

package import CoreData

/// The mapping of each entity of a model, to be shown.
package struct MappingDescription {
    private let mapping: GraphMapping

    /// - Throws: ``GraftError`` for an annotation that can't be followed.
    package init(_ model: NSManagedObjectModel) throws { mapping = try GraphMapping(model) }

    /// The names of the attributes that identify an entity's objects.
    package func identity(of entity: String) -> [String] {
        mapping.schema.number(ofEntity: entity).map { mapping.schema.entities[$0].identityNames } ?? []
    }

    /// Where an entity's properties are in JSON, by name; those that take no part are left out.
    package func keyPaths(of entity: String) -> [String: String] {
        guard let number = mapping.schema.number(ofEntity: entity) else { return [:] }
        let properties = zip(mapping.schema.entities[number].properties, mapping.entities[number].properties)
        return properties.reduce(into: [:]) { paths, property in
            if let first = property.1?.sources.first { paths[property.0.name] = first.description }
        }
    }
}
