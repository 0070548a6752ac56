// A pending change without what waits for a conflict to be settled. A link has two ends: what waits at one of them isn't told by
// the other one.

extension GraphDiff {
    /// The diff without what conflicts are about.
    ///
    /// - Parameter owned: What objects own, on either side.
    func leavingOut(
        _ conflicts: [GraphMerge.Conflict], _ schema: GraphSchema, owned: ([ObjectKey]) -> [ObjectKey]
    ) -> GraphDiff {
        if conflicts.isEmpty { return self }
        let waiting = Waiting(conflicts, schema, self, owned)
        return GraphDiff(
            deleted: deleted.filter { !waiting.contains($0.key) },
            inserted: inserted.compactMap { contents in
                if waiting.contains(contents.key) { return nil }
                return ObjectContents(
                    contents.key, contents.properties.compactMap { waiting.rest(of: $0, contents.key) })
            },
            changed: changed.compactMap { change in
                if waiting.contains(change.key) { return nil }
                let rest = change.properties.compactMap { waiting.rest(of: $0, change.key) }
                return rest.isEmpty ? nil : ObjectChange(change.key, rest)
            }, identification: identification)
    }
}

extension GraphMerge.Conflict {
    /// Whether objects are concerned as a whole: by a deletion, or as two of which only one can be.
    var isOfObjects: Bool {
        if case .object = ours { return true }
        return property == nil
    }

    /// The objects that are concerned as a whole.
    var objects: [ObjectKey] { isOfObjects ? [key] + (other.map { [$0] } ?? []) : [] }

    /// The properties of the objects that are concerned: of two that aren't unique together, all of the constraint; none where it is
    /// in whose list the object is.
    func properties(_ schema: GraphSchema) -> [String] {
        guard let property, !isOfObjects, listPlace(schema) == nil else { return [] }
        guard kind == .uniqueness, let number = schema.number(ofEntity: key.entity) else { return [property] }
        let entity = schema.entities[number]
        let constraints = entity.uniqueness.filter { entity.properties[$0[0]].name == property }
        let numbers = Set(constraints.joined()).subtracting(entity.identityAttributes)
        return numbers.sorted().map { entity.properties[$0].name }
    }
}

/// What waits for conflicts to be settled.
private struct Waiting {
    private var objects: Set<ObjectKey>
    private var properties: [ObjectKey: Set<String>] = [:]
    /// Where it waits in whose list an object is.
    private let listPlaces: Set<Merger.ListPlace>
    private let schema: GraphSchema

    init(
        _ conflicts: [GraphMerge.Conflict], _ schema: GraphSchema, _ diff: GraphDiff,
        _ owned: ([ObjectKey]) -> [ObjectKey]
    ) {
        self.schema = schema
        objects = Set(conflicts.flatMap(\.objects))
        listPlaces = Set(conflicts.compactMap { $0.listPlace(schema) })
        for conflict in conflicts {
            for key in [conflict.key] + (conflict.other.map { [$0] } ?? []) {
                properties[key, default: []].formUnion(conflict.properties(schema))
            }
        }
        var known = (objects, properties)
        repeat {
            known = (objects, properties)
            // An object waits with all that it owns, and a new one can't be told without what it must have.
            if !objects.isEmpty { objects.formUnion(owned(Array(objects))) }
            objects.formUnion(diff.inserted.filter { !contains($0.key) && isIncomplete($0) }.map(\.key))
            for change in diff.changed where !contains(change.key) { withhold(change) }
        } while known != (objects, properties)
    }

    /// Lets a to-one relationship wait that leads to what waits: who loses its object by that isn't told either.
    private mutating func withhold(_ change: ObjectChange) {
        for property in change.properties {
            guard case .toOne = property.kind, rest(of: property, change.key) == nil else { continue }
            properties[change.key, default: []].insert(property.name)
        }
    }

    /// Whether a mandatory property of a new object waits.
    private func isIncomplete(_ contents: ObjectContents) -> Bool {
        contents.properties.contains { property in
            schema.property(property.name, of: contents.key)?.isOptional == false
                && rest(of: property, contents.key) == nil
        }
    }

    /// Whether an object waits as a whole.
    func contains(_ key: ObjectKey) -> Bool {
        if objects.contains(key) { return true }
        return key.position?.start.map { objects.contains($0) } ?? false
    }

    private func waits(_ name: String, of key: ObjectKey) -> Bool { properties[key]?.contains(name) ?? false }

    /// Whether what a property has to do with another object waits there.
    private func waits(_ end: ObjectKey?, _ inverse: String?) -> Bool {
        guard let end else { return false }
        return contains(end) || inverse.map { waits($0, of: end) } ?? false
    }

    /// Whether it waits if an object is in a list without inverse.
    private func waits(_ member: ObjectKey, inList name: String, of owner: ObjectKey) -> Bool {
        if listPlaces.isEmpty { return false }
        return schema.listPlace(of: member, owner.entity, name).map(listPlaces.contains) ?? false
    }

    /// The name of the relationship back.
    private func inverse(of name: String, _ key: ObjectKey) -> String? {
        schema.property(name, of: key).flatMap(schema.inverse)?.name
    }

    /// What of a change doesn't wait.
    func rest(of change: PropertyChange, _ key: ObjectKey) -> PropertyChange? {
        if waits(change.name, of: key) { return nil }
        let inverse = inverse(of: change.name, key)
        switch change.kind {
        case .attribute: return change
        case .toOne(let old, let new): return waits(old, inverse) || waits(new, inverse) ? nil : change
        case .toMany(var members):
            let count = members.added.count + members.removed.count
            func isWaiting(_ member: MembersChange.Member) -> Bool {
                waits(member.key, inverse) || waits(member.key, inList: change.name, of: key)
            }
            members.added.removeAll(where: isWaiting)
            members.removed.removeAll(where: isWaiting)
            if members.added.count + members.removed.count == count { return change }
            return members.isEmpty ? nil : PropertyChange(change.name, .toMany(members))
        }
    }

    /// What of a new object's property doesn't wait.
    func rest(of contents: PropertyContents, _ key: ObjectKey) -> PropertyContents? {
        if waits(contents.name, of: key) { return nil }
        let inverse = inverse(of: contents.name, key)
        return contents.value.leading { !waits($0, inverse) && !waits($0, inList: contents.name, of: key) }
            .map { PropertyContents(contents.name, $0) }
    }
}
