// What a diff says of before, taken from the objects. A text of theirs doesn't say all of it: dates lose what their format leaves out,
// and properties that aren't exported are missing.

extension ObjectPatcher {
    /// The diff with what its objects have now as the values of before.
    ///
    /// - Parameter isSaid: Whether the state that the diff was made from says something of a property. If not, a list of members is
    ///   what the diff adds.
    mutating func present(_ diff: GraphDiff, isSaid: (ObjectKey, String) -> Bool) throws -> GraphDiff {
        let diff = diff.kept(context.rounding)
        let snapshot = try read(diff).snapshot
        var patcher = SnapshotPatcher(snapshot, scope, GraphDiff.ApplyingOptions(), unknownIsMissing: true)
        var result = diff
        for index in diff.deleted.indices {
            let key = diff.deleted[index].key
            guard let row = patcher.row(of: key) else { continue }
            result.deleted[index] = patcher.contents(of: row, key) { isSaid(key, $0) }
        }
        for index in diff.changed.indices {
            let key = diff.changed[index].key
            guard let row = patcher.row(of: key) else { continue }
            result.changed[index].properties = diff.changed[index].properties.compactMap { change in
                guard let number = scope.schema.entities[row.entity].number(ofProperty: change.name) else {
                    return change
                }
                let kind = change.kind.present(patcher.value(number, of: row), isSaid: isSaid(key, change.name))
                return kind.isEmpty ? nil : PropertyChange(change.name, kind)
            }
        }
        result.changed.removeAll { $0.properties.isEmpty }
        return result
    }
}

extension SnapshotPatcher {
    /// What a row has, in the form of a diff.
    fileprivate mutating func contents(
        of row: RowReference, _ key: ObjectKey, isSaid: (String) -> Bool
    ) -> ObjectContents {
        let (entity, members) = (scope.schema.entities[row.entity], scope.entities[row.entity])
        var properties: [PropertyContents] = []
        for member in members.attributes + members.toOnes + members.toManys {
            let property = entity.properties[member.number]
            let value = value(member.number, of: row)
            // Relationships are there only where they lead somewhere.
            if !property.isAttribute, value.ends.isEmpty { continue }
            // What a diff says of links goes with the object, so of others the delete rule decides.
            if property.isOwning || property.isDenying, !isSaid(property.name) { continue }
            properties.append(PropertyContents(property.name, value))
        }
        return ObjectContents(key, properties)
    }
}

extension PropertyChange.Kind {
    /// The change from what an object has to what this one leads to.
    fileprivate func present(_ value: PropertyValue, isSaid: Bool) -> PropertyChange.Kind {
        switch (self, value) {
        case (.attribute(_, let new), .attribute(let old)): .attribute(old: old, new: new)
        case (.toOne(_, let new), .toOne(let old)): .toOne(old: old, new: new)
        case (.toMany(let change), .toMany(let old, let isOrdered)) where !isSaid:
            .toMany(MembersChange(from: old, to: change.added.map(\.key), isOrdered: isOrdered))
        default: self
        }
    }
}
