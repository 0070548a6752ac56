// What the fuzzers of `Fuzzing` found, and a short form of them: mutations without coverage. `make fuzz` is the long form.

import FuzzTargets
import Foundation
import Testing

/// One after the other: the readers share a stack.
@Suite(.serialized) struct FindingTests {
    @Test(arguments: FuzzTarget.allCases) func `well-formed input is read`(_ target: FuzzTarget) throws {
        let seeds = try target.seeds()
        #expect(!seeds.isEmpty)
        for seed in seeds {
            target.run(seed)
            #expect(target.mended(seed) == seed, "the checksums are written as they are mended")
        }
    }

    @Test(arguments: FuzzTarget.allCases) func `what was found before ends nothing`(_ target: FuzzTarget) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Findings/\(target.rawValue)")
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            target.run(try Data(contentsOf: file))
        }
    }

    @Test func `each target has a dictionary`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzzing/Dictionaries")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.standardizedFileURL.path)
        #expect(Set(names) == Set(FuzzTarget.allCases.map { "\($0.rawValue).dict" }))
    }

    @Test(arguments: FuzzTarget.allCases) func `mutations end nothing`(_ target: FuzzTarget) throws {
        let seeds = try target.seeds()
        var mutator = Mutator(seed: 20_261_122)
        for _ in 0..<(target == .store ? 30 : 150) {
            let seed = seeds[Int.random(in: 0..<seeds.count, using: &mutator)]
            target.run(target.mended(mutator.mutated(seed)))
        }
    }
}
