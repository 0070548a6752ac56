// Objects that both sides of a merge have added: where rows are their names, two of them can have one number by chance.

extension GraphDiff {
    /// This diff and another one of the same base, in which rows that both have added have different names, whatever their
    /// numbers.
    func separatingAddedRows(from other: GraphDiff) -> (GraphDiff, GraphDiff) {
        let own = Dictionary(inserted.filter(\.key.isRow).map { ($0.key, $0) }) { first, _ in first }
        var names: [ObjectKey: ObjectKey] = [:]
        var otherNames: [ObjectKey: ObjectKey] = [:]
        for contents in other.inserted {
            guard let twin = own[contents.key], let number = contents.key.rowNumber else { continue }
            let name = contents.key.identity.first.flatMap(GraphSnapshot.RowName.mark) ?? contents.mark
            let ownName = twin.key.identity.first.flatMap(GraphSnapshot.RowName.mark) ?? twin.mark
            var (key, ownKey) = (contents.key, twin.key)
            ownKey.identity = [GraphSnapshot.RowName.name(number, mark: ownName)]
            // Two with the same contents are two nevertheless.
            key.identity = [GraphSnapshot.RowName.name(number, mark: name == ownName ? name + "+" : name)]
            names[twin.key] = ownKey
            otherNames[contents.key] = key
        }
        if otherNames.isEmpty { return (self, other) }
        return (renaming(names), other.renaming(otherNames))
    }

    /// The diff with other names for some objects.
    func renaming(_ names: [ObjectKey: ObjectKey]) -> GraphDiff {
        func contents(_ contents: ObjectContents) -> ObjectContents {
            ObjectContents(
                contents.key.renamed(names),
                contents.properties.map { PropertyContents($0.name, $0.value.renamed(names)) })
        }
        var result = GraphDiff(
            deleted: deleted.map(contents), inserted: inserted.map(contents),
            changed: changed.map { change in
                ObjectChange(
                    change.key.renamed(names), change.properties.map { PropertyChange($0.name, $0.kind.renamed(names)) }
                )
            }, identification: identification)
        for key in names.values {
            guard case .row(let limit, _)? = identification.rules[key.entity] else { continue }
            result.identification.rules[key.entity] = .row(upTo: limit, isMarked: true)
        }
        return result
    }
}

extension ObjectKey {
    fileprivate func renamed(_ names: [ObjectKey: ObjectKey]) -> ObjectKey {
        if let name = names[self] { return name }
        var key = self
        key.owners = owners.map { $0?.renamed(names) }
        if let position, let start = position.start {
            let renamed = start.renamed(names)
            key.position?.identity = renamed.identity
            key.position?.owners = renamed.owners
        }
        return key
    }
}

extension PropertyValue {
    fileprivate func renamed(_ names: [ObjectKey: ObjectKey]) -> PropertyValue {
        switch self {
        case .attribute: self
        case .toOne(let key): .toOne(key?.renamed(names))
        case .toMany(let keys, let isOrdered):
            .toMany(
                isOrdered ? keys.map { $0.renamed(names) } : keys.map { $0.renamed(names) }.sorted(),
                isOrdered: isOrdered)
        }
    }
}

extension PropertyChange.Kind {
    fileprivate func renamed(_ names: [ObjectKey: ObjectKey]) -> PropertyChange.Kind {
        switch self {
        case .attribute: return self
        case .toOne(let old, let new): return .toOne(old: old?.renamed(names), new: new?.renamed(names))
        case .toMany(let change):
            func members(_ members: [MembersChange.Member]) -> [MembersChange.Member] {
                let renamed = members.map { MembersChange.Member($0.key.renamed(names), at: $0.index) }
                return members.first?.index == nil ? renamed.sorted { $0.key < $1.key } : renamed
            }
            var renamed = MembersChange(
                removed: members(change.removed), added: members(change.added),
                moved: change.moved.map { .init($0.key.renamed(names), from: $0.from, to: $0.to) })
            // Who stood for another one stays.
            let both = Set(renamed.removed).intersection(renamed.added)
            renamed.removed.removeAll(where: both.contains)
            renamed.added.removeAll(where: both.contains)
            return .toMany(renamed)
        }
    }
}

extension ObjectContents {
    /// The mark of the object by its attributes, as ``GraphSchema/Entity/mark(_:)`` makes it of a row.
    fileprivate var mark: String {
        var mark = ContentMark()
        for property in properties {
            if case .attribute(let value) = property.value { mark.mix(value, of: property.name) }
        }
        return mark.text
    }
}
