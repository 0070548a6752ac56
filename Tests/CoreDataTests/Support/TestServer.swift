// The PostgreSQL server of `make test-postgresql`, if there is one.

import CoreData
import Foundation

#if PostgreSQL
    import PostgreSQLStore
#endif

enum TestServer {
    /// A database; every store gets a schema of its own there.
    static let url: String? = {
        #if PostgreSQL
            PostgreSQLStore.register()
            return ProcessInfo.processInfo.environment["GRAFT_POSTGRESQL"]
        #else
            return nil
        #endif
    }()

    /// The URL of a store that there isn't yet.
    static func newStore() throws -> URL {
        let schema = "s" + UUID().uuidString.replacing("-", with: "").lowercased()
        guard let url = url.flatMap({ URL(string: $0 + "&schema=\(schema)") }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return url
    }
}
