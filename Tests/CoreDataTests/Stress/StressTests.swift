// The law of contexts that share a store: whatever several of them do, in whichever order and under whichever merge policy, nothing
// stops, no object refers to one that is gone, both sides of a relationship agree, and the store holds what was saved.
//
// A short run belongs to the tests. `make stress` makes a long one: STRESS_OPERATIONS says how many operations, STRESS_SEED where it
// starts, STRESS_ROUND how many are done to one store, STRESS_POLICY under which merge policy alone; the seed of each round is written
// before it. What goes wrong is shown by the fewest operations that do it; few operations on each store find it as well.

import CoreData
import Testing

@Suite struct StressTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let kind: StoreKind
        let policy: NSMergePolicyType
        var testDescription: String { "\(kind), policy \(policy.rawValue)" }
    }

    static let cases = StoreKind.allCases.flatMap { kind in
        (0..<5).filter { number("STRESS_POLICY").map(UInt.init) ?? $0 == $0 }.compactMap(NSMergePolicyType.init)
            .map { Case(kind: kind, policy: $0) }
    }

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test(arguments: cases)
    func `contexts that work at random on one store leave it and each other in order`(_ given: Case) throws {
        let total = Self.number("STRESS_OPERATIONS").map { $0 / Self.cases.count }
        let perRound = Self.number("STRESS_ROUND") ?? (total == nil ? 250 : 2_500)
        // Two worlds at least: every other one knows members.
        for round in 0..<max(2, (total ?? perRound) / perRound) {
            let seed = (Self.number("STRESS_SEED") ?? 1) + round
            func say(_ text: String) {
                guard total != nil else { return }
                FileHandle.standardError.write(Data("stress: \(given.testDescription), seed \(seed)\(text)\n".utf8))
            }
            say("")
            let steps = StressStep.run(seed: seed, operations: perRound)
            let found = try Self.world(given, seed, after: steps).findings
            if found.isEmpty { continue }
            say(" failed, and is being shrunk: \(found[0])")
            let fewest = try StressStep.shrunk(steps) { try !Self.world(given, seed, after: $0).findings.isEmpty }
            let world = try Self.world(given, seed, after: fewest)
            Issue.record(
                "\(given), seed \(seed): \(world.findings.prefix(3).joined(separator: "\n")) after\n\(world.trace.joined(separator: "\n"))"
            )
        }
    }

    private static func world(_ given: Case, _ seed: Int, after steps: [StressStep]) throws -> StressWorld {
        let world = try StressWorld(given.kind, given.policy, seed: seed)
        for step in steps where world.findings.isEmpty { try world.perform(step) }
        world.checkStore()
        return world
    }
}
