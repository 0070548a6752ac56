// Every command on files of every kind in which bytes have been changed at random: whatever it says, no signal ends it, and a
// message is one for people. The short form runs each command once. MUTATED_RUNS=10000 is the long form; MUTATED_SEED makes other changes.

import Foundation
import FuzzTargets
import Testing

@Suite struct MutatedFileTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let runs = environment["MUTATED_RUNS"].flatMap { Int($0) } ?? attempts.count
    private static let seed = environment["MUTATED_SEED"].flatMap { UInt64($0) } ?? 4_711

    /// The command lines that take a file of a kind, with the words `FILE`, `STORE` and `RECORDS` (sound ones) and `NEW`.
    private static func commands(_ target: FuzzTarget) -> [[String]] {
        switch target {
        case .json, .records, .imports:
            [
                ["import", "FILE", "--entity", "Book", "--store", "STORE"],
                ["diff", "FILE", "STORE", "--entity", "Book"], ["infer", "FILE", "--output", "NEW.xcdatamodeld"],
            ]
        case .archiveInLines, .archiveInBlocks, .restore:
            [
                ["restore", "FILE", "--store", "NEW"], ["diff", "FILE", "STORE"], ["inspect", "FILE"],
                ["import", "FILE", "--store", "STORE"], ["diagram", "FILE", "--format", "dot"], ["lint", "FILE"],
                ["merge", "STORE", "FILE", "STORE", "--output", "NEW"],
                ["merge", "FILE", "FILE", "FILE", "--output", "NEW"],
            ]
        case .diff: [["apply", "FILE", "--store", "STORE"]]
        case .patch: [["apply", "FILE", "--store", "STORE", "--entity", "Book"]]
        case .modelXML, .compiledModel:
            [
                ["inspect", "FILE"], ["lint", "FILE"], ["migrate", "STORE", "--model", "FILE"],
                ["diagram", "FILE", "--format", "mermaid"], ["generate", "FILE", "--output", "NEW"],
                ["import", "RECORDS", "--entity", "Book", "--store", "NEW", "--model", "FILE"],
                ["import", "RECORDS", "--entity", "Book", "--store", "STORE", "--model", "FILE"],
                ["export", "--store", "STORE", "--model", "FILE"],
            ]
        case .store:
            [
                ["inspect", "FILE"], ["export", "--store", "FILE"], ["archive", "FILE", "--output", "NEW"],
                ["diff", "FILE", "STORE"], ["merge", "STORE", "FILE", "STORE", "--output", "NEW"],
                ["import", "FILE", "--store", "STORE"], ["import", "RECORDS", "--entity", "Book", "--store", "FILE"],
                ["check", "FILE"], ["check", "FILE", "--repair"], ["copy", "FILE", "NEW"],
                ["diagram", "FILE", "--format", "dot"], ["generate", "FILE", "--output", "NEW"],
            ]
        case .predicate, .fetch, .modelCache, .keyedArchive, .propertyList, .tracker: [["inspect", "FILE"]]
        }
    }

    /// Each kind with each of its command lines; the kinds take turns.
    private static let attempts: [(target: FuzzTarget, command: [String])] = {
        let all = FuzzTarget.allCases.flatMap { target in
            commands(target).enumerated().map { (number: $0.offset, target: target, command: $0.element) }
        }
        let most = all.map(\.number).max() ?? 0
        return (0...most).flatMap { number in all.filter { $0.number == number }.map { ($0.target, $0.command) } }
    }()

    private static func fileName(_ target: FuzzTarget) -> String {
        switch target {
        case .modelXML: "Mutated.xcdatamodel/contents"
        case .compiledModel: "Mutated.mom"
        case .store: "Mutated.sqlite"
        default: "mutated"
        }
    }

    @Test func `no signal ends a command on a file with changed bytes`() throws {
        let folder = try TemporaryFolder()
        let sound = folder.path("Sound.sqlite")
        try #require(try FuzzTarget.store.seeds().first).write(to: URL(filePath: sound))
        let records = folder.path("records.json")
        try #require(try FuzzTarget.imports.seeds().first).write(to: URL(filePath: records))
        var mutator = Mutator(seed: Self.seed)
        for number in 0..<Self.runs {
            let (target, command) = Self.attempts[number % Self.attempts.count]
            let seeds = try target.seeds()
            let bytes = target.mended(mutator.mutated(seeds[Int.random(in: 0..<seeds.count, using: &mutator)]))
            let file = folder.url.appending(path: "\(number)/\(Self.fileName(target))")
            let place = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder.url.appending(path: "\(number)")) }
            try bytes.write(to: file)
            let store = place.appending(path: "Store.sqlite").path
            try FileManager.default.copyItem(atPath: sound, toPath: store)
            let named = target == .modelXML ? place.path : file.path
            let new = place.appending(path: "New").path
            let words = [
                "FILE": named, "STORE": store, "RECORDS": records, "NEW": new,
                "NEW.xcdatamodeld": "\(new).xcdatamodeld",
            ]
            let arguments = command.map { words[$0] ?? $0 }
            let run = try graft(arguments)
            let origin = "\(command) on \(target), seed \(Self.seed), run \(number)"
            #expect(!run.isKilled, "\(origin): \(run.diagnostics)")
            #expect(!run.showsRawError, "\(origin): \(run.diagnostics)")
        }
    }
}
