// How safe value setting behaves, in one value.

/// The options of `safeSetValues(forKeysWith:dateFormatter:)`.
public struct SafeValueOptions: Sendable {
    /// What `NSNull` does to attributes; nil is what the mapping says of each, which is to clear unless the model has another
    /// policy for it.
    public var nullPolicy: MappingOptions.NullPolicy?

    /// What `NSNull` does to single attributes, by name. A name that the entity doesn't have is an error.
    public var nullPolicies: [String: MappingOptions.NullPolicy] = [:]

    /// What becomes of values that can't be converted; skipped, they leave their attributes as they are. The error names all of
    /// them.
    public var failurePolicy = ImportOptions.FailurePolicy.fail

    /// What becomes of keys that nothing is read from.
    public var unknownKeys = ImportOptions.UnknownKeys.report

    /// Whether the annotations of the model apply (`JSONKeyPath`, `JSONTransformerName` and so on), as in an import.
    /// Otherwise attributes are looked up under their own names.
    public var usesMapping = true

    /// What a number means as a date; nil is what the mapping says, which is seconds since 1970 unless the model has
    /// something else.
    public var numericDate: MappingOptions.NumericDate?

    /// The default options.
    public init() {}
}
