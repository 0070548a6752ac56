// Copying a whole model: copies of the entities, which then refer to each other instead of to the originals.

import Foundation

extension NSManagedObjectModel {
    final func copied() -> NSManagedObjectModel {
        let copy = NSManagedObjectModel()
        let copies = entities.map { $0.copied() }
        var copyByOriginal: [ObjectIdentifier: NSEntityDescription] = [:]
        for (original, made) in zip(entities, copies) { copyByOriginal[ObjectIdentifier(original)] = made }
        func counterpart(_ entity: NSEntityDescription) -> NSEntityDescription? {
            copyByOriginal[ObjectIdentifier(entity)]
        }

        for (original, made) in zip(entities, copies) {
            made.subentities = original.subentities.compactMap(counterpart)
        }
        for made in copies { made.connectRelationships(to: counterpart) }
        for made in copies { made.connectIndexes() }

        copy.entities = copies
        copy.isFlattened = isFlattened
        copy.versionIdentifiers = versionIdentifiers
        copy.localizationDictionary = localizationDictionary
        copy.knownVersionHashes = knownVersionHashes
        copy.versionFolders = versionFolders
        copy.readDefaults = readDefaults
        for name in configurations {
            let members = entities(forConfigurationName: name) ?? []
            copy.setEntities(members.compactMap(counterpart), forConfigurationName: name)
        }
        copy.takeFetchRequestTemplates(of: self)
        return copy
    }

    /// Stores copies of another model's fetch requests, which are for the entities of this one.
    final func takeFetchRequestTemplates(of other: NSManagedObjectModel) {
        for (name, template) in other.fetchRequestTemplatesByName {
            guard let copy = template.copy() as? NSFetchRequest<any NSFetchRequestResult> else { continue }
            if let entity = copy.entity { copy.entity = entitiesByName[entity.name ?? ""] ?? entity }
            setFetchRequestTemplate(copy, forName: name)
        }
    }
}

extension NSEntityDescription {
    /// Points copied relationships at the copies of what they lead to.
    fileprivate func connectRelationships(to counterpart: (NSEntityDescription) -> NSEntityDescription?) {
        for case let relationship as NSRelationshipDescription in ownProperties {
            guard let original = relationship.destinationEntity, let destination = counterpart(original) else {
                continue
            }
            relationship.destinationEntity = destination
            guard let inverse = relationship.inverseRelationship, let owner = inverse.owner else { continue }
            let inverseOwner = counterpart(owner) ?? destination
            relationship.inverseRelationship =
                inverseOwner.ownProperties.lazy.compactMap { $0 as? NSRelationshipDescription }
                .first { $0.name == inverse.name }
        }
    }

    /// Points index elements on inherited properties at the copied super-entity's.
    fileprivate func connectIndexes() {
        for element in indexes.flatMap(\.elements) {
            guard let property = element.property, property.owner !== self, property.owner != nil else { continue }
            element.property = propertiesByName[property.name] ?? property
        }
    }
}
