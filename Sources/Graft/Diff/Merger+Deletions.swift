// Delete against change. An object is what it owns, too: who changes an address changes the person, so the conflict is about
// the topmost object that was deleted with it. The base is asked with both ends of its links: who owns what may be said at an end that is
// excluded from diffs, or at one alone.

extension Merger {
    /// Settles what one side deleted and the other one still needs.
    mutating func settleDeletions() throws {
        settleEntities()
        let deleted = (ours.deleted, theirs.deleted)
        let (ourNeeds, theirNeeds) = (try needs(of: ours), try needs(of: theirs))
        try settleDeletions(by: \.ours, against: \.theirs, theirNeeds)
        try settleDeletions(by: \.theirs, against: \.ours, ourNeeds)
        settleReleased(deleted)
        try settleOwners()
        gone.formUnion(ours.deleted.keys)
        gone.formUnion(theirs.deleted.keys)
        try dropInsertionsBelowGone()
    }

    private struct Needs {
        var changed: Set<ObjectKey> = []
        var referredTo: Set<ObjectKey> = []
    }

    /// What a side relies on: objects to which it did more than taking links away, and objects to which it added links.
    private func needs(of side: Side) throws -> Needs {
        var needs = Needs()
        func lead(_ end: End, from old: ObjectKey?, to new: ObjectKey?) throws {
            if let new {
                needs.changed.insert(end.key)
                needs.referredTo.insert(new)
            } else if let old, !side.deletedAtFirst.contains(old), try isOwner(end) {
                // Who takes an object out of its owner wants it to stay when that goes.
                needs.changed.insert(end.key)
            }
        }
        for change in side.changed.values {
            for property in change.properties {
                switch property.kind {
                case .attribute: needs.changed.insert(change.key)
                case .toOne(let old, let new):
                    try lead(End(key: change.key, name: property.name), from: old, to: new)
                case .toMany(let members):
                    if !members.moved.isEmpty { needs.changed.insert(change.key) }
                    for member in members.added { needs.referredTo.insert(member.key) }
                    // Without a way back, the link is the object's own.
                    let hasWayBack = hasWayBack(try self.property(property.name, of: change.key))
                    if !hasWayBack, !members.added.isEmpty { needs.changed.insert(change.key) }
                }
            }
        }
        for contents in side.inserted.values {
            for property in contents.properties { needs.referredTo.formUnion(property.value.ends) }
        }
        for (end, new) in side.implied { try lead(end, from: baseEnd(end), to: new) }
        return needs
    }

    /// Whether diffs have the relationship that leads back, or imply it.
    private func hasWayBack(_ property: GraphSchema.Property) -> Bool {
        guard let destination = property.destination, let inverse = property.inverse else { return false }
        return scope.entities[destination].contains[inverse] || scope.schema.isExclusive(property)
    }

    private mutating func settleDeletions(
        by side: WritableKeyPath<Merger, Side>, against other: WritableKeyPath<Merger, Side>, _ needs: Needs
    ) throws {
        let deleted = Set(self[keyPath: side].deleted.keys).subtracting(self[keyPath: other].deletedAtFirst)
        let needed = deleted.intersection(needs.changed.union(needs.referredTo))
        var tops: [ObjectKey: GraphMerge.Conflict.Kind] = [:]
        for key in needed.sorted() {
            let top = topmostOwner(of: key, among: deleted)
            let kind: GraphMerge.Conflict.Kind = needs.changed.contains(key) ? .deletion : .reference
            if tops[top] != .deletion { tops[top] = kind }
        }
        var staying: Set<ObjectKey> = []
        for (top, kind) in tops.sorted(by: { $0.key < $1.key }) where self[keyPath: side].deleted[top] != nil {
            let conflict = conflict(kind, top, isOurs: side == \Merger.ours, self[keyPath: side], self[keyPath: other])
            let wins: GraphMerge.Choice = side == \Merger.ours ? .ours : .theirs
            if settle(conflict) == wins { continue }
            let objects = ownedObjects(of: top, among: deleted)
            for key in objects { self[keyPath: side].deleted[key] = nil }
            staying.formUnion(objects)
        }
        kept.formUnion(staying)
        keepEntities(of: staying, side)
    }

    private func conflict(
        _ kind: GraphMerge.Conflict.Kind, _ key: ObjectKey, isOurs: Bool, _ side: Side, _ other: Side
    ) -> GraphMerge.Conflict {
        let before = side.deleted[key] ?? ObjectContents(key, [])
        let after = GraphMerge.Conflict.Version.object(other.changed[key].map { before.applying($0) } ?? before)
        return GraphMerge.Conflict(
            kind, key, base: .object(before), ours: isOurs ? .noObject : after, theirs: isOurs ? after : .noObject)
    }

    // MARK: Ownership

    /// The object at the top of what was deleted with an object.
    private func topmostOwner(of key: ObjectKey, among deleted: Set<ObjectKey>) -> ObjectKey {
        var top = key
        var seen: Set<ObjectKey> = [key]
        while let owner = owners(of: top).filter({ deleted.contains($0) }).min(), seen.insert(owner).inserted {
            top = owner
        }
        return top
    }

    /// Whether a relationship leads to an owner: an object that takes this one with it, or that this one's identity names, without which
    /// it would be another one.
    private func leadsToOwner(_ property: GraphSchema.Property, of entity: Int) -> Bool {
        guard let inverse = scope.schema.inverse(of: property) else { return false }
        return inverse.isOwning || isIdentifying(property, of: entity)
    }

    private func isIdentifying(_ property: GraphSchema.Property, of entity: Int) -> Bool {
        let description = scope.schema.entities[entity]
        return description.identityRelationships.contains { description.properties[$0].name == property.name }
    }

    func owners(of key: ObjectKey) -> [ObjectKey] {
        guard let row = baseRow(of: key) else { return [] }
        return scope.schema.entities[row.entity].properties.flatMap { property -> [ObjectKey] in
            guard leadsToOwner(property, of: row.entity) else { return [] }
            return linkedBase.destinations(of: row, property).map { baseKey(of: $0) }
        }
    }

    /// An object with what it owns, as far as that was deleted, too.
    private func ownedObjects(of key: ObjectKey, among deleted: Set<ObjectKey>) -> Set<ObjectKey> {
        var found: Set<ObjectKey> = [key]
        var pending = [key]
        while let next = pending.popLast() {
            guard let row = baseRow(of: next) else { continue }
            for property in scope.schema.entities[row.entity].properties where !property.isAttribute {
                let inverse = scope.schema.inverse(of: property)
                for end in linkedBase.destinations(of: row, property)
                where property.isOwning || inverse.map({ isIdentifying($0, of: end.entity) }) == true {
                    let key = baseKey(of: end)
                    if deleted.contains(key), found.insert(key).inserted { pending.append(key) }
                }
            }
        }
        return found
    }

    /// What was inserted below an object that is gone goes with it, and so does what its identity names.
    mutating func dropInsertionsBelowGone() throws {
        var owned: [ObjectKey: Set<ObjectKey>] = [:]
        func noteOwned(_ ends: [ObjectKey], _ name: String, of key: ObjectKey) throws {
            if try property(name, of: key).isOwning { owned[key, default: []].formUnion(ends) }
        }
        for side in [ours, theirs] {
            for contents in side.inserted.values {
                for property in contents.properties {
                    let description = try self.property(property.name, of: contents.key)
                    let entity = try scope.schema.requiredNumber(ofEntity: contents.key.entity)
                    if scope.schema.inverse(of: description)?.isOwning == true || isIdentifying(description, of: entity)
                    {
                        for owner in property.value.ends { owned[owner, default: []].insert(contents.key) }
                    }
                    try noteOwned(property.value.ends, property.name, of: contents.key)
                }
            }
            // The new object itself may not say whose it is.
            for change in side.changed.values {
                for property in change.properties {
                    switch property.kind {
                    case .attribute, .toOne(_, nil): continue
                    case .toOne(_, let new?): try noteOwned([new], property.name, of: change.key)
                    case .toMany(let members): try noteOwned(members.added.map(\.key), property.name, of: change.key)
                    }
                }
            }
        }
        let inserted = Set(ours.inserted.keys).union(theirs.inserted.keys)
        var pending = Array(gone)
        while let owner = pending.popLast() {
            for key in owned[owner] ?? [] where inserted.contains(key) && gone.insert(key).inserted {
                pending.append(key)
            }
        }
    }
}
