// Objects that would break a uniqueness constraint: found before a save, and settled by the merge policy. Where a row with
// the values is in the store already, a new object becomes that row; so saving what was downloaded again updates it.

import Foundation

extension NSManagedObjectContext {
    /// Lets the merge policy settle what would break a uniqueness constraint. Under the plain error policy nothing is looked
    /// for: the store finds it.
    ///
    /// - Returns: What that has changed; nil where there was nothing to settle.
    func settleConstraintConflicts() throws -> [NSManagedObject]? {
        // A parent lets its own policy settle what it saves to a store.
        guard requiredSource.isPermanent else { return nil }
        let policy = mergePolicy as? NSMergePolicy ?? .error
        guard policy.mergeType != .errorMergePolicyType || type(of: policy) != NSMergePolicy.self else { return nil }
        var changed: [NSManagedObject]?
        // A conflict over one constraint may be gone with that over another, and objects may be in several.
        for group in constraintsToCheck() {
            let conflicts = try ConstraintSearch(group.entity, group.constraint, in: self).conflicts()
            guard !conflicts.isEmpty else { continue }
            try policy.resolve(mergeConflicts: conflicts)
            changed = (changed ?? []) + takeChangedObjects()
        }
        return changed.map { ToManyMembers($0).objects.filter { $0.context === self && $0.hasChanges } }
    }

    private typealias Constraint = (entity: NSEntityDescription, constraint: [String])

    /// The constraints that concern changed objects, in the order of the model.
    private func constraintsToCheck() -> [Constraint] {
        guard let model = persistentStoreCoordinator?.managedObjectModel else { return [] }
        let constraints = model.entities.flatMap { entity in
            entity.uniquenessConstraintNames.map { (entity: entity.scope(ofConstraint: $0), constraint: $0) }
        }
        guard !constraints.isEmpty else { return [] }
        let changed = Set((inserted.objects + updated.objects).map(\.entity))
        return constraints.filter { constraint in changed.contains { $0.isKindOf(entity: constraint.entity) } }
    }
}

/// The search for objects with the same values of one constraint.
private struct ConstraintSearch {
    private let context: NSManagedObjectContext
    private let entity: NSEntityDescription
    private let constraint: [String]
    private let slots: [Int]
    private let hasOneStore: Bool

    /// A constraint is one of each store.
    private struct Key: Hashable {
        var store: ObjectIdentifier?
        var values: [OperandKey]
    }

    init(_ entity: NSEntityDescription, _ constraint: [String], in context: NSManagedObjectContext) {
        self.context = context
        self.entity = entity
        self.constraint = constraint
        slots = constraint.compactMap { entity.layout.slot(named: $0) }
        hasOneStore = context.persistentStoreCoordinator?.persistentStores.count == 1
    }

    private func key(of object: NSManagedObject) -> Key? {
        guard let values = object.values.uniqueKey(slots) else { return nil }
        return Key(store: hasOneStore ? nil : context.store(of: object).map(ObjectIdentifier.init), values: values)
    }

    /// How many values are looked up with one fetch.
    private static let portion = 500

    func conflicts() throws -> [NSConstraintConflict] {
        var keys: [Key] = []
        var groups: [Key: [NSManagedObject]] = [:]
        for object in context.inserted.objects + context.updated.objects where concerns(object) {
            guard let key = key(of: object) else { continue }
            if groups[key] == nil { keys.append(key) }
            groups[key, default: []].append(object)
        }
        let stored = try storedObjects(groups)
        return keys.compactMap { key in
            guard let objects = groups[key], objects.count > 1 || stored[key] != nil else { return nil }
            return NSConstraintConflict(
                constraint: constraint, database: stored[key],
                databaseSnapshot: stored[key].map { NSMergeConflict.snapshot($0.committed, $0.layout) },
                conflicting: objects,
                conflictingSnapshots: objects.map { NSMergeConflict.snapshot($0.committed, $0.layout) })
        }
    }

    private func concerns(_ object: NSManagedObject) -> Bool {
        guard object.entity.isKindOf(entity: entity), !object.isDeleted else { return false }
        return object.isInserted || slots.contains { object.touched.contains($0) && object.differs($0) }
    }

    /// The stored objects that have one of the keys and keep it.
    private func storedObjects(_ groups: [Key: [NSManagedObject]]) throws -> [Key: NSManagedObject] {
        var found: [Key: NSManagedObject] = [:]
        let owners = groups.values.compactMap(\.first).sorted { $0.id.number < $1.id.number }
        for start in stride(from: 0, to: owners.count, by: Self.portion) {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesPendingChanges = false
            request.predicate = predicate(for: owners[start..<min(start + Self.portion, owners.count)])
            let objects = try context.fetch(request)
            // What the context has read before may be older than the row. What it has changed is settled with the row's version.
            try context.refetch(objects.filter { !$0.isFault && !$0.hasChanges })
            for object in objects where !object.isDeleted {
                object.realize()
                guard let key = key(of: object), groups[key] != nil,
                    object.committed.uniqueKey(slots) == key.values
                else { continue }
                found[key] = object
            }
        }
        return found
    }

    private func predicate(for owners: ArraySlice<NSManagedObject>) -> NSPredicate {
        NSCompoundPredicate(
            andPredicateWithSubpredicates: slots.map { slot in
                // What is stored, whatever a class's own accessor makes of it.
                let values = owners.compactMap { $0.boxedValue(slot) }
                return NSPredicate(format: "%K IN %@", entity.layout.slots[slot].name, values)
            })
    }
}

// MARK: - Settling

extension NSMergePolicy {
    /// Settles conflicts, one after the other. Before new objects that give way are deleted, what refers to them is led to those
    /// that stay.
    func settle(_ conflicts: [NSConstraintConflict]) throws {
        var successions = Successions()
        defer { successions.complete() }
        for conflict in conflicts { try settle(conflict, &successions) }
    }

    /// Settles one conflict: a new object becomes the stored one, or the first of several. Objects that have been deleted since take no
    /// part any more.
    private func settle(_ conflict: NSConstraintConflict, _ successions: inout Successions) throws {
        func isThere(_ object: NSManagedObject) -> Bool {
            object.context != nil && !object.isDeleted && !successions.hasSuccessor(object)
        }
        let objects = conflict.conflictingObjects.filter(isThere)
        let database = conflict.databaseObject.flatMap { isThere($0) ? $0 : nil }
        var stored = objects.filter { !$0.isInserted }
        if database != nil || stored.count > 1, !stored.isEmpty {
            // Two rows can't become one; the changed one can keep what it had.
            guard isStoreFirst else { throw Self.constraintError([conflict]) }
            for object in stored { object.restoreCommitted(conflict.constraint) }
            stored = []
        }
        guard let survivor = database ?? stored.first ?? objects.first(where: \.isInserted) else { return }
        for object in objects where object.isInserted && object !== survivor {
            survivor.absorb(object, by: mergeType)
            object.release(to: survivor)
            // Under rollback the new object goes with all that it was.
            successions.note(object, survivor, takesReferences: mergeType != .rollbackMergePolicyType)
        }
    }

    /// - Parameter entity: The entity of rows that no object stands for: those of a batch.
    static func constraintError(_ list: [NSConstraintConflict], of entity: NSEntityDescription? = nil) -> CocoaError {
        let texts = list.prefix(5).map { conflict in
            // What a batch inserts is no object of the context.
            let object = conflict.conflictingObjects.first ?? conflict.databaseObject
            let existing = conflict.databaseObject.map {
                " (also in \($0.objectID.uriRepresentation().absoluteString))"
            }
            return "Two objects of '\((object?.entity ?? entity)?.name ?? "")' have the same "
                + conflict.constraint.joined(separator: ", ") + (existing ?? "")
        }
        return CoreDataError.make(
            .managedObjectConstraintMerge,
            texts.joined(separator: ". ") + ", which the model forbids. Change or delete one of them.",
            userInfo: [
                NSPersistentStoreSaveConflictsErrorKey: list,
                NSAffectedObjectsErrorKey: list.flatMap(\.conflictingObjects),
            ])
    }
}

/// New objects that give way, with the objects that stay in their places.
private struct Successions {
    private var objects: [NSManagedObject] = []
    private var successors: [ObjectIdentifier: NSManagedObject] = [:]
    private var takesReferences = false

    func hasSuccessor(_ object: NSManagedObject) -> Bool { successors[ObjectIdentifier(object)] != nil }

    mutating func note(_ object: NSManagedObject, _ successor: NSManagedObject, takesReferences: Bool) {
        objects.append(object)
        successors[ObjectIdentifier(object)] = successor
        self.takesReferences = takesReferences
    }

    /// Leads all references to the successors, and deletes the objects.
    func complete() {
        if takesReferences { leadReferences() }
        for object in objects { object.context?.delete(object) }
    }

    /// Where there is an inverse, the successor has taken what it leads to; of other references the objects know nothing. They are
    /// new, so all that refers to them is in the context.
    ///
    /// - Complexity: O(*n*) for *n* registered objects, where the model has relationships without inverse to the objects' entities.
    private func leadReferences() {
        guard let context = objects.first?.context else { return }
        let leaving = LeavingObjects(objects)
        let entities = context.persistentStoreCoordinator?.managedObjectModel.entities ?? []
        let slots = Dictionary(
            uniqueKeysWithValues: entities.map { entity in
                let layout = entity.layout
                return (ObjectIdentifier(layout), leaving.slots(of: layout).filter { layout.inverses[$0] == nil })
            })
        guard slots.values.contains(where: { !$0.isEmpty }) else { return }
        for object in context.registry.objects where !object.isDeleted && !hasSuccessor(object) {
            for slot in slots[ObjectIdentifier(object.layout)] ?? []
            where leaving.removed(from: object.values[slot]) != nil { lead(object, slot) }
        }
    }

    private func lead(_ object: NSManagedObject, _ slot: Int) {
        guard let destination = object.layout.slots[slot].relationship?.destinationEntity else { return }
        /// Itself, if it stays; nothing for one whose successor the relationship can't lead to.
        func inPlace(of other: NSManagedObject) -> NSManagedObject? {
            var place = other
            while let successor = successors[ObjectIdentifier(place)] { place = successor }
            return place.entity.isKindOf(entity: destination) ? place : nil
        }
        if object.layout.slots[slot].isToMany {
            object.setSlot(slot, to: .objects(ToManyMembers(object.members(slot).objects.compactMap(inPlace))))
        } else {
            object.setSlot(slot, to: object.destination(slot).flatMap(inPlace).map(ManagedValue.object) ?? .null)
        }
    }
}

extension NSManagedObject {
    /// Gives the properties of a constraint the values that they had.
    fileprivate func restoreCommitted(_ names: [String]) {
        for slot in names.compactMap(layout.slot) {
            let destination = committed[slot].referencedID.flatMap { context?.object(with: $0) }
            setSlot(slot, to: destination.map(ManagedValue.object) ?? committed[slot])
        }
    }

    /// Takes over what a new object has that is about to give way to this one.
    ///
    /// Under object trump what was set there, under overwrite everything; related objects come along unless the policy is
    /// rollback.
    fileprivate func absorb(_ other: NSManagedObject, by type: NSMergePolicyType) {
        if type == .rollbackMergePolicyType { return }
        let isObjectFirst = type != .mergeByPropertyStoreTrumpMergePolicyType
        realize()
        for slot in layout.slots.indices where slot < other.layout.slots.count {
            guard other.layout.slots[slot].name == layout.slots[slot].name else { return }
            guard other.isSet(slot) || type == .overwriteMergePolicyType else { continue }
            switch layout.slots[slot].kind {
            case .attribute where isObjectFirst: setSlot(slot, to: other.values[slot])
            case .attribute: continue
            case .toOne:
                guard let destination = other.destination(slot), isObjectFirst || values[slot].isNull else { continue }
                setSlot(slot, to: .object(destination))
            case .toMany:
                for member in other.members(slot).objects { addMember(slot, member) }
            }
        }
    }

    /// Lets go of what the survivor has, too, and of what is in the store: neither must be deleted with a new object that gives way,
    /// whatever its delete rules are.
    fileprivate func release(to survivor: NSManagedObject) {
        guard let context else { return }
        survivor.realize()
        let other = survivor.layout.slots
        func isShared(_ object: NSManagedObject, _ slot: Int) -> Bool {
            guard slot < other.count, other[slot].name == layout.slots[slot].name else { return false }
            return other[slot].isToMany
                ? survivor.members(slot).contains(object) : survivor.destination(slot) === object
        }
        for slot in layout.slots.indices where layout.slots[slot].isRelationship {
            let mine = context.related(self, slot)
            guard !mine.isEmpty else { continue }
            let kept = mine.filter { $0.isInserted && $0 !== survivor && !isShared($0, slot) }
            guard kept.count < mine.count else { continue }
            setSlot(slot, to: layout.slots[slot].isToMany ? .objects(ToManyMembers(kept)) : .null)
        }
    }
}
