// A dry run says what the import says: a container's what its saves would refuse; a context's what its import refuses, which doesn't save.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct DryRunTests {
    /// A player must have a name and a team, and a team a name: a reference to a team that isn't there makes one without.
    private func world() throws -> ImportWorld {
        try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [
                    .attribute("id"), .attribute("name", isOptional: false),
                    .toMany("players", "Player", inverse: "team"),
                ])
            sketch.entity(
                "Player", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("team", "Team", inverse: "players", isOptional: false)])
        }
    }

    /// What a dry run and then the import itself say.
    private func tried(
        _ world: ImportWorld, _ text: String, _ entity: String, _ set: (inout ImportOptions) -> Void = { _ in }
    ) throws -> (trial: String, real: String) {
        var world = world
        set(&world.options)
        func say() -> String {
            do {
                let report = try world.take(text, entity)
                let failures = report.failures.map { "\($0.path ?? ""): \($0.message)" }
                return (report.entities.map { "\($0.name): \($0.counts)" } + failures).joined(separator: "\n")
            } catch {
                return "error \((error as? GraftError)?.place.description ?? "\(error)")"
            }
        }
        world.options.isDryRun = true
        let trial = say()
        #expect(try world.count("Player") == 0 && world.count("Team") == 0)
        world.options.isDryRun = false
        return (trial, say())
    }

    @Test(arguments: ImportOptions.FailurePolicy.allCases, [nil, 1, 5000])
    func `what a reference makes without its mandatory values is refused as the save refuses it`(
        _ policy: ImportOptions.FailurePolicy, _ batch: Int?
    ) throws {
        let said = try tried(
            world(), #"[{"id": "a", "team": {"id": "r", "name": "Reds"}}, {"id": "b", "team": "s"}]"#, "Player"
        ) {
            $0.failurePolicy = policy
            ($0.batchSize, $0.savesEachBatch) = (batch ?? 5000, batch != nil)
        }
        #expect(said.trial == said.real)
        #expect(said.trial.hasPrefix("error") == (policy != .skip), "\(said.trial)")
    }

    @Test(arguments: [(1, true), (5000, false)])
    func `what another batch would fill is refused where its own batch is saved before`(
        _ size: Int, _ isRefused: Bool
    ) throws {
        let text = #"{"id": "a", "team": "r"} {"id": "b", "team": {"id": "r", "name": "Reds"}}"#
        let said = try tried(world(), text, "Player") {
            $0.format = .sequence
            ($0.batchSize, $0.savesEachBatch) = (size, true)
        }
        #expect(said.trial == said.real)
        #expect(said.trial.hasPrefix("error") == isRefused, "\(said.trial)")
    }

    @Test func `who loses a mandatory object to another owner is refused, too`() throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("captain", "Player", inverse: "team", isOptional: false)])
            sketch.entity(
                "Player", info: ["identityAttributes": "id"],
                [.attribute("id"), .toOne("team", "Team", inverse: "captain")])
        }
        try world.take(#"{"id": "r", "captain": "a"}"#, "Team")
        for isDryRun in [true, false] {
            world.options.isDryRun = isDryRun
            let error = world.refuse(#"{"id": "s", "captain": "a"}"#, "Team")
            #expect(error?.place.entity == "Team" && error?.place.property == "captain", "\(String(describing: error))")
        }
    }

    @Test(arguments: [nil, 1, 5000])
    func `what the import makes and gives up again is taken, too`(_ batch: Int?) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Team", info: ["identityAttributes": "id"],
                [.attribute("id"), .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule)])
            sketch.entity(
                "Note", [.attribute("text"), .toOne("team", "Team", inverse: "notes", isOptional: false)])
        }
        try world.take(#"{"id": "r"}"#, "Team")
        (world.options.batchSize, world.options.savesEachBatch) = (batch ?? 5000, batch != nil)
        let text = #"[{"id": "r", "notes": [{"text": "a"}]}, {"id": "r", "notes": [{"text": "b"}]}]"#
        world.options.isDryRun = true
        let trial = try world.take(text, "Team")
        world.options.isDryRun = false
        #expect(try world.take(text, "Team").entities == trial.entities)
        #expect(try world.values("text", of: "Note") == ["b"])
    }

    /// Of 10 stored players and 40 new ones, five may go by the time that all are saved, and two before.
    @Test(arguments: [0..<4, 0..<6, 10..<14, 10..<25, 10..<45], [5, 1000])
    func `a limit counts what earlier batches would have saved`(_ gone: Range<Int>, _ size: Int) throws {
        var world = try ImportWorld(.sqlite) { sketch in
            sketch.entity(
                "Player", info: ["identityAttributes": "id", "JSONDeletedKey": "gone"],
                [.attribute("id", .integer64AttributeType)])
        }
        func records(_ ids: Range<Int>, _ rest: String = "") -> String {
            ids.map { #"{"id": \#($0)\#(rest)}"# }.joined(separator: ", ")
        }
        try world.take("[\(records(0..<10))]", "Player")
        (world.options.batchSize, world.options.savesEachBatch) = (size, true)
        world.options.mapping["Player"].deletionLimit = .percent(10, atLeast: 2)
        let (new, ended) = (records(10..<50), records(gone, #", "gone": 1"#))
        let text = "[\(new), \(ended)]"
        world.options.isDryRun = true
        let trial = try world.take(text, "Player")
        #expect(try world.count("Player") == 10)
        world.options.isDryRun = false
        let refused = world.refuse(text, "Player")
        #expect(trial.exceededLimits.isEmpty == (refused == nil), "\(trial.exceededLimits)")
        // Ten percent of what the store has by then.
        let stored = size == 5 ? 50 : 10
        let count = size == 5 || gone.lowerBound < 10 ? gone.count : 0
        #expect((refused == nil) == (count <= max(2, stored / 10)))
    }

    @Test(arguments: ImportOptions.FailurePolicy.allCases)
    func `a context's dry run takes stubs as its import does`(_ policy: ImportOptions.FailurePolicy) throws {
        let stack = try world().stack
        var options = ImportOptions()
        options.failurePolicy = policy
        try stack.perform { context throws in
            let data = Data(#"[{"id": "a", "team": "r"}]"#.utf8)
            options.isDryRun = true
            let trial = try context.importJSON(data, entity: "Player", options: options)
            #expect(trial.isDryRun && !context.hasChanges)
            options.isDryRun = false
            let real = try context.importJSON(data, entity: "Player", options: options)
            #expect(real.entities == trial.entities && real.failures == trial.failures)
            #expect(real["Team"].stubs == 1)
        }
    }
}
