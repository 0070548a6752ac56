// Every command on files of every kind in which bytes have been changed at random: whatever it says, no signal ends it, and a
// message is one for people. MUTATED_RUNS=10000 is the long form; MUTATED_SEED makes other changes.

import Foundation
import FuzzTargets
import Testing

@Suite struct MutatedFileTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let runs = environment["MUTATED_RUNS"].flatMap { Int($0) } ?? 60
    private static let seed = environment["MUTATED_SEED"].flatMap { UInt64($0) } ?? 4_711

    /// The command lines that take a file of a kind, with the words `FILE`, `STORE` (a sound one) and `NEW`.
    private static func commands(_ target: FuzzTarget) -> [[String]] {
        switch target {
        case .json, .records, .imports:
            [
                ["import", "FILE", "--entity", "Book", "--store", "STORE"],
                ["diff", "FILE", "STORE", "--entity", "Book"],
            ]
        case .archiveInLines, .archiveInBlocks, .restore:
            [["restore", "FILE", "--store", "NEW"], ["diff", "FILE", "STORE"], ["inspect", "FILE"]]
        case .diff, .patch: [["apply", "FILE", "--store", "STORE", "--entity", "Book"]]
        case .modelXML, .compiledModel:
            [["inspect", "FILE"], ["lint", "FILE"], ["migrate", "STORE", "--model", "FILE"]]
        case .store:
            [
                ["inspect", "FILE"], ["export", "--store", "FILE"], ["archive", "FILE", "--output", "NEW"],
                ["diff", "FILE", "STORE"], ["merge", "STORE", "FILE", "STORE", "--output", "NEW"],
            ]
        case .predicate, .fetch, .modelCache, .keyedArchive, .propertyList, .tracker: [["inspect", "FILE"]]
        }
    }

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
        var mutator = Mutator(seed: Self.seed)
        for number in 0..<Self.runs {
            let target = FuzzTarget.allCases[number % FuzzTarget.allCases.count]
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
            let command = Self.commands(target)[number / FuzzTarget.allCases.count % Self.commands(target).count]
            let arguments = command.map { word in
                ["FILE": named, "STORE": store, "NEW": place.appending(path: "New").path][word] ?? word
            }
            let run = try graft(arguments)
            let origin = "\(command) on \(target), seed \(Self.seed), run \(number)"
            #expect(!run.isKilled, "\(origin): \(run.diagnostics)")
            #expect(!run.diagnostics.contains("Error Domain"), "\(origin): \(run.diagnostics)")
        }
    }
}
