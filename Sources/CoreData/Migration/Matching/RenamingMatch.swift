// Which name of one version became which name of the next. Used for entities and, within a pair of entities, for their
// properties.
//
// Core Data's rule (Core Data Model Versioning and Data Migration, "Lightweight Migration"): a renaming identifier is a
// canonical name that stays the same in all versions; without one it is the name itself.
//
//     version 1   title                      matches in version 2 and, directly, in version 3
//     version 2   name (identifier title)
//     version 3   label (identifier title)

import Foundation

/// Pairs the names of two versions.
enum RenamingMatch {
    struct Item: Equatable {
        var name: String
        var identifier: String
    }

    /// Returns the source's name for each name of the destination that has one.
    ///
    /// What was left alone comes first, then what has the same identifier. Somebody may also have written the name of
    /// the previous version into the identifier although that had an identifier of its own, or have dropped one: the
    /// last two rules. No name is used twice.
    static func sourceNames(source: [Item], destination: [Item]) -> [String: String] {
        let rules: [(Item, Item) -> Bool] = [
            { $0 == $1 },
            { $0.identifier == $1.identifier },
            { $0.name == $1.identifier },
            { $0.name == $1.name },
        ]
        var free = source.sorted { SQLNaming.precedes($0.name, $1.name) }
        var open = destination.sorted { SQLNaming.precedes($0.name, $1.name) }
        var names: [String: String] = [:]
        for rule in rules {
            open.removeAll { item in
                guard let index = free.firstIndex(where: { rule($0, item) }) else { return false }
                names[item.name] = free.remove(at: index).name
                return true
            }
        }
        return names
    }
}
