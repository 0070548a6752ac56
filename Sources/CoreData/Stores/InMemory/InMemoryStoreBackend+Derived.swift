// Derived attributes of the in-memory store, where SQLite has triggers.

import Foundation

/// The derived attributes of a model.
struct DerivedAttributes {
    private struct Attribute {
        let entity: NSEntityDescription
        let attribute: NSDerivedAttributeDescription
        let expression: NSExpression
        /// The relationships that lead to what the value is computed from, path by path, the last one first; nil where a row whose value
        /// changes can't be found from there.
        let paths: [[NSRelationshipDescription]]?
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
                let isKnown = expression.keyPaths != nil || expression.isNow
                return Attribute(
                    entity: entity, attribute: derived, expression: expression,
                    paths: isKnown ? Self.paths(expression.keyPaths ?? [], entity) : nil)
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

    /// Where key paths lead through relationships; nil where one of them can't be followed back.
    private static func paths(
        _ keyPaths: [String], _ entity: NSEntityDescription
    ) -> [[NSRelationshipDescription]]? {
        let paths = keyPaths.map { path in
            Array(properties(path, entity).compactMap { $0 as? NSRelationshipDescription }.reversed())
        }
        return paths.joined().allSatisfy { $0.keptInverse != nil } ? paths.filter { !$0.isEmpty } : nil
    }

    var isEmpty: Bool { attributes.isEmpty }

    /// The rows whose values follow relationships to some rows, as these are linked now: before a save or after it.
    func followers(of rows: [StoredRow]) -> Set<StoredRow> {
        var found: Set<StoredRow> = []
        for path in attributes.flatMap({ $0.paths ?? [] }) {
            var reached: Set<StoredRow> = []
            for relationship in path {
                guard let inverse = relationship.keptInverse, let entity = relationship.destinationEntity else {
                    continue
                }
                reached.formUnion(rows.filter { $0.id.entity.isKindOf(entity: entity) })
                reached = Set(reached.flatMap { $0.destinations(inverse.name) })
            }
            found.formUnion(reached)
        }
        return found
    }

    /// Computes what a save may have changed.
    ///
    /// - Parameters:
    ///   - written: The rows inserted and updated.
    ///   - followers: Those of all rows of the save, before it and after it.
    ///   - rows: All rows of an entity and its sub-entities.
    func compute(
        written: [StoredRow], followers: Set<StoredRow>, rows: (NSEntityDescription) -> [StoredRow]
    ) {
        let affected = Array(followers.union(written))
        var all: [ObjectIdentifier: [StoredRow]] = [:]
        func allRows(_ entity: NSEntityDescription) -> [StoredRow] {
            if let known = all[ObjectIdentifier(entity)] { return known }
            let found = rows(entity)
            all[ObjectIdentifier(entity)] = found
            return found
        }
        for derived in attributes {
            let rows = derived.paths == nil ? allRows(derived.entity) : derived.expression.isNow ? written : affected
            _ = compute(derived, rows)
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
