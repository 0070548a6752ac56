// The difference of two stores of which one object in a hundred changed, at three sizes: the time per object must not
// grow with the store, and the memory must stay bounded.

import Foundation
import Graft

/// The benchmark of comparing stores, in a temporary folder.
struct StoreDiffBenchmark {
    let table: Table
    let folder: URL

    func run() throws {
        table.title("Difference of two stores, 1% changed")
        var times: [Double] = []
        var peak = 0
        for count in [10_000, 100_000, 1_000_000] {
            let (old, new) = try stores(count)
            var best: Step.Outcome?
            for _ in 0..<(count > 100_000 ? 1 : 3) {
                let outcome = try Step.comparing.run(old, new).requiring(count / 100)
                if best.map({ outcome.cost.processor < $0.cost.processor }) ?? true { best = outcome }
            }
            guard let best else { continue }
            peak = best.peakMemory / 1024
            times.append(best.cost.processor / Double(count) * 1e6)
            let name = String(
                format: "%d heroes: %.1f µs each of processor time, at most %d MB", count, times[times.count - 1], peak)
            table.add(name, best.cost, peer: nil)
        }
        let ratio = times[times.count - 1] / times[0]
        table.goal(
            "time per object, largest / smallest", String(format: "%.2f", ratio), "at most 1.5", isMet: ratio <= 1.5)
        table.goal("peak memory of the largest", "\(peak) MB", "below 300 MB", isMet: peak < 300)
    }

    /// Two stores with the same heroes, and every hundredth changed in the second one.
    private func stores(_ count: Int) throws -> (URL, URL) {
        let stores = ["old", "new"].map { folder.appending(path: "\($0)-\(count).sqlite") }
        for (store, changingEvery) in zip(stores, [nil, 100]) {
            let file = try HeroFile(count: count, changingEvery: changingEvery).write(to: folder, name: "heroes.json")
            _ = try Step.importingBatches.run(file, store)
            try FileManager.default.removeItem(at: file)
        }
        return (stores[0], stores[1])
    }
}
