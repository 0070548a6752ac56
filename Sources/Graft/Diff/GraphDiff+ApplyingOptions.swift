// What is said of changes that don't fit, and of those that do.

extension GraphDiff {
    /// A change that doesn't fit what it is applied to.
    public struct Conflict: Hashable, Sendable, Codable {
        /// What a change expects, or what was found instead.
        public enum State: Hashable, Sendable, Codable {
            /// No such object.
            case noObject
            /// The object is there.
            case object
            /// The value of the property.
            case value(PropertyValue)
            /// An object is a member of the relationship, in an ordered one at a place from 0.
            case member(ObjectKey, index: Int?)
            /// An object isn't a member of the relationship.
            case noMember(ObjectKey)
        }

        /// Which object.
        public var key: ObjectKey
        /// The name of its property; nil where the object itself is concerned.
        public var property: String?
        /// What the change expects.
        public var expected: State
        /// What is there.
        public var found: State

        /// Creates a conflict.
        public init(_ key: ObjectKey, _ property: String? = nil, expected: State, found: State) {
            self.key = key
            self.property = property
            self.expected = expected
            self.found = found
        }

        /// What was found where what was expected, in words.
        var finding: String {
            let place = property.map { "'\($0)' of \(key)" } ?? "\(key)"
            return "\(place) is \(found) where the change expects \(expected)"
        }
    }
}

extension GraphDiff.Conflict.State: CustomStringConvertible {
    /// The state in words.
    public var description: String {
        switch self {
        case .noObject: "no object"
        case .object: "an object"
        case .value(let value): value.description
        case .member(let key, nil): "with \(key)"
        case .member(let key, let index?): "with \(key) at \(index)"
        case .noMember(let key): "without \(key)"
        }
    }
}

extension PropertyValue: CustomStringConvertible {
    /// The value as errors and reports show it.
    public var description: String {
        switch self {
        case .attribute(let value): value.description
        case .toOne(let key): key?.description ?? "null"
        case .toMany(let keys, _): "[\(keys.map(\.description).joined(separator: ", "))]"
        }
    }
}

extension GraphDiff {
    /// What becomes of changes that don't fit.
    public enum ConflictPolicy: String, Hashable, Sendable, Codable, CaseIterable {
        /// Nothing at all is changed.
        case fail
        /// They are left out: the value, the deletion or the insertion. All others are made.
        case skip
        /// They are made as far as they can be: values are overwritten, objects deleted and members moved to where the diff has
        /// them. What an object isn't there for is left out.
        case force
    }

    /// How a diff is applied.
    public struct ApplyingOptions: Hashable, Sendable {
        /// What becomes of changes that don't fit.
        public var conflicts: ConflictPolicy
        /// What takes part, as the diff was made with it.
        public var diff: DiffOptions
        /// How many objects of an entity may be deleted, what goes with its owner included; nil for any number.
        public var deletionLimit: MappingOptions.DeletionLimit?
        /// Another limit, which counts as well.
        package var deletionCeiling: MappingOptions.DeletionLimit?

        /// Creates options.
        public init(
            conflicts: ConflictPolicy = .fail, diff: DiffOptions = DiffOptions(),
            deletionLimit: MappingOptions.DeletionLimit? = nil
        ) {
            self.conflicts = conflicts
            self.diff = diff
            self.deletionLimit = deletionLimit
        }
    }

    /// What applying a diff has done.
    public struct ApplyingReport: Hashable, Sendable, Codable {
        /// The number of objects inserted.
        public var inserted = 0
        /// The number of objects deleted that the diff names.
        public var deleted = 0
        /// The number of objects changed.
        public var changed = 0
        /// The objects that the diff doesn't name and that were deleted with their owners.
        public var cascaded: [ObjectKey] = []
        /// What didn't fit, in the order of the diff.
        public var conflicts: [Conflict] = []
        /// What a dry run would delete beyond a limit, so that applying the diff would fail: a sentence for each entity.
        public var exceededLimits: [String] = []

        private enum CodingKeys: String, CodingKey {
            case inserted, deleted, changed, cascaded, conflicts, exceededLimits
        }

        /// Creates an empty report.
        public init() {}

        /// Decodes a report. What reports of earlier versions don't have is empty.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            inserted = try container.decode(Int.self, forKey: .inserted)
            deleted = try container.decode(Int.self, forKey: .deleted)
            changed = try container.decode(Int.self, forKey: .changed)
            cascaded = try container.decode([ObjectKey].self, forKey: .cascaded)
            conflicts = try container.decode([Conflict].self, forKey: .conflicts)
            exceededLimits = try container.decodeIfPresent([String].self, forKey: .exceededLimits) ?? []
        }
    }
}
