// Which properties identify the objects of an entity (design: "Identity"): the first of these that there is.
//
//     1. what code says
//     2. identityAttributes in the user info, else identityAttribute: the union over the entity and its super-entities
//     3. what the model's dialect has for it (Dialects/DialectIdentity.swift)
//     4. id in the user info, the nearest one
//     5. the first uniqueness constraint that consists of attributes, the nearest one
//     6. what the dialect infers from names
//
// Names are separated by commas or spaces. They are those of attributes and to-one relationships.

import CoreData
import Foundation

/// The properties that identify an entity's objects, and who says so.
struct IdentityDeclaration {
    /// Those declared further up first; none where nothing identifies.
    var names: [String]
    /// Who says so, for errors: `identityAttributes`, `a uniqueness constraint`.
    var origin: String
    /// Whether it follows from names alone, and nobody has said it.
    var isInferred = false

    /// Finds what identifies the objects of an entity; nil where nothing does.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping` where a declared name is neither an attribute nor a to-one
    ///   relationship.
    init?(of entity: NSEntityDescription, _ rules: MappingRules) throws {
        let lineage = entity.lineage
        if let names = rules.entity(entity).identity {
            try self.init(names, saidBy: "MappingOptions.identity", of: entity)
        } else if let union = try Self.union(lineage) {
            self = union
        } else if let declared = try DialectIdentity.declared(lineage, rules.dialect(of: entity)) {
            self = declared
        } else if let nearest = try Self.nearest(Annotation.diffIdentity, lineage) {
            self = nearest
        } else if let constraint = Self.constraint(in: lineage) {
            self = constraint
        } else if let inferred = DialectIdentity.inferred(lineage, rules.dialect(of: entity)) {
            self = inferred
        } else {
            return nil
        }
    }

    private init(names: [String], origin: String) {
        self.names = names
        self.origin = origin
    }

    /// What follows from a name.
    init(inferred name: String, origin: String) {
        self.init(names: [name], origin: origin)
        isInferred = true
    }

    /// What somebody says.
    ///
    /// - Throws: ``GraftError`` with `invalidMapping`.
    init(_ names: [String], saidBy origin: String, of entity: NSEntityDescription) throws {
        let attributes = entity.attributePartsByName
        let relationships = entity.relationshipsByName.filter { !$0.value.isToMany }
        for name in names where attributes[name] == nil && relationships[name] == nil {
            let known = attributes.keys.sorted() + relationships.keys.sorted()
            let closest = NameSuggestion.closest(to: name, among: known)
            throw GraftError(
                .invalidMapping(
                    reason:
                        "\(origin) names '\(name)', which is no attribute of the entity and no to-one relationship",
                    remedy: closest.map { "Did you mean '\($0)'?" } ?? "Name an attribute."),
                at: .init(entity: entity.name))
        }
        self.init(names: names, origin: origin)
    }

    /// The names in a text.
    static func names(in text: String) -> [String] {
        text.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    private static func union(_ lineage: [NSEntityDescription]) throws -> IdentityDeclaration? {
        var union: [String] = []
        var origin = Annotation.identityAttributes
        for ancestor in lineage.reversed() {
            for key in [Annotation.identityAttributes, Annotation.identityAttribute] {
                guard let text = Annotation.text(key, of: ancestor.userInfo) else { continue }
                origin = key
                let said = try IdentityDeclaration(names(in: text), saidBy: key, of: ancestor)
                union += said.names.filter { !union.contains($0) }
                break
            }
        }
        return union.isEmpty ? nil : IdentityDeclaration(names: union, origin: origin)
    }

    /// What the nearest entity says that says anything under a key.
    static func nearest(_ key: String, _ lineage: [NSEntityDescription]) throws -> IdentityDeclaration? {
        for ancestor in lineage {
            guard let text = Annotation.text(key, of: ancestor.userInfo) else { continue }
            let said = try IdentityDeclaration(names(in: text), saidBy: key, of: ancestor)
            if !said.names.isEmpty { return said }
        }
        return nil
    }

    private static func constraint(in lineage: [NSEntityDescription]) -> IdentityDeclaration? {
        for entity in lineage {
            for constraint in entity.uniquenessConstraints {
                let names = constraint.compactMap { element in
                    (element as? NSPropertyDescription)?.name ?? element as? String
                }
                let areAttributes = names.allSatisfy { entity.attributePartsByName[$0] != nil }
                if !names.isEmpty, names.count == constraint.count, areAttributes {
                    return IdentityDeclaration(names: names, origin: "a uniqueness constraint")
                }
            }
        }
        return nil
    }
}
