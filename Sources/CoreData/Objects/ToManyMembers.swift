// The members of a to-many relationship: an array with, once it is worth it, an index. Unordered relationships keep
// insertion order until something is removed (the last member then takes the place), so their order is always defined.

import Foundation

/// The members of a to-many relationship, without duplicates. Copies share storage until one of them is changed.
package struct ToManyMembers {
    private final class Storage {
        var objects: [NSManagedObject]
        /// Positions by object; built beyond ``indexThreshold`` members, nil while not known.
        var positions: [ObjectIdentifier: Int]?
        /// How often others have moved by one place since the index was made: so far may a member be from its position there.
        var shiftCount = 0

        init(_ objects: [NSManagedObject]) { self.objects = objects }

        init(copying other: Storage) {
            objects = other.objects
            positions = other.positions
            shiftCount = other.shiftCount
        }

        /// Notes that the members from a place on have moved.
        func noteShift(from index: Int) {
            guard positions != nil, index < objects.count else { return }
            shiftCount += 1
            if shiftCount > mostShifts { positions = nil }
        }
    }

    private static let indexThreshold = 16
    /// To look farther for a member would take longer than to make the index anew now and then.
    private static let mostShifts = 64
    private static let empty = Unchecked(value: Storage([]))
    /// The shared empty storage is never mutated: every mutation makes a copy of storage that isn't uniquely held.
    private struct Unchecked: @unchecked Sendable { let value: Storage }

    private var storage: Storage

    package init() { storage = Self.empty.value }

    /// - Precondition: No object occurs twice.
    package init(unique objects: [NSManagedObject]) {
        storage = objects.isEmpty ? Self.empty.value : Storage(objects)
    }

    /// The objects in order; later repetitions are dropped.
    package init(_ objects: [NSManagedObject]) {
        let isFew = objects.count <= Self.indexThreshold
        if isFew, objects.indices.allSatisfy({ index in !objects[..<index].contains { $0 === objects[index] } }) {
            self.init(unique: objects)
        } else {
            self.init()
            for object in objects { append(object) }
        }
    }

    package var objects: [NSManagedObject] { storage.objects }
    package var count: Int { storage.objects.count }
    package var isEmpty: Bool { storage.objects.isEmpty }

    /// - Complexity: O(1), except for the first call after many changes of the order.
    package func position(of object: NSManagedObject) -> Int? {
        let objects = storage.objects
        if objects.count <= Self.indexThreshold { return objects.firstIndex { $0 === object } }
        guard let known = positions[ObjectIdentifier(object)] else { return nil }
        if known < objects.count, objects[known] === object { return known }
        let nearby = max(0, known - storage.shiftCount)..<min(objects.count, known + storage.shiftCount + 1)
        return nearby.first { objects[$0] === object }
    }

    package func contains(_ object: NSManagedObject) -> Bool {
        if count <= Self.indexThreshold { return storage.objects.contains { $0 === object } }
        return positions[ObjectIdentifier(object)] != nil
    }

    /// The index; it is made where there is none.
    private var positions: [ObjectIdentifier: Int] {
        if let positions = storage.positions { return positions }
        var positions = [ObjectIdentifier: Int](minimumCapacity: count * 2)
        for (position, member) in objects.enumerated() { positions[ObjectIdentifier(member)] = position }
        storage.positions = positions
        storage.shiftCount = 0
        return positions
    }

    /// Adds an object at the end; returns false where it is a member already.
    @discardableResult
    package mutating func append(_ object: NSManagedObject) -> Bool {
        if contains(object) { return false }
        makeUnique()
        storage.objects.append(object)
        storage.positions?[ObjectIdentifier(object)] = storage.objects.count - 1
        return true
    }

    /// Puts an object that is no member yet at a place. O(*n*), as moving memory is.
    mutating func insert(_ object: NSManagedObject, at index: Int) {
        makeUnique()
        storage.objects.insert(object, at: index)
        storage.positions?[ObjectIdentifier(object)] = index
        storage.noteShift(from: index + 1)
    }

    /// Takes an object out, keeping the order of the others (O(*n*)) or not (O(1)).
    @discardableResult
    package mutating func remove(_ object: NSManagedObject, keepingOrder: Bool) -> Bool {
        guard let position = position(of: object) else { return false }
        makeUnique()
        if keepingOrder {
            storage.objects.remove(at: position)
            storage.positions?[ObjectIdentifier(object)] = nil
            storage.noteShift(from: position)
            return true
        }
        let last = storage.objects.removeLast()
        if last !== object {
            storage.objects[position] = last
            storage.positions?[ObjectIdentifier(last)] = position
        }
        storage.positions?[ObjectIdentifier(object)] = nil
        return true
    }

    /// Whether both have the same members, and in the same order if `ordered`.
    package func hasSameMembers(as other: ToManyMembers, ordered: Bool) -> Bool {
        if storage === other.storage { return true }
        guard count == other.count else { return false }
        if ordered { return zip(objects, other.objects).allSatisfy { $0 === $1 } }
        return objects.allSatisfy(other.contains)
    }

    /// The places before and behind which the members are the same as another relationship's first and last ones.
    func places(otherThanIn other: ToManyMembers) -> Range<Int> {
        let mine = objects, others = other.objects, most = min(mine.count, others.count)
        var first = 0, last = 0
        while first < most, mine[first] === others[first] { first += 1 }
        while last < most - first, mine[mine.count - 1 - last] === others[others.count - 1 - last] { last += 1 }
        return first..<mine.count - last
    }

    /// The same members in an order, as far as it names them; those that it doesn't name stay behind.
    func arranged(as order: [NSManagedObject]) -> ToManyMembers {
        let known = ToManyMembers(order.filter(contains))
        return ToManyMembers(unique: known.objects + objects.filter { !known.contains($0) })
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) {
            storage = Storage(copying: storage)
        }
    }
}

/// The changes made to a to-many relationship whose members haven't been read.
package struct ToManyDelta {
    package var added = ToManyMembers()
    package var removed = ToManyMembers()
    /// Those of the added ones that had been removed before: in an order, they are the last ones now.
    private var returned: Set<ObjectIdentifier> = []

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    package init() {}

    /// Whether an added object was there before, and left.
    func hasReturned(_ object: NSManagedObject) -> Bool { returned.contains(ObjectIdentifier(object)) }

    /// Forgets what became of an object.
    mutating func forget(_ object: NSManagedObject) {
        added.remove(object, keepingOrder: true)
        removed.remove(object, keepingOrder: true)
        returned.remove(ObjectIdentifier(object))
    }

    /// Notes a new member that isn't among `added` yet.
    ///
    /// - Parameter isDecidedElsewhere: Whether the members' own to-one relationships tell whether they were members before, so that what
    ///   comes back is no change. Otherwise nobody knows, and the last word counts.
    mutating func add(_ object: NSManagedObject, isDecidedElsewhere: Bool) {
        let comesBack = !removed.isEmpty && removed.remove(object, keepingOrder: false)
        if comesBack, isDecidedElsewhere { return }
        if comesBack { returned.insert(ObjectIdentifier(object)) }
        added.append(object)
    }

    mutating func remove(_ object: NSManagedObject, isDecidedElsewhere: Bool) {
        let wasAdded = added.remove(object, keepingOrder: true)
        returned.remove(ObjectIdentifier(object))
        if wasAdded, isDecidedElsewhere || object.isInserted { return }
        removed.append(object)
    }
}
