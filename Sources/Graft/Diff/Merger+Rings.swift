// Owners in a ring: one side puts an object below another, the other side that one below the first. Nothing owns them then, and whoever
// is deleted takes itself along.

extension Merger {
    /// Breaks rings of owners that only both sides together have made.
    ///
    /// - Complexity: O(*n*) in the owners above what has changed, once more for each ring that is broken.
    mutating func settleRings() throws {
        var clear: Set<ObjectKey> = []
        for end in ends.keys.sorted() where try isOwner(end) {
            while let ring = try ring(above: end.key, &clear) {
                // What leads elsewhere now may close another one.
                if try settle(ring) { clear.removeAll() } else { clear.formUnion(ring.map(\.key)) }
            }
        }
    }

    /// Breaks a ring, and returns whether it had to be: who made it alone, or with the other, has wanted it.
    private mutating func settle(_ ring: [End]) throws -> Bool {
        let changes = ring.filter { changed($0, ours) != changed($0, theirs) }
        let (our, their) = (changes.filter { changed($0, ours) }, changes.filter { changed($0, theirs) })
        guard let first = changes.min(), !our.isEmpty, !their.isEmpty else { return false }
        switch settle(conflict(first)) {
        case .ours: try their.forEach { try takeBack($0) }
        case .theirs: try our.forEach { try takeBack($0) }
        default: try changes.forEach { try takeBack($0) }
        }
        return true
    }

    /// Lets a relationship lead where it led before.
    private mutating func takeBack(_ end: End) throws {
        let (new, old) = (ends[end] ?? nil, keptBaseEnd(end))
        ends[end] = .some(old)
        guard let inverse = scope.schema.inverse(of: try property(end.name, of: end.key)), !inverse.isToMany else {
            return
        }
        if let new { ends[End(key: new, name: inverse.name)] = .some(nil) }
        if let old { ends[End(key: old, name: inverse.name)] = .some(end.key) }
    }

    /// Whether a to-one relationship leads to an object that owns this one.
    func isOwner(_ end: End) throws -> Bool {
        scope.schema.inverse(of: try property(end.name, of: end.key))?.isOwning == true
    }

    /// Whether a side has changed a relationship, and that still counts.
    private func changed(_ end: End, _ side: Side) -> Bool {
        if ends[end] ?? nil == keptBaseEnd(end) { return false }
        if case .some(.some(_)) = side.implied[end] { return true }
        return side.changed[end.key]?[end.name] != nil || side.inserted[end.key]?[end.name] != nil
    }

    /// The way along owners round a ring above an object; nil where there is none.
    ///
    /// - Parameter clear: Objects above which there is no ring, or none to be broken; gets more of them.
    private func ring(above start: ObjectKey, _ clear: inout Set<ObjectKey>) throws -> [End]? {
        if clear.contains(start) { return nil }
        var way: [End] = []
        var places = [start: 0]
        var stack = [(key: start, open: try ownerEnds(of: start))]
        while var top = stack.popLast() {
            guard let end = top.open.popLast() else {
                places[top.key] = nil
                clear.insert(top.key)
                _ = way.popLast()
                continue
            }
            stack.append(top)
            guard let owner = ends[end] ?? baseEnd(end), !gone.contains(owner), !clear.contains(owner) else { continue }
            if let place = places[owner] { return way[place...] + [end] }
            way.append(end)
            places[owner] = stack.count
            stack.append((owner, try ownerEnds(of: owner)))
        }
        return nil
    }

    /// The relationships that lead to an object's owners.
    private func ownerEnds(of key: ObjectKey) throws -> [End] {
        let entity = scope.schema.entities[try scope.schema.requiredNumber(ofEntity: key.entity)]
        return entity.properties.filter {
            !$0.isAttribute && !$0.isToMany && scope.schema.inverse(of: $0)?.isOwning == true
        }.map { End(key: key, name: $0.name) }
    }
}
