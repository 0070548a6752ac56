// What a context of a stress run can do.

import CoreData
import Testing

enum StressAction: CaseIterable {
    case insert, insertLinked, set, link, unlink, order, tag, untag, delete, deleteHeld
    case refresh, refreshKeeping, refreshAll, reset, rollback, undo, redo
    case save, saveAll, merge, mergeRemotely, obtainIDs, read
    case batchUpdate, batchDelete, batchInsert

    /// Saves come often, what throws everything away seldom.
    private static let weighted: [StressAction] = allCases.flatMap { action -> [StressAction] in
        switch action {
        case .insert, .insertLinked, .set, .link, .tag: Array(repeating: action, count: 8)
        case .save, .merge: Array(repeating: action, count: 9)
        case .delete: Array(repeating: action, count: 6)
        case .unlink, .order, .untag, .saveAll, .read, .refresh, .refreshKeeping: Array(repeating: action, count: 3)
        case .undo, .redo: Array(repeating: action, count: 2)
        default: [action]
        }
    }

    static func random(using generator: inout SeededGenerator) -> StressAction {
        weighted[Int.random(in: 0..<weighted.count, using: &generator)]
    }

    static let names = [
        "Author": "name", "Book": "title", "Novel": "title", "Chapter": "heading", "Tag": "label", "Passport": "number",
        "Prize": "title",
    ]

    static func entity(_ generator: inout SeededGenerator) -> String {
        let entities = ["Author", "Author", "Book", "Book", "Novel", "Chapter", "Tag", "Passport", "Prize"]
        return entities[Int.random(in: 0..<entities.count, using: &generator)]
    }
}

extension StressWorld {
    func perform(_ action: StressAction, _ number: Int) throws {
        let context = workers[number].context
        switch action {
        case .insert: _ = insert(number)
        case .insertLinked: try link(insert(number), number)
        case .set, .link, .unlink, .order, .tag, .untag: try change(action, number)
        case .delete:
            if let object = try object(StressAction.entity(&random), number) { context.delete(object) }
        case .deleteHeld:
            let held = workers[number].held.filter { $0.managedObjectContext === context }
            if let object = held.first { context.delete(object) }
        case .refresh, .refreshKeeping:
            guard let object = try object(StressAction.entity(&random), number) else { return }
            context.refresh(object, mergeChanges: action == .refreshKeeping)
        case .refreshAll: context.refreshAllObjects()
        case .reset: context.reset()
        case .rollback: context.rollback()
        case .undo: context.undo()
        case .redo: context.redo()
        case .save: save(number)
        case .saveAll: for number in workers.indices.reversed() { save(number) }
        case .merge, .mergeRemotely: merge(action, number)
        case .obtainIDs:
            try context.obtainPermanentIDs(
                for: Array(context.insertedObjects).sorted { $0.description < $1.description })
        case .read: try read(number)
        case .batchUpdate, .batchDelete, .batchInsert: try batch(action, number)
        }
    }

    private func insert(_ number: Int) -> NSManagedObject {
        let entity = StressAction.entity(&random)
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: workers[number].context)
        if !chance(15) { object.setValue(name(), forKey: StressAction.names[entity] ?? "") }
        if object.entity.attributesByName["isbn"] != nil, chance(3) { object.setValue(name(), forKey: "isbn") }
        return object
    }

    private func change(_ action: StressAction, _ number: Int) throws {
        let entity = [.order, .tag, .untag].contains(action) ? "Book" : StressAction.entity(&random)
        guard let object = try object(entity, number) else { return }
        switch action {
        case .set:
            object.setValue(name(), forKey: StressAction.names[entity] ?? "")
            if object.entity.attributesByName["isbn"] != nil, chance(3) {
                object.setValue(chance(3) ? nil : name(), forKey: "isbn")
            }
        case .link: try link(object, number)
        case .unlink:
            let names = object.entity.relationshipsByName.filter { !$0.value.isToMany }.keys.sorted()
            if let name = names.first { object.setValue(nil, forKey: name) }
        case .order: object.setValue(NSOrderedSet(array: object.ordered("chapters").reversed()), forKey: "chapters")
        case .tag:
            guard let tag = try self.object("Tag", number) else { return }
            object.mutableSetValue(forKey: "tags").add(tag)
        default:
            guard let tag = object.many("tags").min(by: { $0.description < $1.description }) else { return }
            object.mutableSetValue(forKey: "tags").remove(tag)
        }
    }

    /// Links an object along one of its relationships, from either side.
    private func link(_ object: NSManagedObject, _ number: Int) throws {
        let names = object.entity.relationshipsByName.keys.sorted()
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        guard let relationship = object.entity.relationshipsByName[name],
            let other = try self.object(relationship.destinationEntity?.name ?? "", number)
        else { return }
        if !relationship.isToMany {
            object.setValue(other, forKey: name)
        } else if relationship.isOrdered {
            object.mutableOrderedSetValue(forKey: name).add(other)
        } else {
            object.mutableSetValue(forKey: name).add(other)
        }
    }

    private func merge(_ action: StressAction, _ number: Int) {
        let context = workers[number].context, unmerged = workers[number].unmerged
        workers[number].unmerged = []
        for notification in unmerged {
            if action == .merge {
                context.mergeChanges(fromContextDidSave: notification)
            } else {
                NSManagedObjectContext.mergeChanges(
                    fromRemoteContextSave: notification.userInfo ?? [:], into: [context])
            }
        }
    }

    private func read(_ number: Int) throws {
        for object in workers[number].held where chance(2) {
            for name in object.entity.relationshipsByName.keys.sorted() { _ = object.value(forKey: name) }
            for name in object.entity.attributesByName.keys.sorted() where name != "mood" {
                _ = object.value(forKey: name)
            }
        }
    }

    // MARK: Batches

    private func batch(_ action: StressAction, _ number: Int) throws {
        guard kind == .sqlite else { return }
        let context = workers[number].context, name = name()
        var changes: [AnyHashable: Any] = [:]
        switch action {
        case .batchUpdate:
            let request = NSBatchUpdateRequest(entityName: "Book")
            request.predicate = NSPredicate(format: "title == %@", name)
            request.propertiesToUpdate = ["pages": 9]
            request.resultType = .updatedObjectIDsResultType
            let ids = (try context.execute(request) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID] ?? []
            for id in ids { stored.set("pages", "9", of: id) }
            changes[NSUpdatedObjectsKey] = ids
        case .batchDelete:
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
            fetch.predicate = NSPredicate(format: "label == %@", name)
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            request.resultType = .resultTypeObjectIDs
            let ids = (try context.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID] ?? []
            for id in ids { stored.remove(id) }
            changes[NSDeletedObjectsKey] = ids
        default:
            let request = NSBatchInsertRequest(entityName: "Tag", objects: [["label": name]])
            request.resultType = .objectIDs
            let ids = (try context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID] ?? []
            for id in ids { stored.insert(StoredGraph.Row(entity: "Tag", attributes: ["label": name]), id) }
            changes[NSInsertedObjectsKey] = ids
        }
        let contexts = workers.filter { $0.saves != nil && chance(2) }.map(\.context)
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: contexts)
    }
}
