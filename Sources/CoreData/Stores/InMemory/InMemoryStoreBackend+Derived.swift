// Derived attributes of the in-memory store, where SQLite has triggers.

import Foundation

/// The derived attributes of a model.
struct DerivedAttributes {
    private struct Attribute {
        let entity: NSEntityDescription
        let attribute: NSDerivedAttributeDescription
        let expression: NSExpression
        /// The root entities of whose rows any may change the value of any row; empty where the row's own values are all.
        let others: Set<ObjectIdentifier>
    }

    private let attributes: [Attribute]
    /// Whether an attribute is computed from another one.
    private let dependOnEachOther: Bool
    /// Values that depend on each other go from row to row: as many times as a chain of rows is long.
    private static let roundLimit = 100_000

    init(_ model: NSManagedObjectModel) {
        var dependOnEachOther = false
        attributes = model.entities.flatMap { entity in
            entity.ownProperties.compactMap { property in
                guard let derived = property as? NSDerivedAttributeDescription,
                    let expression = derived.derivationExpression
                else { return nil }
                let read = (expression.keyPaths ?? []).flatMap { Self.properties($0, entity) }
                dependOnEachOther = dependOnEachOther || read.contains { $0 is NSDerivedAttributeDescription }
                let destinations = read.compactMap { ($0 as? NSRelationshipDescription)?.destinationEntity?.rootEntity }
                // What can't be told may be anything.
                let isKnown = expression.keyPaths != nil || expression.isNow
                let others = isKnown ? destinations + (destinations.isEmpty ? [] : [entity.rootEntity]) : model.entities
                return Attribute(
                    entity: entity, attribute: derived, expression: expression,
                    others: Set(others.map(ObjectIdentifier.init)))
            }
        }
        self.dependOnEachOther = dependOnEachOther
    }

    /// The properties that a key path leads through.
    private static func properties(_ path: String, _ entity: NSEntityDescription) -> [NSPropertyDescription] {
        var entity: NSEntityDescription? = entity
        return path.split(separator: ".").filter { !$0.hasPrefix("@") }.compactMap { name in
            let property = entity?.propertiesByName[String(name)]
            entity = (property as? NSRelationshipDescription)?.destinationEntity
            return property
        }
    }

    var isEmpty: Bool { attributes.isEmpty }

    /// Computes what a save may have changed: of the rows that it has written what depends on them alone, of all rows what
    /// follows a relationship to entities that it has changed.
    ///
    /// - Parameters:
    ///   - written: The rows inserted and updated.
    ///   - changed: The IDs of all rows of the save, deleted ones included.
    ///   - rows: All rows of an entity and its sub-entities.
    func compute(
        written: [StoredRow], changed: [NSManagedObjectID], rows: (NSEntityDescription) -> [StoredRow]
    ) {
        let touched = Set(changed.map { ObjectIdentifier($0.entity.rootEntity) })
        var all: [ObjectIdentifier: [StoredRow]] = [:]
        func allRows(_ entity: NSEntityDescription) -> [StoredRow] {
            if let known = all[ObjectIdentifier(entity)] { return known }
            let found = rows(entity)
            all[ObjectIdentifier(entity)] = found
            return found
        }
        for derived in attributes where derived.others.isEmpty || !derived.others.isDisjoint(with: touched) {
            _ = compute(derived, derived.others.isEmpty ? written : allRows(derived.entity))
        }
        guard dependOnEachOther else { return }
        // What never comes to rest stays as it is in the end; a SQLite store refuses to save it.
        for _ in 0..<Self.roundLimit {
            var isChanged = false
            for derived in attributes where !derived.expression.isNow {
                if compute(derived, allRows(derived.entity)) { isChanged = true }
            }
            if !isChanged { return }
        }
    }

    /// Computes one attribute of some rows, and returns whether a value is another one now.
    private func compute(_ derived: Attribute, _ rows: [StoredRow]) -> Bool {
        var isChanged = false
        for row in rows where row.id.entity.isKindOf(entity: derived.entity) {
            guard let slot = row.layout.slot(named: derived.attribute.name) else { continue }
            // What can't be evaluated is missing; a SQLite store refuses such a model.
            let scope = EvaluationScope(object: row, failure: EvaluationFailure())
            let value = ExpressionEvaluator.operand(of: derived.expression, in: scope)
                .boxed(as: derived.attribute.attributeType)
            let new = ManagedValue(boxed: value, for: derived.attribute) ?? .null
            let (before, after) = (row.values[slot].boxedAttribute as? NSObject, new.boxedAttribute as? NSObject)
            if before == after { continue }
            row.values[slot] = new
            isChanged = true
        }
        return isChanged
    }
}
