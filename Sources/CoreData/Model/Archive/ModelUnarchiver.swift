// Reading a compiled model: the keyed archive of a `.mom` file or of a store's model cache. Both have the same classes:
//
//     NSManagedObjectModel      NSEntities: name -> NSEntityDescription
//     NSEntityDescription       NSProperties: name -> NSAttributeDescription, NSRelationshipDescription, …
//
// Objects refer to each other in circles, so entities are made first, then their properties, then what connects them.
// Dictionaries have no order in an archive: entities and properties come out sorted by name.

import Foundation
import ModelDocuments

/// Reads one archive into one (empty) model.
final class ModelUnarchiver {
    typealias Damage = KeyedArchive.Damage

    private let model: NSManagedObjectModel
    let archive: KeyedArchive
    private var entities: [(object: KeyedArchive.Object, entity: NSEntityDescription)] = []
    private var entityByUID: [Int: NSEntityDescription] = [:]
    private var entityByName: [String: NSEntityDescription] = [:]
    private var propertyByUID: [Int: NSPropertyDescription] = [:]
    private(set) var indexedAttributes: [ObjectIdentifier: [String]] = [:]
    private var relationships: [(object: KeyedArchive.Object, relationship: NSRelationshipDescription)] = []

    /// - Throws: ``ModelError/Finding/badArchive(reason:)``.
    static func read(_ data: Data, into model: NSManagedObjectModel) throws {
        do throws(Damage) {
            var archive = try KeyedArchive(data)
            if let inner = try modelArchive(in: archive) { archive = try KeyedArchive(inner) }
            try ModelUnarchiver(archive, model).readModel()
        } catch {
            throw ModelError(.badArchive(reason: error.reason))
        }
    }

    /// The archive of a model within one that `NSKeyedArchiver` has made of it; nil in other archives.
    private static func modelArchive(in outer: KeyedArchive) throws(Damage) -> Data? {
        let field = try outer.object(outer.root)?[NSManagedObjectModel.archiveKey]
        guard case .data(let inner)? = try outer.value(outer.object(field)?["NS.data"] ?? field) else { return nil }
        return inner
    }

    private init(_ archive: KeyedArchive, _ model: NSManagedObjectModel) {
        self.archive = archive
        self.model = model
    }

    private func readModel() throws(Damage) {
        guard let root = try archive.object(archive.root), root.className == "NSManagedObjectModel" else {
            throw Damage(reason: "its root is no model")
        }
        try readEntities(root)
        try readInheritance()
        for (object, entity) in entities { try readProperties(object, entity) }
        for (_, entity) in entities { dropRepetitions(entity) }
        for (object, relationship) in relationships { try connect(object, relationship) }
        // Super-entities first: the older lists repeat theirs.
        let byDepth = entities.sorted { $0.entity.lineage.count < $1.entity.lineage.count }
        for (object, entity) in byDepth { try readIndexes(object, entity) }
        model.entities = entities.map(\.entity)
        model.isFlattened = true
        try readIdentifiers(root)
        try readTemplates(root)
        try readConfigurations(root)
    }

    // MARK: Entities

    private func readEntities(_ root: KeyedArchive.Object) throws(Damage) {
        guard let entries = try archive.entries(root["NSEntities"]) else { throw Damage(reason: "it has no entities") }
        for (key, field) in entries {
            guard let object = try archive.object(field), object.className == "NSEntityDescription" else {
                throw Damage(reason: "'\(key)' is no entity")
            }
            let entity = NSEntityDescription()
            entity.name = try archive.text(object["NSEntityName"]) ?? key
            entity.managedObjectClassName = EntityOutline.className(try archive.text(object["NSClassNameForEntity"]))
            entity.isAbstract = try archive.flag(object["NSIsAbstract"])
            if let identifier = try archive.text(object["NSRenamingIdentifier"]), identifier != entity.name {
                entity.renamingIdentifier = identifier
            }
            entity.versionHashModifier = try modifier(object)
            entity.userInfo = try ArchivedValues.dictionary(object["NSUserInfo"], in: archive)
            entity.uniquenessConstraints = try nameLists(object["NSUniqueTuples"])
            entities.append((object, entity))
            entityByUID[object.uid] = entity
            entityByName[entity.name ?? key] = entity
        }
    }

    private func readInheritance() throws(Damage) {
        var children: [Int: [NSEntityDescription]] = [:]
        for (object, entity) in entities {
            guard let parent = try archive.object(object["NSSuperentity"]) else { continue }
            guard entityByUID[parent.uid] != nil else {
                throw Damage(reason: "the super-entity of '\(entity)' isn't one of the entities")
            }
            children[parent.uid, default: []].append(entity)
        }
        for (uid, children) in children { entityByUID[uid]?.subentities = children }
    }

    private func modifier(_ object: KeyedArchive.Object) throws(Damage) -> String? {
        let modifier = try archive.text(object["NSVersionHashModifier"])
        return modifier?.isEmpty == true ? nil : modifier
    }

    func nameLists(_ field: PropertyListValue?) throws(Damage) -> [[String]] {
        var lists: [[String]] = []
        for list in try archive.members(field) ?? [] {
            var names: [String] = []
            for member in try archive.members(list) ?? [] {
                if let name = try archive.text(member) { names.append(name) }
            }
            lists.append(names)
        }
        return lists
    }

    // MARK: Properties

    private func readProperties(_ object: KeyedArchive.Object, _ entity: NSEntityDescription) throws(Damage) {
        var properties: [NSPropertyDescription] = []
        for (key, field) in try archive.entries(object["NSProperties"]) ?? [] {
            guard let found = try archive.object(field) else {
                throw Damage(reason: "'\(entity).\(key)' is no property")
            }
            // Inherited properties: a stand-in, or the super-entity's own object once more.
            if found.className == "_NSPropertyDescriptionProxy" { continue }
            if case .uid(let owner)? = found["NSEntity"], owner != 0, owner != object.uid { continue }
            let property = try readProperty(found, key: key, of: entity)
            if property is NSAttributeDescription, try archive.flag(found["NSIsIndexed"]) {
                indexedAttributes[ObjectIdentifier(entity), default: []].append(property.name)
            }
            propertyByUID[found.uid] = property
            properties.append(property)
        }
        entity.ownProperties = properties
    }

    private func readProperty(
        _ object: KeyedArchive.Object, key: String, of entity: NSEntityDescription
    ) throws(Damage) -> NSPropertyDescription {
        let property: NSPropertyDescription
        switch object.className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
            property = try readAttribute(object, depth: 0)
        case "NSRelationshipDescription":
            property = try readRelationship(object)
        case "NSFetchedPropertyDescription":
            property = try readFetchedProperty(object)
        default:
            throw Damage(reason: "'\(entity).\(key)' is of the unknown class \(object.className)")
        }
        property.name = try archive.text(object["NSPropertyName"]) ?? key
        try readCommon(object, property)
        return property
    }

    /// What all properties have but the name.
    func readCommon(_ object: KeyedArchive.Object, _ property: NSPropertyDescription) throws(Damage) {
        property.isOptional = try archive.flag(object["NSIsOptional"])
        property.isTransient = try archive.flag(object["NSIsTransient"])
        if let identifier = try archive.text(object["NSRenamingIdentifier"]), identifier != property.name {
            property.renamingIdentifier = identifier
        }
        property.versionHashModifier = try modifier(object)
        property.userInfo = try ArchivedValues.dictionary(object["NSUserInfo"], in: archive)
        property.validationRules = try ArchivedPredicates.rules(of: object, for: property, in: archive)
    }

    /// Old models write inherited properties again with each sub-entity.
    private func dropRepetitions(_ entity: NSEntityDescription) {
        let inherited = Set(entity.lineage.dropFirst().flatMap(\.properties).map(\.name))
        let own = entity.ownProperties.filter { !inherited.contains($0.name) }
        if own.count != entity.ownProperties.count { entity.ownProperties = own }
        // The super-entity's index is that of the whole table.
        indexedAttributes[ObjectIdentifier(entity)]?.removeAll(where: inherited.contains)
    }

    // MARK: Relationships

    private func readRelationship(_ object: KeyedArchive.Object) throws(Damage) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.minCount = Int(try archive.integer(object["NSMinCount"]) ?? 0)
        let maximum = Int(try archive.integer(object["NSMaxCount"]) ?? 0)
        // What code sets as the largest integer is archived in 32 bits.
        relationship.maxCount = maximum == -1 ? .max : maximum
        let rule = UInt(exactly: try archive.integer(object["NSDeleteRule"]) ?? 0).flatMap(NSDeleteRule.init(rawValue:))
        guard let rule else { throw Damage(reason: "a relationship has an unknown delete rule") }
        relationship.deleteRule = rule
        relationship.isOrdered = try archive.flag(object["NSIsOrdered"])
        relationships.append((object, relationship))
        return relationship
    }

    private func connect(
        _ object: KeyedArchive.Object, _ relationship: NSRelationshipDescription
    ) throws(Damage) {
        let destination = try destination(of: object)
        relationship.destinationEntity = destination
        if case .uid(let uid)? = object["NSInverseRelationship"], let inverse = propertyByUID[uid], inverse.owner != nil
        {
            relationship.inverseRelationship = inverse as? NSRelationshipDescription
        } else if let name = try archive.text(object["_NSInverseRelationshipName"]) {
            relationship.inverseRelationship = destination?.relationshipsByName[name]
        }
    }

    private func destination(of object: KeyedArchive.Object) throws(Damage) -> NSEntityDescription? {
        if case .uid(let uid)? = object["NSDestinationEntity"], let entity = entityByUID[uid] { return entity }
        return try archive.text(object["_NSDestinationEntityName"]).flatMap { entityByName[$0] }
    }

    // MARK: The model's own

    private func readIdentifiers(_ root: KeyedArchive.Object) throws(Damage) {
        var identifiers: Set<AnyHashable> = []
        for member in try archive.members(root["NSVersionIdentifiers"]) ?? [] {
            if let text = try archive.text(member) { identifiers.insert(text) }
        }
        model.versionIdentifiers = identifiers
    }

    private func readTemplates(_ root: KeyedArchive.Object) throws(Damage) {
        for (name, field) in try archive.entries(root["NSFetchRequestTemplates"]) ?? [] {
            guard let object = try archive.object(field) else { continue }
            let template = try ArchivedPredicates.request(object, in: archive)
            template.entity = template.entityName.flatMap { entityByName[$0] }
            model.setFetchRequestTemplate(template, forName: name)
        }
    }

    private func readConfigurations(_ root: KeyedArchive.Object) throws(Damage) {
        for (name, field) in try archive.entries(root["NSConfigurations"]) ?? [] {
            var members: [NSEntityDescription] = []
            for member in try archive.members(field) ?? [] {
                guard case .uid(let uid) = member, let entity = entityByUID[uid] else {
                    throw Damage(reason: "the configuration '\(name)' has a member that isn't one of the entities")
                }
                members.append(entity)
            }
            model.setEntities(members, forConfigurationName: name)
        }
    }
}
