// Deleting: what owners gave up, what a policy replaces, what the data says is gone or doesn't mention. It is the last step of
// an import, because it isn't undone; and what the data mentions anywhere isn't deleted.

import CoreData
import Foundation

extension BatchImporter {
    /// Remembers which objects a batch mentions.
    func noteMentioned(_ snapshot: borrowing GraphSnapshot) {
        for (entity, plan) in plans.enumerated() {
            for row in 0..<snapshot.tables[entity].count {
                guard let object = objects[entity][row] else { continue }
                if !hasData[entity], !isReference(plan, row, snapshot) { hasData[entity] = true }
                mentioned.insert(object.objectID.lookupKey)
            }
        }
    }

    /// Notes the objects that the data says are gone. From then on their rows stand for nothing.
    func takeGone(_ snapshot: borrowing GraphSnapshot) {
        for entity in plans.indices {
            for row in 0..<snapshot.tables[entity].count where snapshot.tables[entity].flags[row].contains(.gone) {
                guard let object = objects[entity][row] else { continue }
                doomed.append(object)
                objects[entity][row] = nil
            }
        }
    }

    /// Decides which objects go, with what they own, and counts them.
    ///
    /// - Parameters:
    ///   - objects: Objects to delete besides those that their owners gave up.
    ///   - isDryRun: Whether limits are noted in ``exceededLimits`` only.
    /// - Returns: The objects to delete; the rest goes by the delete rules.
    /// - Throws: ``GraftError`` where they are more than the limit of an entity; nothing is deleted then.
    func decideDeletions(_ objects: [NSManagedObject] = [], isDryRun: Bool = false) throws -> [NSManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        let chosen = (doomed + orphans.filter(isToGo).map(\.object) + objects).filter { object in
            !object.isDeleted && object.managedObjectContext != nil && number(of: object) != nil
                && seen.insert(ObjectIdentifier(object)).inserted
        }
        orphans.removeAll()
        doomed.removeAll()
        var pending = chosen
        var isStored = false
        while let object = pending.popLast() {
            guard let number = number(of: object) else { continue }
            if !object.objectID.isTemporaryID { isStored = true }
            counts[number].deleted += 1
            for part in plans[number].relationships where plans[number].properties[part].isOwning {
                pending += object.relatedObjects(part, plans[number].properties[part]).filter {
                    !$0.isDeleted && seen.insert(ObjectIdentifier($0)).inserted
                }
            }
        }
        if isStored { try checkDeletionLimits(isDryRun: isDryRun) }
        return chosen
    }

    /// Deletes objects.
    func delete(_ objects: [NSManagedObject]) { for object in objects { context.delete(object) } }

    private func checkDeletionLimits(isDryRun: Bool) throws {
        for plan in plans {
            guard let limit = plan.deletionLimit else { continue }
            let deleted = (plan.number..<schema.entities[plan.number].end).reduce(0) { $0 + counts[$1].deleted }
            guard deleted > 0 else { continue }
            let total = try storedCounts[plan.number] ?? context.count(for: request(plan))
            storedCounts[plan.number] = total
            let exceeded = ExceededDeletionLimit(
                entity: plan.name, deleted: deleted, total: total, allowed: limit.allowed(of: total))
            if deleted <= exceeded.allowed { continue }
            guard isDryRun else { throw exceeded.error }
            exceededLimits.append(exceeded)
        }
    }

    private func request(_ plan: ImportPlan) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: plan.name)
        request.includesPendingChanges = false
        return request
    }

    private func isToGo(_ given: GivenUp) -> Bool {
        guard let number = number(of: given.object), given.object.managedObjectContext != nil else { return false }
        if given.isReplaced {
            if !isInputComplete || mentioned.contains(given.object.objectID.lookupKey) { return false }
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
    /// - Throws: ``GraftError`` where a predicate is none.
    func orphansOfData(allowsEmptyInput: Bool) throws -> [NSManagedObject] {
        var found: [NSManagedObject] = []
        for plan in plans where isInputComplete {
            guard let rule = plan.orphans else { continue }
            let hasObjects = (plan.number..<schema.entities[plan.number].end).contains { hasData[$0] }
            guard hasObjects || allowsEmptyInput else { continue }
            let request = request(plan)
            if let format = rule.predicate { request.predicate = try predicate(format, plan) }
            found += try fetch(request).filter { !$0.isDeleted && !mentioned.contains($0.objectID.lookupKey) }
        }
        return found
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
