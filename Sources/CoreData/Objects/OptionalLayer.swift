// An optional inside `Any`, or in place of a generic type: `nil` of it isn't `nil` of `Any?`. The one place that sees through.

/// An optional whose type isn't known.
protocol OptionalLayer {
    static var wrappedType: Any.Type { get }
    var wrapped: Any? { get }
}

extension Optional: OptionalLayer {
    static var wrappedType: Any.Type { Wrapped.self }
    var wrapped: Any? { map { $0 as Any } }
}

/// The value without its optionals; nil where one of them is empty.
func flattened(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any OptionalLayer else { return value }
    return flattened(optional.wrapped)
}
