// From what is said of a property to its mapping.

import CoreData
import Foundation

/// Compiles the mappings of one entity's properties.
struct PropertyCompiler {
    let entity: NSEntityDescription
    let rules: MappingRules
    /// What holds for the entity.
    let namingRule: MappingOptions.NamingRule?
    let isDocument: Bool

    /// The mapping of a property; nil where it takes no part.
    func mapping(
        of property: GraphSchema.Property, _ part: PropertyPart
    ) throws -> PropertyMapping? {
        let isStored = !property.isTransient && !property.isDerived
        let (whole, isDeclared) = rules.property(part.whole, of: entity)
        let said = rules.part(part, of: whole, in: entity)
        let sources = try sources(of: part, whole)
        let written = sources.first { $0.origin == .object }?.keys ?? []
        if isDocument {
            return documentMapping(
                property, path: said.direction ?? .both == .both ? written : [], isStored, isDeclared)
        }
        if sources.isEmpty || said.direction == .neither { return nil }
        if property.attributeKind == .date, let slip = said.dateFormat?.slip {
            throw invalid(slip.finding, slip.remedy, part.name)
        }
        var mapping = PropertyMapping(
            path: written, sources: sources, isDeclared: isDeclared,
            converter: property.attributeKind.map { AttributeConverter($0, said) },
            transformer: try transformer(said, part))
        mapping.direction = said.direction ?? .both
        if written.isEmpty {
            guard mapping.direction.isImported else { return nil }
            mapping.direction = .import
        }
        mapping.nullPolicy = said.nullPolicy ?? .clear
        mapping.missingPolicy = said.missingPolicy ?? .keep
        mapping.exportForm = said.exportForm
        mapping.exportsNull = said.exportsNull
        mapping.referencePolicy = said.referencePolicy ?? .stub
        mapping.membersPolicy = said.membersPolicy ?? .replace
        mapping.collectionForm = said.collectionForm ?? collectionForm(ofDestination: part.property) ?? .array
        do {
            mapping.defaultValue = try defaultValue(property, part)
        } catch  where mapping.nullPolicy != .default && mapping.missingPolicy != .default {
            // Nobody asks for it.
        }
        return mapping
    }

    /// The form of documents: every stored property has a place, and nothing else plays a part. A document has to be read
    /// back as it was, and transformers needn't lead back to where they came from.
    private func documentMapping(
        _ property: GraphSchema.Property, path: [String], _ isStored: Bool, _ isDeclared: Bool
    ) -> PropertyMapping? {
        if path.isEmpty, !isStored { return nil }
        let path = path.isEmpty ? ["$" + property.name] : path
        return PropertyMapping(
            path: path, sources: [SourcePath(keys: path)], isDeclared: isDeclared,
            converter: property.attributeKind.map { AttributeConverter($0) })
    }

    // MARK: Parts

    /// Where a property is looked for, one place after the other. An element of a composite attribute stands within that, under the keys
    /// that the elements on the way have, or under their names.
    ///
    /// - Parameter whole: What holds for the property, or for the composite attribute.
    func sources(of part: PropertyPart, _ whole: MappingOptions.Property) throws -> [SourcePath] {
        let inner: [String] = try part.elements.flatMap { element in
            let said = Annotation.text(Annotation.keyPath, of: element.userInfo)
            return try said.map { try source($0, part.name).keys } ?? [element.name]
        }
        return try rules.keyPaths(of: part.whole, whole, in: entity, namingRule).map { path in
            let outer = try source(path, part.whole.name)
            return SourcePath(origin: outer.origin, keys: outer.keys + inner)
        }
    }

    private func source(_ path: String, _ property: String) throws -> SourcePath {
        if let source = SourcePath(path) { return source }
        throw invalid(
            "the key path '\(path)' has an empty key, or ends where it has to go on",
            "Name a key for each step, or take the annotation away to leave the property out.", property)
    }

    /// How the objects of the entity stand to which a to-many relationship leads.
    private func collectionForm(ofDestination description: NSPropertyDescription) -> MappingOptions.CollectionForm? {
        guard let relationship = description as? NSRelationshipDescription, relationship.isToMany else { return nil }
        return relationship.destinationEntity.flatMap { rules.entity($0).collectionForm }
    }

    private func transformer(
        _ said: MappingOptions.Property, _ part: PropertyPart
    ) throws -> NamedTransformer? {
        guard part.property is NSAttributeDescription, let name = said.transformerName else { return nil }
        return try NamedTransformer(registered: name, Annotation.transformerName, at: place(part.name))
    }

    /// The model's default value; null where there is none, and for relationships.
    private func defaultValue(
        _ property: GraphSchema.Property, _ part: PropertyPart
    ) throws -> GraphValue {
        guard let kind = property.attributeKind, let value = (part.property as? NSAttributeDescription)?.defaultValue
        else {
            return .null
        }
        if let value = GraphValue(object: value, kind: kind) { return value }
        throw invalid(
            "the default value \(value) can't be set by an import", "Choose another policy for null and absent values.",
            part.name)
    }

    private func invalid(_ reason: String, _ remedy: String, _ property: String) -> GraftError {
        GraftError(.invalidMapping(reason: reason, remedy: remedy), at: place(property))
    }

    private func place(_ property: String) -> GraftError.Place {
        GraftError.Place(entity: entity.name, property: property)
    }
}

extension NamedTransformer {
    /// Finds the transformer that an annotation names.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping` where none is registered under the name.
    init(registered name: String, _ annotation: String, at place: GraftError.Place) throws {
        if let transformer = NamedTransformer(named: name) {
            self = transformer
            return
        }
        let known = ValueTransformer.valueTransformerNames().map(\.rawValue)
        let closest = NameSuggestion.closest(to: name, among: known)
        var remedies = ["Register it with ValueTransformer.setValueTransformer(_:forName:) before you import or export"]
        if annotation != Annotation.dictionaryTransformerName {
            let rule = annotation == Annotation.entityMapperName ? "entity:KEY" : "RULE"
            remedies.append(
                "give graft a rule for it: --transformer \(name)=\(rule), or a configuration beside the model")
        }
        if let closest { remedies.append("correct the name: did you mean '\(closest)'?") }
        throw GraftError(
            .invalidMapping(
                reason: "\(annotation) names '\(name)', and no such transformer is registered",
                remedy: remedies.joined(separator: ", or ") + (closest == nil ? "." : "")),
            at: place)
    }
}

extension AttributeConverter {
    /// - Parameter said: What the model or code says of the attribute.
    init(_ kind: AttributeKind, _ said: MappingOptions.Property) {
        self =
            kind == .date
            ? AttributeConverter(dateFormat: said.dateFormat ?? .iso8601, timeZone: said.timeZone)
            : AttributeConverter(kind)
    }
}
