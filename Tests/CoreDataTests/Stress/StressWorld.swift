// Several contexts on one store and what they do at random. Each operation is one that an application may do: nothing here asks for
// more than the objects themselves tell.

import CoreData
import Testing

/// A store, contexts that work on it, and what they should have left there.
final class StressWorld {
    struct Worker {
        let context: NSManagedObjectContext
        let policy: NotingMergePolicy
        let saves: PostedNotifications?
        /// Objects that somebody holds, gone ones among them.
        var held: [NSManagedObject] = []
        /// What other contexts have saved and this one hasn't heard of.
        var unmerged: [Notification] = []
    }

    let library: Library
    let kind: StoreKind
    let policy: NSMergePolicyType
    var workers: [Worker] = []
    var random: SeededGenerator
    var stored = StoredGraph()
    var findings: [String] = []
    /// What has been done.
    private(set) var trace: [String] = []
    /// To know what members a save adds, relationships have to be read; so it is known in every other world.
    let knowsMembers: Bool

    init(_ kind: StoreKind, _ policy: NSMergePolicyType, seed: Int) throws {
        library = try Library(kind)
        self.kind = kind
        self.policy = policy
        random = SeededGenerator(seed: UInt64(seed))
        knowsMembers = seed.isMultiple(of: 2)
        for _ in 0..<Int.random(in: 2...7, using: &random) { add(library.newContext(), isRoot: true) }
        let roots = workers.count
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            add(library.newChild(of: workers[Int.random(in: 0..<workers.count, using: &random)].context), isRoot: false)
        }
        for worker in workers[..<roots] where chance(3) { worker.context.undoManager = UndoManager() }
        for worker in workers where chance(5) { worker.context.retainsRegisteredObjects = true }
        trace = [workers.indices.map(described).joined(separator: "; ")]
        for (entity, name) in StressAction.names.sorted(by: { $0.key < $1.key }) {
            for number in 0..<2 {
                NSEntityDescription.insertNewObject(forEntityName: entity, into: workers[0].context)
                    .setValue("n\(number)", forKey: name)
            }
        }
        save(0)
    }

    private func described(_ number: Int) -> String {
        let context = workers[number].context
        let parent = workers.firstIndex { $0.context === context.parent }.map { " is a child of \($0)" } ?? ""
        return "\(number)\(parent)\(context.undoManager == nil ? "" : " can undo")"
    }

    private func add(_ context: NSManagedObjectContext, isRoot: Bool) {
        let policy = NotingMergePolicy(merge: policy)
        context.mergePolicy = policy
        workers.append(
            Worker(
                context: context, policy: policy,
                saves: isRoot ? PostedNotifications(.NSManagedObjectContextDidSave, from: context) : nil))
    }

    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    func name() -> String { "n\(Int.random(in: 0..<12, using: &random))" }

    // MARK: Steps

    func perform(_ step: StressStep) throws {
        let number = step.worker % workers.count
        let context = workers[number].context
        random = SeededGenerator(seed: step.seed)
        trace.append("\(number): \(step.action)")
        try perform(step.action, number)
        context.processPendingChanges()
        note(context.brokenInvariants(includesInverses: false), number)
    }

    /// Fetches something, and keeps some of it; looks some of it up by name, which finds of the changed objects the same.
    func look(_ number: Int) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: StressAction.entity(&random))
        let all = try workers[number].context.fetch(request)
        for object in all where chance(4) { hold(object, number) }
        guard chance(3), let entity = request.entityName, let key = StressAction.names[entity] else { return }
        let name = name()
        request.predicate = NSPredicate(format: "%K == %@", key, name)
        let found = Set(try workers[number].context.fetch(request).filter(\.hasChanges))
        let named = Set(all.filter { $0.hasChanges && $0.value(forKey: key) as? String == name })
        if found == named { return }
        findings.append("\(entity)s called \(name): \(found.map(called)) where there are \(named.map(called))")
    }

    /// Notes what a step does to which objects.
    func say(_ words: String) { trace[trace.count - 1] += ", " + words }

    /// A short name of an object.
    func called(_ object: NSManagedObject) -> String { called(object.objectID) }

    func called(_ id: NSManagedObjectID) -> String {
        "\(id.entity.name ?? "")/\(id.uriRepresentation().lastPathComponent)"
    }

    func note(_ found: [String], _ number: Int) {
        findings += found.map { "context \(number): \($0)" }
    }

    private func hold(_ object: NSManagedObject, _ number: Int) {
        workers[number].held.append(object)
        guard workers[number].held.count > 25 else { return }
        workers[number].held.remove(at: Int.random(in: 0..<25, using: &random))
    }

    /// An object of a context that can be worked with; held ones may have left it.
    func object(_ entity: String, _ number: Int) throws -> NSManagedObject? {
        let context = workers[number].context
        if chance(2) {
            let held = workers[number].held.filter {
                $0.entity.name == entity && $0.managedObjectContext === context && !$0.isDeleted
            }
            if !held.isEmpty { return held[Int.random(in: 0..<held.count, using: &random)] }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        let found = try context.fetch(request)
        return found.isEmpty ? nil : found[Int.random(in: 0..<found.count, using: &random)]
    }

    // MARK: Saving

    func save(_ number: Int) {
        let worker = workers[number]
        let before = worker.saves?.count ?? 0
        worker.context.processPendingChanges()
        let members = knowsMembers && worker.saves != nil ? MemberChanges(of: worker.context) : nil
        worker.policy.settled = []
        let written = worker.context.updatedObjects.filter { object in
            object.changedValues().keys.contains { !(object.entity.relationshipsByName[$0]?.isToMany ?? false) }
        }
        let former = Dictionary(uniqueKeysWithValues: written.map { ($0.objectID, StoredGraph.committedRow(of: $0)) })
        do {
            try worker.context.save()
        } catch let error as CocoaError {
            // Conflicts, missing names, denied deletions and links to what others have deleted are part of life.
            guard (133000...133021).contains(error.code.rawValue) || (1550...1680).contains(error.code.rawValue) else {
                return findings.append("a save failed: \(error)")
            }
            say("fails with \(error.code.rawValue)")
            recover(number)
            return
        } catch {
            return findings.append("a save failed: \(error)")
        }
        for saved in (worker.saves?.notifications ?? []).dropFirst(before) {
            for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                let objects = saved.userInfo?[key] as? Set<NSManagedObject> ?? []
                if !objects.isEmpty { say("\(key) \(objects.map(called).sorted().joined(separator: " "))") }
            }
            stored.take(saved, written: written, former)
            if let members { stored.take(members, Set(worker.policy.settled.map(\.objectID))) }
            for other in workers.indices where other != number && workers[other].saves != nil {
                workers[other].unmerged = workers[other].unmerged.suffix(4) + [SavedIDsNotification.make(saved)]
            }
        }
    }

    /// What an application does after a save that failed.
    private func recover(_ number: Int) {
        let way = Int.random(in: 0..<4, using: &random)
        say(["rolled back", "reset", "refreshed", "left"][way])
        switch way {
        case 0: workers[number].context.rollback()
        case 1: workers[number].context.reset()
        case 2: workers[number].context.refreshAllObjects()
        default: break
        }
    }

    // MARK: Checking

    /// Once everything is read anew, both sides of each relationship agree.
    func checkInverses(_ number: Int) throws {
        var contexts: [NSManagedObjectContext] = []
        var next: NSManagedObjectContext? = workers[number].context
        while let context = next {
            contexts.append(context)
            next = context.parent
        }
        for context in contexts.reversed() { context.refreshAllObjects() }
        let context = workers[number].context
        for object in context.registeredObjects where !object.isDeleted {
            for (name, relationship) in object.entity.relationshipsByName {
                if relationship.isToMany { _ = object.value(forKey: name) } else { _ = object.one(name) }
            }
        }
        context.processPendingChanges()
        note(context.brokenInvariants(), number)
    }

    func checkStore() {
        do {
            findings += try stored.differences(to: library.newContext(), withMembers: knowsMembers)
        } catch {
            findings.append("the store can't be read: \(error)")
        }
    }
}

/// A save's notification without its objects, which belong to the saving context alone.
enum SavedIDsNotification {
    static func make(_ saved: Notification) -> Notification {
        var ids: [AnyHashable: Any] = [:]
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
            ids[key] = (saved.userInfo?[key] as? Set<NSManagedObject>)?.map(\.objectID)
        }
        return Notification(name: saved.name, object: saved.object, userInfo: ids)
    }
}
