// Derived attributes of the in-memory store, where SQLite has triggers.

import Foundation

/// The derived attributes of a model.
struct DerivedAttributes {
    private struct Attribute {
        let entity: NSEntityDescription
        let attribute: NSDerivedAttributeDescription
        let expression: NSExpression
        /// Whether something else than the row's own values and the moment counts, so that any save can change it.
        let followsRelationships: Bool
    }

    private let attributes: [Attribute]

    init(_ model: NSManagedObjectModel) {
        attributes = model.entities.flatMap { entity in
            entity.properties.compactMap { property in
                guard let derived = property as? NSDerivedAttributeDescription,
                    let expression = derived.derivationExpression
                else { return nil }
                let isOwn = expression.keyPaths?.allSatisfy { entity.attributesByName[$0] != nil } ?? expression.isNow
                return Attribute(
                    entity: entity, attribute: derived, expression: expression, followsRelationships: !isOwn)
            }
        }
    }

    var isEmpty: Bool { attributes.isEmpty }

    /// Computes what a save may have changed: of the rows that it has written what depends on them alone, of all rows what
    /// follows a relationship.
    ///
    /// - Parameter rows: All rows of an entity and its sub-entities.
    func compute(written: [StoredRow], rows: (NSEntityDescription) -> [StoredRow]) {
        for derived in attributes {
            let concerned = derived.followsRelationships ? rows(derived.entity) : written
            for row in concerned where row.id.entity.isKindOf(entity: derived.entity) {
                guard let slot = row.layout.slot(named: derived.attribute.name) else { continue }
                let value = ExpressionEvaluator.operand(of: derived.expression, in: EvaluationScope(object: row))
                    .boxed(as: derived.attribute.attributeType)
                row.values[slot] = ManagedValue(boxed: value, for: derived.attribute) ?? .null
            }
        }
    }
}
