// Links of a store that an archive can't keep: to objects that aren't there, and between two objects of which only one has it, where
// the archive says the link at the other end. Both come from programs that wrote rows by themselves, or from damage.

import CoreData
import Foundation

/// Watches the links of an archive that is written.
final class ArchiveLinks {
    /// One end of a link between two objects: the end that the archive doesn't say.
    private struct End: Hashable {
        var object: ObjectIDKey
        var property: Int
        var destination: ObjectIDKey
    }

    private let onDamage: (@Sendable (GraftError) -> Void)?
    /// By entity of the plan: the to-one relationships whose inverse, a to-one relationship too, says the link.
    private let unsaid: [[(number: Int, property: GraphSchema.Property)]]
    private let schema: GraphSchema
    private var said: Set<End> = []
    private var found: [(end: End, error: GraftError)] = []

    init(_ plan: ArchivePlan, onDamage: (@Sendable (GraftError) -> Void)?) {
        self.onDamage = onDamage
        let schema = plan.schema
        self.schema = schema
        unsaid = plan.entities.map { entity in
            let properties = schema.entities[entity.number].properties
            return properties.indices.compactMap { number in
                guard Self.isPair(properties[number], schema), !entity.properties.contains(number) else { return nil }
                return (number, properties[number])
            }
        }
    }

    private static func isPair(_ property: GraphSchema.Property, _ schema: GraphSchema) -> Bool {
        guard case .toOne(let destination) = property.kind, let inverse = property.inverse, !property.isTransient else {
            return false
        }
        return !schema.entities[destination].properties[inverse].isToMany
    }

    /// Takes note of a link to an object that isn't there.
    ///
    /// - Throws: ``GraftError``, unless somebody wants to be told instead.
    func noteMissing(_ id: NSManagedObjectID, of property: String, from object: NSManagedObject) throws {
        var error = damage(
            "row \(Self.row(object.objectID)) leads to row \(Self.row(id)) of '\(id.entity.name ?? "")', which isn't there"
        )
        error.place = .init(entity: object.entity.name, property: property)
        try report(error)
    }

    /// Takes note of a link that the archive says.
    func note(_ number: Int, _ property: GraphSchema.Property, from object: NSManagedObject, to id: NSManagedObjectID) {
        guard let inverse = property.inverse, Self.isPair(property, schema) else { return }
        said.insert(End(object: id.lookupKey, property: inverse, destination: object.objectID.lookupKey))
    }

    /// Takes note of the links of an object that the archive says at their other ends.
    func noteOtherEnds(of object: NSManagedObject, _ entity: Int) {
        for (number, property) in unsaid[entity] {
            guard let id = object.destinationID(number, property) else { continue }
            let end = End(object: object.objectID.lookupKey, property: number, destination: id.lookupKey)
            var error = damage(
                "row \(Self.row(object.objectID)) leads to row \(Self.row(id)) of '\(id.entity.name ?? "")', which doesn't lead back"
            )
            error.place = .init(entity: object.entity.name, property: property.name)
            found.append((end, error))
        }
    }

    /// Finds the links that only one end has.
    func checkOtherEnds() throws {
        for (end, error) in found where !said.contains(end) { try report(error) }
    }

    private func report(_ error: GraftError) throws {
        guard let onDamage else { throw error }
        onDamage(error)
    }

    private func damage(_ finding: String) -> GraftError {
        GraftError(
            .other(
                finding: finding,
                remedy:
                    "Repair the rows, or leave such links out: graft archive --keep-going, or WritingOptions.onDamage.")
        )
    }

    private static func row(_ id: NSManagedObjectID) -> String {
        let text = id.uriRepresentation().lastPathComponent
        return text.hasPrefix("p") ? String(text.dropFirst()) : text
    }
}
