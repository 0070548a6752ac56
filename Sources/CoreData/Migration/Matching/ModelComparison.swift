// What is different between two versions of a model, entity by entity and property by property, and which of it stands in
// the way of a migration.

import Foundation

extension ModelMatching {
    /// All differences: the entities of the destination by name, each with its properties by name, then those that it
    /// doesn't have any more. Inherited properties are reported where they are declared.
    func differences() -> [ModelDifference] {
        let entities = destination.entities.sorted { SQLNaming.precedes($0.name ?? "", $1.name ?? "") }
        let merged = mergedHierarchies()
        let kept = entities.flatMap { entity -> [ModelDifference] in
            let name = entity.name ?? ""
            var found: [ModelDifference]
            if let match = match(ofDestination: entity) {
                found = EntityComparison(matching: self, match: match).differences()
            } else {
                found = [ModelDifference(entity: name, change: .added)]
            }
            if let roots = merged[name] {
                let parent = ModelDifference.Change.superentity(from: nil, to: entity.superentity?.name)
                let change = found.first { $0.property == nil }?.change ?? parent
                found.removeAll { $0.property == nil && $0.change == change }
                found.insert(ModelDifference(entity: name, change: change, obstacle: .mergedHierarchies(roots)), at: 0)
            }
            return found
        }
        return kept + removed.map { ModelDifference(entity: $0.name ?? "", change: .removed) }
    }

    /// One phrase for each entity of a configuration that a store of the source has otherwise, although its version hash can't be computed
    /// or is the same.
    package func unhashedDifferences(configuration: String?) -> [String] {
        let entities = SQLSchema.entities(of: destination, configuration: configuration)
        guard destination.entities.contains(where: \.hasUnhashedDetails) else { return [] }
        let names = Set(entities.compactMap(\.name))
        let unhashed = Set(entities.filter { !$0.hasComputableVersionHash }.compactMap(\.name))
        let differing = differences().filter { difference in
            switch difference.change {
            case .keptInHistory: false
            // A hash has one byte for this and for what is kept in the history, and the bytes that are stored differ.
            case .externalStorage: names.contains(difference.entity)
            default: unhashed.contains(difference.entity)
            }
        }
        // Also because of entities of the same table that the configuration leaves out.
        let moved = names.intersection(movedProperties.keys)
        return moved.union(differing.map(\.entity)).sorted(by: SQLNaming.precedes).map { "entity '\($0)' differs" }
    }

    /// Whether stores of the source are told apart from those of the destination.
    var needsMigration: Bool {
        // A hash that can't be computed may be known of one of them alone.
        func hashes(_ model: NSManagedObjectModel) -> [String: Data?] {
            let pairs = model.entities.map { ($0.name ?? "", $0.hasComputableVersionHash ? $0.versionHash : nil) }
            return Dictionary(pairs) { first, _ in first }
        }
        return hashes(source) != hashes(destination) || !unhashedDifferences(configuration: nil).isEmpty
    }

    /// What is renamed to names that the version before has, too, or becomes its own inverse: the stores of both versions look the same, so
    /// that none is migrated, on Apple's platforms either.
    func unnoticed(_ differences: [ModelDifference]) -> [String] {
        guard !needsMigration else { return [] }
        return differences.compactMap { difference in
            switch difference.change {
            case .renamed, .inverse:
                return "\(difference), with the same version hashes as before (give it a hash modifier)"
            default: return nil
            }
        }
    }

    /// The roots of the destination in whose hierarchy several of the source have come together, with the source's.
    private func mergedHierarchies() -> [String: [String]] {
        var roots: [String: Set<String>] = [:]
        for match in matches {
            roots[match.destination.rootEntity.name ?? "", default: []].insert(match.source.rootEntity.name ?? "")
        }
        return roots.filter { $0.value.count > 1 }.mapValues { $0.sorted(by: SQLNaming.precedes) }
    }
}

/// The comparison of one entity's two versions.
private struct EntityComparison {
    let matching: ModelMatching
    let match: EntityMatch

    private var name: String { match.destination.name ?? "" }

    func differences() -> [ModelDifference] {
        own().map { ModelDifference(entity: name, change: $0) } + attributes() + relationships() + removed()
    }

    // MARK: The entity

    private func own() -> [ModelDifference.Change] {
        let (old, new) = (match.source, match.destination)
        var changes: [ModelDifference.Change] = []
        if let oldName = old.name, oldName != name { changes.append(.renamed(from: oldName)) }
        if old.isAbstract != new.isAbstract { changes.append(.abstract(new.isAbstract)) }
        if hasOtherParent {
            changes.append(.superentity(from: old.superentity?.name, to: new.superentity?.name))
        }
        let renamed = renamedUniqueness()
        if Set(renamed) != Set(new.uniquenessConstraintNames) {
            changes.append(.uniqueness(from: old.uniquenessConstraintNames, to: new.uniquenessConstraintNames))
        }
        if old.versionHashModifier ?? "" != new.versionHashModifier ?? "" {
            changes.append(.modifier(from: old.versionHashModifier, to: new.versionHashModifier))
        }
        return changes
    }

    private var hasOtherParent: Bool {
        let (old, new) = (match.source.superentity, match.destination.superentity)
        let parent = old.flatMap { matching.match(ofSource: $0)?.destination }
        return parent !== new || (old == nil) != (new == nil)
    }

    /// The older constraints in the newer names.
    private func renamedUniqueness() -> [[String]] {
        var names: [String: String] = [:]
        for (new, old) in match.attributes { names[old.name] = new }
        for (new, old) in match.relationships { names[old.name] = new }
        return match.source.uniquenessConstraintNames.map { $0.map { names[$0] ?? $0 } }
    }

    // MARK: Attributes

    /// Whether a property is to be reported here: the entity's own are, and inherited ones that come from elsewhere than
    /// the parent's do.
    private func isReported(_ new: NSPropertyDescription, old: NSPropertyDescription?) -> Bool {
        if new.isTransient { return false }
        if new.owner === match.destination { return true }
        guard let parent = match.destination.superentity.flatMap(matching.match(ofDestination:)) else { return true }
        return (parent.attributes[new.name] ?? parent.relationships[new.name]) !== old
    }

    /// Whether there are objects of the entity itself that need a property, and a super-entity's don't say so already.
    private func isNeeded(_ property: NSPropertyDescription) -> Bool {
        if property.isTransient || match.destination.isAbstract { return false }
        if property.owner === match.destination { return true }
        let above = Array(match.destination.lineage.dropFirst())
        let end = above.firstIndex { $0 === property.owner }.map { $0 + 1 } ?? above.count
        return !above[..<end].contains { entity in
            guard !entity.isAbstract, let above = matching.match(ofDestination: entity) else { return false }
            return above.attributes[property.name] == nil && above.relationships[property.name] == nil
        }
    }

    private func sorted<Property: NSPropertyDescription>(_ properties: [String: Property]) -> [Property] {
        properties.values.sorted { SQLNaming.precedes($0.name, $1.name) }
    }

    private func difference(
        _ property: NSPropertyDescription, _ change: ModelDifference.Change, _ obstacle: ModelDifference.Obstacle? = nil
    ) -> ModelDifference {
        ModelDifference(entity: name, property: property.name, change: change, obstacle: obstacle)
    }

    private func attributes() -> [ModelDifference] {
        sorted(match.destination.attributesByName).flatMap { new -> [ModelDifference] in
            let old = match.attributes[new.name], isReported = isReported(new, old: old)
            guard let old else {
                let isMissing = !isFilled(new) && isNeeded(new)
                return isReported || isMissing ? [difference(new, .added, isMissing ? .noDefault : nil)] : []
            }
            guard isReported else { return [] }
            return changes(old, new) + elementChanges(new, new.name) + removedElements(old, new)
                + (changesOrder(old, new) ? [difference(new, .elementOrder)] : [])
        }
    }

    /// What became of the elements of a composite attribute, each by its path; those that are gone aside.
    private func elementChanges(_ new: NSAttributeDescription, _ outer: String) -> [ModelDifference] {
        let elements = (new as? NSCompositeAttributeDescription)?.elements ?? []
        return elements.flatMap { element -> [ModelDifference] in
            let path = "\(outer).\(element.name)"
            if let oldPath = match.composites[path] {
                // Its elements are known by their paths to histories, and on servers.
                let oldName = oldPath.split(separator: ".").last.map(String.init) ?? oldPath
                let renamed = ModelDifference(entity: name, property: path, change: .renamed(from: oldName))
                return (oldName == element.name ? [] : [renamed]) + elementChanges(element, path)
            }
            if let oldPath = match.elements[path], let slot = match.source.layout.slot(named: oldPath),
                let old = match.source.layout.slots[slot].property as? NSAttributeDescription
            {
                return changes(old, element).map {
                    ModelDifference(entity: name, property: path, change: $0.change, obstacle: $0.obstacle)
                }
            }
            let obstacle = isFilled(element) ? nil : ModelDifference.Obstacle.noDefault
            return element.storedParts.map {
                ModelDifference(entity: name, property: "\(outer).\($0.name)", change: .added, obstacle: obstacle)
            }
        }
    }

    /// The elements that a composite attribute doesn't have any more, each by its path.
    private func removedElements(_ old: NSAttributeDescription, _ new: NSAttributeDescription) -> [ModelDifference] {
        guard old is NSCompositeAttributeDescription, new is NSCompositeAttributeDescription else { return [] }
        let kept = Set(match.elements.values)
        return old.storedParts.map(\.name).filter { !kept.contains($0) }
            .map { ModelDifference(entity: name, property: $0, change: .removed) }
    }

    /// Whether elements of a composite attribute have changed places, and columns with that.
    private func changesOrder(_ old: NSAttributeDescription, _ new: NSAttributeDescription) -> Bool {
        let paths = new.storedParts.map(\.name)
        let after = paths.compactMap { match.elements[$0] }
        let kept = Set(after)
        let before = old.storedParts.map(\.name).filter { kept.contains($0) }
        return before != after && !(matching.movedProperties[name]?.isDisjoint(with: paths) ?? true)
    }

    private func isFillable(_ attribute: NSAttributeDescription) -> Bool {
        attribute.isOptional || attribute.defaultValue != nil || attribute is NSDerivedAttributeDescription
    }

    /// Whether objects that had nothing for an attribute have what it needs. A composite attribute with a default value among its elements
    /// has a value then, which needs all that is mandatory in it.
    private func isFilled(_ attribute: NSAttributeDescription) -> Bool {
        guard let composite = attribute as? NSCompositeAttributeDescription,
            composite.storedParts.contains(where: { ($0.property as? NSAttributeDescription)?.defaultValue != nil })
        else { return isFillable(attribute) }
        return composite.elements.allSatisfy(isFilled)
    }

    private func changes(_ old: NSAttributeDescription, _ new: NSAttributeDescription) -> [ModelDifference] {
        var found = common(old, new)
        if old.isOptional != new.isOptional {
            found.append(difference(new, .optional(new.isOptional), isFillable(new) ? nil : .noDefault))
        }
        if old.attributeType != new.attributeType {
            let isSafe = new is NSDerivedAttributeDescription || new.attributeType.holds(numbersOf: old.attributeType)
            found.append(
                difference(new, .type(from: old.attributeType, to: new.attributeType), isSafe ? nil : .typeChanged))
        }
        if old.allowsExternalBinaryDataStorage != new.allowsExternalBinaryDataStorage {
            found.append(difference(new, .externalStorage(new.allowsExternalBinaryDataStorage)))
        }
        if old.preservesValueInHistoryOnDeletion != new.preservesValueInHistoryOnDeletion {
            found.append(difference(new, .keptInHistory(new.preservesValueInHistoryOnDeletion)))
        }
        let derivations = [old, new].map { ($0 as? NSDerivedAttributeDescription)?.derivationExpression?.description }
        if derivations[0] != derivations[1] {
            found.append(difference(new, .derivation(from: derivations[0], to: derivations[1])))
        }
        return found
    }

    private func common(_ old: NSPropertyDescription, _ new: NSPropertyDescription) -> [ModelDifference] {
        var found: [ModelDifference] = []
        if old.name != new.name { found.append(difference(new, .renamed(from: old.name))) }
        if old.versionHashModifier ?? "" != new.versionHashModifier ?? "" {
            found.append(difference(new, .modifier(from: old.versionHashModifier, to: new.versionHashModifier)))
        }
        return found
    }

    // MARK: Relationships

    private func relationships() -> [ModelDifference] {
        sorted(match.destination.relationshipsByName).flatMap { new -> [ModelDifference] in
            let old = match.relationships[new.name], isReported = isReported(new, old: old)
            guard let old else {
                let isMissing = !new.isOptional && !new.isToMany && !isFilledByInverse(new) && isNeeded(new)
                return isReported || isMissing ? [difference(new, .added, isMissing ? .nothingToReferTo : nil)] : []
            }
            guard isReported else { return [] }
            return changes(old, new)
        }
    }

    /// Whether the other side existed before, so that its links can be read backwards.
    private func isFilledByInverse(_ new: NSRelationshipDescription) -> Bool {
        guard let inverse = new.inverseRelationship, let owner = inverse.owner else { return false }
        return matching.matches(under: owner).contains { $0.relationships[inverse.name] != nil }
    }

    private func changes(_ old: NSRelationshipDescription, _ new: NSRelationshipDescription) -> [ModelDifference] {
        var found = common(old, new)
        if old.isOptional != new.isOptional { found.append(difference(new, .optional(new.isOptional))) }
        let destination = old.destinationEntity.flatMap { matching.match(ofSource: $0)?.destination }
        if destination !== new.destinationEntity {
            let change = ModelDifference.Change.destination(
                from: old.destinationEntity?.name ?? "none", to: new.destinationEntity?.name ?? "none")
            found.append(difference(new, change, matching.connects(old, to: new) ? nil : .unrelatedDestination))
        }
        if let change = inverseChange(old, new) { found.append(difference(new, change)) }
        let counts = [old, new].map { ModelDifference.ClosedCount(minimum: $0.minCount, maximum: $0.maxCount) }
        if counts[0] != counts[1] { found.append(difference(new, .count(from: counts[0], to: counts[1]))) }
        if old.isOrdered != new.isOrdered { found.append(difference(new, .ordered(new.isOrdered))) }
        return found
    }

    private func inverseChange(
        _ old: NSRelationshipDescription, _ new: NSRelationshipDescription
    ) -> ModelDifference.Change? {
        let (before, after) = (old.inverseRelationship, new.inverseRelationship)
        if before == nil, after == nil { return nil }
        if let before, let after, let owner = before.owner,
            matching.match(ofSource: owner)?.relationships[after.name] === before
        {
            return nil
        }
        return .inverse(from: before?.name, to: after?.name)
    }

    // MARK: What is gone

    private func removed() -> [ModelDifference] {
        let kept = Set(
            match.attributes.values.map(ObjectIdentifier.init) + match.relationships.values.map(ObjectIdentifier.init))
        // What the parent doesn't have any more is reported there; what stays with a parent that the entity leaves, here.
        let candidates = hasOtherParent ? Array(match.source.propertiesByName.values) : match.source.ownProperties
        return
            candidates
            .filter { property in
                !property.isTransient && !(property is NSFetchedPropertyDescription)
                    && !kept.contains(ObjectIdentifier(property))
            }
            .map(\.name).sorted(by: SQLNaming.precedes)
            .map { ModelDifference(entity: name, property: $0, change: .removed) }
    }
}

extension NSAttributeType {
    /// Whether each number of another type is one of this type, too. Core Data infers conversions between numbers; those that
    /// may change a value are left to a mapping model.
    fileprivate func holds(numbersOf other: NSAttributeType) -> Bool {
        switch other {
        case .integer16AttributeType:
            [.integer32AttributeType, .integer64AttributeType, .floatAttributeType, .doubleAttributeType].contains(self)
        case .integer32AttributeType: [.integer64AttributeType, .doubleAttributeType].contains(self)
        case .floatAttributeType: self == .doubleAttributeType
        default: false
        }
    }
}
