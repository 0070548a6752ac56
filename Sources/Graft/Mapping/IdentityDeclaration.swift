// Which attributes identify the objects of an entity (design: "Identity"): the first of these that there is.
//
//     1. identityAttributes in the user info, else identityAttribute: the union over the entity and its super-entities
//     2. id in the user info, the nearest one
//     3. the first uniqueness constraint that consists of attributes, the nearest one
//
// The first two are names, separated by commas or spaces.

import CoreData
import Foundation

enum IdentityDeclaration {
    /// The names of the identifying attributes, those declared further up first; none where nothing is declared.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping` where a declared name is no attribute.
    static func names(of entity: NSEntityDescription) throws -> [String] {
        var lineage = [entity]
        while let parent = lineage.last?.superentity { lineage.append(parent) }

        var union: [String] = []
        for ancestor in lineage.reversed() {
            for key in [Annotation.identityAttributes, Annotation.identityAttribute] {
                guard let text = Annotation.text(key, of: ancestor.userInfo) else { continue }
                for name in try attributes(in: text, declaredBy: key, of: ancestor) where !union.contains(name) {
                    union.append(name)
                }
                break
            }
        }
        if !union.isEmpty { return union }
        for ancestor in lineage {
            guard let text = Annotation.text(Annotation.diffIdentity, of: ancestor.userInfo) else { continue }
            let names = try attributes(in: text, declaredBy: Annotation.diffIdentity, of: ancestor)
            if !names.isEmpty { return names }
        }
        return constraint(in: lineage)
    }

    private static func attributes(
        in text: String, declaredBy key: String, of entity: NSEntityDescription
    ) throws -> [String] {
        let names = text.split { $0 == "," || $0.isWhitespace }.map(String.init)
        for name in names where entity.attributesByName[name] == nil {
            let closest = NameSuggestion.closest(to: name, among: entity.attributesByName.keys.sorted())
            throw GraftError(
                .invalidMapping(
                    reason: "\(key) names '\(name)', which is no attribute of the entity",
                    remedy: closest.map { "Did you mean '\($0)'?" } ?? "Name an attribute."),
                at: .init(entity: entity.name))
        }
        return names
    }

    private static func constraint(in lineage: [NSEntityDescription]) -> [String] {
        for entity in lineage {
            for constraint in entity.uniquenessConstraints {
                let names = constraint.compactMap { element in
                    (element as? NSPropertyDescription)?.name ?? element as? String
                }
                let areAttributes = names.allSatisfy { entity.attributesByName[$0] != nil }
                if !names.isEmpty, names.count == constraint.count, areAttributes { return names }
            }
        }
        return []
    }
}
