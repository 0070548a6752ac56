// The report of an import as a table, entities by name:
//
//     ENTITY     INSERTED  UPDATED  UNCHANGED
//     Hero              4        0          0
//     Publisher         2        0          0
//
// Stubs (objects that are only referred to), deleted objects and skipped records have columns only where there are any. Keys
// of the data that the model doesn't map follow, a line each.

import Graft

/// Renders import reports.
enum ImportReportText {
    static func lines(_ report: ImportReport) -> [String] { table(report) + remarks(report) }

    private static func table(_ report: ImportReport) -> [String] {
        guard !report.entities.isEmpty else { return ["Nothing to import."] }
        let columns: [(title: String, value: (ImportReport.Counts) -> Int, isAlwaysShown: Bool)] = [
            ("INSERTED", \.inserted, true), ("UPDATED", \.updated, true), ("UNCHANGED", \.unchanged, true),
            ("STUBS", \.stubs, false), ("DELETED", \.deleted, false), ("SKIPPED", \.skipped, false),
        ]
        let shown = columns.filter { column in
            column.isAlwaysShown || report.entities.contains { column.value($0.counts) > 0 }
        }
        let rows = report.entities.map { entity in [entity.name] + shown.map { "\($0.value(entity.counts))" } }
        return TextTable.lines([["ENTITY"] + shown.map(\.title)] + rows, rightAligned: Set(1...shown.count))
    }

    /// What the data has and the model doesn't map, what the store doesn't keep exactly, and what objects lost to others, a line each.
    private static func remarks(_ report: ImportReport) -> [String] {
        let keys = report.unknownKeys.prefix(shownCount).map(\.description)
        let rest = report.unknownKeys.count - keys.count
        let more = rest > 0 ? ["\(rest) more unknown keys; --report lists them all"] : []
        let empty = report.emptyObjects > 0 ? ["empty objects: \(report.emptyObjects)"] : []
        let repeated = report.repeatedKeys.prefix(shownCount).map(\.description)
        return keys + more + repeated + empty + report.losses
            + report.exceededLimits.map(DeletionLimits.advice)
    }

    /// How many failures and unknown keys are shown.
    private static let shownCount = 20

    /// What was left out, a line each.
    static func failureLines(_ report: ImportReport) -> [String] {
        let shown = report.failures.prefix(shownCount).map { "skipped: \($0.message)" }
        let rest = report.failures.count - shown.count
        return rest > 0 ? shown + ["skipped: \(rest) more; --report lists them all"] : shown
    }
}
