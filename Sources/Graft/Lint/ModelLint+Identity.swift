// What identifies the objects of each entity, and who says so.

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
        for part in names {
            guard let property = entity.propertiesByName[part], Self.keyPaths(of: property, entity, rules).isEmpty,
                // The owner that an object is nested in needn't be named in JSON.
                property is NSAttributeDescription
            else { continue }
            add(
                .error, .unmappedIdentity, name, part, "it identifies the objects, and takes no part in JSON",
                "Give it a \(Annotation.keyPath).")
        }
    }

    /// Whether any property of an entity is read.
    private static func takesPart(_ entity: NSEntityDescription, _ rules: MappingRules) -> Bool {
        entity.declaredProperties.contains { !keyPaths(of: $0, entity, rules).isEmpty }
    }
}
