// Archives of the heroes' store, and stores made of them, beside the export and import of the same heroes.

import Foundation
import Graft

/// The benchmark of archives, in a temporary folder.
struct ArchiveBenchmark {
    let table: Table
    let folder: URL
    private let heroCount = HeroFile().count

    func run() throws {
        try compare()
        try measureMemory()
    }

    private func file(_ name: String) -> URL { folder.appending(path: name) }

    /// Runs a step that has to concern this many heroes.
    private func expect(_ step: Step, _ paths: URL..., count: Int? = nil) throws -> Step.Outcome {
        let outcome = try step.run(paths)
        guard outcome.count == count ?? heroCount else {
            throw GraftError(
                .other(finding: "\(step): \(outcome.count) heroes and not \(count ?? heroCount)", remedy: "Repair it."))
        }
        return outcome
    }

    private func compare() throws {
        table.title("Archive and restore of \(heroCount) heroes")
        let heroes = try HeroFile().write(to: folder, name: "heroes.json")
        let store = file("heroes.sqlite")
        var imported = Cost.infinite
        var exported = Cost.infinite
        var archived = [Step.archivingJSON: Cost.infinite, .archivingBinary: Cost.infinite]
        var restored = archived
        var batched = Cost.infinite
        // By turns, so that whatever else the machine does meets all.
        for run in 0..<4 {
            let target = run == 0 ? store : file("imported-\(run).sqlite")
            imported = imported.best(try expect(.importing, heroes, target).cost)
            exported = exported.best(try expect(.exporting, store, file("nested.json")).cost)
            for step in [Step.archivingJSON, .archivingBinary] {
                let archive = file("\(step).archive")
                let copy = file("\(step)-\(run).sqlite")
                archived[step] = archived[step]?.best(try expect(step, store, archive).cost)
                restored[step] = restored[step]?.best(try expect(.restoring, archive, copy).cost)
            }
            let copy = file("batches-\(run).sqlite")
            batched = batched.best(try expect(.restoringBatches, file("archivingBinary.archive"), copy).cost)
        }
        let peer = imported + exported
        table.add("graft import", imported, megabytes: try megabytes(heroes), peer: imported)
        table.add("graft export, nested", exported, megabytes: try megabytes(file("nested.json")), peer: exported)
        for (step, name) in [(Step.archivingJSON, "JSON"), (.archivingBinary, "binary, compressed")] {
            guard let writing = archived[step], let reading = restored[step] else { continue }
            let size = try megabytes(file("\(step).archive"))
            let title = String(format: "graft archive, %@ (%.1f MB)", name, size)
            table.add(title, writing, megabytes: size, peer: exported)
            table.add("graft restore, \(name)", reading, megabytes: size, peer: imported)
            table.goal("archive + restore / export + import, \(name)", writing + reading, to: peer, "at most 1.5") {
                $0 <= 1.5
            }
        }
        table.add("graft restore, binary, in batches", batched, peer: imported)
    }

    /// Memory that doesn't grow with the objects but for a few words of each.
    private func measureMemory() throws {
        table.title("Memory of archiving, and of restoring in batches")
        var peaks: [Int: [Int]] = [:]
        for count in [heroCount, heroCount * 3] {
            let heroes = try HeroFile(count: count).write(to: folder, name: "many-\(count).json")
            let store = file("many-\(count).sqlite")
            _ = try expect(.importingBatches, heroes, store, count: count)
            let archive = file("many-\(count).archive")
            let steps: [(Step, URL, URL, String)] = [
                (.archivingJSON, store, archive, "archive, JSON"),
                (.restoringBatches, archive, file("json-\(count).sqlite"), "restore, JSON"),
                (.archivingBinary, store, archive, "archive, binary"),
                (.restoringBatches, archive, file("binary-\(count).sqlite"), "restore, binary"),
            ]
            for (step, from, to, name) in steps {
                let outcome = try expect(step, from, to, count: count)
                let peak = outcome.peakMemory / 1024
                peaks[count, default: []].append(peak)
                table.add("\(name): \(count) heroes, at most \(peak) MB", outcome.cost, peer: nil)
            }
        }
        let growth = zip(peaks[heroCount] ?? [], peaks[heroCount * 3] ?? []).map {
            ($1 - $0) * 1_048_576 / (heroCount * 2)
        }
        let most = growth.max() ?? 0
        table.goal("growth", "\(most) bytes a hero", "at most 400", isMet: most <= 400)
    }

    private func megabytes(_ file: URL) throws -> Double {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
        return (size?.doubleValue ?? 0) / 1e6
    }
}

extension Cost {
    fileprivate static func + (one: Cost, other: Cost) -> Cost {
        Cost(seconds: one.seconds + other.seconds, processor: one.processor + other.processor)
    }
}
