// A check of a store in words: what `graft check` prints, and what stands on a store's page.

import CoreData
import Graft

/// The findings of a check and what it came to, for people.
enum CheckText {
    static func severity(_ finding: StoreFinding) -> String { finding.kind.isNote ? "note" : "damage" }

    /// What a repair does, or has done, or why it doesn't.
    static func remedy(_ finding: StoreFinding, isRepair: Bool) -> String {
        switch finding.mend {
        case .possible(let deed): isRepair ? "The repair \(deed)." : "--repair \(deed)."
        case .impossible(let reason): reason
        }
    }

    /// A finding with its place and its remedy.
    static func line(_ finding: StoreFinding, isRepair: Bool = false) -> String {
        let place = finding.place.map { "\($0): " } ?? ""
        let remedy = remedy(finding, isRepair: isRepair)
        return GraftError.oneLine(
            "\(severity(finding)): \(place)\(finding.finding). \(remedy) [\(finding.kind.rawValue)]")
    }

    static func counts(_ summary: StoreCheckSummary) -> String {
        if summary.findings == 0 { return "nothing found" }
        return "\(summary.damages) damage\(ending(summary.damages)) and \(summary.notes) note\(ending(summary.notes))"
    }

    static func objects(_ summary: StoreCheckSummary) -> String {
        "\(summary.rows) object\(ending(summary.rows)) of \(summary.entities) \(summary.entities == 1 ? "entity" : "entities")"
    }

    private static func ending(_ count: some BinaryInteger) -> String { count == 1 ? "" : "s" }

    /// What was looked at.
    static func scope(_ summary: StoreCheckSummary) -> String {
        "Checked: the file (PRAGMA integrity_check), \(objects(summary)), their values, external "
            + "files, links, order, uniqueness, identities, key counters and the history."
    }

    /// What wasn't, if there is something.
    static func unread(_ summary: StoreCheckSummary) -> [String] {
        guard summary.unreadTransformables > 0 else { return [] }
        return [
            "Not looked into: \(summary.unreadTransformables) values that only their application's transformers can read."
        ]
    }
}
