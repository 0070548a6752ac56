// What a context of a stress run can do.

import CoreData
import Testing

enum StressAction: CaseIterable {
    case insert, insertLinked, set, link, unlink, order, tag, untag, delete, deleteHeld
    case refresh, refreshKeeping, refreshAll, reset, rollback, undo, redo
    case save, saveAll, merge, mergeRemotely, obtainIDs, read
    case batchUpdate, batchDelete, batchInsert
    case look, checkInverses, checkStore

    /// Saves come often, what throws everything away seldom.
    private static let weighted: [StressAction] = allCases.flatMap { action -> [StressAction] in
        switch action {
        case .insert, .insertLinked, .set, .link, .tag: Array(repeating: action, count: 8)
        case .save, .merge: Array(repeating: action, count: 9)
        case .delete: Array(repeating: action, count: 6)
        case .unlink, .order, .untag, .saveAll, .read, .refresh, .refreshKeeping: Array(repeating: action, count: 3)
        case .undo, .redo: Array(repeating: action, count: 2)
        case .look, .checkInverses, .checkStore: []
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

/// Something that one context does, with a seed of its own: so it stays what it is where others before it are left out.
struct StressStep {
    let worker: Int
    let action: StressAction
    let seed: UInt64

    /// A run of so many operations, with looks and checks among them.
    static func run(seed: Int, operations: Int) -> [StressStep] {
        var generator = SeededGenerator(seed: UInt64(seed))
        var steps: [StressStep] = []
        for _ in 0..<operations {
            let worker = Int.random(in: 0..<420, using: &generator)
            func add(_ action: StressAction) {
                steps.append(StressStep(worker: worker, action: action, seed: generator.next()))
            }
            add(.random(using: &generator))
            add(.look)
            if Int.random(in: 0..<40, using: &generator) == 0 { add(.checkInverses) }
            if Int.random(in: 0..<60, using: &generator) == 0 { add(.checkStore) }
        }
        return steps
    }

    /// As few of the steps as still fail: what can be left out is left out, at first in large parts.
    static func shrunk(_ steps: [StressStep], fails: ([StressStep]) throws -> Bool) rethrows -> [StressStep] {
        var steps = steps
        var part = max(1, steps.count / 2)
        while true {
            var start = 0, isSmaller = false
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + part, steps.count))
                if try fails(fewer) {
                    steps = fewer
                    isSmaller = true
                } else {
                    start += part
                }
            }
            if part == 1, !isSmaller { return steps }
            part = max(1, part / 2)
        }
    }
}

extension StressWorld {
    func perform(_ action: StressAction, _ number: Int) throws {
        let context = workers[number].context
        switch action {
        case .insert: _ = insert(number)
        case .look: try look(number)
        case .checkInverses: try checkInverses(number)
        case .checkStore: checkStore()
        case .insertLinked: try link(insert(number), number)
        case .set, .link, .unlink, .order, .tag, .untag: try change(action, number)
        case .delete:
            if let object = try object(StressAction.entity(&random), number) { delete(object, number) }
        case .deleteHeld:
            let held = workers[number].held.filter { $0.managedObjectContext === context }
            if let object = held.first { delete(object, number) }
        case .refresh, .refreshKeeping:
            guard let object = try object(StressAction.entity(&random), number) else { return }
            say("\(action) \(called(object))")
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

    private func delete(_ object: NSManagedObject, _ number: Int) {
        say("delete \(called(object))")
        workers[number].context.delete(object)
    }

    private func insert(_ number: Int) -> NSManagedObject {
        let entity = StressAction.entity(&random)
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: workers[number].context)
        if !chance(15) { object.setValue(name(), forKey: StressAction.names[entity] ?? "") }
        if object.entity.attributesByName["isbn"] != nil, chance(3) { object.setValue(name(), forKey: "isbn") }
        say("insert \(called(object))")
        return object
    }

    private func change(_ action: StressAction, _ number: Int) throws {
        let entity = [.order, .tag, .untag].contains(action) ? "Book" : StressAction.entity(&random)
        guard let object = try object(entity, number) else { return }
        say("\(action) \(called(object))")
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
            say("with \(called(tag))")
            object.mutableSetValue(forKey: "tags").add(tag)
        default:
            guard let tag = object.many("tags").min(by: { $0.description < $1.description }) else { return }
            say("from \(called(tag))")
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
        say("\(called(object)).\(name) gets \(called(other))")
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
