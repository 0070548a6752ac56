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

    /// How many objects deep relationships are nested. Deeper ones are written as identifiers.
    public var maximumNesting = 32

    /// How many objects are read from the store at a time.
    public var batchSize = 1000

    /// Whether what has no form in JSON, such as NaN, is written as null and not an error.
    package var writesNullForWhatHasNoForm = false

    /// The default options.
    public init() {}
}
