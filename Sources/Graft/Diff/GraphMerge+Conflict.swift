// What two sides have done that can't both be, and how it is settled.

extension GraphMerge {
    /// Something that two sides changed in ways that don't go together.
    public struct Conflict: Hashable, Sendable, Codable {
        /// Why the two changes don't go together.
        public enum Kind: String, Hashable, Sendable, Codable {
            /// Both sides gave a property different values.
            case values
            /// One side deleted an object that the other one changed, or something that it owns.
            case deletion
            /// One side deleted an object that the other one now refers to.
            case reference
            /// Both sides moved members of an ordered relationship to different places.
            case order
            /// Together, the two sides give two objects the same values of a uniqueness constraint.
            case uniqueness
            /// Together, the two sides leave a mandatory property without value, or a relationship with too few or too many
            /// members.
            case rule
        }

        /// What one of the three graphs has.
        public enum Version: Hashable, Sendable, Codable {
            case noObject
            case object(ObjectContents)
            case value(PropertyValue)
        }

        /// What can't be combined.
        public var kind: Kind
        /// Which object; of two that break a uniqueness constraint, the one that our side changed or inserted.
        public var key: ObjectKey
        /// Which property; nil where the object is concerned. The first attribute of a uniqueness constraint; a list without
        /// inverse that the object is in, with the entity that has it: `Box.things`.
        public var property: String?
        /// The other of two objects that break a uniqueness constraint.
        public var other: ObjectKey?
        /// The value before both sides' changes; of two objects that break a uniqueness constraint, that of the one with the lower
        /// key.
        public var base: Version
        /// The value of our side.
        public var ours: Version
        /// The value of the other side.
        public var theirs: Version

        /// Creates a conflict.
        public init(
            _ kind: Kind, _ key: ObjectKey, _ property: String? = nil, other: ObjectKey? = nil, base: Version,
            ours: Version,
            theirs: Version
        ) {
            self.kind = kind
            self.key = key
            self.property = property
            self.other = other
            self.base = base
            self.ours = ours
            self.theirs = theirs
        }

        /// The conflict as the other side sees it.
        public var mirrored: GraphMerge.Conflict {
            var mirrored = self
            mirrored.ours = theirs
            mirrored.theirs = ours
            if kind == .uniqueness, let other {
                mirrored.key = other
                mirrored.other = key
            }
            return mirrored
        }

        /// What identifies the conflict, whatever the values.
        var place: Place { Place(kind: kind, key: key, property: property, other: other) }

        struct Place: Hashable {
            var kind: Kind
            var key: ObjectKey
            var property: String?
            var other: ObjectKey?
        }
    }
}

extension GraphMerge.Conflict {
    /// The place in a list without inverse that the conflict is about; nil for conflicts about anything else.
    func listPlace(_ schema: GraphSchema) -> Merger.ListPlace? {
        guard let property, schema.property(property, of: key) == nil else { return nil }
        let parts = property.split(separator: ".")
        return parts.count == 2 ? schema.listPlace(of: key, String(parts[0]), String(parts[1])) : nil
    }
}

extension GraphMerge.Conflict {
    /// Refuses a value that is chosen, if the conflict isn't about an attribute, or the attribute can't hold it.
    func check(_ value: GraphValue, _ schema: GraphSchema) throws {
        guard !isOfObjects, let name = property, let kind = schema.property(name, of: key)?.attributeKind else {
            throw refusal(
                "a value, because it isn't about an attribute", remedy: "Settle it with 'ours', 'theirs' or 'base'.")
        }
        if value.isValue(of: kind) { return }
        throw GraftError(
            .wrongType(found: value.description, expected: kind.description),
            at: .init(entity: key.entity, property: property))
    }

    /// The error for a choice by which the conflict can't be settled.
    func refusal(_ choice: String, remedy: String) -> GraftError {
        GraftError(
            .other(finding: "the conflict of \(key) can't be settled by \(choice)", remedy: remedy),
            at: .init(entity: key.entity, property: property))
    }
}

extension GraphSchema {
    /// The place of an object in a list without inverse that an entity has; nil for other properties.
    func listPlace(of member: ObjectKey, _ entity: String, _ name: String) -> Merger.ListPlace? {
        guard let owner = number(ofEntity: entity), let list = entities[owner].number(ofProperty: name),
            entities[owner].properties[list].isToMany, entities[owner].properties[list].inverse == nil
        else { return nil }
        return Merger.ListPlace(member: member, entity: declaringEntity(of: list, owner), name: name)
    }
}

extension GraphMerge.Conflict: Comparable {
    /// Orders by key, property, kind and the other object.
    public static func < (one: GraphMerge.Conflict, other: GraphMerge.Conflict) -> Bool {
        if one.key != other.key { return one.key < other.key }
        if one.property != other.property {
            return (one.property ?? "").precedesInBytes(other.property ?? "")
        }
        if one.kind != other.kind { return one.kind.rawValue < other.kind.rawValue }
        return (one.other.map { [$0] } ?? []).lexicographicallyPrecedes(other.other.map { [$0] } ?? [])
    }
}

extension GraphMerge.Conflict: CustomStringConvertible {
    /// The conflict in one line, with all three versions.
    public var description: String {
        let place = property.map { "\(key) \($0)" } ?? "\(key)"
        let reason =
            switch kind {
            case .values: "both sides changed it"
            case .deletion: "one side deleted what the other changed"
            case .reference: "one side deleted what the other refers to"
            case .order: "both sides changed the order"
            case .uniqueness: "together they aren't unique\(other.map { " with \($0)" } ?? "")"
            case .rule: "together they leave it as the model doesn't allow"
            }
        return "\(place): \(reason); base \(base), ours \(ours), theirs \(theirs)"
    }
}

extension GraphMerge.Conflict.Version: CustomStringConvertible {
    /// The version in words.
    public var description: String {
        switch self {
        case .noObject: "no object"
        case .object: "an object"
        case .value(let value): value.description
        }
    }
}

extension GraphMerge {
    /// How a conflict is settled.
    public enum Choice: Hashable, Sendable, Codable {
        /// As it was before: a value is taken back, an object stays.
        case base
        case ours
        case theirs
        /// Another value of an attribute. Of other conflicts it chooses nothing.
        case value(GraphValue)

        /// The choice as the other side sees it.
        public var mirrored: Choice {
            switch self {
            case .ours: .theirs
            case .theirs: .ours
            default: self
            }
        }
    }

    /// How conflicts are settled without asking.
    public enum Policy: Sendable {
        /// They aren't; they are left in the list.
        case leave
        case ours
        case theirs
        /// The side whose object has the later value of an attribute, a date or a number, wins. Without a later one, and where
        /// one side has deleted the object, the conflict is left.
        case latest(attribute: String)
        /// The closure decides; nil leaves the conflict.
        case custom(@Sendable (Conflict) -> Choice?)
    }

    /// How three graphs are merged.
    public struct Options: Sendable {
        /// What takes part.
        public var diff: DiffOptions
        /// What settles conflicts that no other policy does.
        public var policy: Policy
        /// What settles those of a property; of objects, by the entity's name and an empty property name.
        public var policies: [DiffOptions.Property: Policy]

        /// Creates options.
        public init(
            policy: Policy = .leave, policies: [DiffOptions.Property: Policy] = [:],
            diff: DiffOptions = DiffOptions()
        ) {
            self.policy = policy
            self.policies = policies
            self.diff = diff
        }
    }
}
