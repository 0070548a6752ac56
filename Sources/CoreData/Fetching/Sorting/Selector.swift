// The name of a method. Swift on Linux has no Objective-C selectors; sort descriptors take one by its name.

/// The name of a method: `Selector("caseInsensitiveCompare:")`.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name with its colons.
    let name: String

    /// The method of that name.
    public init(_ str: String) { name = str }

    /// The method of that name.
    public init(stringLiteral value: String) { name = value }

    /// The name with its colons.
    public var description: String { name }
}

/// The method of that name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(aSelectorName) }

/// The name of a method.
public func NSStringFromSelector(_ aSelector: Selector) -> String { aSelector.name }
