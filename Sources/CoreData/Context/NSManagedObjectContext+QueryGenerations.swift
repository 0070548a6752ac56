// Query generations pin what a context reads to one state of its stores, whatever is saved meanwhile.

public import Foundation

/// A state of the stores that a context can read. Follows Core Data's `NSQueryGenerationToken`.
///
/// As long as a token is kept, so is its state: the log of a SQLite store grows with what is written meanwhile.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Safe to share: `state` is set once, and its table is behind a lock.

    /// The state at the first read after it was set.
    public class var current: NSQueryGenerationToken { currentToken }

    private static let currentToken = NSQueryGenerationToken(state: nil)

    /// Nil for ``current``.
    let state: PinnedStores?

    init(state: PinnedStores?) {
        self.state = state
        super.init()
    }

    /// Returns the token itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSQueryGenerationToken else { return false }
        return self === other || (state == nil && other.state == nil)
    }

    open override var hash: Int { state.map { ObjectIdentifier($0).hashValue } ?? 0 }

    /// Tokens are archived without their state, which belongs to the process.
    public class var supportsSecureCoding: Bool { true }

    /// A token from an archive: ``current``.
    public required init?(coder: NSCoder) {
        state = nil
        super.init()
    }

    open func encode(with coder: NSCoder) {}
}

/// The states of the stores that a generation has been read from, by store.
final class PinnedStores: @unchecked Sendable {
    // Safe to share: the table is touched under the lock alone, and backends may be asked from any thread.

    private struct Pinned {
        weak var store: NSPersistentStore?
        let backend: any StoreBackend
    }

    private let lock = NSLock()
    private var pinned: [ObjectIdentifier: Pinned] = [:]

    /// Where a store's state is read; it is that of the first call.
    ///
    /// - Throws: The database's error.
    func backend(of store: NSPersistentStore) throws -> any StoreBackend {
        let live = try store.requiredBackend
        return try lock.withLock {
            let key = ObjectIdentifier(store)
            if let known = pinned[key], known.store === store { return known.backend }
            let backend = try live.pinned() ?? live
            pinned[key] = Pinned(store: store, backend: backend)
            return backend
        }
    }
}

extension NSManagedObjectContext {
    /// After what makes a context read the latest state.
    func advanceGeneration() {
        if generation != nil { generation = .current }
    }

    /// Where the context reads a store.
    func readBackend(of store: NSPersistentStore) throws -> any StoreBackend {
        guard let generation else { return try store.backend(for: self) }
        if let state = generation.state { return try state.backend(of: store) }
        let state = PinnedStores()
        let backend = try state.backend(of: store)
        self.generation = NSQueryGenerationToken(state: state)
        return backend
    }
}
