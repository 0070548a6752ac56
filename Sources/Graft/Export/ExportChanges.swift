// Which properties differ of the objects that an export of changes meets. RowComparison finds them; here is only what stands for the
// objects: both states of the same object, or its row in a snapshot, by identity.

import CoreData

/// Compares objects with what they were.
final class ExportChanges {
    /// What has changed in one object.
    enum Change {
        /// The object is new, or can't be compared.
        case all
        /// The numbers of the properties; none where nothing has.
        case properties(Set<Int>)

        func contains(_ property: Int) -> Bool {
            switch self {
            case .all: true
            case .properties(let numbers): numbers.contains(property)
            }
        }

        var isEmpty: Bool {
            switch self {
            case .all: false
            case .properties(let numbers): numbers.isEmpty
            }
        }
    }

    private let model: NSManagedObjectModel
    /// Nil for changes since the last save.
    private let base: GraphSnapshot?
    private let scope: DiffScope
    private let presence = PresenceCheck()
    /// Of the objects that have been compared, those that differ.
    private var found: [ObjectIDKey: Change] = [:]

    /// Nil for an export of everything.
    ///
    /// - Throws: ``GraftError`` with `modelMismatch` for a snapshot of another model.
    init?(
        _ scope: ExportOptions.Scope, _ model: NSManagedObjectModel, _ schema: GraphSchema, _ plans: [ExportPlan]
    ) throws {
        switch scope {
        case .everything: return nil
        case .changesSinceSave: base = nil
        case .changes(let snapshot):
            base = try snapshot.inOrder(of: schema, orFailAs: "the snapshot was made with another model")
                .completingInverses()
        }
        self.model = model
        self.scope = DiffScope(schema) { entity, number in
            let property = plans[entity].properties[number]
            return !property.isTransient && !property.isDerived && plans[entity].written.contains(number)
        }
    }

    /// What has changed in an object that has been compared.
    func change(of object: NSManagedObject) -> Change {
        object.isInserted ? .all : found[object.objectID.lookupKey] ?? .properties([])
    }

    /// Compares objects with what they were.
    ///
    /// - Complexity: O(*n*) in the objects and their links, and an allocation of the size of the snapshot.
    func compare(_ objects: [NSManagedObject]) throws {
        let objects = objects.filter { object in
            !object.isInserted && (base != nil || object.hasChanges) && !presence.isGone(object)
        }
        if objects.isEmpty { return }
        let now = try rows(of: objects, .current)
        let comparison: RowComparison
        if let base {
            let matching = RowMatching(identitiesOf: now.snapshot, in: base, scope)
            comparison = RowComparison(now.snapshot, base, scope, matching, takesAbsentAsNull: true)
        } else {
            let before = try rows(of: objects, .committed)
            let pairs = now.objectsByRow.compactMap { row, object in before.row(of: object).map { (row, $0) } }
            let matching = RowMatching(now.snapshot, before.snapshot, scope, known: pairs)
            comparison = RowComparison(now.snapshot, before.snapshot, scope, matching, takesAbsentAsNull: true)
        }
        for object in objects {
            guard let row = now.row(of: object) else { continue }
            let other = comparison.matching.toNew[row.entity][row.row]
            if other.isNone {
                found[object.objectID.lookupKey] = .all
            } else if other.entity == row.entity {
                let numbers = comparison.changedProperties(row, other)
                if !numbers.isEmpty { found[object.objectID.lookupKey] = .properties(Set(numbers)) }
            }
        }
    }

    private func rows(
        of objects: [NSManagedObject], _ values: GraphSnapshot.ObjectValues
    ) throws -> ObjectSnapshotReader {
        var reader = ObjectSnapshotReader(scope, model, values)
        reader.ignoresDamage = true
        try reader.read(objects, isFollowing: false)
        return reader
    }
}
