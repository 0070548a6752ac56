// Objects of one identity and different entities: a side has made another one of an object, or both have added it, each as another one.
// There is one object in the end. So it is with objects that name one owner which can have only one of them.

extension Merger {
    /// Settles what both sides inserted with one identity, as objects of different entities.
    mutating func settleEntities() {
        let others = Dictionary(theirs.inserted.keys.compactMap { key in inSpace(key).map { ($0, key) } }) { first, _ in
            first
        }
        if others.isEmpty { return }
        for key in ours.inserted.keys.sorted() {
            guard let other = inSpace(key).flatMap({ others[$0] }), other.entity != key.entity,
                let our = ours.inserted[key], let their = theirs.inserted[other]
            else { continue }
            let conflict = GraphMerge.Conflict(
                .uniqueness, key, identifyingAttribute(of: key), other: other, base: .noObject, ours: .object(our),
                theirs: .object(their))
            let choice = settle(conflict)
            switch choice {
            case .ours: replace([other: key], \.theirs)
            case .theirs: replace([key: other], \.ours)
            case .base, .value, nil: gone.formUnion([key, other])
            }
            if case .value? = choice { leave(conflict) }
        }
    }

    /// Settles which of two new objects has an owner that can have only one, and that the identity of both names: without it, either
    /// would be another object. One that stays after all has it.
    mutating func settleOwners() throws {
        let (our, their) = (try ownedAlone(ours), try ownedAlone(theirs))
        for (end, key) in our.merging(their, uniquingKeysWith: { first, _ in first }) {
            guard let old = baseEnd(end), old != key, kept.contains(old) else { continue }
            gone.formUnion([our[end], their[end]].compactMap(\.self))
        }
        for (end, key) in our.sorted(by: { $0.key < $1.key }) {
            guard let other = their[end], other != key, gone.isDisjoint(with: [key, other]),
                let ours = ours.inserted[key], let theirs = theirs.inserted[other]
            else { continue }
            let name = scope.schema.inverse(of: try property(end.name, of: end.key))?.name
            let conflict = GraphMerge.Conflict(
                .uniqueness, key, name, other: other, base: .noObject, ours: .object(ours), theirs: .object(theirs))
            let choice = settle(conflict)
            if choice != .ours { gone.insert(key) }
            if choice != .theirs { gone.insert(other) }
            if case .value? = choice { leave(conflict) }
        }
    }

    /// The objects that a side inserted with an owner in their identity that can have only one, by the owner's end.
    private func ownedAlone(_ side: Side) throws -> [End: ObjectKey] {
        var ends: [End: ObjectKey] = [:]
        for key in side.inserted.keys where !key.owners.isEmpty {
            let description = scope.schema.entities[try scope.schema.requiredNumber(ofEntity: key.entity)]
            for (number, owner) in zip(description.identityRelationships, key.owners) {
                guard let owner, let inverse = scope.schema.inverse(of: description.properties[number]),
                    !inverse.isToMany
                else { continue }
                ends[End(key: owner, name: inverse.name)] = key
            }
        }
        return ends
    }

    /// Lets objects that stay after all be what a side made of them as objects of other entities.
    mutating func keepEntities(of keys: Set<ObjectKey>, _ side: WritableKeyPath<Merger, Side>) {
        let known = Dictionary(keys.sorted().compactMap { key in inSpace(key).map { ($0, key) } }) { first, _ in first }
        let names = self[keyPath: side].inserted.keys.compactMap { key in
            inSpace(key).flatMap { known[$0] }.map { (key, $0) }
        }
        if !names.isEmpty { replace(Dictionary(names) { first, _ in first }, side) }
    }

    /// Takes other objects for some that a side inserted. Links that can't lead to the others are left out.
    private mutating func replace(_ names: [ObjectKey: ObjectKey], _ side: WritableKeyPath<Merger, Side>) {
        self[keyPath: side].replace(names, in: scope.schema)
        gone.formUnion(names.keys.filter { ours.inserted[$0] == nil && theirs.inserted[$0] == nil })
    }

    /// The key as an object of the topmost entity with the same identity has it; nil for what no identity tells.
    private func inSpace(_ key: ObjectKey) -> ObjectKey? {
        guard key.position == nil, !key.isRow, let entity = scope.schema.number(ofEntity: key.entity) else {
            return nil
        }
        let space = scope.schema.entities[entity].identitySpace
        return ObjectKey(scope.schema.entities[space].name, key.identity, of: key.owners)
    }

    private func identifyingAttribute(of key: ObjectKey) -> String? {
        guard let entity = scope.schema.number(ofEntity: key.entity) else { return nil }
        let description = scope.schema.entities[entity]
        return description.identityAttributes.first.map { description.properties[$0].name }
    }
}
