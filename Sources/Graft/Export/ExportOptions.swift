// How an export behaves, in one value.

/// The options of an export.
public struct ExportOptions: Sendable {
    /// What the text consists of.
    public enum Format: String, Sendable, CaseIterable, Codable {
        /// One array of objects.
        case json
        /// One object per line.
        case ndjson
    }

    /// How the objects that a relationship leads to are written.
    public enum RelationshipForm: String, Sendable, CaseIterable, Codable {
        /// As objects, with their own properties.
        case nested
        /// As their identifiers: the value of the identifying attribute, or an object with several of them. Objects without
        /// identity are nested without relationships of their own.
        case identifier
        /// Not at all.
        case none
    }

    /// Which objects and properties an export writes.
    public enum Scope: Sendable {
        /// All.
        case everything
        /// What has changed since the context was last saved: of a new object everything, of others the identity and what
        /// is different. Objects that haven't changed, nor anything nested in them, are left out; nested in others they are
        /// identifiers.
        case changesSinceSave
        /// The same, since a snapshot of the same model, as a ``GraphDiff`` finds it. Objects without identity can't be compared
        /// and are written whole. What the snapshot only refers to isn't compared; of others, silence counts as null.
        case changes(since: GraphSnapshot)
    }

    /// How entities and properties stand in JSON, where code decides it: goes before the model's annotations.
    public var mapping = MappingOptions()

    /// What the text consists of.
    public var format = Format.json

    /// Whether every element and member is on a line of its own. Not for NDJSON.
    public var isPretty = false

    /// How relationships are written for which the model doesn't say it (`JSONExportForm` in the user info).
    ///
    /// Nil, the default, nests those that have a `JSONKeyPath`, as Groot does, and those whose objects belong to the one
    /// that leads to them (delete rule cascade); the others, in models without annotations, are identifiers.
    public var relationshipForm: RelationshipForm?

    /// Whether properties without a value are written as null. Otherwise they are left out.
    public var includesNulls = true

    /// How many objects deep relationships are nested, the one at the top included, which is always written. Deeper ones are
    /// written as identifiers; those that have none, without their relationships.
    ///
    /// Nil, the default, nests 32 objects, and beyond them those that have no identifier, so that nothing is left out; more than 200 are
    /// an error (``GraftError`` with `tooDeep`).
    public var maximumNesting: Int?

    /// How deep objects are nested that have an identifier.
    var nestingLimit: Int { maximumNesting ?? Self.usualNesting }
    private static let usualNesting = 32

    /// How deep objects are nested at all. Each takes a part of the stack.
    static let deepest = 200

    /// How deep an object is nested in others.
    func nestingLimit(isIdentified: Bool) -> Int {
        maximumNesting == nil && !isIdentified ? Self.deepest : nestingLimit
    }

    /// Whether an object is nested in one that is so many objects deep.
    ///
    /// - Throws: ``GraftError`` with `tooDeep`.
    func nests(at depth: Int, isIdentified: @autoclosure () throws -> Bool) throws -> Bool {
        if depth == 0 || depth < nestingLimit { return true }
        guard maximumNesting == nil, try !isIdentified() else { return false }
        if depth < Self.deepest { return true }
        throw GraftError(.tooDeep(limit: Self.deepest))
    }

    /// Whether an object's keys are in the order of their UTF-8, at every depth. Otherwise the identity comes first, then
    /// attributes, then relationships. The order never depends on that of the model.
    ///
    /// The members of unordered relationships are then in the order of their identities, and not in that of their making. With
    /// objects at the top in a defined order, equal graphs give equal texts.
    public var sortsKeys = false

    /// Whether each object at the top is complete by itself, even if it repeats what was written before.
    ///
    /// By default, an object whose nested objects can lead back to it is nested in full once in the whole text; where it is
    /// met again, it is written as its identifier. So a text is linear in the objects and links, whatever their cycles.
    /// Where this is true, that starts anew with each object at the top.
    public var repeatsObjects = false

    /// The key under which objects without identity are named; nil, the default, for no name.
    ///
    /// The name is the URI of the object's ID. It stays the same as long as the object is in its store. Unsaved objects
    /// get their permanent ID for it. Where such an object is met again, it is written with its name alone.
    public var stableIdentifierKey: String?

    /// Which objects and properties are written.
    public var scope = Scope.everything

    /// How many objects are read from the store at a time.
    public var batchSize = 1000

    /// Is told of what the store says and can't be exported: links to objects that aren't there, binary data whose file is missing,
    /// values that have no form in JSON, such as NaN, and, where a container is exported, rows that can't be read. It is left out then. Nil makes the first one an error.
    public var onDamage: (@Sendable (GraftError) -> Void)?

    /// Is told in sentences what the text can't tell, so that an import of it makes something else.
    package var onLoss: (@Sendable (String) -> Void)?

    /// Whether an object that is gone is written as an empty one, and is no error.
    package var leavesOutWhatIsGone = false

    /// The default options.
    public init() {}
}
