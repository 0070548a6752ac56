// Objects in the order in which they came, of which each can leave without a look at the others.

import Foundation

/// A list of objects, each of them once.
struct ObjectList {
    /// Those that have left are in it until half of them have.
    private var list: [NSManagedObject]
    /// Where those stand that are there; made when the first one leaves.
    private var positions: [ObjectIdentifier: Int]?
    private var gone: Set<Int> = []

    /// - Precondition: No object occurs twice.
    init(_ objects: [NSManagedObject] = []) { list = objects }

    var count: Int { list.count - gone.count }
    var isEmpty: Bool { count == 0 }

    var objects: [NSManagedObject] {
        gone.isEmpty ? list : list.enumerated().compactMap { gone.contains($0) ? nil : $1 }
    }

    /// Adds an object that isn't in the list.
    mutating func append(_ object: NSManagedObject) {
        positions?[ObjectIdentifier(object)] = list.count
        list.append(object)
    }

    /// Takes an object out, and says whether it was there. O(1), but for the first of many.
    @discardableResult
    mutating func remove(_ object: NSManagedObject) -> Bool {
        if isEmpty { return false }
        guard let position = place(of: object) else { return false }
        positions?[ObjectIdentifier(object)] = nil
        if position == list.count - 1 {
            list.removeLast()
        } else {
            gone.insert(position)
        }
        if gone.count * 2 > list.count { self = ObjectList(objects) }
        return true
    }

    private mutating func place(of object: NSManagedObject) -> Int? {
        if let last = list.last, last === object, !gone.contains(list.count - 1) { return list.count - 1 }
        if positions == nil {
            let places = list.enumerated().map { (ObjectIdentifier($1), $0) }
            positions = Dictionary(places) { $1 }
        }
        return positions?[ObjectIdentifier(object)]
    }
}
