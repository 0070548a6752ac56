// How dictionaries become objects, in one value, and what came of it.

/// The options of `populate(fromDictionary:)` and `create(fromDictionary:in:)`.
public struct PopulateOptions: Sendable {
    /// What becomes of the members that an object has already.
    public enum MembersPolicy: Sendable, CaseIterable {
        /// They stay, and those of the dictionary are added.
        case add
        /// Those of the dictionary take their place. The ones that are no longer members aren't deleted.
        case replace
    }

    /// What becomes of a key that is no property, or of a value that can't be converted.
    public enum Strictness: Sendable, CaseIterable {
        /// It is left out, and the report names it.
        case report
        /// It is an error, and nothing is changed.
        case fail
    }

    /// The key of the entity's name. Where a dictionary doesn't have it, a nested object is of the relationship's
    /// destination.
    public var entityKey: String? = "class"

    /// The names of entities in dictionaries, where they differ, by the entity's name.
    public var entityNames: [String: String] = [:]

    /// Whether an object of which the context or the store has one with the same identity is updated. Otherwise each
    /// dictionary makes a new object.
    ///
    /// What identifies an object is declared in the model: `identityAttributes` or `id` in the entity's user info, else its
    /// first uniqueness constraint. Objects of entities without any are always new, but for a to-one relationship with the
    /// delete rule cascade: there the object that is owned already is updated.
    public var matchesIdentities = true

    /// What becomes of the members that an object has already.
    public var members = MembersPolicy.add

    /// What becomes of keys that are no properties.
    public var unknownKeys = Strictness.report

    /// What becomes of values that can't be converted. A mandatory attribute that stays empty for it fails when it is saved.
    public var unconvertibleValues = Strictness.fail

    /// The default options.
    public init() {}
}

/// What a call that reads dictionaries did.
public struct PopulateReport: Sendable, Equatable {
    /// How many objects are new.
    public internal(set) var inserted = 0
    /// How many objects were there and have got another value.
    public internal(set) var updated = 0
    /// How many objects were there and had all values.
    public internal(set) var unchanged = 0
    /// The keys that are no properties, in the order of their paths.
    public internal(set) var unknownKeys: [GraftError] = []
    /// The values that were left out because they can't be converted.
    public internal(set) var unconvertedValues: [GraftError] = []
}
