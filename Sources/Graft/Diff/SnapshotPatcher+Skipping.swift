// What `skip` leaves out beside what doesn't fit itself.

extension SnapshotPatcher {
    /// A link has two ends, and one that doesn't fit at one of them isn't made or taken away by the other one. That can
    /// leave out more.
    mutating func leaveOutOtherEnds(_ diff: GraphDiff) {
        let kept = Set(insertions.map(\.contents.key)).union(deletions.map(\.contents.key))
        let skippedObjects = Set((diff.inserted + diff.deleted).map(\.key)).subtracting(kept)
        var wanted: [ObjectKey: Set<String>] = [:]
        for change in diff.changed { wanted[change.key] = Set(change.properties.map(\.name)) }
        for edit in edits { wanted[key(of: edit.row)]?.remove(edit.property.name) }
        var skipped = wanted.filter { !$0.value.isEmpty }
        func isLeftOut(_ end: ObjectKey, _ property: GraphSchema.Property) -> Bool {
            guard let inverse = scope.schema.inverse(of: property) else { return false }
            return skippedObjects.contains(end) || skipped[end]?.contains(inverse.name) ?? false
        }
        var isDone = false
        while !isDone {
            isDone = true
            for index in edits.indices.reversed() {
                var edit = edits[index]
                switch edit.kind {
                case .attribute: continue
                case .toOne(let old, let new):
                    guard [old, new].contains(where: { $0.map { isLeftOut($0, edit.property) } ?? false }) else {
                        continue
                    }
                    skipped[key(of: edit.row), default: []].insert(edit.property.name)
                    edits.remove(at: index)
                    isDone = false
                case .toMany(var change):
                    change.added.removeAll { isLeftOut($0.key, edit.property) }
                    change.removed.removeAll { isLeftOut($0.key, edit.property) }
                    edit.kind = .toMany(change)
                    edits[index] = edit
                }
            }
        }
        // A list takes a new object in, whatever else of it doesn't fit; an end for one object would give up the one that it has.
        for index in insertions.indices {
            let contents = insertions[index].contents
            insertions[index].contents.properties = contents.properties.map { content in
                guard let property = scope.schema.property(content.name, of: contents.key),
                    scope.schema.isExclusive(property)
                else { return content }
                let rest = content.value.leading { !isLeftOut($0, property) }
                return PropertyContents(content.name, rest ?? .nothing(property))
            }
        }
    }
}
