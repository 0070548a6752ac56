// How dictionaries become objects, in one value, and what came of it.

/// The options of `populate(fromDictionary:)` and `create(fromDictionary:in:)`.
public struct PopulateOptions: Sendable {
    /// What becomes of the members that an object has already.
    public enum MembersPolicy: Sendable, CaseIterable {
        /// They stay, and those of the dictionary are added. Nothing is deleted.
        case add
        /// Those of the dictionary take their place. What was owned and isn't any more is deleted.
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
    /// first uniqueness constraint. An object without identity is one of those that its owner has already, where the owner
    /// was found and the dictionary has the same contents; what is owned through a to-one relationship is updated.
    public var matchesIdentities = true

    /// Whether the objects at the top, and what they own (delete rule cascade), are new. `create(fromDictionary:in:)` does so in
    /// any case.
    ///
    /// What they don't own is found by its identity and left to those who have it: a to-one relationship back that leads to
    /// another object stays, and ``PopulateReport/keptLinks`` names it. An identity that another object has already is an
    /// error.
    public var makesCopies = false

    /// Whether copies get the identities of the dictionary. Otherwise the identifying attributes are left out, to be set later.
    public var copiesIdentities = true

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
    /// The links that copies didn't get, because they would have taken an object from another one.
    public internal(set) var keptLinks: [GraftError] = []
}
