// A client: a store of its own that can always be changed, and a tracker that knows what the server has of it.

import CoreData
import Foundation
import Graft

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One of those who share the server's graph.
@MainActor final class Client {
    let context: NSManagedObjectContext
    private let tracker: GraphTracker
    private let server: URL
    /// The revision of the server's graph that was taken last.
    private var revision: String?

    /// - Parameters:
    ///   - store: The file of the store. What is known of the server is kept beside it.
    ///   - server: The address of the graph.
    init(storeAt store: URL, server: URL) throws {
        context = try People.container(storeAt: store).viewContext
        // What both sides changed goes to the later edit, and where an object doesn't say when it was edited, the user is asked.
        let options = GraphTracker.Options(merge: GraphMerge.Options(policy: .latest(attribute: "edited")))
        tracker = try GraphTracker(file: GraphTracker.file(besideStoreAt: store), context: context, options: options)
        self.server = server
    }

    /// What the server doesn't have.
    func pendingChange() throws -> GraphDiff { try tracker.pendingChange() }

    /// What both sides changed and somebody has to decide.
    var conflicts: [GraphMerge.Conflict] { tracker.conflicts }

    /// Decides one of the conflicts.
    func settle(_ conflict: GraphMerge.Conflict, _ choice: GraphMerge.Choice) throws {
        try tracker.settle(conflict, choice)
    }

    /// Sends what is pending and takes what others have sent, until there is neither.
    ///
    /// - Returns: What was said, a line for each request.
    /// - Throws: What the network, the server or the store said. Nothing is lost then; call it again when there is a network.
    func synchronize() async throws -> [String] {
        var log: [String] = []
        for _ in 0..<5 {
            if let line = try await push() { log.append(line) }
            log.append(try await pull())
            if try tracker.pendingChange().isEmpty { return log }
        }
        throw SyncError("others change the graph faster than this client can follow")
    }

    /// Sends what is pending.
    private func push() async throws -> String? {
        let change = try tracker.markSent()
        if change.isEmpty { return nil }
        var request = URLRequest(url: server)
        request.httpMethod = "PATCH"
        request.httpBody = try JSONEncoder().encode(change)
        let (answer, response) = try await send(request)
        switch response.statusCode {
        case 204:
            try tracker.confirm()
            return "PATCH \(change.summary): taken"
        case 409:
            // Others were faster. What they did is taken next, and merged.
            try tracker.forgetSent()
            return "PATCH \(change.summary): others were faster"
        default: throw SyncError("the server says \(response.statusCode): \(String(decoding: answer, as: UTF8.self))")
        }
    }

    /// Takes the server's graph.
    private func pull() async throws -> String {
        var request = URLRequest(url: server)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        if let revision { request.setValue(revision, forHTTPHeaderField: "If-None-Match") }
        let (answer, response) = try await send(request)
        switch response.statusCode {
        case 304: return "GET: nothing new"
        case 200:
            let change = try tracker.receive(json: answer, isWhole: true)
            revision = response.value(forHTTPHeaderField: "ETag")
            return change.isEmpty ? "GET: all is here" : "GET \(change.summary)"
        default: throw SyncError("the server says \(response.statusCode): \(String(decoding: answer, as: UTF8.self))")
        }
    }

    private func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await URLSession.shared.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw SyncError("\(server) doesn't speak HTTP") }
        return (data, response)
    }
}

extension GraphDiff {
    fileprivate var summary: String {
        "(\(inserted.count) new, \(changed.count) changed, \(deleted.count) deleted)"
    }
}
