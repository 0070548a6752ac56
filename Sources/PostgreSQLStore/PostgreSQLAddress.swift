// Where a store is: the URL as libpq takes it, and what of it is ours.
//
//     postgresql://app@db.example.org/shop?schema=orders&sslmode=require
//     libpq gets: postgresql://app@db.example.org/shop?sslmode=require&connect_timeout=10&application_name=graft

#if PostgreSQL

    import CoreData
    import Foundation

    /// The address of a store.
    struct PostgreSQLAddress: Sendable {
        /// The URL for libpq. It may hold a password: it is shown nowhere.
        let connection: String
        /// The schema, in PostgreSQL's sense, that has the tables.
        let schema: String
        /// For messages, without the password.
        let description: String
        /// For errors that want a URL.
        let withoutPassword: URL
        private let secrets: [String]

        init(_ url: URL) throws {
            guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
                ["postgresql", "postgres"].contains(parts.scheme?.lowercased() ?? "")
            else {
                throw CoreDataError.make(
                    .persistentStoreOpen,
                    "The URL of a PostgreSQL store begins with '\(url.scheme ?? "")', where it has to begin with 'postgresql'. "
                        + "Give one like postgresql://user@host/database?schema=name.")
            }
            let items = parts.queryItems ?? []
            let named = items.filter { $0.name == "schema" }.compactMap(\.value)
            schema = named.last ?? "public"
            guard named.count <= 1, !schema.isEmpty, schema.utf8.count <= 63, !schema.utf8.contains(0) else {
                throw CoreDataError.make(
                    .persistentStoreOpen,
                    "The URL of the PostgreSQL store has \(named.count) schemas, '\(named.joined(separator: "', '"))', where "
                        + "one of 1 to 63 bytes can stand. Name one.")
            }
            var encoded = (parts.percentEncodedQueryItems ?? []).filter { $0.name != "schema" }
            for (name, value) in [("connect_timeout", "10"), ("application_name", "graft")]
            where !encoded.contains(where: { $0.name == name }) {
                encoded.append(URLQueryItem(name: name, value: value))
            }
            secrets =
                ([parts.password, parts.percentEncodedPassword]
                + items.filter { URL.secretItems.contains($0.name) }.map(\.value))
                .compactMap { $0 }.filter { !$0.isEmpty }
            let host = items.last { $0.name == "host" }?.value ?? parts.host ?? ""
            let user = parts.user.map { "\($0)@" } ?? ""
            let port = parts.port.map { ":\($0)" } ?? ""
            description = "postgresql://\(user)\(host)\(port)\(parts.path)?schema=\(schema)"
            parts.percentEncodedQueryItems = encoded
            connection = parts.string ?? url.absoluteString
            withoutPassword = url.withoutPassword
        }

        /// A message without the password, which libpq may have repeated.
        func redacted(_ message: String) -> String {
            secrets.reduce(message) { $0.replacingOccurrences(of: $1, with: "***") }
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// The key of the lock that openings and turns at writing take.
        var lockKey: Int64 {
            // FNV-1a: the same in every process.
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in "graft \(schema)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return Int64(bitPattern: hash)
        }

        /// Where others hear that something has been written.
        var channel: String { "graft_\(UInt64(bitPattern: lockKey))" }

        /// A name of the schema's, for SQL.
        func qualified(_ name: String) -> String { "\(quotedSchema).\"\(name)\"" }

        var quotedSchema: String { "\"\(schema.replacing("\"", with: "\"\""))\"" }
    }

#endif
