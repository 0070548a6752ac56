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

    /// The diff with other names for some objects. A link keeps the old name where the new one is of an entity that the
    /// relationship doesn't lead to.
    ///
    /// - Parameter schema: Says where relationships lead; nil where the names are of the same entities.
    func renaming(_ names: [ObjectKey: ObjectKey], in schema: GraphSchema? = nil) -> GraphDiff {
        var result = mapped(
            { $0.renamed(names) },
            end: { property, owner, end in
                let name = end.renamed(names)
                return name.entity == end.entity || schema?.leads(property, of: owner, to: name) != false ? name : end
            }, { $0 })
        for key in names.values {
            guard case .row(let limit, _)? = identification.rules[key.entity] else { continue }
            result.identification.rules[key.entity] = .row(upTo: limit, isMarked: true)
        }
        return result
    }

    /// The diff with something else in the place of each key and value.
    ///
    /// - Parameter end: What stands for an object to which a relationship of another one leads; the key's, where it is nil.
    func mapped(
        _ key: @escaping (ObjectKey) -> ObjectKey, end: ((String, ObjectKey, ObjectKey) -> ObjectKey)? = nil,
        _ value: (GraphValue) -> GraphValue
    ) -> GraphDiff {
        func ends(_ name: String, of owner: ObjectKey) -> (ObjectKey) -> ObjectKey {
            guard let end else { return key }
            return { end(name, owner, $0) }
        }
        func contents(_ contents: ObjectContents) -> ObjectContents {
            ObjectContents(
                key(contents.key),
                contents.properties.map { property in
                    PropertyContents(property.name, property.value.mapped(ends(property.name, of: contents.key), value))
                })
        }
        return GraphDiff(
            deleted: deleted.map(contents), inserted: inserted.map(contents),
            changed: changed.map { change in
                ObjectChange(
                    key(change.key),
                    change.properties.map { property in
                        PropertyChange(property.name, property.kind.mapped(ends(property.name, of: change.key), value))
                    })
            }, identification: identification)
    }
}

extension ObjectKey {
    /// The key with other names for some objects.
    func renamed(_ names: [ObjectKey: ObjectKey]) -> ObjectKey {
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

extension GraphSchema {
    /// Whether a relationship of an object leads to objects of another one's entity.
    fileprivate func leads(_ property: String, of key: ObjectKey, to end: ObjectKey) -> Bool {
        guard let destination = self.property(property, of: key)?.destination else { return false }
        return number(ofEntity: end.entity).map { isEntity($0, kindOf: destination) } ?? false
    }
}

extension PropertyValue {
    /// The value with something else in the place of each key and attribute.
    func mapped(
        _ key: (ObjectKey) -> ObjectKey, _ value: (GraphValue) -> GraphValue
    ) -> PropertyValue {
        switch self {
        case .attribute(let old): .attribute(value(old))
        case .toOne(let end): .toOne(end.map(key))
        case .toMany(let ends, let isOrdered):
            .toMany(isOrdered ? ends.map(key) : ends.map(key).sorted(), isOrdered: isOrdered)
        }
    }
}

extension PropertyChange.Kind {
    fileprivate func mapped(
        _ key: (ObjectKey) -> ObjectKey, _ value: (GraphValue) -> GraphValue
    ) -> PropertyChange.Kind {
        switch self {
        case .attribute(let old, let new): return .attribute(old: value(old), new: value(new))
        case .toOne(let old, let new): return .toOne(old: old.map(key), new: new.map(key))
        case .toMany(let change):
            func members(_ members: [MembersChange.Member]) -> [MembersChange.Member] {
                let mapped = members.map { MembersChange.Member(key($0.key), at: $0.index) }
                return members.first?.index == nil ? mapped.sorted { $0.key < $1.key } : mapped
            }
            var mapped = MembersChange(
                removed: members(change.removed), added: members(change.added),
                moved: change.moved.map { .init(key($0.key), from: $0.from, to: $0.to) })
            // Who stood for another one stays.
            let both = Set(mapped.removed).intersection(mapped.added)
            mapped.removed.removeAll(where: both.contains)
            mapped.added.removeAll(where: both.contains)
            return .toMany(mapped)
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
