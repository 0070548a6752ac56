// What `graft check` does.

import CoreData
import Foundation
import Graft

/// The check of a store, and its repair.
struct CheckJob {
    var store: String
    var model: String?
    var repairs: Bool
    var backup: StoreBackup
    var isJSON: Bool

    /// Prints the findings as they come, and what was looked at.
    ///
    /// - Returns: Whether there is nothing, or nothing left.
    /// - Throws: What keeps the store from being checked, or repaired; it is then as it was.
    func run(on console: Console) throws -> Bool {
        do {
            return try runCheck(on: console)
        } catch let error as CocoaError where error.recommendsCheck {
            // This is the check, and it comes no further.
            let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let isOfRow = reason?.domain == NSCocoaErrorDomain
            throw GraftError(
                .other(
                    finding: "the file is damaged so far that it can't be checked"
                        + (reason.map { " (\($0.localizedDescription))" } ?? ""),
                    remedy: isOfRow
                        ? "Correct the row, or restore a copy of the store."
                        : "Restore a copy of it, or take out what can be read with sqlite3's .recover."),
                at: .init(source: store))
        }
    }

    private func runCheck(on console: Console) throws -> Bool {
        let report = CheckReport(store: store, isRepair: repairs, isJSON: isJSON, console: console)
        let check: StoreCheck
        do {
            check = try Self.check(of: store, model: model)
        } catch let error as GraftError {
            guard case .missingModel = error.problem else { throw error }
            // Both may come of one damage of the file.
            try StoreAccess.checkFile(store, report.add)
            try report.endEarly()
            throw error
        }
        let summary: StoreCheckSummary
        do {
            if repairs {
                summary = try check.repair(
                    backUp: { report.backup = try backup.make(of: store, before: "repair") }, report.add)
            } else {
                summary = try check.run(report.add)
            }
        } catch {
            try report.endEarly()
            throw error
        }
        try report.end(summary)
        return summary.findings == (repairs ? summary.mended : 0)
    }

    /// The check of a store with all that its model says.
    ///
    /// - Throws: What keeps the store from being checked.
    static func check(of store: String, model: String?) throws -> StoreCheck {
        try StoreAccess.requireFile(
            store,
            remedy:
                "The server keeps the constraints of such a store itself; for the rest, check a copy: graft archive, "
                + "then graft restore into a file.")
        try FileKind.requireReadable(store)
        if FileKind(ofPath: store) == .file { try StoreAccess.requireStore(store) }
        let model = try StoreAccess.model(at: model, forStore: store)
        let lint = try ModelLint(model)
        let identities = lint.identities.filter { !$0.isInferred && !$0.properties.isEmpty }
        return StoreAccess.check(
            store, model: model,
            identities: Dictionary(identities.map { ($0.entity, $0.properties) }) { first, _ in first },
            families: lint.families)
    }
}

/// The findings on their way out: one a line, none of them kept.
private final class CheckReport {
    private let store: String
    private let isRepair: Bool
    private let isJSON: Bool
    private let console: Console
    /// The copy that was made before the first change.
    var backup: String?
    private var count = 0

    init(store: String, isRepair: Bool, isJSON: Bool, console: Console) {
        self.store = store
        self.isRepair = isRepair
        self.isJSON = isJSON
        self.console = console
    }

    // MARK: Findings

    private struct Finding: Encodable {
        var severity: String
        var kind: String
        var entity: String?
        var row: Int64?
        var property: String?
        var finding: String
        var isMended: Bool?
        var remedy: String
    }

    func add(_ finding: StoreFinding) throws {
        if isJSON {
            let value = Finding(
                severity: CheckText.severity(finding), kind: finding.kind.rawValue, entity: finding.entity,
                row: finding.row,
                property: finding.property, finding: finding.finding, isMended: isRepair ? finding.isMendable : nil,
                remedy: CheckText.remedy(finding, isRepair: isRepair))
            try console.write((count == 0 ? "{\"findings\": [\n" : ",\n") + json(value))
        } else {
            try console.print(CheckText.line(finding, isRepair: isRepair))
        }
        count += 1
    }

    // MARK: The end

    private struct Checked: Encodable {
        var store: String
        var entities: Int
        var objects: Int
        var damages: Int
        var notes: Int
        var unreadTransformables: Int
        var mended: Int?
        var backup: String?
    }

    /// Ends what was begun, where an error comes next.
    func endEarly() throws {
        if isJSON, count > 0 { try console.print("\n]}") }
    }

    func end(_ summary: StoreCheckSummary) throws {
        if isJSON {
            let checked = Checked(
                store: store, entities: summary.entities, objects: summary.rows, damages: summary.damages,
                notes: summary.notes, unreadTransformables: summary.unreadTransformables,
                mended: isRepair ? summary.mended : nil, backup: backup)
            let text = "\(count == 0 ? "{\"findings\": [" : "\n")],\n\"checked\": \(try json(checked))}"
            try console.report([text], after: done(summary))
        } else {
            try console.report(lines(summary), after: done(summary))
        }
    }

    private func done(_ summary: StoreCheckSummary) -> String? {
        isRepair && summary.mended > 0 ? "\(store) is repaired" : nil
    }

    private func lines(_ summary: StoreCheckSummary) -> [String] {
        var lines: [String] = []
        if summary.findings == 0 {
            lines.append("\(store): \(CheckText.counts(summary)). \(CheckText.scope(summary))")
        } else {
            let found = "\(CheckText.counts(summary)) in \(CheckText.objects(summary))"
            lines.append("\(store): \(found)\(isRepair ? "; \(summary.mended) mended" : "")")
        }
        lines += CheckText.unread(summary)
        if let backup { lines.append("The store as it was: \(backup)") }
        return lines
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
