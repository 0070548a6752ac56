// Which entity and which property of a destination model is which of the source model. Everything else about a
// lightweight migration follows from this: the differences that are reported, the mapping model that is inferred, and
// the SQL that moves the rows.

import Foundation

/// An entity in two versions, with its stored properties, inherited ones included.
///
/// Properties are matched for each pair of entities, so that one may move up or down the inheritance.
package struct EntityMatch {
    package let source: NSEntityDescription
    package let destination: NSEntityDescription
    /// The source's attribute by the destination's name.
    package let attributes: [String: NSAttributeDescription]
    /// The source's relationship by the destination's name.
    package let relationships: [String: NSRelationshipDescription]
    /// The path of the source's element of a composite attribute by the destination's.
    package let elements: [String: String]
    /// The path of the source's composite attribute by the destination's, those within others included.
    let composites: [String: String]

    init(source: NSEntityDescription, destination: NSEntityDescription) {
        self.source = source
        self.destination = destination
        let attributes = Self.matched(source.attributesByName, destination.attributesByName)
        (elements, composites) = Self.matchedElements(attributes, destination)
        self.attributes = attributes
        relationships = Self.matched(source.relationshipsByName, destination.relationshipsByName)
    }

    /// Elements are matched by their names, and those that were renamed by their identifiers.
    private static func matchedElements(
        _ attributes: [String: NSAttributeDescription], _ destination: NSEntityDescription
    ) -> (elements: [String: String], composites: [String: String]) {
        var paths: [String: String] = [:]
        var composites: [String: String] = [:]
        func enter(_ old: NSAttributeDescription?, _ new: NSAttributeDescription, _ oldPath: String, _ newPath: String)
        {
            guard let new = new as? NSCompositeAttributeDescription else {
                if !(old is NSCompositeAttributeDescription) { paths[newPath] = oldPath }
                return
            }
            guard let old = old as? NSCompositeAttributeDescription else { return }
            composites[newPath] = oldPath
            func byName(_ composite: NSCompositeAttributeDescription) -> [String: NSAttributeDescription] {
                Dictionary(composite.elements.map { ($0.name, $0) }) { first, _ in first }
            }
            for (name, element) in matched(byName(old), byName(new)) {
                guard let made = byName(new)[name] else { continue }
                enter(element, made, "\(oldPath).\(element.name)", "\(newPath).\(name)")
            }
        }
        for (name, old) in attributes {
            guard let new = destination.attributesByName[name] as? NSCompositeAttributeDescription else { continue }
            enter(old, new, old.name, name)
        }
        return (paths, composites)
    }

    private static func matched<Property: NSPropertyDescription>(
        _ source: [String: Property], _ destination: [String: Property]
    ) -> [String: Property] {
        func items(_ properties: [String: Property]) -> [RenamingMatch.Item] {
            properties.values.filter { !$0.isTransient }
                .map { RenamingMatch.Item(name: $0.name, identifier: $0.renamingIdentifier ?? $0.name) }
        }
        return RenamingMatch.sourceNames(source: items(source), destination: items(destination))
            .compactMapValues { source[$0] }
    }
}

/// The entities of two versions of a model.
package final class ModelMatching {
    package let source: NSManagedObjectModel
    package let destination: NSManagedObjectModel
    /// In the order of the destination's names.
    package let matches: [EntityMatch]
    /// Entities that only the destination has, by name.
    let added: [NSEntityDescription]
    /// Entities that only the source has, by name.
    package let removed: [NSEntityDescription]

    /// The properties and elements of composite attributes that stand in another column than before, by the destination's entity: the columns of
    /// elements are named after them alone, and numbered in order where the name is taken. Renamed properties aside.
    private(set) lazy var movedProperties = findMovedProperties()

    private let bySource: [ObjectIdentifier: EntityMatch]
    private let byDestination: [ObjectIdentifier: EntityMatch]

    package init(source: NSManagedObjectModel, destination: NSManagedObjectModel) {
        self.source = source
        self.destination = destination
        func items(_ model: NSManagedObjectModel) -> [RenamingMatch.Item] {
            model.entities.map {
                RenamingMatch.Item(name: $0.name ?? "", identifier: $0.renamingIdentifier ?? $0.name ?? "")
            }
        }
        let names = RenamingMatch.sourceNames(source: items(source), destination: items(destination))
        matches = names.sorted { SQLNaming.precedes($0.key, $1.key) }.compactMap { new, old in
            guard let from = source.entitiesByName[old], let to = destination.entitiesByName[new] else { return nil }
            return EntityMatch(source: from, destination: to)
        }
        let bySource = Dictionary(matches.map { (ObjectIdentifier($0.source), $0) }) { first, _ in first }
        let byDestination = Dictionary(matches.map { (ObjectIdentifier($0.destination), $0) }) { first, _ in first }
        self.bySource = bySource
        self.byDestination = byDestination
        added = Self.sorted(destination.entities.filter { byDestination[ObjectIdentifier($0)] == nil })
        removed = Self.sorted(source.entities.filter { bySource[ObjectIdentifier($0)] == nil })
    }

    private static func sorted(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
        entities.sorted { SQLNaming.precedes($0.name ?? "", $1.name ?? "") }
    }

    func match(ofSource entity: NSEntityDescription) -> EntityMatch? { bySource[ObjectIdentifier(entity)] }

    package func match(ofDestination entity: NSEntityDescription) -> EntityMatch? {
        byDestination[ObjectIdentifier(entity)]
    }

    private func findMovedProperties() -> [String: Set<String>] {
        // A model that has no tables is refused by whoever opens a store with it.
        guard matches.contains(where: { !$0.composites.isEmpty }), let old = try? SQLSchema(model: source),
            let new = try? SQLSchema(model: destination)
        else { return [:] }
        var moved: [String: Set<String>] = [:]
        for match in matches {
            var names = match.elements
            for (name, before) in match.attributes where before.name == name { names[name] = name }
            for (name, before) in match.relationships where before.name == name { names[name] = name }
            let before = old.entity(for: match.source), after = new.entity(for: match.destination)
            for (name, oldName) in names where before?.column(named: oldName) != after?.column(named: name) {
                moved[match.destination.name ?? "", default: []].insert(name)
            }
        }
        return moved
    }

    /// The matches of an entity of the destination and of all that inherit from it.
    func matches(under entity: NSEntityDescription) -> [EntityMatch] {
        matches.filter { $0.destination.isKindOf(entity: entity) }
    }

    /// The configuration of the destination that a store is migrated to: the one that it is opened by, unless it has entities that the
    /// destination keeps outside. Their objects would go with it; a store of the whole model opens by a configuration, too.
    ///
    /// - Parameter entities: The source's entities that the store has.
    package func configuration(_ name: String?, ofStoreWith entities: [NSEntityDescription]) -> String? {
        guard let name, let members = destination.entities(forConfigurationName: name) else { return name }
        let stays = entities.compactMap { match(ofSource: $0)?.destination }
            .allSatisfy { entity in members.contains { $0 === entity } }
        return stays ? name : nil
    }

    /// The entities of the source whose objects come along, but not as ones of what another entity has become.
    func movedAway(from old: NSEntityDescription, to new: NSEntityDescription) -> [NSEntityDescription] {
        source.entities.filter { entity in
            guard entity.isKindOf(entity: old), let match = match(ofSource: entity) else { return false }
            return !match.destination.isKindOf(entity: new)
        }
    }

    /// Whether objects that a source relationship led to can be out of reach of what it became: their entity is gone, or
    /// is no longer one of the destination's.
    func narrows(_ source: NSRelationshipDescription, to destination: NSRelationshipDescription) -> Bool {
        guard let old = source.destinationEntity, let new = destination.destinationEntity else { return true }
        return self.source.entities.filter { $0.isKindOf(entity: old) }.contains { entity in
            !(match(ofSource: entity)?.destination.isKindOf(entity: new) ?? false)
        }
    }

    /// Whether any object that a source relationship led to is still in reach of what it became.
    func connects(_ source: NSRelationshipDescription, to destination: NSRelationshipDescription) -> Bool {
        guard let old = source.destinationEntity, let new = destination.destinationEntity else { return false }
        return matches.contains { $0.source.isKindOf(entity: old) && $0.destination.isKindOf(entity: new) }
    }
}
