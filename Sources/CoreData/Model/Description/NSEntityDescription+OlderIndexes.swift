// The older ways to ask for an index: a flag of an attribute, and lists of names. Both are views of the entity's
// `indexes`, as in Core Data, whose compiler turns them into indexes named after their properties:
//
//     isIndexed of `id`                 index `id` (id)
//     compoundIndexes [["a", "b"]]      index `a_b` (a, b)

import Foundation

extension NSPropertyDescription {
    /// Whether a store keeps an ascending index of this attribute alone, be it of all rows or a partial one; always true of a
    /// relationship. Superseded by ``NSEntityDescription/indexes``.
    ///
    /// Setting it adds or removes indexes of all rows. It changes nothing for a relationship.
    public var isIndexed: Bool {
        // Observed: macOS (FreeCoreData's tests of indexes).
        get {
            if self is NSRelationshipDescription { return true }
            return owner?.indexes.contains { $0.ascendingNames == [name] } ?? wantsIndex
        }
        set {
            willChange()
            guard let owner, self is NSAttributeDescription else {
                wantsIndex = newValue
                return
            }
            if newValue {
                owner.addIndex(of: [name])
            } else {
                owner.indexes.removeAll { $0.plainNames == [name] }
            }
        }
    }
}

extension NSEntityDescription {
    /// Combinations of properties that a store indexes; names or descriptions. Superseded by ``indexes``.
    ///
    /// Setting it replaces the indexes of more than one property.
    public var compoundIndexes: [[Any]] {
        get { indexes.compactMap(\.plainNames).filter { $0.count > 1 } }
        set {
            indexes.removeAll { ($0.plainNames?.count ?? 0) > 1 }
            for list in newValue { addIndex(of: list.map(Self.propertyName)) }
        }
    }

    final func hasIndex(of names: [String]) -> Bool { indexes.contains { $0.plainNames == names } }

    /// Adds an index of the entity's own or inherited properties, named after them, unless there is one.
    final func addIndex(of names: [String]) {
        guard !names.isEmpty, !hasIndex(of: names) else { return }
        let properties = propertiesByName
        let elements = names.map { name in
            let element = NSFetchIndexElementDescription(propertyName: name, collationType: .binary)
            element.property = properties[name] ?? Self.indexedExpression(named: name)
            return element
        }
        indexes.append(NSFetchIndexDescription(name: names.joined(separator: "_"), elements: elements))
    }

    /// What the older lists may name beside properties: the object itself and its entity. Nil for any other name.
    private static func indexedExpression(named name: String) -> NSExpressionDescription? {
        let description = NSExpressionDescription()
        description.name = name
        switch name {
        case "self":
            description.expression = .expressionForEvaluatedObject()
            description.expressionResultType = .objectIDAttributeType
        case "entity": description.expression = NSExpression(forKeyPath: name)
        default: return nil
        }
        return description
    }

    /// Gives the attributes an index that asked for it before they had an entity.
    final func addWantedIndexes() {
        for property in ownProperties where property.wantsIndex && property is NSAttributeDescription {
            property.wantsIndex = false
            addIndex(of: [property.name])
        }
    }
}

extension NSFetchIndexDescription {
    /// The names of the properties, where the index is nothing but an ascending list of them; else nil.
    final var plainNames: [String]? { partialIndexPredicate == nil ? ascendingNames : nil }

    /// As ``plainNames``, whichever rows are in the index.
    fileprivate final var ascendingNames: [String]? {
        var names: [String] = []
        for element in elements {
            guard element.collationType == .binary, element.isAscending, let name = element.propertyName,
                !(element.property is NSExpressionDescription)
            else { return nil }
            names.append(name)
        }
        return names
    }
}
