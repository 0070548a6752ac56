// Objects that aren't of the entity that their data says: an employee has become a manager. Core Data's objects can't change
// their entity, so one stays what it is, or a new one takes its place.

import CoreData
import Foundation

extension BatchImporter {
    /// Does what the policy says with each object that isn't of its row's entity.
    func changeEntities(_ snapshot: borrowing GraphSnapshot) throws {
        for (entity, plan) in plans.enumerated() where plan.entityChangePolicy != .keep {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = matcher.objects[entity][row], let number = number(of: object),
                    !schema.isEntity(number, kindOf: entity), !plan.isReference(row, snapshot)
                else { continue }
                guard plan.entityChangePolicy == .replace, !plan.isAbstract else {
                    throw GraftError(
                        .other(
                            finding: "the object is stored as a \(plans[number].name), and the data says "
                                + "that it is a \(plan.name)",
                            remedy: "Delete the stored object, or set JSONEntityChange to keep or replace."),
                        at: .init(byteOffset: snapshot.tables[entity].knownOffset(row), entity: plan.name))
                }
                let new = matcher.known.make(entity)
                editor.made(new)
                matcher.objects[entity][row] = new
                // What the old one had counts as its own, so that it is updated and not filled from nothing.
                states[entity][row].insert(.changed)
                try move(from: object, to: new, schema.commonPropertyCount(number, entity), plan)
                deletions.doomed.append(object)
            }
        }
    }

    /// Moves what two entities have in common from one object to another one.
    private func move(
        from old: NSManagedObject, to new: NSManagedObject, _ count: Int, _ plan: ImportPlan
    ) throws {
        for (number, property) in plan.properties.prefix(count).enumerated() where !property.isDerived {
            switch property.kind {
            case .attribute:
                try new.assign(try old.graphValue(number, property), number, property)
            case .toOne:
                let destination = old.destination(number, property)
                try editor.connect(number, property, of: old, to: nil)
                try editor.connect(number, property, of: new, to: destination, isNew: true)
            case .toMany:
                let members = old.members(number, property)
                try editor.connect(number, property, of: old, to: [])
                try editor.connect(number, property, of: new, to: members, isNew: true)
            }
        }
    }

    /// Gives the first record to an object, whatever its identity.
    ///
    /// - Throws: ``GraftError`` where the object can't be what the data is about.
    func take(_ target: NSManagedObject, _ snapshot: borrowing GraphSnapshot) throws {
        guard snapshot.roots.count == 1 else {
            throw GraftError(
                .other(
                    finding: "the data has \(snapshot.roots.count) objects, and one is to be filled",
                    remedy: "Give the data of one object."),
                at: .init(entity: target.entity.name))
        }
        let root = snapshot.resolved(snapshot.roots[0])
        guard let number = number(of: target), matcher.mapping.canBeSame(number, root.entity) else {
            throw GraftError(
                .wrongType(
                    found: "an object of the entity '\(target.entity.name ?? "")' to be filled",
                    expected: "\(plans[root.entity].name)"),
                at: .init(entity: plans[root.entity].name))
        }
        matcher.objects[root.entity][root.row] = target
        self.target = nil
        try refuseDouble(of: target, root, snapshot)
    }

    /// Makes sure that no other object has the identity that an object is about to get.
    private func refuseDouble(
        of target: NSManagedObject, _ root: RowReference, _ snapshot: borrowing GraphSnapshot
    ) throws {
        let plan = plans[root.entity]
        guard !plan.identity.isEmpty, matcher.isIdentified(root.entity, root.row, snapshot) else { return }
        let identity = snapshot.identity(of: root)
        let other = try matcher.find([
            ImportReport.UnresolvedReference.Object(entity: schema.entities[plan.space].name, identity: identity)
        ])[0]
        guard let other, other !== target else { return }
        throw GraftError(
            .duplicateIdentity(identity.map(\.description).joined(separator: ", ")),
            at: .init(byteOffset: snapshot.tables[root.entity].knownOffset(root.row), entity: plan.name))
    }
}
