// Two diffs in a row as one. What was inserted and deleted again, or changed and changed back, isn't in it.

extension GraphDiff {
    /// Returns the diff that does what this one and then another one do.
    ///
    /// Where no ordered relationship changes, it equals the diff between the first and the last graph. In ordered ones, it
    /// has the same effect; which members it moves can differ, because it only knows those that the two diffs name.
    ///
    /// - Parameter next: A diff from the graph that this one leads to.
    /// - Complexity: O(*n* log *n*) in the size of both.
    public func composed(with next: GraphDiff) -> GraphDiff {
        var composition = Composition(self)
        for contents in next.deleted { composition.delete(contents) }
        for contents in next.inserted { composition.insert(contents) }
        for change in next.changed { composition.change(change) }
        var diff = composition.diff
        diff.identification = identification
        diff.identification.merge(next.identification)
        return diff
    }
}

private struct Composition {
    private var deleted: [ObjectKey: ObjectContents]
    private var inserted: [ObjectKey: ObjectContents]
    private var changed: [ObjectKey: ObjectChange]

    init(_ first: GraphDiff) {
        deleted = Dictionary(first.deleted.map { ($0.key, $0) }) { $1 }
        inserted = Dictionary(first.inserted.map { ($0.key, $0) }) { $1 }
        changed = Dictionary(first.changed.map { ($0.key, $0) }) { $1 }
    }

    var diff: GraphDiff {
        GraphDiff(deleted: Array(deleted.values), inserted: Array(inserted.values), changed: Array(changed.values))
    }

    mutating func delete(_ contents: ObjectContents) {
        if inserted.removeValue(forKey: contents.key) != nil { return }
        guard let change = changed.removeValue(forKey: contents.key) else {
            deleted[contents.key] = contents
            return
        }
        deleted[contents.key] = contents.applying(change.inverted)
    }

    mutating func insert(_ contents: ObjectContents) {
        guard let old = deleted.removeValue(forKey: contents.key) else {
            inserted[contents.key] = contents
            return
        }
        let changes = old.changes(to: contents)
        if !changes.isEmpty { changed[contents.key] = ObjectChange(contents.key, changes) }
    }

    mutating func change(_ change: ObjectChange) {
        if let contents = inserted[change.key] {
            inserted[change.key] = contents.applying(change)
            return
        }
        guard let first = changed.removeValue(forKey: change.key) else {
            changed[change.key] = change
            return
        }
        var kinds = Dictionary(first.properties.map { ($0.name, $0.kind) }) { $1 }
        for property in change.properties {
            kinds[property.name] = kinds[property.name].map { $0.composed(with: property.kind) } ?? property.kind
        }
        let properties = kinds.filter { !$0.value.isEmpty }.map { PropertyChange($0.key, $0.value) }
        if !properties.isEmpty { changed[change.key] = ObjectChange(change.key, properties) }
    }
}

extension PropertyChange.Kind {
    /// Whether nothing differs.
    var isEmpty: Bool {
        switch self {
        case .attribute(let old, let new): old.isSameValue(as: new)
        case .toOne(let old, let new): old == new
        case .toMany(let change): change.isEmpty
        }
    }

    /// Two changes of one property as one. Of changes of different kinds, which no model allows, the second counts.
    fileprivate func composed(with next: Self) -> Self {
        switch (self, next) {
        case (.attribute(let old, _), .attribute(_, let new)): .attribute(old: old, new: new)
        case (.toOne(let old, _), .toOne(_, let new)): .toOne(old: old, new: new)
        case (.toMany(let change), .toMany(let next)): .toMany(change.composed(with: next))
        default: next
        }
    }
}

// MARK: - Contents

extension ObjectContents {
    /// The contents after a change.
    func applying(_ change: ObjectChange) -> ObjectContents {
        var values = Dictionary(properties.map { ($0.name, $0.value) }) { $1 }
        for property in change.properties {
            switch property.kind {
            case .attribute(_, let new): values[property.name] = .attribute(new)
            case .toOne(_, let new): values[property.name] = new.map { .toOne($0) }
            case .toMany(let members):
                var keys: [ObjectKey] = []
                var isOrdered = members.isOrdered
                if case .toMany(let old, let isOldOrdered)? = values[property.name] {
                    keys = old
                    isOrdered = isOldOrdered
                }
                keys = members.applied(to: keys, isOrdered: isOrdered)
                values[property.name] = keys.isEmpty ? nil : .toMany(keys, isOrdered: isOrdered)
            }
        }
        return ObjectContents(key, values.map { PropertyContents($0.key, $0.value) })
    }

    /// What differs in other contents of the same object. An attribute of which one of them says nothing isn't compared.
    func changes(to other: ObjectContents) -> [PropertyChange] {
        let values = Dictionary(properties.map { ($0.name, $0.value) }) { $1 }
        let otherValues = Dictionary(other.properties.map { ($0.name, $0.value) }) { $1 }
        let names = Set(values.keys).union(otherValues.keys)
        return names.sorted { $0.precedesInBytes($1) }.compactMap { name in
            let kind = PropertyChange.Kind(from: values[name], to: otherValues[name])
            return kind.flatMap { $0.isEmpty ? nil : PropertyChange(name, $0) }
        }
    }
}

extension PropertyChange.Kind {
    /// What makes one value out of another, or out of none; nil where they aren't of one kind.
    init?(from old: PropertyValue?, to new: PropertyValue?) {
        switch (old, new) {
        case (.attribute(let old)?, .attribute(let new)?): self = .attribute(old: old, new: new)
        case (.toOne(let old)?, .toOne(let new)?): self = .toOne(old: old, new: new)
        case (.toOne(let old)?, nil): self = .toOne(old: old, new: nil)
        case (nil, .toOne(let new)?): self = .toOne(old: nil, new: new)
        case (.toMany(let old, let isOrdered)?, .toMany(let new, _)?):
            self = .toMany(MembersChange(from: old, to: new, isOrdered: isOrdered))
        case (.toMany(let old, let isOrdered)?, nil):
            self = .toMany(MembersChange(from: old, to: [], isOrdered: isOrdered))
        case (nil, .toMany(let new, let isOrdered)?):
            self = .toMany(MembersChange(from: [], to: new, isOrdered: isOrdered))
        default: return nil
        }
    }
}

extension PropertyValue {
    /// What is left of a relationship where it may lead to some objects only; nil where that is nothing.
    func leading(where isAllowed: (ObjectKey) -> Bool) -> PropertyValue? {
        switch self {
        case .toOne(let end?): return isAllowed(end) ? self : nil
        case .toMany(let ends, let isOrdered):
            let rest = ends.filter(isAllowed)
            return rest.isEmpty && !ends.isEmpty ? nil : .toMany(rest, isOrdered: isOrdered)
        case .attribute, .toOne(nil): return self
        }
    }
}
