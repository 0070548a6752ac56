// What the model demands of properties, as far as changes can break it: mandatory attributes and relationships, and the number of
// members. Rules about single values hold for the combination of two sides if they hold for each; saving checks them.

import CoreData

/// A property that the model doesn't allow as it is.
struct RuleViolation {
    var row: RowReference
    var number: Int
    /// Core Data's error code.
    var code: Int
    /// What is wrong, in words.
    var reason: String
}

extension GraphSnapshot {
    /// What is wrong with a property of a row; nil where nothing is, or where the snapshot says nothing of it.
    func violation(_ number: Int, of row: RowReference) -> RuleViolation? {
        let table = tables[row.entity]
        let property = schema.entities[row.entity].properties[number]
        guard table.hasValue(number, row: row.row) else { return nil }
        let isEmpty =
            switch property.kind {
            case .attribute: table.value(property.column, row: row.row).isNull
            case .toOne: table.toOne(property.column, row: row.row).isNone
            case .toMany: false
            }
        if isEmpty, !property.isOptional {
            return RuleViolation(
                row: row, number: number, code: NSValidationMissingMandatoryPropertyError,
                reason: "it is required and has no value")
        }
        guard property.isToMany, property.minimumCount != nil || property.maximumCount != nil else { return nil }
        let count = MembersComparison.unique(destinations(of: row, property)).count
        if count == 0, property.isOptional { return nil }
        if let minimum = property.minimumCount, count < minimum {
            return RuleViolation(
                row: row, number: number, code: NSValidationRelationshipLacksMinimumCountError,
                reason: "it has \(count) members and needs at least \(minimum)")
        }
        if let maximum = property.maximumCount, count > maximum {
            return RuleViolation(
                row: row, number: number, code: NSValidationRelationshipExceedsMaximumCountError,
                reason: "it has \(count) members and may have at most \(maximum)")
        }
        return nil
    }
}

extension SnapshotPatcher {
    /// What is wrong with what was changed, and wasn't wrong before, by row and property.
    ///
    /// - Parameter original: The snapshot before the changes.
    func violations(since original: GraphSnapshot) -> [RuleViolation] {
        var touched = Set(links.keys).union(assignments)
        for row in newRows {
            for number in scope.schema.entities[row.entity].properties.indices {
                touched.insert(LinkEnd(row: row, number: number))
            }
        }
        return touched.compactMap { end -> RuleViolation? in
            guard scope.entities[end.row.entity].contains[end.number],
                !snapshot.tables[end.row.entity].flags[end.row.row].contains(.dead),
                !snapshot.isReference(end.row.entity, end.row.row, scope),
                let violation = snapshot.violation(end.number, of: end.row)
            else { return nil }
            let wasThere = end.row.row < original.tables[end.row.entity].count
            return wasThere && original.violation(end.number, of: end.row) != nil ? nil : violation
        }.sorted { ($0.row, $0.number) < ($1.row, $1.number) }
    }

    /// Refuses changes that leave something as the model doesn't allow it.
    ///
    /// - Throws: ``GraftError`` with `validation` for the first property.
    mutating func checkRules(since original: GraphSnapshot) throws {
        guard let first = violations(since: original).first else { return }
        let entity = scope.schema.entities[first.row.entity]
        throw GraftError(
            .validation(
                code: first.code, reason: "with these changes, \(key(of: first.row)) isn't valid: \(first.reason)"),
            at: .init(entity: entity.name, property: entity.properties[first.number].name))
    }
}
