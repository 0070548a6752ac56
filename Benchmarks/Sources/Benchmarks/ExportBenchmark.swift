// The heroes of a store as JSON, beside a loop that only reads all rows through SQLite's C interface.

import CoreData
import Foundation
import Graft

enum ExportBenchmark {
    static func run(_ table: Table, _ store: URL, _ folder: URL) throws {
        table.title("Export of \(HeroFile().count) heroes")
        let peer = try measure(3) { try RawStore(path: store.path).rowCount }
        table.add("raw SQLite, reading all rows into memory", peer, peer: peer)
        let nested = try exporting(store, to: folder.appending(path: "nested.json"), .nested)
        table.add("graft export, nested", nested.cost, megabytes: nested.megabytes, peer: peer)
        let flat = try exporting(store, to: folder.appending(path: "identifiers.json"), .identifier)
        table.add("graft export, identifiers", flat.cost, megabytes: flat.megabytes, peer: peer)
        let speed = nested.megabytes / nested.cost.seconds
        table.goal("export, nested", String(format: "%.0f MB/s", speed), "at least 20 MB/s", isMet: speed >= 20)
    }

    private static func exporting(
        _ store: URL, to file: URL, _ form: ExportOptions.RelationshipForm
    ) throws -> (cost: Cost, megabytes: Double) {
        var options = ExportOptions()
        options.relationshipForm = form
        let cost = try measure(3) {
            try StoreBenchmark.withContainer(store) {
                try $0.exportJSON(ExportRequest(entity: "Hero"), to: .file(file), options: options)
            }
        }
        var reader = JSONReader(try FileHandle(forReadingFrom: file))
        var count = 0
        while try reader.nextRecord() != nil { count += 1 }
        guard count == HeroFile().count else {
            throw GraftError(.other(finding: "\(count) heroes were exported", remedy: "Repair the export."))
        }
        return (cost, Double(reader.tokenOffset) / 1e6)
    }
}
