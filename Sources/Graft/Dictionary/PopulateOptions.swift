// How dictionaries become objects, in one value.

/// The options of `populate(fromDictionary:)` and `create(fromDictionary:in:)`.
public struct PopulateOptions: Sendable {
    /// The key of the entity's name. Where a dictionary doesn't have it, a nested object is of the relationship's
    /// destination.
    public var entityKey: String? = "class"

    /// The names of entities in dictionaries, where they differ, by the entity's name.
    public var entityNames: [String: String] = [:]

    /// What becomes of an object of which the context or the store has one with the same identity.
    ///
    /// What identifies an object is declared in the model: `identityAttributes` or `id` in the entity's user info, else its
    /// first uniqueness constraint. An object without identity is one of those that its owner has already, where the owner
    /// was found and the dictionary has the same contents; what is owned through a to-one relationship is updated.
    public var existingObjects = ManagedCodingOptions.ExistingObjects.updateOrInsert

    /// Whether the objects at the top, and what they own (delete rule cascade), are new. `create(fromDictionary:in:)` does so in
    /// any case.
    ///
    /// What they don't own is found by its identity and left to those who have it: a to-one relationship back that leads to
    /// another object stays, and ``ImportReport/keptLinks`` names it. An identity that another object has already is an
    /// error.
    public var makesCopies = false

    /// Whether copies get the identities of the dictionary. Otherwise the identifying attributes are left out, to be set later.
    public var copiesIdentities = true

    /// What becomes of the members that an object has already.
    public var membersPolicy = MappingOptions.MembersPolicy.add

    /// What becomes of keys that are no properties.
    public var unknownKeys = ImportOptions.UnknownKeys.report

    /// What becomes of values that can't be converted; skipped, they leave their attributes as they are. A mandatory attribute
    /// that stays empty for it fails when it is saved.
    public var failurePolicy = ImportOptions.FailurePolicy.fail

    /// The default options.
    public init() {}
}
