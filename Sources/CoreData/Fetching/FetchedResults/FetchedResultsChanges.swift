// What has to be told between two states of a controller's results. Nothing here knows of contexts or delegates.
//
//     before  A B C D E     B was deleted, D changed and is now first, X is new
//     after   D A C X E     delete B at 1; insert X at 3; move D from 3 to 0; A, C and E aren't mentioned

import Foundation

/// The difference between two states.
struct FetchedResultsChanges {
    struct SectionChange {
        let type: NSFetchedResultsChangeType
        let index: Int
        let section: FetchedSections.Section
    }

    struct ObjectChange {
        let type: NSFetchedResultsChangeType
        let object: AnyObject
        let old: IndexPath?
        let new: IndexPath?
    }

    /// Deletions by index, then insertions by index.
    private(set) var sections: [SectionChange] = []
    /// Deletions and insertions by index path, then moves and updates by their new index path.
    private(set) var objects: [ObjectChange] = []

    var isEmpty: Bool { sections.isEmpty && objects.isEmpty }

    /// - Parameter changed: The objects that may have other values than before. Of the others it is assumed that they keep
    ///   their order among each other.
    init(from old: FetchedSections, to new: FetchedSections, changed: Set<ObjectIdentifier>) {
        let oldNames = Set(old.sections.map(\.name)), newNames = Set(new.sections.map(\.name))
        for (index, section) in old.sections.enumerated() where !newNames.contains(section.name) {
            sections.append(SectionChange(type: .delete, index: index, section: section.emptied))
        }
        for (index, section) in new.sections.enumerated() where !oldNames.contains(section.name) {
            sections.append(SectionChange(type: .insert, index: index, section: section))
        }
        let oldPaths = old.indexPaths, newPaths = new.indexPaths
        for object in old.objects {
            let id = ObjectIdentifier(object)
            if newPaths[id] == nil {
                objects.append(ObjectChange(type: .delete, object: object, old: oldPaths[id], new: nil))
            }
        }
        for object in new.objects {
            let id = ObjectIdentifier(object)
            if oldPaths[id] == nil {
                objects.append(ObjectChange(type: .insert, object: object, old: nil, new: newPaths[id]))
            }
        }
        if !changed.isEmpty { addMovesAndUpdates(old, new, changed) }
    }

    private mutating func addMovesAndUpdates(
        _ old: FetchedSections, _ new: FetchedSections, _ changed: Set<ObjectIdentifier>
    ) {
        let oldPaths = old.indexPaths, newPaths = new.indexPaths
        var oldPositions: [ObjectIdentifier: Int] = [:]
        for (position, object) in old.objects.enumerated() { oldPositions[ObjectIdentifier(object)] = position }
        let kept = new.objects.filter { oldPositions[ObjectIdentifier($0)] != nil }
        let stays = Self.stationary(
            kept.map { oldPositions[ObjectIdentifier($0)] ?? 0 },
            isFixed: kept.map { !changed.contains(ObjectIdentifier($0)) })
        for (object, stays) in zip(kept, stays) {
            let id = ObjectIdentifier(object)
            guard let from = oldPaths[id], let to = newPaths[id] else { continue }
            let isElsewhere = old.sections[from.section].name != new.sections[to.section].name
            if !stays || isElsewhere {
                objects.append(ObjectChange(type: .move, object: object, old: from, new: to))
            } else if changed.contains(id) {
                objects.append(ObjectChange(type: .update, object: object, old: from, new: to))
            }
        }
    }

    /// Which objects can be taken to have stayed: a longest ascending run of the old positions that has all that have
    /// nothing to move for, as far as they are ascending.
    ///
    /// - Complexity: O(*n* log *n*).
    static func stationary(_ positions: [Int], isFixed: [Bool]) -> [Bool] {
        let size = (positions.max() ?? -1) + 1
        // A Fenwick tree of the best run that ends at or before a position: its weight and its last element.
        var best = [(weight: Int, last: Int)](repeating: (0, -1), count: size + 1)
        var previous = [Int](repeating: -1, count: positions.count)
        var end = (weight: 0, last: -1)
        for (index, position) in positions.enumerated() {
            var before = (weight: 0, last: -1)
            var node = position
            while node > 0 {
                if best[node].weight > before.weight { before = best[node] }
                node -= node & -node
            }
            previous[index] = before.last
            let weight = before.weight + (isFixed[index] ? positions.count + 1 : 1)
            if weight > end.weight { end = (weight, index) }
            node = position + 1
            while node <= size {
                if weight > best[node].weight { best[node] = (weight, index) }
                node += node & -node
            }
        }
        var stays = [Bool](repeating: false, count: positions.count)
        var index = end.last
        while index >= 0 {
            stays[index] = true
            index = previous[index]
        }
        return stays
    }
}
