// References that wait for their objects, found by who waits and by what is waited for.

import CoreData
import Foundation

/// A reference that waits for its object.
struct PendingReference {
    /// The object that refers; nil after it has been saved and let go.
    var owner: NSManagedObject?
    /// Its ID, which is permanent as soon as it has been saved.
    var ownerID: NSManagedObjectID
    var entity: Int
    var relationship: Int
    var destination: ImportReport.UnresolvedReference.Object
    /// The place in the list that the data has.
    var position: Int?
    /// How many members before it were there; nil where that isn't known.
    var present: Int?
    var policy: MappingOptions.ReferencePolicy
    /// Where the owner stands in its text.
    var source: Int
    var offset: Int?
    /// Whether it waits no more, and whether that is because its object is linked.
    var isResolved = false
    var isConnected = false

    mutating func letGoOfOwner() {
        if let owner { ownerID = owner.objectID }
        owner = nil
    }
}

/// The references of an import that wait, or have waited, for their objects.
struct PendingReferences {
    private struct Target: Hashable {
        var hash: UInt64
        var space: Int
    }

    /// A relationship of an object.
    struct Cell: Hashable {
        var owner: NSManagedObjectID
        var relationship: Int
    }

    /// In the order in which the data has them.
    private(set) var all: [PendingReference] = []
    private var byTarget: [Target: [Int]] = [:]
    private var byCell: [Cell: [Int]] = [:]

    var isEmpty: Bool { all.isEmpty }

    /// Whether any is known by what it waits for.
    var isWaiting: Bool { !byTarget.isEmpty }

    subscript(index: Int) -> PendingReference {
        get { all[index] }
        set { all[index] = newValue }
    }

    /// Adds a reference.
    ///
    /// - Parameter space: The identity space of its object; nil where it needn't be found before the end.
    mutating func append(_ reference: PendingReference, space: Int? = nil) {
        all.append(reference)
        guard let space else { return }
        var hash = IdentityHash()
        for value in reference.destination.identity { hash.combine(value) }
        byTarget[Target(hash: hash.value, space: space), default: []].append(all.count - 1)
        byCell[Cell(owner: reference.ownerID, relationship: reference.relationship), default: []].append(all.count - 1)
    }

    /// Those that may wait for an object.
    func indices(waitingFor hash: UInt64, _ space: Int) -> [Int] {
        (byTarget[Target(hash: hash, space: space)] ?? []).filter { !all[$0].isResolved }
    }

    /// Whether a relationship waits for an object, or has waited for one.
    func isKnown(_ relationship: Int, of owner: NSManagedObject) -> Bool {
        byCell[Cell(owner: owner.objectID, relationship: relationship)] != nil
    }

    /// Forgets what a relationship waits for: something else has been said of it.
    ///
    /// - Parameter isGone: Whether an object isn't wanted any more.
    mutating func drop(
        _ relationship: Int, of owner: NSManagedObject,
        where isGone: (ImportReport.UnresolvedReference.Object) -> Bool = { _ in true }
    ) {
        if byCell.isEmpty { return }
        for index in byCell[Cell(owner: owner.objectID, relationship: relationship)] ?? []
        where isGone(all[index].destination) {
            all[index].isResolved = true
        }
    }

    func cell(of index: Int) -> Cell { Cell(owner: all[index].ownerID, relationship: all[index].relationship) }

    /// The positions of those of a relationship's objects that have arrived, in ascending order.
    func arrivedPositions(in cell: Cell) -> [Int] {
        (byCell[cell] ?? []).filter { all[$0].isConnected }.map { all[$0].position ?? .max }.sorted()
    }

    /// Lets go of the owners of a saved batch, whose IDs are permanent now.
    mutating func letGoOfOwners() {
        for index in all.indices where all[index].owner != nil {
            let cell = Cell(owner: all[index].ownerID, relationship: all[index].relationship)
            all[index].letGoOfOwner()
            let saved = Cell(owner: all[index].ownerID, relationship: cell.relationship)
            if saved != cell, let moved = byCell.removeValue(forKey: cell) { byCell[saved] = moved }
        }
    }

    /// Lets another object have what one waits for.
    mutating func replace(_ old: NSManagedObject, by new: NSManagedObject, _ relationships: Int) {
        if byCell.isEmpty { return }
        for relationship in 0..<relationships {
            guard let moved = byCell.removeValue(forKey: Cell(owner: old.objectID, relationship: relationship)) else {
                continue
            }
            for index in moved { (all[index].owner, all[index].ownerID) = (new, new.objectID) }
            byCell[Cell(owner: new.objectID, relationship: relationship)] = moved
        }
    }
}
