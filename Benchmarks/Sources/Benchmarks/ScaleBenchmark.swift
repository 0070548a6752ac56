// The same work on ever more records: neither the time of a record nor the memory may grow with their number.

import Foundation
import Graft

/// The benchmark of sizes, in a temporary folder. It leaves a picture of what it measured.
struct ScaleBenchmark {
    let table: Table
    let folder: URL

    /// From ten thousand records, ten times as many each time, to a million or as many as `GRAFT_RECORDS` says.
    private var counts: [Int] {
        let last = ProcessInfo.processInfo.environment["GRAFT_RECORDS"].flatMap { Int($0) } ?? 1_000_000
        return Array(sequence(first: 10_000) { $0 * 10 }.prefix { $0 <= last })
    }

    /// One kind of work at all sizes, in the order of ``counts``.
    private struct Series {
        let name: String
        var outcomes: [Step.Outcome] = []
    }

    func run() throws {
        table.title("Import in batches, again with 1% changed, export, and the difference to before")
        let indexed = try measure(.importingIndexedBatches, "with an index")
        let plain = try measure(.importingBatches, "without an index")
        // The start of a process is a part of the smallest that one would see.
        let last = counts.count - 1, first = min(1, last)
        for series in indexed + plain {
            table.goal(
                "\(series.name): a record of \(counts[last]) / of \(counts[first])", cost(series, last),
                to: cost(series, first), "at most 1.3"
            ) { $0 <= 1.3 }
        }
        let peak = (indexed + plain.prefix(2)).flatMap(\.outcomes).map(\.peakMemory).max() ?? 0
        table.goal("peak memory of the imports", "\(peak / 1024) MB", "below 150 MB", isMet: peak / 1024 < 150)
        let picture = CostPicture(
            counts: counts,
            lines: (indexed + plain.suffix(2)).map { series in
                (series.name, counts.indices.map { cost(series, $0).processor * 1e6 })
            })
        let url = URL(filePath: ProcessInfo.processInfo.environment["GRAFT_PICTURE"] ?? "cost.svg")
        try Data(picture.svg.utf8).write(to: url)
        table.note("The picture is in \(url.path).")
    }

    private func cost(_ series: Series, _ size: Int) -> Cost { series.outcomes[size].cost.each(of: counts[size]) }

    /// A store's file, and the log beside it.
    private func files(_ store: URL) -> [URL] {
        ["", "-wal", "-shm"].map { URL(filePath: store.path + $0) }
    }

    private func copy(_ file: URL, to other: URL) throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        try FileManager.default.copyItem(at: file, to: other)
    }

    /// Measures an import at all sizes, and what is done with the store that it makes.
    private func measure(_ step: Step, _ suffix: String) throws -> [Series] {
        var series = [
            Series(name: "import, \(suffix)"),
            Series(name: "import again, \(suffix)"),
        ]
        // Neither needs the index.
        let isWhole = step == .importingBatches
        if isWhole { series += [Series(name: "export"), Series(name: "difference")] }
        for count in counts {
            let store = folder.appending(path: "store-\(count).sqlite")
            let old = folder.appending(path: "old-\(count).sqlite")
            let exported = folder.appending(path: "exported.json")
            func note(_ number: Int, _ outcome: Step.Outcome) {
                series[number].outcomes.append(outcome)
                let memory = "\(outcome.peakMemory / 1024) MB"
                table.add("\(count), \(series[number].name): \(memory)", outcome.cost, peer: nil)
            }
            let file = try HeroFile(count: count).write(to: folder, name: "heroes.json")
            note(0, try step.run(file, store).requiring(count))
            if isWhole { for (one, other) in zip(files(store), files(old)) { try copy(one, to: other) } }
            let changed = try HeroFile(count: count, changingEvery: 100).write(to: folder, name: "heroes.json")
            note(1, try step.run(changed, store).requiring(count / 100))
            if isWhole {
                note(2, try Step.exporting.run(store, exported).requiring(count))
                try FileManager.default.removeItem(at: exported)
                note(3, try Step.comparing.run(old, store).requiring(count / 100))
            }
            for file in files(store) + files(old) where FileManager.default.fileExists(atPath: file.path) {
                try FileManager.default.removeItem(at: file)
            }
        }
        return series
    }
}
