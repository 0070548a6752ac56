// Which stored objects lose what an import gives to others: an order its customer, who can have only one and is another order's now. The
// data need not speak of them, so only this tells. What an object loses by its own data isn't counted, nor what this import gave it.

import CoreData

/// What stored objects have lost to others in an import.
struct LinkLosses {
    /// A relationship of an object.
    struct End: Hashable {
        var object: ObjectIDKey
        var property: Int
    }

    private struct Loss {
        var entity: Int
        var members: Set<End> = []
    }

    /// The relationships to one object that this import has set: by their numbers, and those of the current batch.
    private var known: [Int: ObjectMarks] = [:]
    private var knownNow: Set<End> = []
    /// By the owner's relationship.
    private var losses: [End: Loss] = [:]
    /// The owners of the current batch's losses.
    private var recent: [End] = []

    var isEmpty: Bool { losses.isEmpty }

    /// Notes that a relationship to one object leads to another owner now.
    mutating func noteMove(of member: End, from owner: (end: End, entity: Int)?, to newOwner: End) {
        guard noteSet(member, to: newOwner), let owner else { return }
        losses[owner.end, default: Loss(entity: owner.entity)].members.insert(member)
        recent.append(owner.end)
    }

    /// Notes where a relationship to one object is set to lead; returns whether it is for the first time. What an object gets back, it
    /// hasn't lost.
    @discardableResult
    mutating func noteSet(_ end: End, to owner: End?) -> Bool {
        if let owner { losses[owner]?.members.remove(end) }
        return known[end.property]?[end.object] == nil && knownNow.insert(end).inserted
    }

    /// Forgets what an object has lost, because the data says itself what it has.
    mutating func forget(_ owner: End) { losses[owner] = nil }

    /// The objects that have lost something since this was last asked.
    mutating func takeRecent() -> [(object: ObjectIDKey, entity: Int)] {
        defer { recent.removeAll(keepingCapacity: true) }
        return recent.compactMap { end in
            losses[end].flatMap { $0.members.isEmpty ? nil : (end.object, $0.entity) }
        }
    }

    /// Forgets what only the current batch needs.
    mutating func endBatch() {
        for end in knownNow { known[end.property, default: ObjectMarks()][end.object] = 1 }
        knownNow.removeAll(keepingCapacity: true)
    }

    /// How many links there are that were lost, by entity and property.
    var counts: [GraphSnapshot.Column: Int] {
        losses.reduce(into: [:]) { counts, loss in
            if loss.value.members.isEmpty { return }
            counts[.init(entity: loss.value.entity, property: loss.key.property), default: 0] +=
                loss.value.members.count
        }
    }
}
