// The same work on a store in PostgreSQL, on one in SQLite, and by SQLAlchemy's objects on the same server
// (Benchmarks/PostgreSQL/heroes.py, which wants Python with the packages `sqlalchemy` and `psycopg`).

import Foundation
import Graft

/// The benchmark of a store on the server that GRAFT_POSTGRESQL names, in a temporary folder.
struct ServerBenchmark {
    let table: Table
    let folder: URL
    private let heroCount = 20_000
    private let server = ProcessInfo.processInfo.environment["GRAFT_POSTGRESQL"] ?? ""

    func run() throws {
        guard let python = Self.python else {
            throw GraftError(
                .other(finding: "there is no python3 in PATH", remedy: "Install it, with sqlalchemy and psycopg."))
        }
        let heroes = try HeroFile(count: heroCount).write(to: folder, name: "heroes.json")
        let changed = try HeroFile(count: heroCount, changingEvery: 100).write(to: folder, name: "changed.json")
        var costs: [String: [[Cost]]] = [:]
        for run in 0..<3 {
            let sqlite = folder.appending(path: "heroes-\(run).sqlite")
            let store = try schema("graft_\(run)"), other = try schema("sqlalchemy_\(run)")
            func peer(_ step: String, _ file: URL? = nil) throws -> Step.Outcome {
                let program = "Benchmarks/PostgreSQL/heroes.py"
                return try Step.run(
                    python, [program, step, other.absoluteString] + (file.map { [$0.path] } ?? []))
            }
            func add(_ name: String, _ outcomes: Step.Outcome..., count: Int) throws {
                for outcome in outcomes where outcome.count != count {
                    throw GraftError(
                        .other(finding: "\(name): \(outcome.count) objects, not \(count)", remedy: "Repair the code."))
                }
                costs[name, default: []].append(outcomes.map(\.cost))
            }
            for url in [sqlite, store] { _ = try Step.making.run(url) }
            try add(
                Self.work[0], Step.importing.run(heroes, store), Step.importing.run(heroes, sqlite),
                peer("import", heroes), count: heroCount)
            try add(
                Self.work[1], Step.importing.run(changed, store), Step.importing.run(changed, sqlite),
                peer("import", changed), count: heroCount / 100)
            try add(
                Self.work[2], Step.fetchingHeroes.run(store), Step.fetchingHeroes.run(sqlite), peer("fetch"),
                count: heroCount)
            try add(
                Self.work[3], Step.savingHeroes.run(store), Step.savingHeroes.run(sqlite), peer("save"), count: 1000)
        }
        table.title(
            "Work of \(heroCount) heroes in PostgreSQL, medians of three runs",
            columns: ["time", "SQLite", "x SQLite", "SQLAlchemy", "x that"])
        for name in Self.work { row(name, costs[name] ?? []) }
    }

    private static let work = [
        "import", "import again, 1% changed", "fetch all and read each attribute", "1,000 saves of one change",
    ]

    private static var python: URL? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { URL(filePath: String($0)).appending(path: "python3") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private func schema(_ name: String) throws -> URL {
        guard server.hasPrefix("postgresql://"), let url = URL(string: "\(server)&schema=\(name)") else {
            throw GraftError(
                .other(
                    finding: "GRAFT_POSTGRESQL names no server",
                    remedy: "Run make bench BENCH=postgresql, which starts one."))
        }
        return url
    }

    private func row(_ name: String, _ costs: [[Cost]]) {
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        let seconds = (0..<3).map { peer in median(costs.map { $0[peer].seconds }) }
        let ratios = (0..<3).map { peer in median(costs.map { $0[0].seconds / $0[peer].seconds }) }
        table.row(
            name,
            [
                String(format: "%.3f s", seconds[0]), String(format: "%.3f s", seconds[1]),
                String(format: "%.2f", ratios[1]), String(format: "%.3f s", seconds[2]),
                String(format: "%.2f", ratios[2]),
            ])
    }
}
