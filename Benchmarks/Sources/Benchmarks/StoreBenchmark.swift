// A file of heroes into a store and out again, beside a loop that writes the same rows through SQLite's C interface.

import CoreData
import Foundation
import Graft

enum StoreBenchmark {
    static func run(_ table: Table, wantsReimport: Bool, wantsExport: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "graft-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try HeroFile().write(to: folder, name: "heroes.json")
        let megabytes = Double(try Data(contentsOf: file).count) / 1e6

        table.title(
            "Import of \(HeroFile().count) heroes (\(String(format: "%.1f", megabytes)) MB) into an empty store")
        var first = Cost.infinite
        var baseline = Cost.infinite
        var store = folder
        var imported: RawStore?
        // By turns, so that whatever else the machine does meets both.
        for run in 0..<5 {
            store = folder.appending(path: "imported-\(run).sqlite")
            first = first.best(try importing(file, into: store, expecting: HeroFile().count))
            let rows = try imported ?? RawStore(path: store.path)
            let copy = folder.appending(path: "raw-\(run).sqlite").path
            baseline = baseline.best(try rows.write(to: copy))
            guard try RawStore(path: copy).rowCount == rows.rowCount else {
                throw GraftError(.other(finding: "the baseline wrote other rows", remedy: "Repair RawStore."))
            }
            imported = rows
        }
        let rowCount = imported?.rowCount ?? 0
        table.add("raw SQLite, the same \(rowCount) rows", baseline, megabytes: megabytes, peer: baseline)
        table.add("graft import, reading the file included", first, megabytes: megabytes, peer: baseline)
        table.goal("import / raw SQLite", first, to: baseline, "at most 2.5") { $0 <= 2.5 }
        if wantsReimport { try reimport(table, file, store, folder, first) }
        if wantsExport { try ExportBenchmark.run(table, store, folder) }
    }

    private static func reimport(
        _ table: Table, _ file: URL, _ store: URL, _ folder: URL, _ first: Cost
    ) throws {
        table.title("Import of the same heroes again")
        let changed = try HeroFile(changingEvery: 100).write(to: folder, name: "changed.json")
        let unchanged = try importing(file, into: store, expecting: 0)
        // Each run changes one hero in a hundred: forth, back, and forth again.
        let times = try [changed, file, changed, file, changed].map {
            try importing($0, into: store, expecting: HeroFile().count / 100)
        }
        let again = times.reduce(Cost.infinite) { $0.best($1) }
        table.add("first import", first, peer: first)
        table.add("nothing changed", unchanged, peer: first)
        table.add("1% changed", again, peer: first)
        table.goal("re-import with 1% changed / first import", again, to: first, "below 1") { $0 < 1 }
    }

    /// Imports a file in one save, and returns what it took.
    private static func importing(_ file: URL, into store: URL, expecting changes: Int) throws -> Cost {
        try withContainer(store) { container in
            let (report, cost) = try Cost.of { try container.importJSON(contentsOf: [file], entity: "Hero") }
            let counts = report["Hero"]
            guard counts.inserted + counts.updated == changes else {
                throw GraftError(
                    .other(finding: "\(counts) where \(changes) heroes had to change", remedy: "Repair the import."))
            }
            return cost
        }
    }

    /// Opens a store with the heroes' model for the duration of a call.
    static func withContainer<R>(_ store: URL, _ body: (NSPersistentContainer) throws -> R) throws -> R {
        let container = NSPersistentContainer(name: "Heroes", managedObjectModel: HeroModel.make())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: store)]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        defer {
            for store in container.persistentStoreCoordinator.persistentStores {
                try? container.persistentStoreCoordinator.remove(store)
            }
        }
        return try body(container)
    }
}
