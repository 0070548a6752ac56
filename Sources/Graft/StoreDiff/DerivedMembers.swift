// Changes of to-many relationships, collected from their inverses.

/// By object and relationship, the members that came and went.
struct DerivedMembers {
    private var changes: [ObjectKey: [String: MembersChange]] = [:]

    mutating func add(_ member: ObjectKey, to owner: ObjectKey, _ relationship: String) {
        changes[owner, default: [:]][relationship, default: MembersChange()].added.append(.init(member))
    }

    mutating func remove(_ member: ObjectKey, from owner: ObjectKey, _ relationship: String) {
        changes[owner, default: [:]][relationship, default: MembersChange()].removed.append(.init(member))
    }

    /// Does to the inverse what was done to a relationship of an object.
    mutating func follow(_ kind: PropertyChange.Kind, of member: ObjectKey, _ inverse: String) {
        switch kind {
        case .attribute: break
        case .toOne(let old, let new):
            if let old { remove(member, from: old, inverse) }
            if let new { add(member, to: new, inverse) }
        case .toMany(let change):
            for end in change.removed { remove(member, from: end.key, inverse) }
            for end in change.added { add(member, to: end.key, inverse) }
        }
    }

    /// The changed objects of a diff with the collected changes of those that are on both sides.
    ///
    /// - Parameter compared: The entities that take part. Others are only referred to.
    func merged(into diff: GraphDiff, compared: Set<String>) -> [ObjectChange] {
        if changes.isEmpty { return diff.changed }
        let onOneSide = Set(diff.deleted.map(\.key)).union(diff.inserted.map(\.key))
        var rest = changes.filter { !onOneSide.contains($0.key) && compared.contains($0.key.entity) }
        var result = diff.changed.map { change in
            guard let derived = rest.removeValue(forKey: change.key) else { return change }
            return ObjectChange(change.key, change.properties + Self.properties(derived))
        }
        result += rest.map { ObjectChange($0.key, Self.properties($0.value)) }
        return result
    }

    private static func properties(_ changes: [String: MembersChange]) -> [PropertyChange] {
        changes.compactMap { name, change in
            var change = change
            change.removed.sort { $0.key < $1.key }
            change.added.sort { $0.key < $1.key }
            return PropertyChange(name, .toMany(change))
        }
    }
}
