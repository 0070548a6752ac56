// Our work beside the limit: what a program can reach that knows the one file and the one model, and does nothing else
// (Benchmarks/Limit/limit.cpp). L is the time of its import into an empty store; everything is shown in that unit.

import Foundation
import Graft

/// The benchmark of work in units of L, in a temporary folder.
struct LimitBenchmark {
    let table: Table
    let folder: URL
    private let heroCount = HeroFile().count

    /// What is measured, with the share of L that it is to take.
    private enum Work: String, CaseIterable {
        case importing = "import"
        case changed = "import again, 1% changed"
        case unchanged = "import again, nothing changed"
        case exporting = "export, nested"
        case comparing = "difference of two stores, 1% changed"
        case archiving = "archive"
        case restoring = "restore"

        /// What it is to take at most, in units of L; of a restore, in those of our own import.
        var goal: Double {
            switch self {
            case .importing: 1
            case .changed: 0.4
            case .unchanged: 0.3
            case .exporting, .archiving: 0.35
            case .comparing: 0.5
            case .restoring: 0.8
            }
        }
    }

    /// What each run took.
    private struct Figures {
        var limits: [Cost] = []
        var works: [Work: [Cost]] = [:]

        mutating func add(_ work: Work, _ cost: Cost) { works[work, default: []].append(cost) }
    }

    func run() throws {
        table.limitTitle("Work of \(heroCount) heroes in L, three runs")
        let heroes = try HeroFile().write(to: folder, name: "heroes.json")
        let changed = try HeroFile(changingEvery: 100).write(to: folder, name: "changed.json")
        var figures = Figures()
        var again: [String: [Cost]] = [:]
        for run in 0..<3 {
            let (limit, store, copy) = (file("limit-\(run)"), file("store-\(run)"), file("copy-\(run)"))
            let archive = folder.appending(path: "store-\(run).archive")
            _ = try Step.making.run(limit)
            figures.limits.append(try Step.limit(heroes, limit).requiring(heroCount).cost)
            figures.add(.importing, try Step.importing.run(heroes, store).requiring(heroCount).cost)
            // The limit counts only as long as it does the work.
            if run == 0 { _ = try Step.comparing.run(limit, store).requiring(0).cost }
            let nested = folder.appending(path: "nested.json")
            figures.add(.exporting, try Step.exporting.run(store, nested).requiring(heroCount).cost)
            figures.add(.archiving, try Step.archivingBinary.run(store, archive).requiring(heroCount).cost)
            figures.add(.restoring, try Step.restoring.run(archive, copy).requiring(heroCount).cost)
            again["1% changed", default: []].append(try Step.limit(changed, limit).requiring(heroCount / 100).cost)
            figures.add(.changed, try Step.importing.run(changed, store).requiring(heroCount / 100).cost)
            again["nothing changed", default: []].append(try Step.limit(changed, limit).requiring(0).cost)
            figures.add(.unchanged, try Step.importing.run(changed, store).requiring(0).cost)
            figures.add(.comparing, try Step.comparing.run(copy, store).requiring(heroCount / 100).cost)
        }
        table.limitRow("L: the limit's import", figures.limits, of: figures.limits, goal: nil)
        for (name, costs) in again.sorted(by: { $0.key < $1.key }) {
            table.limitRow("the limit's import again, \(name)", costs, of: figures.limits, goal: nil)
        }
        for work in Work.allCases {
            table.limitRow(
                work.rawValue, figures.works[work] ?? [], of: figures.limits,
                goal: work == .restoring ? nil : work.goal)
        }
        let (restored, imported) = (figures.works[.restoring] ?? [], figures.works[.importing] ?? [])
        table.limitRow("restore, to an import", restored, of: imported, goal: Work.restoring.goal)
    }

    private func file(_ name: String) -> URL { folder.appending(path: "\(name).sqlite") }
}

extension Step {
    /// Imports a file into a store by the limit's program, which `make bench BENCH=limit` builds.
    fileprivate static func limit(_ file: URL, _ store: URL) throws -> Outcome {
        let program = URL(filePath: "Benchmarks/.build/limit")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw GraftError(
                .other(finding: "there is no program \(program.path)", remedy: "Build it by make bench BENCH=limit."))
        }
        return try run(program, [file.path, store.path])
    }
}

extension Table {
    fileprivate func limitTitle(_ text: String) {
        title(text, columns: ["time", "in L", "from", "to", "CPU in L", "goal"])
    }

    /// A row: the medians, and the least and the most that it took in a run, each in L, or what else is given, of the same run.
    fileprivate func limitRow(_ name: String, _ costs: [Cost], of limits: [Cost], goal: Double?) {
        let ratios = zip(costs, limits).map { $0.seconds / $1.seconds }.sorted()
        let processor = zip(costs, limits).map { $0.processor / $1.processor }.sorted()
        let seconds = costs.map(\.seconds).sorted()
        guard let least = ratios.first, let most = ratios.last else { return }
        let median = ratios[ratios.count / 2]
        let figures = [median, least, most, processor[processor.count / 2]].map { String(format: "%.2f", $0) }
        let verdict = goal.map { [String(format: "%.2f", $0), median <= $0 ? "met" : "missed"] } ?? []
        row(name, [String(format: "%.3f s", seconds[seconds.count / 2])] + figures + verdict)
    }
}
