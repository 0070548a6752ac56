// What `graft diff` does with two models.

import CoreData
import Foundation
import Graft

/// A comparison of two versions of a model.
struct ModelDiffJob {
    var old: String
    var new: String

    /// Whether a path is a model's, by its name: a store or an archive that carries one is compared by its objects.
    static func isModel(_ path: String) -> Bool {
        let url = URL(fileURLWithPath: path)
        let endings: Set<String> = ["xcdatamodeld", "xcdatamodel", "momd", "mom"]
        return endings.contains(url.pathExtension) || endings.contains(url.deletingLastPathComponent().pathExtension)
    }

    /// Compares, and prints what differs and whether stores can be migrated.
    ///
    /// - Returns: Whether anything differs.
    func run(on console: Console) throws -> Bool {
        if let other = [old, new].first(where: { !Self.isModel($0) }) {
            throw GraftError(
                .wrongKind(
                    found: "a file that is no model", expected: "a model, as on the other side",
                    remedy: "Compare two models; or a store and a model with graft migrate --dry-run."),
                at: .init(source: other))
        }
        let comparison = StoreAccess.comparison(
            from: try StoreAccess.model(at: old), to: try StoreAccess.model(at: new))
        for line in comparison.differences { try console.print(line) }
        for (old, new) in comparison.changedLines {
            try console.print("- \(old)")
            try console.print("+ \(new)")
        }
        let isEqual = comparison.differences.isEmpty && comparison.changedLines.isEmpty
        if !isEqual { try console.print(Self.migration(comparison)) }
        return !isEqual
    }

    private static func migration(_ comparison: ModelVersionComparison) -> String {
        if !comparison.unnoticed.isEmpty {
            return "Migration: none takes place. \(comparison.unnoticed.joined(separator: "; "))."
        }
        if !comparison.needsMigration { return "Migration: none needed; stores of the old version open as they are." }
        let count = comparison.obstacles.count
        if count == 0 { return "Migration: inferred." }
        return
            "Migration: can't be inferred, because of \(count == 1 ? "one difference" : "\(count) differences") above."
    }
}
