// What has to be told between two states of a controller's results. Nothing here knows of contexts or delegates.
//
//     before  A B C D E     B was deleted, D changed and is now first, X is new
//     after   D A C X E     delete B at 1; insert X at 3; move D from 3 to 0; A, C and E aren't mentioned
//
// A section that is at another place is deleted and inserted; there is no move of sections.

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
        let staying = Self.stationarySections(old, new, changed)
        for (index, section) in old.sections.enumerated() where !staying.contains(section.name) {
            sections.append(SectionChange(type: .delete, index: index, section: section.emptied))
        }
        for (index, section) in new.sections.enumerated() where !staying.contains(section.name) {
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
        if !changed.isEmpty || !sections.isEmpty { addMovesAndUpdates(old, new, changed, staying) }
    }

    /// The names of the sections that are in both states in the same order. Others that are in both have changed places, which is
    /// told as a deletion and an insertion; all their objects move.
    private static func stationarySections(
        _ old: FetchedSections, _ new: FetchedSections, _ changed: Set<ObjectIdentifier>
    ) -> Set<String> {
        var oldIndices: [String: Int] = [:]
        for (index, section) in old.sections.enumerated() { oldIndices[section.name] = index }
        let kept = new.sections.filter { oldIndices[$0.name] != nil }
        let indices = kept.map { oldIndices[$0.name] ?? 0 }
        if zip(indices, indices.dropFirst()).allSatisfy(<) { return Set(kept.map(\.name)) }
        let known = old.indexPaths
        let isFixed = kept.map { section in
            section.members.lazy.map(ObjectIdentifier.init).allSatisfy { known[$0] != nil && !changed.contains($0) }
        }
        return Set(zip(kept, stationary(indices, isFixed: isFixed)).filter { $0.1 }.map { $0.0.name })
    }

    /// - Parameter sectionNames: Those of the sections that are neither new nor gone nor at another place.
    private mutating func addMovesAndUpdates(
        _ old: FetchedSections, _ new: FetchedSections, _ changed: Set<ObjectIdentifier>, _ sectionNames: Set<String>
    ) {
        let oldPaths = old.indexPaths, newPaths = new.indexPaths
        func isInPlace(_ object: AnyObject) -> Bool {
            let id = ObjectIdentifier(object)
            guard let from = oldPaths[id], let to = newPaths[id] else { return false }
            let name = new.sections[to.section].name
            return old.sections[from.section].name == name && sectionNames.contains(name)
        }
        var oldPositions: [ObjectIdentifier: Int] = [:]
        for (position, object) in old.objects.enumerated() { oldPositions[ObjectIdentifier(object)] = position }
        // Within their sections; who leaves one doesn't keep others from staying.
        let candidates = new.objects.filter(isInPlace)
        let stays = Self.stationary(
            candidates.map { oldPositions[ObjectIdentifier($0)] ?? 0 },
            isFixed: candidates.map { !changed.contains(ObjectIdentifier($0)) })
        let staying = Set(zip(candidates, stays).filter { $0.1 }.map { ObjectIdentifier($0.0) })
        for object in new.objects {
            let id = ObjectIdentifier(object)
            guard let from = oldPaths[id], let to = newPaths[id] else { continue }
            if !staying.contains(id) {
                objects.append(ObjectChange(type: .move, object: object, old: from, new: to))
            } else if changed.contains(id) {
                objects.append(ObjectChange(type: .update, object: object, old: from, new: to))
            }
        }
    }

    /// Which objects, or sections, can be taken to have stayed: a longest ascending run of the old positions that has all that have
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
