// From a model's annotations to its mapping.

import CoreData
import Foundation

extension GraphMapping {
    /// Compiles the mapping of a model.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping` or `invalidModel`.
    convenience init(_ model: NSManagedObjectModel, isArchive: Bool = false) throws {
        try self.init(model, GraphSchema(model), isArchive: isArchive)
    }

    private convenience init(_ model: NSManagedObjectModel, _ schema: GraphSchema, isArchive: Bool) throws {
        let descriptions = model.entitiesByName
        var builder = KeyTreeBuilder()
        var entities: [EntityMapping] = []
        for (number, entity) in schema.entities.enumerated() {
            guard let description = descriptions[entity.name] else {
                throw GraftError(.unknownEntity(entity.name, closest: nil))
            }
            let compiler = MappingCompiler(
                schema: schema, number: number, entity: description, isAnnotated: Self.isAnnotated(description),
                isArchive: isArchive)
            entities.append(try compiler.mapping(&builder))
        }
        self.init(schema: schema, entities: entities, isArchive: isArchive, keyCount: builder.keyCount)
    }

    /// Whether any entity of the hierarchy declares a key path.
    private static func isAnnotated(_ entity: NSEntityDescription) -> Bool {
        var root = entity
        while let parent = root.superentity { root = parent }
        var pending = [root]
        while let next = pending.popLast() {
            if next.properties.contains(where: { Annotation.text(Annotation.keyPath, of: $0.userInfo) != nil }) {
                return true
            }
            pending += next.subentities
        }
        return false
    }
}

/// Compiles the mapping of one entity.
private struct MappingCompiler {
    let schema: GraphSchema
    let number: Int
    let entity: NSEntityDescription
    let isAnnotated: Bool
    let isArchive: Bool

    func mapping(_ builder: inout KeyTreeBuilder) throws -> EntityMapping {
        let descriptions = entity.propertiesByName
        var properties: [PropertyMapping?] = []
        var entries: [KeyTreeBuilder.Entry] = []
        for (number, property) in schema.entities[number].properties.enumerated() {
            let mapping = try descriptions[property.name].flatMap { try self.mapping(of: property, $0) }
            properties.append(mapping)
            if let mapping { entries.append(.init(path: mapping.path, role: property.role, property: number)) }
        }
        return EntityMapping(isAnnotated: isAnnotated, properties: properties, keys: builder.tree(entries))
    }

    private func mapping(
        of property: GraphSchema.Property, _ description: NSPropertyDescription
    ) throws -> PropertyMapping? {
        let isStored = !property.isTransient && !property.isDerived
        var mapping = PropertyMapping(
            path: [property.name], isDeclared: false,
            converter: property.attributeKind.map { AttributeConverter($0) },
            transformer: try transformer(of: description), exportForm: try exportForm(of: description))
        if let path = Annotation.text(Annotation.keyPath, of: description.userInfo) {
            mapping.path = try keys(of: path, description)
            mapping.isDeclared = true
        } else if isAnnotated || !isStored {
            guard isArchive, isStored else { return nil }
            mapping.path = [ArchiveKey.propertyPrefix + property.name]
        }
        // An archive has to be read back as it was, and transformers needn't lead back to where they came from.
        if isArchive { mapping.transformer = nil }
        return mapping
    }

    private func exportForm(of property: NSPropertyDescription) throws -> ExportOptions.RelationshipForm? {
        guard let text = Annotation.text(Annotation.exportForm, of: property.userInfo) else { return nil }
        if let form = ExportOptions.RelationshipForm(rawValue: text) { return form }
        let known = ExportOptions.RelationshipForm.allCases.map(\.rawValue)
        throw GraftError(
            .invalidMapping(
                reason: "\(Annotation.exportForm) is '\(text)'",
                remedy: "It is one of \(known.joined(separator: ", "))."),
            at: place(property))
    }

    private func keys(of path: String, _ property: NSPropertyDescription) throws -> [String] {
        let keys = Annotation.keys(ofPath: path)
        if keys.contains("") {
            throw GraftError(
                .invalidMapping(
                    reason: "\(Annotation.keyPath) '\(path)' has an empty key",
                    remedy: "Name a key for each step, or take the annotation away to leave the property out."),
                at: place(property))
        }
        return keys
    }

    private func transformer(of property: NSPropertyDescription) throws -> NamedTransformer? {
        guard property is NSAttributeDescription,
            let name = Annotation.text(Annotation.transformerName, of: property.userInfo)
        else { return nil }
        if let transformer = NamedTransformer(named: name) { return transformer }
        let known = ValueTransformer.valueTransformerNames().map(\.rawValue)
        let closest = NameSuggestion.closest(to: name, among: known)
        throw GraftError(
            .invalidMapping(
                reason: "\(Annotation.transformerName) names '\(name)', and no such transformer is registered",
                remedy: "Register it with ValueTransformer.setValueTransformer(_:forName:) before you import or export"
                    + (closest.map { ", or correct the name: did you mean '\($0)'?" } ?? ".")),
            at: place(property))
    }

    private func place(_ property: NSPropertyDescription) -> GraftError.Place {
        GraftError.Place(entity: entity.name, property: property.name)
    }
}

extension GraphSchema.Property {
    /// What the reader does with the property's value.
    var role: KeyTree.Role {
        switch kind {
        case .attribute: .attribute
        case .toOne: .toOne
        case .toMany: .toMany
        }
    }
}
