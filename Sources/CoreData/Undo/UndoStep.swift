// What one event has changed, so that it can be taken back.

/// The changes of one event.
struct UndoStep {
    struct Members {
        var added: [NSManagedObject]
        var removed: [NSManagedObject]
        /// The former order, for an ordered relationship where it isn't that of those that stayed, and then the removed ones: a list that
        /// grows one by one mustn't be kept once for each.
        var order: [NSManagedObject]?
    }

    enum Old {
        case value(ManagedValue)
        case members(Members)
    }

    struct Change {
        let object: NSManagedObject
        var slots: [(slot: Int, old: Old)]
    }

    struct Deletion {
        let object: NSManagedObject
        /// The values before the event: the object may be gone for good when it comes back.
        let values: SlotValues
        /// What the object was known by. It comes back under another ID.
        let id: NSManagedObjectID
        /// What leads from the stored values to these. A refresh of the deleted object drops it.
        let unsaved: Change
    }

    var insertions: [NSManagedObject] = []
    var deletions: [Deletion] = []
    var changes: [Change] = []

    var isEmpty: Bool { insertions.isEmpty && deletions.isEmpty && changes.isEmpty }
}

extension UndoStep.Old {
    /// What a slot was before; nil where it is the same now.
    init?(slot: EntityLayout.Slot, from old: ManagedValue, to new: ManagedValue, committed: ManagedValue) {
        guard case .toMany(let ordered) = slot.kind else {
            guard !new.isSame(as: old) else { return nil }
            self = .value(old)
            return
        }
        guard let change = UndoStep.Members(from: old, to: new, committed: committed, ordered: ordered) else {
            return nil
        }
        self = .members(change)
    }
}

extension UndoStep.Members {
    /// Members come and go, also where nobody has read which there are. What has been read meanwhile is in `committed`.
    fileprivate init?(from old: ManagedValue, to new: ManagedValue, committed: ManagedValue, ordered: Bool) {
        switch (old, new) {
        case (.objects(let old), .objects(let new)):
            self.init(from: old, to: new, ordered: ordered)
        case (.memberIDs, .objects(let new)), (.unread, .objects(let new)):
            guard let before = old.members(stored: committed, ordered: ordered) else { return nil }
            self.init(from: before, to: new, ordered: ordered)
        case (.memberIDs, .unread(let delta)):
            self.init(added: delta?.added.objects ?? [], removed: delta?.removed.objects ?? [])
            if added.isEmpty, removed.isEmpty { return nil }
        case (.unread(let old), .unread(let new)):
            let (old, new) = (old ?? ToManyDelta(), new ?? ToManyDelta())
            let come = Self.apart(old.added, new.added), gone = Self.apart(old.removed, new.removed)
            self.init(added: come.new + gone.old, removed: come.old + gone.new)
            if added.isEmpty, removed.isEmpty { return nil }
        default: return nil
        }
    }

    private init?(from old: ToManyMembers, to new: ToManyMembers, ordered: Bool) {
        if old.hasSameMembers(as: new, ordered: ordered) { return nil }
        let apart = Self.apart(old, new)
        self.init(added: apart.new, removed: apart.old)
        guard ordered else { return }
        let come = Set(added.map(ObjectIdentifier.init))
        let left = new.objects.filter { !come.contains(ObjectIdentifier($0)) } + removed
        if !left.elementsEqual(old.objects, by: ===) { order = old.objects }
    }

    /// What each of two lists has alone. Who is at the same place of both, from either end, needn't be looked for.
    private static func apart(
        _ old: ToManyMembers, _ new: ToManyMembers
    ) -> (old: [NSManagedObject], new: [NSManagedObject]) {
        let (old, new) = (old.objects, new.objects)
        var end = 0
        while end < min(old.count, new.count), old[old.count - 1 - end] === new[new.count - 1 - end] { end += 1 }
        func moved(_ objects: [NSManagedObject], _ others: [NSManagedObject]) -> [NSManagedObject] {
            let last = others.count - end
            return (0..<objects.count - end).filter { $0 >= last || objects[$0] !== others[$0] }.map { objects[$0] }
        }
        let (movedOld, movedNew) = (moved(old, new), moved(new, old))
        let oldIDs = Set(movedOld.map(ObjectIdentifier.init)), newIDs = Set(movedNew.map(ObjectIdentifier.init))
        return (
            movedOld.filter { !newIDs.contains(ObjectIdentifier($0)) },
            movedNew.filter { !oldIDs.contains(ObjectIdentifier($0)) }
        )
    }
}

extension ManagedValue {
    /// The members that a relationship had when nobody had read them, by those that the store is known to have now.
    func members(stored: ManagedValue, ordered: Bool) -> ToManyMembers? {
        guard case .objects(var members) = stored else { return nil }
        if case .unread(let delta?) = self {
            for object in delta.removed.objects { members.remove(object, keepingOrder: ordered) }
            for object in delta.added.objects { members.append(object) }
        }
        return members
    }
}
