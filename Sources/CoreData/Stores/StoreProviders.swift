// Store types that other modules bring: which backend opens a type. Everything above `StoreBackend` is the same for all.

import Foundation
import Synchronization

/// What opens the stores of one type.
package protocol StoreProvider: Sendable {
    /// As `NSPersistentStoreDescription.type` has it.
    var type: String { get }
    /// The schemes of the URLs that are of this type.
    var schemes: [String] { get }

    /// Opens a store, or makes a new one.
    func open(_ store: NSPersistentStore, model: NSManagedObjectModel, configuration: String?) throws
        -> any StoreBackend

    /// The metadata of a store that needn't be open.
    func metadata(at url: URL) throws -> [String: Any]

    /// Replaces the metadata of a store that needn't be open, but for what the store says itself.
    func setMetadata(_ metadata: [String: Any], at url: URL) throws

    /// The model of a store that needn't be open; nil where there is no store.
    func model(at url: URL) throws -> NSManagedObjectModel?

    /// Deletes a store, whether or not there is one.
    func destroy(at url: URL) throws
}

/// The providers by type.
package enum StoreProviders {
    private static let known = Mutex<[String: any StoreProvider]>([:])

    /// Makes a type known; a second provider of the same type takes the place of the first.
    package static func register(_ provider: any StoreProvider) {
        known.withLock { $0[provider.type] = provider }
    }

    static subscript(type: String) -> (any StoreProvider)? { known.withLock { $0[type] } }

    /// The provider of the stores that URLs of this scheme lead to.
    package static func provider(for url: URL) -> (any StoreProvider)? {
        guard let scheme = url.scheme?.lowercased(), scheme != "file" else { return nil }
        return known.withLock { $0.values.first { $0.schemes.contains(scheme) } }
    }

    static var types: [String] { known.withLock { $0.keys.sorted() } }
}

extension URL {
    /// How errors name the store there: by its path, or on a server by the URL without its password.
    var storeName: String { StoreProviders.provider(for: self) == nil ? path : withoutPassword.absoluteString }

    /// The names of the query items that are secret.
    package static let secretItems: Set = ["password", "sslpassword"]

    /// The URL of a store on a server without what is secret in it.
    package var withoutPassword: URL {
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        parts?.password = nil
        let items = parts?.percentEncodedQueryItems
        parts?.percentEncodedQueryItems = items?.filter { !Self.secretItems.contains($0.name) }
        // Of one that can't be taken apart nothing is shown.
        return parts?.url ?? URL(filePath: "/")
    }
}
