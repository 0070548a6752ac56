// Links that a diff names at one end alone: nested JSON says them once, and the other end may be excluded. Where that other end can have
// one, what becomes of it follows, so that it is settled like one that is spelled out. It is settled only, and not part of the merged
// diff: the patcher keeps both ends of a link, as far as the base says something of them.

extension Merger {
    /// Where the to-one relationships lead of which a side says nothing itself, but what they lead or led to.
    ///
    /// Those that lead to two objects, as contradictory text has it, aren't there.
    func impliedEnds(_ side: Side) throws -> [End: ObjectKey?] {
        var found: [End: Set<ObjectKey>] = [:]
        func note(_ others: [ObjectKey], _ name: String, of key: ObjectKey, isNew: Bool) throws {
            guard let inverse = scope.schema.inverse(of: try property(name, of: key)), !inverse.isToMany else { return }
            let new: Set<ObjectKey> = isNew ? [key] : []
            for other in others {
                let end = End(key: other, name: inverse.name)
                // Who deletes an object takes it out of nothing.
                if says(end, side) || side.deletedAtFirst.contains(other) { continue }
                found[end, default: []].formUnion(new)
            }
        }
        for (key, change) in side.changed {
            for property in change.properties {
                switch property.kind {
                case .attribute: continue
                case .toOne(let old, let new):
                    try note([old].compactMap(\.self), property.name, of: key, isNew: false)
                    try note([new].compactMap(\.self), property.name, of: key, isNew: true)
                case .toMany(let members):
                    try note(members.removed.map(\.key), property.name, of: key, isNew: false)
                    try note(members.added.map(\.key), property.name, of: key, isNew: true)
                }
            }
        }
        for (key, contents) in side.inserted {
            for property in contents.properties {
                try note(property.value.ends, property.name, of: key, isNew: true)
            }
        }
        return found.filter { $0.value.count < 2 }.mapValues { $0.first }
    }

    /// Whether a side's diff has a to-one relationship itself.
    private func says(_ end: End, _ side: Side) -> Bool {
        side.changed[end.key]?[end.name] != nil || side.inserted[end.key]?[end.name] != nil
    }
}
