// The server: one graph, and two things that can be done with it.
//
//     GET /graph      the whole graph, as JSON; 304 where If-None-Match has its revision
//     PATCH /graph    a GraphDiff in its JSON form: 204, or 409 where it doesn't fit, and then nothing has changed
//
// It has no code for the model, and keeps nothing of its clients.

import CoreData
import FlyingFox
import Foundation
import Graft

/// The graph that clients share. As an actor it takes one change after the other.
actor GraphServer {
    private let container: NSPersistentContainer
    private var revision = 1

    /// - Parameter store: The file of the store; nil keeps the graph in memory.
    init(storeAt store: URL? = nil) throws {
        container = try People.container(storeAt: store)
    }

    /// Serves the graph on the loopback interface until the task is cancelled.
    ///
    /// - Parameters:
    ///   - port: The port; 0 lets the system choose one.
    ///   - whenReady: Is called with the graph's address.
    nonisolated func run(port: UInt16, whenReady: @escaping @Sendable (URL) async throws -> Void) async throws {
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port), logger: .disabled)
        await server.appendRoute("GET /graph") { await self.graph(unless: $0.headers[.ifNoneMatch]) }
        await server.appendRoute("PATCH /graph") { await self.apply(try await $0.bodyData) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask {
                try await server.waitUntilListening()
                guard case .ip4(_, let port)? = await server.listeningAddress,
                    let url = URL(string: "http://127.0.0.1:\(port)/graph")
                else { throw SyncError("the server has no address") }
                try await whenReady(url)
            }
            // Whichever ends first, with an error or without: the other ends with it.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func graph(unless known: String?) -> HTTPResponse {
        if known == tag { return HTTPResponse(statusCode: .notModified) }
        return answer {
            let context = container.newBackgroundContext()
            let graph = try context.performAndWait { try context.exportJSON() }
            return HTTPResponse(
                statusCode: .ok, headers: HTTPHeaders([.contentType: "application/json", .eTag: tag]), body: graph)
        }
    }

    private func apply(_ body: Data) -> HTTPResponse {
        answer {
            try container.apply(JSONDecoder().decode(GraphDiff.self, from: body))
            revision += 1
            return HTTPResponse(statusCode: .noContent, headers: HTTPHeaders([.eTag: tag]))
        }
    }

    private var tag: String { "\"\(revision)\"" }

    private func answer(_ body: () throws -> HTTPResponse) -> HTTPResponse {
        do {
            return try body()
        } catch let error as GraftError {
            var status = HTTPStatusCode.unprocessableContent
            if case .changesDoNotFit = error.problem { status = .conflict }
            return HTTPResponse(statusCode: status, body: Data(error.description.utf8))
        } catch {
            return HTTPResponse(statusCode: .badRequest, body: Data("\(error)".utf8))
        }
    }
}

extension HTTPHeader {
    fileprivate static let ifNoneMatch = HTTPHeader("If-None-Match")
    fileprivate static let eTag = HTTPHeader("ETag")
}
