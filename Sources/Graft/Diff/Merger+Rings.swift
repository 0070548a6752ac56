// Owners in a ring: one side puts an object below another, the other side that one below the first. Nothing owns them then, and whoever
// is deleted takes itself along.

extension Merger {
    /// Breaks rings of owners that only both sides together have made.
    mutating func settleRings() throws {
        for end in ends.keys.sorted(by: { ($0.key, $0.name) < ($1.key, $1.name) }) where try isOwner(end) {
            while let ring = try ring(from: end) {
                // What both wanted is no ring of both.
                let changes = ring.filter { changed($0, ours) != changed($0, theirs) }
                let (our, their) = (changes.filter { changed($0, ours) }, changes.filter { changed($0, theirs) })
                guard let first = changes.min(by: { ($0.key, $0.name) < ($1.key, $1.name) }), !our.isEmpty,
                    !their.isEmpty
                else { break }
                switch settle(conflict(first)) {
                case .ours: try their.forEach { try takeBack($0) }
                case .theirs: try our.forEach { try takeBack($0) }
                default: try changes.forEach { try takeBack($0) }
                }
            }
        }
    }

    /// Lets a relationship lead where it led before.
    private mutating func takeBack(_ end: End) throws {
        let (new, old) = (ends[end] ?? nil, baseEnd(end).flatMap { gone.contains($0) ? nil : $0 })
        ends[end] = .some(old)
        guard let inverse = inverse(of: try property(end.name, of: end.key)), !inverse.isToMany else { return }
        if let new { ends[End(key: new, name: inverse.name)] = .some(nil) }
        if let old { ends[End(key: old, name: inverse.name)] = .some(end.key) }
    }

    private func isOwner(_ end: End) throws -> Bool {
        inverse(of: try property(end.name, of: end.key))?.isOwning == true
    }

    private func changed(_ end: End, _ side: Side) -> Bool {
        side.changed[end.key]?[end.name] != nil || side.inserted[end.key]?[end.name] != nil
    }

    /// The way along owners from an object back to itself, which begins with one of them; nil where there is none.
    private func ring(from start: End) throws -> [End]? {
        var ways: [[End]] = [[start]]
        var seen: Set<ObjectKey> = []
        while let way = ways.popLast() {
            guard let last = way.last, let owner = ends[last] ?? baseEnd(last), !gone.contains(owner) else { continue }
            if owner == start.key { return way }
            guard seen.insert(owner).inserted else { continue }
            let entity = scope.schema.entities[try scope.schema.requiredNumber(ofEntity: owner.entity)]
            for property in entity.properties where !property.isAttribute && !property.isToMany {
                if inverse(of: property)?.isOwning == true { ways.append(way + [End(key: owner, name: property.name)]) }
            }
        }
        return nil
    }
}
