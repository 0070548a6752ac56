// Writing a compiled model, in the layout that Core Data's own have. Entities and properties go in by name, so that the
// same model always gives the same bytes.

import Foundation

/// Writes one model.
struct ModelArchiver {
    typealias Field = KeyedArchiveBuilder.Field

    let model: NSManagedObjectModel
    var builder = KeyedArchiveBuilder()
    private var entityUIDs: [ObjectIdentifier: Int] = [:]
    private var propertyUIDs: [ObjectIdentifier: Int] = [:]
    private var modelUID = 0
    private var noUserInfo: PropertyListValue?
    /// Whether values that aren't plain data are left out instead of being an error.
    private(set) var isLenient = false
    /// What is being written, for errors.
    var place: (entity: String?, property: String?)

    /// - Parameter leavingOut: Whether user info and default values that aren't plain data are left out.
    /// - Throws: ``ModelError`` where they aren't, and such a value is there.
    static func archive(of model: NSManagedObjectModel, leavingOut isLenient: Bool = false) throws -> Data {
        var archiver = ModelArchiver(model: model)
        archiver.isLenient = isLenient
        return try archiver.archive()
    }

    private init(model: NSManagedObjectModel) { self.model = model }

    private var sortedEntities: [NSEntityDescription] {
        model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    private mutating func archive() throws -> Data {
        modelUID = builder.reserve()
        let entities = sortedEntities
        // All numbers first: entities and relationships refer to each other in circles.
        for entity in entities {
            entityUIDs[ObjectIdentifier(entity)] = builder.reserve()
            for property in Self.sorted(entity.ownProperties) {
                propertyUIDs[ObjectIdentifier(property)] = builder.reserve()
            }
        }
        for entity in entities {
            try fill(entity)
            for property in Self.sorted(entity.ownProperties) { try fill(property, of: entity) }
        }
        try fillModel(entities)
        return builder.archive(root: modelUID)
    }

    private static func sorted(_ properties: [NSPropertyDescription]) -> [NSPropertyDescription] {
        properties.sorted { $0.name < $1.name }
    }

    func error(_ finding: ModelError.Finding) -> ModelError {
        ModelError(problems: [ModelError.Problem(finding, entity: place.entity, property: place.property)])
    }

    func reference(_ entity: NSEntityDescription?) -> PropertyListValue {
        .uid(entity.flatMap { entityUIDs[ObjectIdentifier($0)] } ?? 0)
    }

    func reference(_ property: NSPropertyDescription?) -> PropertyListValue {
        .uid(property.flatMap { propertyUIDs[ObjectIdentifier($0)] } ?? 0)
    }

    // MARK: The model

    private mutating func fillModel(_ entities: [NSEntityDescription]) throws {
        var fields = [
            Field("NSEntities", dictionary(entities.map { ($0.name ?? "", reference($0)) })),
            Field("NSFetchRequestTemplates", try templates()),
            Field("NSVersionIdentifiers", identifiers()),
        ]
        if !model.configurations.isEmpty {
            let members = model.configurations.map { name in
                (name, builder.array((model.entities(forConfigurationName: name) ?? []).map { reference($0) }))
            }
            fields.append(Field("NSConfigurations", dictionary(members)))
        }
        builder.fill(modelUID, classes: ["NSManagedObjectModel", "NSObject"], fields)
    }

    private mutating func templates() throws -> PropertyListValue {
        let templates = model.fetchRequestTemplatesByName.sorted { $0.key < $1.key }
        if templates.isEmpty { return KeyedArchiveBuilder.null }
        var entries: [(String, PropertyListValue)] = []
        for (name, request) in templates {
            place = (nil, name)
            entries.append((name, try add(request)))
        }
        return dictionary(entries)
    }

    private mutating func identifiers() -> PropertyListValue {
        let texts = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        return builder.set(texts.map { builder.text($0) })
    }

    mutating func dictionary(_ entries: [(String, PropertyListValue)]) -> PropertyListValue {
        builder.dictionary(entries.map { (builder.text($0.0), $0.1) }, isMutable: true)
    }

    // MARK: Entities

    private mutating func fill(_ entity: NSEntityDescription) throws {
        place = (entity.name, nil)
        let subentities = entity.subentities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        var fields = [
            Field("NSEntityName", builder.text(entity.name)),
            Field("NSClassNameForEntity", builder.text(entity.managedObjectClassName)),
            Field("NSManagedObjectModel", .uid(modelUID)),
            Field("NSSuperentity", reference(entity.superentity)),
            Field("NSSubentities", dictionary(subentities.map { ($0.name ?? "", reference($0)) })),
            Field("NSProperties", dictionary(Self.sorted(entity.ownProperties).map { ($0.name, reference($0)) })),
            Field("NSRenamingIdentifier", builder.text(entity.renamingIdentifier)),
            Field("NSVersionHashModifier", builder.text(entity.versionHashModifier)),
            Field("NSUserInfo", try userInfo(entity.userInfo)),
        ]
        if entity.isAbstract { fields.append(Field("NSIsAbstract", .boolean(true))) }
        if !entity.uniquenessConstraints.isEmpty {
            fields.append(Field("NSUniqueTuples", nameLists(entity.uniquenessConstraintNames)))
        }
        if !entity.indexes.isEmpty {
            let compound = entity.indexes.compactMap(\.plainNames).filter { $0.count > 1 }
            fields.append(Field("NSCompoundIndexes", nameLists(compound)))
            fields.append(Field("NSFetchIndexDescriptions", try indexes(of: entity)))
        }
        builder.fill(
            entityUIDs[ObjectIdentifier(entity)] ?? 0, classes: ["NSEntityDescription", "NSObject"], fields)
    }

    private mutating func nameLists(_ lists: [[String]]) -> PropertyListValue {
        let made = lists.map { names in builder.array(names.map { builder.text($0) }, isMutable: true) }
        return builder.array(made, isMutable: true)
    }

    mutating func userInfo(_ info: [AnyHashable: Any]?) throws -> PropertyListValue {
        guard let info, !info.isEmpty else {
            if let noUserInfo { return noUserInfo }
            let made = builder.dictionary([])
            noUserInfo = made
            return made
        }
        return try add(plainDictionary: info, setting: "user info")
    }

    // MARK: Properties

    private mutating func fill(_ property: NSPropertyDescription, of entity: NSEntityDescription) throws {
        place = (entity.name, property.name)
        let fields = try commonFields(property, of: entity) + ownFields(property, of: entity)
        builder.fill(
            propertyUIDs[ObjectIdentifier(property)] ?? 0, classes: property.archivedClasses, fields)
    }

    private mutating func ownFields(
        _ property: NSPropertyDescription, of entity: NSEntityDescription
    ) throws -> [Field] {
        switch property {
        case let attribute as NSAttributeDescription: try attributeFields(attribute, of: entity)
        case let relationship as NSRelationshipDescription: relationshipFields(relationship)
        case let fetched as NSFetchedPropertyDescription: try fetchedFields(fetched)
        default: []
        }
    }

    private mutating func relationshipFields(_ relationship: NSRelationshipDescription) -> [Field] {
        let maximum = relationship.maxCount == .max ? -1 : relationship.maxCount
        var fields = [
            Field("NSDestinationEntity", reference(relationship.destinationEntity)),
            Field("_NSDestinationEntityName", builder.text(relationship.destinationEntity?.name)),
            Field("NSInverseRelationship", reference(relationship.inverseRelationship)),
            Field("_NSInverseRelationshipName", builder.text(relationship.inverseRelationship?.name)),
            Field("NSMinCount", .integer(Int64(relationship.minCount))),
            Field("NSMaxCount", .integer(Int64(maximum))),
            Field("NSDeleteRule", .integer(Int64(relationship.deleteRule.rawValue))),
        ]
        if relationship.isOrdered { fields.append(Field("NSIsOrdered", .boolean(true))) }
        return fields
    }

    private mutating func fetchedFields(_ property: NSFetchedPropertyDescription) throws -> [Field] {
        guard let request = property.fetchRequest else { return [] }
        return [
            Field("NSFetchRequest", try add(request)),
            Field("_NSFetchRequestEntityName", builder.text(request.entityName)),
        ]
    }
}

extension NSPropertyDescription {
    /// The class and its superclasses, as an archive lists them.
    var archivedClasses: [String] {
        let common = ["NSPropertyDescription", "NSObject"]
        return switch self {
        case is NSDerivedAttributeDescription: ["NSDerivedAttributeDescription", "NSAttributeDescription"] + common
        case is NSCompositeAttributeDescription: ["NSCompositeAttributeDescription", "NSAttributeDescription"] + common
        case is NSAttributeDescription: ["NSAttributeDescription"] + common
        case is NSRelationshipDescription: ["NSRelationshipDescription"] + common
        case is NSFetchedPropertyDescription: ["NSFetchedPropertyDescription"] + common
        case is NSExpressionDescription: ["NSExpressionDescription"] + common
        default: common
        }
    }
}
