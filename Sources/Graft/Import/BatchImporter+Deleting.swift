// Deleting: what owners gave up, what a policy replaces, what the data doesn't mention. It is the last step of an import,
// because it isn't undone; and what the data mentions anywhere isn't deleted.

import CoreData
import Foundation

extension BatchImporter {
    /// Remembers which objects a batch mentions.
    func noteMentioned(_ snapshot: borrowing GraphSnapshot) {
        for (entity, plan) in plans.enumerated() {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = objects[entity][row] else { continue }
                if !hasData[entity], !isReference(plan, row, snapshot) { hasData[entity] = true }
                mentioned.insert(object.objectID)
            }
        }
    }

    /// Deletes the objects that their owners gave up and nobody has any more.
    func deleteGivenUp() {
        for object in countGivenUp() { context.delete(object) }
        orphans.removeAll()
        replaced.removeAll()
    }

    /// Counts the objects that ``deleteGivenUp()`` would delete, and returns them.
    @discardableResult
    func countGivenUp() -> [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        let all = replaced + orphans.filter(isToGo).map(\.object)
        return all.filter { object in
            guard !object.isDeleted, object.managedObjectContext != nil, let number = number(of: object),
                seen.insert(ObjectIdentifier(object)).inserted
            else { return false }
            counts[number].deleted += 1
            return true
        }
    }

    private func isToGo(_ given: GivenUp) -> Bool {
        guard let number = number(of: given.object), given.object.managedObjectContext != nil else { return false }
        if given.isReplaced {
            if !isInputComplete || mentioned.contains(given.object.objectID) { return false }
            if let inverse = given.inverse, hasOwner(given.object, inverse, plans[number]) { return false }
        }
        return isOrphaned(given.object, plans[number])
    }

    private func hasOwner(_ object: NSManagedObject, _ number: Int, _ plan: ImportPlan) -> Bool {
        let property = plan.properties[number]
        return property.isToMany
            ? !object.members(number, property).isEmpty : object.destination(number, property) != nil
    }

    /// Whether no relationship that owns objects of this kind leads to an object.
    private func isOrphaned(_ object: NSManagedObject, _ plan: ImportPlan) -> Bool {
        for number in plan.relationships {
            let property = plan.properties[number]
            guard let destination = property.destination, let inverse = property.inverse,
                schema.entities[destination].properties[inverse].isOwning
            else { continue }
            if hasOwner(object, number, plan) { return false }
        }
        return true
    }

    // MARK: Orphans

    /// Finds the stored objects that the data doesn't mention, of the entities whose policy is to delete them.
    ///
    /// - Parameter allowsEmptyInput: Whether data without a single object of an entity makes orphans of all.
    /// - Throws: ``GraftError`` where they are more than the limit of their entity, or its predicate is none.
    func orphansOfData(allowsEmptyInput: Bool) throws -> [NSManagedObject] {
        var found: [NSManagedObject] = []
        for plan in plans where isInputComplete {
            guard let rule = plan.orphans else { continue }
            let hasObjects = (plan.number..<schema.entities[plan.number].end).contains { hasData[$0] }
            guard hasObjects || allowsEmptyInput else { continue }
            let request = NSFetchRequest<NSManagedObject>(entityName: plan.name)
            request.includesPendingChanges = false
            if let format = rule.predicate { request.predicate = try predicate(format, plan) }
            let orphans = try fetch(request).filter { !$0.isDeleted && !mentioned.contains($0.objectID) }
            if let limit = rule.limit, orphans.count > limit {
                throw GraftError(
                    .other(
                        finding: "the data doesn't mention \(orphans.count) objects that would be deleted, "
                            + "and the limit is \(limit)",
                        remedy: "Check that the data is complete; then raise JSONOrphanLimit, or set it to nil in code."
                    ),
                    at: .init(entity: plan.name))
            }
            found += orphans
        }
        return found
    }

    /// Counts objects that are to be deleted.
    func countDeleted(_ objects: [NSManagedObject]) {
        for object in objects { if let number = number(of: object) { counts[number].deleted += 1 } }
    }

    private func predicate(_ format: String, _ plan: ImportPlan) throws -> NSPredicate {
        do {
            return try NSPredicate.checked(format)
        } catch {
            throw GraftError(
                .invalidMapping(
                    reason: "\(Annotation.orphanPredicate) '\(format)' isn't a predicate",
                    remedy: "Write it in the format language of NSPredicate."),
                at: .init(entity: plan.name), underlying: error)
        }
    }
}
