// A file of heroes into a store and out again, beside loops that write and read the same rows through SQLite's C
// interface.

import Foundation
import Graft

/// The benchmarks that need a store, in a temporary folder.
struct StoreBenchmark {
    let table: Table
    let folder: URL
    private let heroCount = HeroFile().count

    func run(wantsReimport: Bool, wantsExport: Bool) throws {
        let file = try HeroFile().write(to: folder, name: "heroes.json")
        let store = folder.appending(path: "imported-0.sqlite")
        let first = try importFile(file)
        if wantsReimport { try reimport(file, into: store, first) }
        if wantsExport { try export(store) }
    }

    /// Imports into an empty store; the first one stays.
    private func importFile(_ file: URL) throws -> Cost {
        let megabytes = try megabytes(file)
        table.title("Import of \(heroCount) heroes (\(String(format: "%.1f", megabytes)) MB) into an empty store")
        var imported = Cost.infinite
        var baseline = Cost.infinite
        var rowCount = 0
        // By turns, so that whatever else the machine does meets both.
        for run in 0..<5 {
            let store = folder.appending(path: "imported-\(run).sqlite")
            imported = imported.best(try Step.importing.run(file, store).requiring(heroCount).cost)
            let copied = try Step.writingRows.run(store, folder.appending(path: "raw-\(run).sqlite"))
            baseline = baseline.best(copied.cost)
            rowCount = copied.count
        }
        table.add("raw SQLite, the same \(rowCount) rows", baseline, megabytes: megabytes, peer: baseline)
        table.add("graft import, reading the file included", imported, megabytes: megabytes, peer: baseline)
        table.goal("import / raw SQLite", imported, to: baseline, "at most 2.5") { $0 <= 2.5 }
        return imported
    }

    private func reimport(_ file: URL, into store: URL, _ first: Cost) throws {
        table.title("Import of the same heroes again")
        let changed = try HeroFile(changingEvery: 100).write(to: folder, name: "changed.json")
        var unchanged = Cost.infinite
        var again = Cost.infinite
        // One hero in a hundred changes forth and back.
        for other in [changed, file, changed, file] {
            again = again.best(try Step.importing.run(other, store).requiring(heroCount / 100).cost)
            unchanged = unchanged.best(try Step.importing.run(other, store).requiring(0).cost)
        }
        table.add("first import", first, peer: first)
        table.add("nothing changed", unchanged, peer: first)
        table.add("1% changed", again, peer: first)
        table.goal("re-import with 1% changed / first import", again, to: first, "below 1") { $0 < 1 }
    }

    private func export(_ store: URL) throws {
        table.title("Export of \(heroCount) heroes")
        var reading = Cost.infinite
        var nested = Cost.infinite
        var flat = Cost.infinite
        let nestedFile = folder.appending(path: "nested.json")
        let flatFile = folder.appending(path: "identifiers.json")
        for _ in 0..<3 {
            reading = reading.best(try Step.readingRows.run(store).cost)
            nested = nested.best(try Step.exporting.run(store, nestedFile).requiring(heroCount).cost)
            flat = flat.best(try Step.exportingIdentifiers.run(store, flatFile).requiring(heroCount).cost)
        }
        table.add("raw SQLite, reading all rows into memory", reading, peer: reading)
        table.add("graft export, nested", nested, megabytes: try megabytes(nestedFile), peer: reading)
        table.add("graft export, identifiers", flat, megabytes: try megabytes(flatFile), peer: reading)
        let speed = try megabytes(nestedFile) / nested.seconds
        let figures = String(
            format: "%.0f MB/s (by processor time: %.0f)", speed, try megabytes(nestedFile) / nested.processor)
        table.goal("export, nested", figures, "at least 20 MB/s", isMet: speed >= 20)
    }

    /// The streaming import's memory: it must not grow with the file.
    func runMemory() throws {
        table.title("Memory of a streaming import, batches saved one by one")
        var peak = 0
        for count in [heroCount, heroCount * 3] {
            let file = try HeroFile(count: count).write(to: folder, name: "heroes-\(count).json")
            let store = folder.appending(path: "heroes-\(count).sqlite")
            let outcome = try Step.importingBatches.run(file, store).requiring(count)
            let name = "\(count) heroes, at most \(outcome.peakMemory / 1024) MB"
            table.add(name, outcome.cost, megabytes: try megabytes(file), peer: nil)
            peak = max(peak, outcome.peakMemory / 1024)
        }
        table.goal("peak memory", "\(peak) MB", "below 300 MB", isMet: peak < 300)
    }

    // MARK: Helpers

    private func megabytes(_ file: URL) throws -> Double {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
        return (size?.doubleValue ?? 0) / 1e6
    }
}
