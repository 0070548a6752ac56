// Entities and properties as objects of archives. What goes in is the model that they belong to, and their names in it: they lead to each
// other. One that belongs to no model goes in as the only one of a model of its own.

import Foundation

/// The parts of a model in an archive.
enum DescriptionArchive {
    private static let modelKey = "model", entityKey = "entity", propertyKey = "property"

    static func encode(_ entity: NSEntityDescription, _ coder: NSCoder) {
        if let model = entity.model { return encode(model, entity.name, nil, coder) }
        let alone = NSManagedObjectModel()
        alone.entities = [entity.copied()]
        encode(alone, entity.name, nil, coder)
    }

    static func encode(_ property: NSPropertyDescription, _ coder: NSCoder) {
        if let owner = property.owner, let model = owner.model {
            return encode(model, owner.name, property.name, coder)
        }
        let owner = NSEntityDescription()
        owner.name = property.owner?.name ?? "Entity"
        owner.properties = [property.copied()]
        let alone = NSManagedObjectModel()
        alone.entities = [owner]
        encode(alone, owner.name, property.name, coder)
    }

    private static func encode(_ model: NSManagedObjectModel, _ entity: String?, _ property: String?, _ coder: NSCoder)
    {
        do {
            coder.encode(try model.archived() as NSData, forKey: modelKey)
        } catch {
            fatalError("'\(property ?? entity ?? "")' can't be archived: \(error)")
        }
        coder.encode(entity as NSString?, forKey: entityKey)
        coder.encode(property as NSString?, forKey: propertyKey)
    }

    /// An entity and its model; nil, with the coder's error set, where there is none.
    static func entity(_ coder: NSCoder) -> (entity: NSEntityDescription, model: NSManagedObjectModel)? {
        do {
            guard let archive = coder.decodeObject(of: NSData.self, forKey: modelKey),
                let name = coder.decodeObject(of: NSString.self, forKey: entityKey)
            else { throw CocoaError(.coderValueNotFound) }
            let model = NSManagedObjectModel()
            try ModelUnarchiver.read(archive as Data, into: model)
            guard let entity = model.entitiesByName[name as String] else { throw CocoaError(.coderReadCorrupt) }
            return (entity, model)
        } catch {
            coder.failWithError(error)
            return nil
        }
    }

    /// A property and its model; nil, with the coder's error set, where there is none.
    static func property(_ coder: NSCoder) -> (property: NSPropertyDescription, model: NSManagedObjectModel)? {
        guard let (entity, model) = entity(coder) else { return nil }
        let name = coder.decodeObject(of: NSString.self, forKey: propertyKey)
        guard let property = entity.ownProperties.first(where: { $0.name == name as String? }) else {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            return nil
        }
        return (property, model)
    }
}
