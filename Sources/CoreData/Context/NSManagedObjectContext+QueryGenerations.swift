// Query generations pin what a context reads to one state of the store. They are accepted and change nothing here: a context
// always reads what is there.

public import Foundation

/// A state of the stores that a context can read. Follows Core Data's `NSQueryGenerationToken`.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Safe to share: it has no state.

    /// The state at the first read after it was set.
    public class var current: NSQueryGenerationToken { currentToken }

    private static let currentToken = NSQueryGenerationToken()

    override init() { super.init() }

    /// Returns the token itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool { object is NSQueryGenerationToken }

    open override var hash: Int { 0 }

    /// Tokens are archived without contents.
    public class var supportsSecureCoding: Bool { true }

    /// A token from an archive.
    public required init?(coder: NSCoder) { super.init() }

    open func encode(with coder: NSCoder) {}
}

extension NSManagedObjectContext {
    /// The state that the context reads; always nil, the latest.
    public var queryGenerationToken: NSQueryGenerationToken? { nil }

    /// Accepted without effect.
    ///
    /// - Note: Divergence 21: the context goes on reading the latest state.
    public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {}
}
