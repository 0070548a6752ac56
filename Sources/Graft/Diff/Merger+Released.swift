// Objects whose identity names an owner that doesn't own them: who deletes the owner makes another object of each of them, the third line
// of nothing. Where the owner stays after all, or both sides have deleted one of several owners, they are one object again.

extension Merger {
    /// Lets objects that sides made of others by deleting owners have the names that their owners leave them.
    ///
    /// - Parameter deleted: What our side and the other one deleted at first.
    mutating func settleReleased(_ deleted: (ours: [ObjectKey: ObjectContents], theirs: [ObjectKey: ObjectContents])) {
        let releases = (ours: releases(deleted.ours, ours), theirs: releases(deleted.theirs, theirs))
        let released = Set(releases.ours.keys).union(releases.theirs.keys)
        if released.isEmpty { return }
        let dropped = settleDeletions(releases.ours, \.ours, against: \.theirs, releases.theirs, deleted.ours)
            .union(settleDeletions(releases.theirs, \.theirs, against: \.ours, releases.ours, deleted.theirs))
        let names = released.subtracting(dropped).compactMap { key in
            name(of: key, among: released).map { (key, $0) }
        }
        let named = Dictionary(names) { first, _ in first }
        rename(releases.ours, to: named, deleted.ours, \.ours)
        rename(releases.theirs, to: named, deleted.theirs, \.theirs)
    }

    /// The objects that a side only released, each with what it is called there.
    private func releases(_ deleted: [ObjectKey: ObjectContents], _ side: Side) -> [ObjectKey: ObjectKey] {
        var origins: [ObjectKey: (count: Int, key: ObjectKey)] = [:]
        for (key, before) in deleted where !key.owners.isEmpty {
            let name = released(key, side)
            guard name != key, let after = side.inserted[name] else { continue }
            // Of several that it can have been, the one that has changed least.
            let origin = (before.changes(to: after).count, key)
            if let known = origins[name], known < origin { continue }
            origins[name] = origin
        }
        return Dictionary(uniqueKeysWithValues: origins.map { ($1.key, $0) })
    }

    /// What a side calls an object that only lost owners.
    private func released(_ key: ObjectKey, _ side: Side) -> ObjectKey {
        withOwners(of: key) { owner, isOwning in
            guard side.deletedAtFirst.contains(owner) else { return owner }
            let name = released(owner, side)
            return side.inserted[name] != nil ? name : isOwning ? owner : nil
        }
    }

    /// A key with others in the place of its owners.
    private func withOwners(of key: ObjectKey, _ other: (ObjectKey, _ isOwning: Bool) -> ObjectKey?) -> ObjectKey {
        guard let entity = scope.schema.number(ofEntity: key.entity) else { return key }
        let description = scope.schema.entities[entity]
        var result = key
        result.owners = zip(description.identityRelationships, key.owners).map { number, owner in
            owner.flatMap { other($0, scope.schema.inverse(of: description.properties[number])?.isOwning == true) }
        }
        return result
    }

    /// The name that an object has in the end; nil where nothing would tell it, or where another object has the name.
    private func name(of key: ObjectKey, among released: Set<ObjectKey>) -> ObjectKey? {
        if kept.contains(key) { return key }
        let name = withOwners(of: key) { owner, isOwning in
            if released.contains(owner) { return self.name(of: owner, among: released) }
            let isGone = ours.deleted[owner] != nil || theirs.deleted[owner] != nil
            return isGone && !isOwning ? nil : owner
        }
        if name == key { return key }
        let isTold = name.owners.contains { $0 != nil } || name.identity.contains { !$0.isNull }
        return isTold && baseRow(of: name) == nil ? name : nil
    }

    /// Settles what one side released and the other one deleted: with an owner that stays after all, it stays; otherwise its deletion
    /// stands, unless the first side did more to it.
    ///
    /// - Returns: The objects that go.
    private mutating func settleDeletions(
        _ releases: [ObjectKey: ObjectKey], _ side: WritableKeyPath<Merger, Side>,
        against other: WritableKeyPath<Merger, Side>, _ others: [ObjectKey: ObjectKey],
        _ deleted: [ObjectKey: ObjectContents]
    ) -> Set<ObjectKey> {
        var dropped: Set<ObjectKey> = []
        for (key, name) in releases.sorted(by: { $0.key < $1.key }) where others[key] == nil {
            guard self[keyPath: other].deleted[key] != nil, let before = deleted[key],
                let after = self[keyPath: side].inserted[name], self[keyPath: other].inserted[name] == nil
            else { continue }
            let isBack = owners(of: key).contains { owner in
                kept.contains(owner) && self[keyPath: other].deletedAtFirst.contains(owner)
            }
            let isOurs = side == \Merger.ours
            let conflict = GraphMerge.Conflict(
                .deletion, key, base: .object(before), ours: isOurs ? .object(after) : .noObject,
                theirs: isOurs ? .noObject : .object(after))
            let isChanged = before.changes(to: after).contains(where: \.kind.adds)
            if !isBack, !isChanged || settle(conflict) == (isOurs ? .theirs : .ours) {
                gone.insert(name)
                dropped.insert(key)
            } else {
                self[keyPath: other].deleted[key] = nil
            }
        }
        return dropped
    }

    /// Gives the objects that a side released other names. What has its old one again is changed, and not another object.
    private mutating func rename(
        _ releases: [ObjectKey: ObjectKey], to names: [ObjectKey: ObjectKey], _ deleted: [ObjectKey: ObjectContents],
        _ path: WritableKeyPath<Merger, Side>
    ) {
        let pairs = releases.compactMap { key, name in
            names[key].flatMap { $0 != name && self[keyPath: path].inserted[$0] == nil ? (key, name, $0) : nil }
        }
        if pairs.isEmpty { return }
        var side = self[keyPath: path]
        side.rename(Dictionary(uniqueKeysWithValues: pairs.map { ($1, $2) }), in: scope.schema)
        for (key, _, name) in pairs {
            guard let contents = side.inserted[name] else { continue }
            guard name == key else {
                side.inserted[name] = withOwners(contents)
                continue
            }
            side.inserted[key] = nil
            side.deleted[key] = nil
            kept.insert(key)
            let changes = deleted[key]?.changes(to: contents) ?? []
            if !changes.isEmpty { side.changed[key] = ObjectChange(key, changes) }
        }
        self[keyPath: path] = side
    }

    /// An object with the owners that its key names.
    private func withOwners(_ contents: ObjectContents) -> ObjectContents {
        guard let entity = scope.schema.number(ofEntity: contents.key.entity) else { return contents }
        let description = scope.schema.entities[entity]
        let names = description.identityRelationships.map { description.properties[$0].name }
        let owners = zip(names, contents.key.owners).compactMap { name, owner in
            owner.map { PropertyContents(name, .toOne($0)) }
        }
        return ObjectContents(contents.key, contents.properties.filter { !names.contains($0.name) } + owners)
    }
}

extension PropertyChange.Kind {
    /// Whether more is done than taking links away.
    fileprivate var adds: Bool {
        switch self {
        case .attribute: true
        case .toOne(_, let new): new != nil
        case .toMany(let members): !members.added.isEmpty || !members.moved.isEmpty
        }
    }
}
