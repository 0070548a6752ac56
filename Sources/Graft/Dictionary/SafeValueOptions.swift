// How safe value setting behaves, in one value, and what it did.

/// The options of `safeSetValues(forKeysWith:dateFormatter:)`.
public struct SafeValueOptions: Sendable {
    /// What becomes of a value that can't be converted.
    public enum FailurePolicy: Sendable, CaseIterable {
        /// It is an error, which names all of them, and no attribute is changed.
        case fail
        /// It is left out, and the report names it.
        case skip
    }

    /// What `NSNull` does to attributes; nil is what the mapping says of each, which is to clear unless the model has another
    /// policy for it.
    public var nullPolicy: NullPolicy?

    /// What `NSNull` does to single attributes, by name. A name that the entity doesn't have is an error.
    public var nullPolicies: [String: NullPolicy] = [:]

    /// What becomes of a value that can't be converted.
    public var failurePolicy = FailurePolicy.fail

    /// Whether the annotations of the model apply (`JSONKeyPath`, `JSONTransformerName` and so on), as in an import.
    /// Otherwise attributes are looked up under their own names.
    public var usesMapping = true

    /// What a number means as a date; nil is what the mapping says, which is seconds since 1970 unless the model has
    /// something else.
    public var numericDate: AttributeConverter.NumericDate?

    /// The default options.
    public init() {}
}

/// What became of the values.
public struct SafeValueReport: Sendable, Equatable {
    /// The names of the attributes that were in the dictionary and converted, whether or not they had the value already.
    public internal(set) var attributes: [String] = []
    /// The values that were left out because they can't be converted.
    public internal(set) var skipped: [GraftError] = []
    /// The keys of the dictionary that nothing is read from.
    public internal(set) var unknownKeys: [String] = []
}
