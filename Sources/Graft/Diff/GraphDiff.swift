// The difference between two graphs as a value: flat, each change addressed by entity and identity, in a defined order.
// Whoever makes one keeps the order: objects by key, properties by name, members of unordered relationships by key, those
// of ordered ones by index. Both sides of a relationship are there, so that each object's entry is complete in itself.

/// What leads from one graph to another.
///
/// A diff knows the values of both sides, so it can be checked when it is applied, inverted and composed. Nested forms (the
/// article's dictionary, JSON Patch) are renderings of it.
public struct GraphDiff: Hashable, Sendable {
    /// The objects that only the old graph has, with all that it says of them.
    public var deleted: [ObjectContents]
    /// The objects that only the new graph has, with all that it says of them.
    public var inserted: [ObjectContents]
    /// What differs in objects that both have.
    public var changed: [ObjectChange]
    /// What tells objects apart, where the model doesn't say it.
    public var identification: Identification

    /// Creates a diff from changes in any order.
    public init(
        deleted: [ObjectContents] = [], inserted: [ObjectContents] = [], changed: [ObjectChange] = [],
        identification: Identification = Identification()
    ) {
        self.identification = identification
        self.deleted = deleted.sorted { $0.key < $1.key }
        self.inserted = inserted.sorted { $0.key < $1.key }
        self.changed = changed.filter { !$0.properties.isEmpty }.sorted { $0.key < $1.key }
    }

    /// Whether both graphs are equal.
    public var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty && changed.isEmpty }

    /// The number of objects that differ.
    public var count: Int { deleted.count + inserted.count + changed.count }

    /// What leads back: from the new graph to the old one.
    ///
    /// `GraphDiff(from: a, to: b).inverted` equals `GraphDiff(from: b, to: a)`.
    public var inverted: GraphDiff {
        var inverse = self
        inverse.deleted = inserted
        inverse.inserted = deleted
        inverse.changed = changed.map(\.inverted)
        return inverse
    }

    /// Appends the diff of another part of the same graphs.
    ///
    /// Parts in the order of their keys, such as those of a stream in identity order, give the diff of the whole.
    public mutating func append(_ part: GraphDiff) {
        deleted += part.deleted
        inserted += part.inserted
        changed += part.changed
        identification.merge(part.identification)
    }
}

/// An object with the values that a diff inserts or deletes.
public struct ObjectContents: Hashable, Sendable {
    /// Which object.
    public var key: ObjectKey
    /// By name. Attributes are there also where they are null; relationships only where they lead somewhere.
    public var properties: [PropertyContents]

    /// Creates contents.
    public init(_ key: ObjectKey, _ properties: [PropertyContents]) {
        self.key = key
        self.properties = properties.sorted { $0.name.precedesInBytes($1.name) }
    }

    /// The value of a property; nil where there is none.
    public subscript(_ name: String) -> PropertyValue? { properties.first { $0.name == name }?.value }
}

/// A property with its value.
public struct PropertyContents: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: PropertyValue

    /// Creates a property.
    public init(_ name: String, _ value: PropertyValue) {
        self.name = name
        self.value = value
    }
}

/// The value of a property: an attribute's, or the objects that a relationship leads to.
public enum PropertyValue: Sendable {
    case attribute(GraphValue)
    case toOne(ObjectKey?)
    /// In the order of an ordered relationship, by key for others.
    case toMany([ObjectKey], isOrdered: Bool)
}

/// What differs in one object.
public struct ObjectChange: Hashable, Sendable {
    /// Which object.
    public var key: ObjectKey
    /// By name.
    public var properties: [PropertyChange]

    /// Creates a change.
    public init(_ key: ObjectKey, _ properties: [PropertyChange]) {
        self.key = key
        self.properties = properties.sorted { $0.name.precedesInBytes($1.name) }
    }

    /// What differs in a property; nil where nothing does.
    public subscript(_ name: String) -> PropertyChange.Kind? { properties.first { $0.name == name }?.kind }

    /// The change back.
    public var inverted: ObjectChange {
        var inverse = self
        for index in properties.indices { inverse.properties[index].kind = properties[index].kind.inverted }
        return inverse
    }
}

/// What differs in one property.
public struct PropertyChange: Hashable, Sendable {
    /// What kind of property differs, and how.
    public enum Kind: Sendable {
        case attribute(old: GraphValue, new: GraphValue)
        case toOne(old: ObjectKey?, new: ObjectKey?)
        case toMany(MembersChange)

        /// The change back.
        public var inverted: Kind {
            switch self {
            case .attribute(let old, let new): .attribute(old: new, new: old)
            case .toOne(let old, let new): .toOne(old: new, new: old)
            case .toMany(let change): .toMany(change.inverted)
            }
        }
    }

    /// The name.
    public var name: String
    /// What differs.
    public var kind: Kind

    /// Creates a change.
    public init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

/// What differs in a to-many relationship.
///
/// In an ordered one each change says where: a removed member its place before, an added one its place after. Members that
/// aren't named keep their order among each other and fill the places between. As few as possible are moved.
public struct MembersChange: Hashable, Sendable {
    /// A member that was removed or added.
    public struct Member: Hashable, Sendable, Codable {
        /// Which object.
        public var key: ObjectKey
        /// Its place from 0; nil in an unordered relationship.
        public var index: Int?

        /// Creates a member.
        public init(_ key: ObjectKey, at index: Int? = nil) {
            self.key = key
            self.index = index
        }
    }

    /// A member that stays, at another place among the others.
    public struct Move: Hashable, Sendable, Codable {
        /// Which object.
        public var key: ObjectKey
        /// Its place before, from 0.
        public var from: Int
        /// Its place after, from 0.
        public var to: Int

        /// Creates a move.
        public init(_ key: ObjectKey, from: Int, to: Int) {
            self.key = key
            self.from = from
            self.to = to
        }
    }

    /// By place, or by key in an unordered relationship.
    public var removed: [Member]
    /// By place, or by key in an unordered relationship.
    public var added: [Member]
    /// By the place after.
    public var moved: [Move]

    /// Creates a change.
    public init(removed: [Member] = [], added: [Member] = [], moved: [Move] = []) {
        self.removed = removed
        self.added = added
        self.moved = moved
    }

    /// Whether nothing differs.
    public var isEmpty: Bool { removed.isEmpty && added.isEmpty && moved.isEmpty }

    /// The change back.
    public var inverted: MembersChange {
        let back = moved.map { Move($0.key, from: $0.to, to: $0.from) }
        return MembersChange(removed: added, added: removed, moved: back.sorted { $0.to < $1.to })
    }
}

// MARK: - Equality

extension PropertyValue: Hashable {
    /// Whether two values are the same; texts are compared by their bytes.
    public static func == (one: PropertyValue, other: PropertyValue) -> Bool {
        switch (one, other) {
        case (.attribute(let one), .attribute(let other)): one.isSameValue(as: other)
        case (.toOne(let one), .toOne(let other)): one == other
        case (.toMany(let one, let isOrdered), .toMany(let other, let isOtherOrdered)):
            isOrdered == isOtherOrdered && one == other
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .attribute(let value): hasher.combine(value.stableHash)
        case .toOne(let key): hasher.combine(key)
        case .toMany(let keys, _): hasher.combine(keys)
        }
    }
}

extension PropertyChange.Kind: Hashable {
    /// Whether two changes are the same; texts are compared by their bytes.
    public static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.attribute(let old, let new), .attribute(let otherOld, let otherNew)):
            old.isSameValue(as: otherOld) && new.isSameValue(as: otherNew)
        case (.toOne(let old, let new), .toOne(let otherOld, let otherNew)): old == otherOld && new == otherNew
        case (.toMany(let one), .toMany(let other)): one == other
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .attribute(let old, let new):
            hasher.combine(old.stableHash)
            hasher.combine(new.stableHash)
        case .toOne(let old, let new):
            hasher.combine(old)
            hasher.combine(new)
        case .toMany(let change): hasher.combine(change)
        }
    }
}

extension GraphValue {
    /// A hash that values have in common which are the same for a diff.
    fileprivate var stableHash: Int {
        switch self {
        // Of zero, without the sign.
        case .double(let value), .date(let value): (value + 0).bitPattern.hashValue
        default: hashValue
        }
    }
}
