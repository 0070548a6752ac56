// What identifies the objects of each entity, and who says so; and whether JSON tells of which entity they are.

import CoreData
import Foundation

extension ModelLint {
    mutating func checkIdentity(of entity: NSEntityDescription, _ rules: MappingRules) {
        let name = entity.name ?? ""
        let declaration: IdentityDeclaration?
        do {
            declaration = try IdentityDeclaration(of: entity, rules)
        } catch {
            add(CoreDataErrors.graftError(error), .invalidIdentity)
            add(Identity(entity: name, properties: [], origin: nil, isInferred: false, isIndexed: false))
            return
        }
        let names = declaration?.names ?? []
        add(
            Identity(
                entity: name, properties: names, origin: declaration?.origin,
                isInferred: declaration?.isInferred ?? false,
                isIndexed: entity.isSearchable(byOneOf: names)))
        if names.isEmpty {
            guard !entity.isAbstract, Self.takesPart(entity, rules) else { return }
            add(
                .warning, .missingIdentity, name, nil, "nothing identifies its objects",
                "Name the attributes that do, with \(Annotation.identityAttributes) in the entity's user info; otherwise objects "
                    + "are told apart by their contents alone.")
            return
        }
        if let declaration, declaration.isInferred {
            add(
                .warning, .inferredIdentity, name, nil,
                "'\(names.joined(separator: "', '"))' identifies its objects, as follows from \(declaration.origin)",
                "Declare it, with \(Annotation.identityAttributes) in the entity's user info.")
        }
        let parts = entity.partsByName
        for part in names.compactMap({ parts[$0] }) {
            if let value = (part.property as? NSAttributeDescription)?.defaultValue {
                add(
                    .warning, .defaultIdentity, name, part.name,
                    "it identifies the objects, and all that nobody gives another value have \(value)",
                    "Make it optional, and remove the default value.")
            }
            // The owner that an object is nested in needn't be named in JSON.
            guard part.property is NSAttributeDescription, Self.keyPaths(of: part.whole, entity, rules).isEmpty else {
                continue
            }
            add(
                .error, .unmappedIdentity, name, part.name, "it identifies the objects, and takes no part in JSON",
                "Give it a \(Annotation.keyPath).")
        }
    }

    /// Names relationships whose objects are written as what they are, and read as objects of the destination.
    mutating func checkDestinations(of entity: NSEntityDescription, _ rules: MappingRules) {
        for case let relationship as NSRelationshipDescription in entity.sortedDeclaredProperties {
            guard let destination = relationship.destinationEntity, !destination.subentities.isEmpty,
                !Self.keyPaths(of: relationship, entity, rules).isEmpty
            else { continue }
            let said = rules.entity(destination)
            if said.entityKey != nil || said.entityMapperName != nil { continue }
            let name = destination.name ?? ""
            add(
                .warning, .untoldEntity, entity.name, relationship.name,
                "JSON doesn't tell its objects of sub-entities from those of '\(name)', which they are read as",
                "Name the key that says of which entity an object is, with \(Annotation.entityKey) in the user info of '\(name)'."
            )
        }
    }

    /// Whether any property of an entity is read.
    private static func takesPart(_ entity: NSEntityDescription, _ rules: MappingRules) -> Bool {
        entity.declaredProperties.contains { !keyPaths(of: $0, entity, rules).isEmpty }
    }
}
