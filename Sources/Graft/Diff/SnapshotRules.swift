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
        if !property.isOptional, !property.isToMany, table.isNothing(property, row: row.row) {
            return RuleViolation(
                row: row, number: number, code: NSValidationMissingMandatoryPropertyError,
                reason: "it is required and has no value")
        }
        guard property.isToMany, property.minimumCount != nil || property.maximumCount != nil else { return nil }
        let count = uniqueDestinations(of: row, property).count
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
                touched.insert(GraphSnapshot.Cell(row: row, property: number))
            }
        }
        return touched.sorted().compactMap { cell -> RuleViolation? in
            let row = cell.row
            guard scope.entities[row.entity].contains[cell.property],
                !snapshot.tables[row.entity].flags[row.row].contains(.dead),
                !snapshot.isReference(row.entity, row.row, scope),
                let violation = snapshot.violation(cell.property, of: row)
            else { return nil }
            let wasThere = row.row < original.tables[row.entity].count
            return wasThere && original.violation(cell.property, of: row) != nil ? nil : violation
        }
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
