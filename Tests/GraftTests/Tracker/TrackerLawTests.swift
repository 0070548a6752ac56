// A client and a server over random models and graphs: what is sent, answered and merged makes both the same, whatever both changed
// meanwhile, and the file of a tracker that is opened anew says the same.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct TrackerLawTests {
    /// Both sides with the same graph, and what changes each.
    private struct World {
        let sides: TwoSides
        var client: RandomGraph
        var server: RandomGraph

        init(_ seed: Int) throws {
            var graph = RandomGraph(plainSeed: seed)
            sides = try TwoSides(graph.model) { context in
                graph = RandomGraph(plainSeed: seed, graph.model)
                graph.fill(context, count: 12)
            }
            client = graph
            server = graph
        }

        func difference() throws -> GraphDiff {
            try GraphDiff(
                from: sides.server.perform { try GraphSnapshot(of: $0) },
                to: sides.client.perform { try GraphSnapshot(of: $0) })
        }

        /// Lets the server take over a change, as it comes over the wire.
        func send(_ change: GraphDiff) throws {
            let received = try JSONDecoder().decode(GraphDiff.self, from: JSONEncoder().encode(change))
            try sides.server.perform { context in
                try context.apply(received)
                try context.save()
            }
        }
    }

    @Test(arguments: Laws.cases(1...400, oneOf: 20))
    func `what a client sends is what the server has then`(_ seed: Int) throws {
        var world = try World(seed)
        try world.sides.client.perform { context throws in
            var tracker = try world.sides.tracker(context)
            for round in 1...3 {
                try world.client.change(context, numbersFrom: round * 1000)
                let pending = try tracker.pendingChange()
                let sent = try tracker.markSent()
                #expect(sent == pending, "seed \(seed), round \(round)")
                tracker = try GraphTracker(file: world.sides.file, context: context)
                #expect(try tracker.isWaiting && tracker.pendingChange() == sent, "seed \(seed), round \(round)")
                try world.send(sent)
                try tracker.confirm()
                #expect(try tracker.pendingChange().isEmpty, "seed \(seed), round \(round)")
                let difference = try world.difference()
                #expect(difference.isEmpty, "seed \(seed), round \(round): \(difference)")
            }
        }
    }

    @Test(arguments: Laws.cases(1...400, oneOf: 20))
    func `what both change meanwhile is merged, and both end the same`(_ seed: Int) throws {
        var world = try World(seed)
        let policy: GraphMerge.Policy = seed % 2 == 0 ? .ours : .theirs
        let options = GraphTracker.Options(merge: GraphMerge.Options(policy: policy))
        try world.sides.client.perform { context throws in
            var tracker = try world.sides.tracker(context, options)
            for round in 1...2 {
                try world.client.change(context, numbersFrom: round * 1000)
                let answer = try world.sides.answer { try world.server.change($0, numbersFrom: round * 1000 + 500) }
                try tracker.receive(answer)
                tracker = try GraphTracker(file: world.sides.file, context: context, options: options)
                #expect(tracker.conflicts.isEmpty && tracker.resumeError == nil, "seed \(seed), round \(round)")
                let left = try world.difference()
                let sent = try tracker.markSent()
                #expect(sent == left, "seed \(seed), round \(round)")
                try world.send(sent)
                try tracker.confirm()
                let difference = try world.difference()
                #expect(difference.isEmpty, "seed \(seed), round \(round): \(difference)")
            }
        }
    }
}
