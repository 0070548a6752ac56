// Objects of one identity and different entities: a side has made another one of an object, or both have added it, each as another one.
// There is one object in the end. So it is with an object that stays, and whose identity a side has changed by deleting its owner.

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
            switch settle(conflict) {
            case .ours: replace([other: key], \.theirs)
            case .theirs: replace([key: other], \.ours)
            case .base: gone.formUnion([key, other])
            case .value: leave(conflict)
            case nil: break
            }
        }
    }

    /// Lets objects that stay after all be what a side made of them as objects of other entities, or without their owners.
    mutating func keepEntities(of keys: Set<ObjectKey>, _ side: WritableKeyPath<Merger, Side>) {
        let calls = keys.sorted().flatMap { key in
            [key, released(key, keys, self[keyPath: side])].compactMap { call in inSpace(call).map { ($0, key) } }
        }
        let known = Dictionary(calls) { first, _ in first }
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

    /// What a side calls one of some objects if it only lost owners among them, which don't take it along: the third line of nothing.
    private func released(_ key: ObjectKey, _ keys: Set<ObjectKey>, _ side: Side) -> ObjectKey {
        guard let entity = scope.schema.number(ofEntity: key.entity) else { return key }
        let description = scope.schema.entities[entity]
        var result = key
        result.owners = zip(description.identityRelationships, key.owners).map { number, owner -> ObjectKey? in
            guard let owner, keys.contains(owner) else { return owner }
            let other = released(owner, keys, side)
            if side.inserted[other] != nil { return other }
            return inverse(of: description.properties[number])?.isOwning == true ? owner : nil
        }
        return result
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
