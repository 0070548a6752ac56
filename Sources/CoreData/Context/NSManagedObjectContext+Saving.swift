// A save, in the order that Core Data documents: announce, process, willSave, validate, write, settle, announce. Nothing of
// the context changes before the store has written everything, so a save that throws leaves it as it was. Of several stores, those
// that have written their part before a later one refuses are saved: the next save is about the rest.

import Foundation

extension NSManagedObjectContext {
    func saveChanges() throws {
        checkQueue()
        try requireWhole()
        try collectingFaultFailures { processPendingChanges() }
        // What is there now counts, and is what the context reads from then on; unless nothing comes of it.
        var generationAfterwards = generation
        generation = nil
        defer { generation = generationAfterwards }
        var written: NSPersistentHistoryToken??
        var saved = ChangeDigest()
        do {
            try collectingFaultFailures {
                NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
                runWillSave()
                if hasOwnChanges { written = .some(try writeValidChanges(&saved)) }
            }
        } catch {
            // What can't be read is an error as long as nothing has been written.
            guard case .some = written else {
                if !saved.isEmpty {
                    if generationAfterwards != nil { generationAfterwards = .current }
                    announceSave(saved, generationAfterwards, nil)
                }
                throw error
            }
            brokenBy = nil
        }
        guard let token = written else {
            try source?.saveNothing(for: self)
            mergedDeletions.removeAll()
            return announceSave(ChangeDigest(), generationAfterwards, nil)
        }
        if generationAfterwards != nil { generationAfterwards = .current }
        settle(&saved)
        announceSave(saved, generationAfterwards, token)
    }

    /// Writes the changes, if they are valid.
    ///
    /// - Parameter saved: Gets what some stores have written before a later one refused.
    private func writeValidChanges(_ saved: inout ChangeDigest) throws -> NSPersistentHistoryToken? {
        for object in updated.objects { object.notePrimitiveChanges() }
        if validatesOnSave { try validateChanges() }
        try settleConstraints()
        return try write(&saved)
    }

    /// Lets the merge policy settle what would break a uniqueness constraint, until nothing does: what has been settled for one entity may
    /// break a constraint of another. What that changes is told so, and has to be valid.
    ///
    /// - Returns: Whether there was anything to settle.
    @discardableResult private func settleConstraints() throws -> Bool {
        for round in 0..<NSMergePolicy.attempts {
            guard let settled = try settleConstraintConflicts() else { return round > 0 }
            guard !settled.isEmpty else { break }
            runWillSave(of: settled)
            if validatesOnSave { try validateChanges() }
        }
        return true
    }

    /// Calls `willSave()` on everything that will be saved.
    private func runWillSave() {
        processPendingChanges()
        runWillSave(of: inserted.objects + updated.objects + deleted.objects)
    }

    /// Calls `willSave()` on some objects, and on what changes meanwhile.
    private func runWillSave(of changed: [NSManagedObject]) {
        isPreparingSave = true
        defer { isPreparingSave = false }
        var objects = changed.filter(\.hasLifeCycle)
        var rounds = 0
        while !objects.isEmpty {
            rounds += 1
            if rounds > 1000 {
                fatalError(
                    "\(objects[0].objectID) changes in every willSave(). Compare before you set a value there.")
            }
            for object in objects { object.willSave() }
            objects = takeChangedObjects().filter(\.hasLifeCycle)
        }
    }

    private func validateChanges() throws {
        var errors: [any Error] = []
        for object in inserted.objects { CoreDataError.collect(&errors) { try object.validateForInsert() } }
        for object in updated.objects { CoreDataError.collect(&errors) { try object.validateForUpdate() } }
        for object in deleted.objects { CoreDataError.collect(&errors) { try object.validateForDelete() } }
        if let error = CoreDataError.combined(errors) { throw error }
    }

    // MARK: Writing

    /// Hands the changes to the source; a conflict goes through the merge policy and is tried again.
    ///
    /// - Returns: The place behind the save in the histories that its stores keep.
    private func write(_ saved: inout ChangeDigest) throws -> NSPersistentHistoryToken? {
        guard requiredSource.isPermanent else { return try writeResolvingConflicts(&saved) }
        // A merge policy may delete some of them.
        let objects = inserted.objects.filter(\.id.isTemporaryID)
        let temporary = objects.map(\.id)
        let token: NSPersistentHistoryToken?
        do {
            try assignPermanentIDs(to: objects)
            token = try writeResolvingConflicts(&saved)
        } catch {
            let known = Set(saved.inserted.map(ObjectIdentifier.init))
            for (object, id) in zip(objects, temporary) {
                guard !known.contains(ObjectIdentifier(object)) else {
                    rekey(object, from: id)
                    continue
                }
                // What a merge policy has let go of meanwhile was looked for under its permanent ID.
                if object.registry !== registry { registry.remove(id.key) }
                object.id = id
            }
            throw error
        }
        for (object, id) in zip(objects, temporary) { rekey(object, from: id) }
        return token
    }

    private func writeResolvingConflicts(_ saved: inout ChangeDigest) throws -> NSPersistentHistoryToken? {
        let policy = mergePolicy as? NSMergePolicy ?? .error
        for _ in 0..<NSMergePolicy.attempts {
            do {
                let changes = try changesToSave()
                // What couldn't be read for them would be missing from what is written.
                try throwFaultFailure()
                return try requiredSource.save(changes, for: self) { settle(&saved, writtenBy: $0) }
            } catch let conflict as StoreConflict {
                try policy.resolve(mergeConflicts: conflict.rows.map(mergeConflict))
                propagateDeletions()
                // What became of other objects with it has to be valid, too.
                try validateChanges()
            } catch let conflict as StoreUniquenessConflict {
                // Somebody else's row may have come since the policy was asked.
                guard try settleConstraints() else {
                    throw NSMergePolicy.constraintError([constraintConflict(conflict)])
                }
                if !validatesOnSave { try validateChanges() }
            }
        }
        throw CoreDataError.make(
            .managedObjectMerge,
            "The rows kept changing while the save was tried \(NSMergePolicy.attempts) times. Save again.")
    }

    /// Gives objects their permanent IDs. The registry doesn't know them yet.
    private func assignPermanentIDs(to objects: [NSManagedObject]) throws {
        let ids = try requiredSource.permanentIDs(for: objects, assigned: assignedStores, for: self)
        for (object, id) in zip(objects, ids) { object.id = id }
    }

    func chooseStore(_ store: NSPersistentStore, for object: Any) {
        guard let object = object as? NSManagedObject, object.context === self, object.id.isTemporaryID else {
            fatalError("\(object) can't be assigned to a store: it is no unsaved object of this context.")
        }
        guard requiredCoordinator.isConfigured(store, for: object.entity) else {
            fatalError("The store \(store.url?.path ?? "in memory") doesn't keep '\(object.entity.name ?? "")'.")
        }
        assignedStores[object.id.key] = store
    }

    private func changesToSave() throws -> StoreChanges {
        // `willSave()` and validations may have set some since.
        for object in updated.objects { object.notePrimitiveChanges() }
        // What is read for one object may show that another's change is none.
        for object in updated.objects { readChangedOrders(of: object) }
        let inserted = try inserted.objects.map(insertion), updated = try updated.objects.compactMap(update)
        let partners = unchangedPartners(updated)
        return StoreChanges(
            inserted: inserted, updated: updated,
            deleted: deleted.objects.map(deletion), linked: linkedRows(inserted, updated, besides: partners),
            watched: watchedRows() + partners,
            origin: origin,
            assignedStores: assignedStores)
    }

    /// The rows of the objects that ``detectConflicts(for:)`` was called for, but for those whose versions the save checks anyway.
    private func watchedRows() -> [WatchedRow] {
        watched.objects.filter { $0.context === self && !$0.hasChanges && !$0.isFault }
            .map { WatchedRow(objectID: $0.id, version: $0.version) }
    }

    /// The objects that new one-to-one links lead to and that led back when they were read: where somebody else has changed that since,
    /// the link would be there from one side alone.
    private func unchangedPartners(_ updated: [RowChange]) -> [WatchedRow] {
        let known = Set(updated.map(\.objectID.key))
        var partners: [WatchedRow] = []
        for change in updated {
            let layout = change.objectID.entity.layout
            for slot in layout.toOneSlots where change.changed.contains(slot) && layout.slots[slot].isOneToOne {
                guard case .object(let other) = change.values[slot], !other.isInserted, !other.isDeleted,
                    !other.isFault, !known.contains(other.id.key)
                else { continue }
                partners.append(WatchedRow(objectID: other.id, version: other.version))
            }
        }
        return partners
    }

    /// The rows that new links lead to and that the save doesn't change: the other side had been read when the link was there already.
    private func linkedRows(
        _ inserted: [RowChange], _ updated: [RowChange], besides watched: [WatchedRow]
    ) -> [NSManagedObjectID] {
        var known = Set(updated.map(\.objectID.key) + watched.map(\.objectID.key))
        var linked: [NSManagedObjectID] = []
        func note(_ object: NSManagedObject) {
            guard !object.isInserted, !object.isDeleted, known.insert(object.id.key).inserted else { return }
            linked.append(object.id)
        }
        for changes in [inserted, updated] {
            for change in changes {
                let layout = change.objectID.entity.layout
                for slot in layout.toOneSlots where change.changed.contains(slot) {
                    guard !layout.slots[slot].isTransient else { continue }
                    switch change.values[slot] {
                    case .object(let object): note(object)
                    // Nobody has read it; under the overwrite policy it is written all the same.
                    case .objectID(let id):
                        if let object = registry.object(for: id.key) {
                            note(object)
                        } else if known.insert(id.key).inserted {
                            linked.append(id)
                        }
                    default: break
                    }
                }
            }
        }
        for change in inserted {
            let layout = change.objectID.entity.layout
            for slot in layout.toManySlots where layout.needsRelationChange[slot] {
                if case .objects(let members) = change.values[slot] { members.objects.forEach(note) }
            }
        }
        for relation in updated.flatMap(\.relations) { relation.added.compactMap(registeredObject).forEach(note) }
        return linked
    }

    /// Who changes a store, for its history.
    var origin: StoreOrigin { StoreOrigin(author: transactionAuthor, contextName: name) }

    private func insertion(_ object: NSManagedObject) throws -> RowChange {
        let isPermanent = requiredSource.isPermanent
        try checkDestinations(
            object,
            (object.layout.toOneSlots + object.layout.toManySlots).filter {
                !isPermanent || !object.layout.slots[$0].isTransient
            })
        var values = object.values
        // What the same save deletes is nobody's member.
        for slot in object.layout.toManySlots where !deleted.isEmpty && object.layout.needsRelationChange[slot] {
            guard case .objects(let members) = values[slot], members.objects.contains(where: \.isDeleted) else {
                continue
            }
            values[slot] = .objects(ToManyMembers(unique: members.objects.filter { !$0.isDeleted }))
        }
        var changed = object.layout.persistentSlots
        if !requiredSource.isPermanent {
            changed.removeAll()
            for slot in object.layout.slots.indices where object.isSet(slot) { changed.insert(slot) }
        }
        return RowChange(objectID: object.id, version: 0, values: values, changed: changed)
    }

    /// Reads the members of ordered relationships that have changed without having been read: a store is given the whole order.
    private func readChangedOrders(of object: NSManagedObject) {
        object.realize()
        for slot in object.touched where object.layout.needsRelationChange[slot] {
            guard object.layout.slots[slot].kind == .toMany(ordered: true),
                case .unread(let delta?) = object.values[slot], !delta.isEmpty
            else { continue }
            readMembers(of: object, slot: slot)
        }
    }

    /// The columns and members of an object that differ from what was read; nil where none does.
    private func update(_ object: NSManagedObject) throws -> RowChange? {
        var change = RowChange(objectID: object.id, version: object.version, values: [], changed: SlotSet())
        let isPermanent = requiredSource.isPermanent
        for slot in object.touched where !isPermanent || !object.layout.slots[slot].isTransient {
            guard object.differs(slot) else { continue }
            change.changed.insert(slot)
            if object.layout.needsRelationChange[slot] { change.relations.append(object.relationChange(slot)) }
        }
        guard !change.changed.isEmpty else { return nil }
        try checkDestinations(
            object, (object.layout.toOneSlots + object.layout.toManySlots).filter(change.changed.contains))
        change.values = object.values
        return change
    }

    /// A deletion, with what the object had lost before: a parent follows the delete rules for what it has itself, and for nothing that
    /// the object has let go here.
    private func deletion(_ object: NSManagedObject) -> RowChange {
        var change = RowChange(
            objectID: object.id, version: object.version, values: object.committed, changed: SlotSet())
        if requiredSource.isPermanent { return change }
        for slot in object.touched where object.layout.slots[slot].isRelationship && object.differs(slot) {
            if object.layout.needsRelationChange[slot] {
                let removed = object.relationChange(slot).removed
                change.relations.append(RelationChange(slot: slot, added: [], removed: removed))
            } else if !object.layout.slots[slot].isToMany {
                change.changed.insert(slot)
                change.values[slot] = .null
            }
        }
        return change
    }

    /// Refuses relationships that lead to objects which no store will have: those without a context, and deleted ones. A deleted member is
    /// none any more.
    private func checkDestinations(_ object: NSManagedObject, _ slots: [Int]) throws {
        for slot in slots {
            let isWithoutDestination =
                switch object.values[slot] {
                case .object(let other): other.isDeleted || other.isLoose
                case .objects(let members): members.objects.contains(where: \.isLoose)
                case .unread(let delta?): delta.added.objects.contains(where: \.isLoose)
                default: false
                }
            guard isWithoutDestination else { continue }
            let definition = object.layout.slots[slot]
            let isDeleted = if case .object(let other) = object.values[slot] { other.isDeleted } else { false }
            let remedy = definition.isToMany ? "take it out of the relationship" : "set the relationship to nil"
            throw CoreDataError.make(
                .managedObjectValidation,
                "\(object.entity.name ?? "").\(definition.name) of \(object.id) leads to an object that "
                    + (isDeleted
                        ? "is deleted. Set the relationship to nil or to another object."
                        : "isn't in the context and won't be saved. Insert that object, or \(remedy)."),
                userInfo: [NSValidationObjectErrorKey: object, NSValidationKeyErrorKey: definition.name])
        }
    }

    func givePermanentIDs(to objects: [NSManagedObject]) throws {
        checkQueue()
        // Objects of a child whose root has saved them since have theirs.
        adoptPermanentIDs()
        let temporary = objects.filter { $0.id.isTemporaryID && $0.managedObjectContext === self }
        let old = temporary.map(\.id)
        do {
            try assignPermanentIDs(to: temporary)
        } catch {
            for (object, id) in zip(temporary, old) { object.id = id }
            throw error
        }
        for (object, id) in zip(temporary, old) { rekey(object, from: id) }
    }
}

extension NSManagedObject {
    /// Whether it is in no context, and no store has it.
    fileprivate var isLoose: Bool { context == nil && id.isTemporaryID }

    /// Enters what was set by primitive values among the changes: alone it is none, but it is written with others.
    func notePrimitiveChanges() {
        guard state.contains(.primitive) else { return }
        state.remove(.primitive)
        for slot in layout.slots.indices where differs(slot) { touched.insert(slot) }
    }

    /// Whether somebody has given a new object the value of a slot, also by a primitive value.
    func isSet(_ slot: Int) -> Bool { touched.contains(slot) || differs(slot) }

    /// Whether the class may override the life-cycle methods; the base class's are empty and not called in bulk.
    var hasLifeCycle: Bool { type(of: self) != NSManagedObject.self }

    /// What became of the members of a to-many relationship. Members that are inserted by the same save are left out
    /// where there is an inverse: their own row says it. Those that it deletes are no members any more.
    fileprivate func relationChange(_ slot: Int) -> RelationChange {
        var change = RelationChange(slot: slot, added: [], removed: [])
        let hasInverse = layout.keptInverses[slot] != nil
        func reported(_ objects: [NSManagedObject]) -> [NSManagedObjectID] {
            objects.compactMap { hasInverse && $0.isInserted || $0.isDeleted ? nil : $0.id }
        }
        switch (committed[slot], values[slot]) {
        case (_, .unread(let delta?)):
            change.added = reported(delta.added.objects)
            change.removed = delta.removed.objects.map(\.id)
        case (.objects(let old), .objects(let new)):
            let moved = new.places(otherThanIn: old)
            let gone = moved.lowerBound..<moved.upperBound + old.count - new.count
            let left = ToManyMembers(unique: Array(old.objects[gone]))
            let came = ToManyMembers(unique: Array(new.objects[moved]))
            change.added = reported(came.objects.filter { !left.contains($0) })
            change.removed = left.objects.filter { !came.contains($0) }.map(\.id)
            if layout.slots[slot].kind == .toMany(ordered: true) {
                let order = new.objects.filter { !$0.isDeleted }
                change.order = order.map(\.id)
                let isWhole = order.count == new.count
                change.moved = isWhole ? moved : ToManyMembers(unique: order).places(otherThanIn: old)
            }
        default: break
        }
        return change
    }
}
