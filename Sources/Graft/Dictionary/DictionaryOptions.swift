// How objects become dictionaries, in one value. What reads them back is PopulateOptions; the keys that have a meaning of
// their own are in DictionaryKey, and both sides use them.

/// The options of `toDictionary()`.
public struct DictionaryOptions: Sendable {
    /// What the values of attributes are in a dictionary.
    public enum ValueForm: Sendable, CaseIterable {
        /// What key-value coding returns: `NSNumber`, `String`, `Date`, `Data`, `UUID`, `URL`, `NSDecimalNumber`; for
        /// transformable attributes whatever they hold.
        case native
        /// What property lists can hold: as `native`, but UUIDs, URLs, decimals and dates with a fraction of a second are
        /// texts, and what a transformable attribute holds is a tree or `{"$encoded": Base64}`.
        case propertyList
        /// What JSON can hold: as `propertyList`, but decimals are numbers, all dates are texts in ISO 8601, and bytes are
        /// Base64.
        case json
    }

    /// What becomes of an object that is met again.
    public enum RepeatedObjects: Sendable, CaseIterable {
        /// It has a number under `$id`, and is `{"$ref": number}` where it is met again. The object that led to another one goes
        /// without saying there, as the inverse. So any graph comes back as it was, with or without identities, and trees have
        /// no numbers.
        case referenced
        /// For readers that know no numbers; it loses links. On the way to itself, an object is left out, as the inverse of each
        /// relationship is; so is one whose turn comes later among the members of an object on the way, unless only this side
        /// knows of the relationship. Where an object was written elsewhere already, it is written again with its attributes
        /// alone: an identity makes it one object again. Without identities, only trees come back as they were.
        case leftOut
    }

    /// Which relationships are followed.
    public enum Relationships: Sendable, Equatable {
        case all
        /// Those with the delete rule cascade: what belongs to an object.
        case owned
        /// Those with these names: `addresses`, or `Person.addresses` for those of one entity and its sub-entities.
        case only(Set<String>)
    }

    /// The key of the entity's name; nil leaves it out. No property may have this name.
    public var entityKey: String? = "class"

    /// Other names for entities in dictionaries, by the entity's name.
    public var entityNames: [String: String] = [:]

    /// What the values of attributes are.
    public var valueForm = ValueForm.native

    /// What becomes of an object that is met again.
    public var repeatedObjects = RepeatedObjects.referenced

    /// Which relationships are followed.
    public var relationships = Relationships.all

    /// How many relationships lead on from the object, one after the other: 0 is its attributes alone. Nil is no limit. The
    /// count is that of the path by which an object is met first.
    public var maximumDepth: Int?

    /// How many objects are nested in each other. What is nested deeper stands in the array `$objects` of the outermost
    /// dictionary, and `{"$ref": number}` in its place, so nothing is lost.
    ///
    /// A dictionary of Foundation's takes stack for each level when it is released, printed or serialized. The default suits
    /// the limit of 512 levels that Foundation's and Graft's JSON readers have. With more than some thousands, a long chain
    /// of objects ends the process.
    public var maximumNesting = 200

    /// Whether transient attributes are written.
    public var includesTransientAttributes = false

    /// The default options.
    public init() {}
}

/// The keys of dictionaries, and of documents of a whole graph, that are no properties. Core Data allows no property whose name begins with a dollar sign.
enum DictionaryKey {
    /// The number of an object within one dictionary, or one array of them, or one document.
    static let number = "$id"
    /// In the place of an object: the number of another one.
    static let reference = "$ref"
    /// The entity's name where there is no other key for it and it can't be left out.
    static let entity = "$entity"
    /// Those that documents have.
    static let ofDocuments = [number, reference, entity]
    /// In a dictionary of changes: the names of the properties that have no value any more, where nulls have no form.
    static let nulls = "$null"
    /// In a dictionary of changes: by relationship, new members, former members, and all members in their order.
    static let added = "$added"
    static let removed = "$removed"
    static let members = "$members"
    /// In the outermost dictionary: the objects that would have been nested too deep.
    static let objects = "$objects"
    /// Those below which there are objects.
    static let ofObjects = [added, removed, members, objects]
}
