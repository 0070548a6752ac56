// Two versions of a model side by side, without a store: what a migration would have to do, and what else a reader of the model
// should know (delete rules, defaults, user info), for which no row changes.

import Foundation

/// What differs between two versions of a model.
package struct ModelVersionComparison: Sendable {
    /// What a migration has to do, a phrase each.
    package let differences: [String]
    /// Those of them for which no mapping can be inferred.
    package let obstacles: [String]
    /// Whether stores of the old version have to be migrated.
    package let needsMigration: Bool
    /// What a migration would have to do, and none does, as stores of both versions look the same.
    package let unnoticed: [String]
    /// The lines of the model's text that only one of the versions has, where the same thing is in both.
    package let changedLines: [(old: String, new: String)]

    package init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
        let matching = ModelMatching(source: old, destination: new)
        let found = matching.differences()
        differences = found.map(\.description)
        obstacles = found.filter { $0.obstacle != nil }.map(\.description)
        needsMigration = matching.needsMigration
        unnoticed = matching.unnoticed(found)
        let lines = (Self.bySubject(old), Self.bySubject(new))
        changedLines = lines.0.keys.sorted().compactMap { subject in
            guard let oldLine = lines.0[subject], let newLine = lines.1[subject], oldLine != newLine else { return nil }
            return (oldLine, newLine)
        }
    }

    /// The lines of a model's text by what they are about: `attribute Hero.age`, `entity Hero`.
    private static func bySubject(_ model: NSManagedObjectModel) -> [String: String] {
        let pairs = ModelSummary(model).lines.map { line in
            let end = line.firstIndex { $0 == ":" || $0 == "," || $0 == "[" } ?? line.endIndex
            return (line[..<end].trimmingCharacters(in: .whitespaces), line)
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
