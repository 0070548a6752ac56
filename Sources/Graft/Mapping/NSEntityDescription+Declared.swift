// What an entity declares itself.

import CoreData

extension NSEntityDescription {
    /// The properties without the inherited ones, in the order of ``properties``, which has both in most models.
    var declaredProperties: [NSPropertyDescription] {
        guard let inherited = superentity?.propertiesByName else { return properties }
        return properties.filter { inherited[$0.name] == nil }
    }

    /// The same by name.
    var sortedDeclaredProperties: [NSPropertyDescription] { declaredProperties.sorted { $0.name < $1.name } }
}
