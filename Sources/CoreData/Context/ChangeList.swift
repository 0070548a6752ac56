// The objects with one kind of pending change, in the order of the changes. Whether an object is in the list is a flag of
// the object, so nothing has to be looked up.

import Foundation

/// A list of objects that have a flag. Objects that lose the flag are skipped, and dropped before the next addition.
struct ChangeList {
    private var list: [NSManagedObject] = []
    private var staleCount = 0
    /// How many objects of an entity may be in the list, at most.
    private var entityCounts: [ObjectIdentifier: Int] = [:]
    private let flag: NSManagedObject.State
    private let excluded: NSManagedObject.State
    /// Made when somebody looks for a value.
    private var index: ChangeIndex?

    /// - Parameters:
    ///   - flag: What an object of the list has.
    ///   - excluded: What it hasn't.
    init(_ flag: NSManagedObject.State, without excluded: NSManagedObject.State = []) {
        self.flag = flag
        self.excluded = excluded
    }

    /// How often objects have come and gone.
    private(set) var revision = 0

    var count: Int { list.count - staleCount }
    var isEmpty: Bool { count == 0 }

    var objects: [NSManagedObject] { staleCount == 0 ? list : list.filter(isCurrent) }

    /// Adds an object that isn't in the list and has just got the flag.
    mutating func append(_ object: NSManagedObject) {
        if staleCount > 0 {
            list = list.filter { isCurrent($0) && $0 !== object }
            staleCount = 0
            index = nil
        }
        revision += 1
        list.append(object)
        entityCounts[ObjectIdentifier(object.entity), default: 0] += 1
        index?.note(object)
    }

    /// How many objects of some entities may be in the list, at most.
    func count(of entities: [NSEntityDescription]) -> Int {
        isEmpty ? 0 : entities.reduce(0) { $0 + (entityCounts[ObjectIdentifier($1)] ?? 0) }
    }

    // For ``NSManagedObjectContext/changes(in:of:_:)``; ChangeIndex.swift says what these do.

    mutating func takeNew(of entities: [NSEntityDescription], _ equality: RequiredEquality) -> [NSManagedObject] {
        if index == nil { index = ChangeIndex(objects) }
        return index?.takeNew(of: entities, equality) ?? []
    }

    mutating func enter(_ object: NSManagedObject, _ equality: RequiredEquality, _ value: OperandKey) {
        index?.enter(object, equality, value)
    }

    func objects(of entities: [NSEntityDescription], _ equality: RequiredEquality) -> [NSManagedObject] {
        index?.objects(of: entities, equality).filter(isCurrent) ?? []
    }

    /// Notes that an object has changed whose values are in the index.
    mutating func noteChange(of object: NSManagedObject) { index?.note(object) }

    /// Takes an object out that was in the list and has just lost the flag.
    mutating func noteLoss() {
        revision += 1
        staleCount += 1
    }

    /// Takes an object out, whatever its flags are. O(*n*).
    mutating func remove(_ object: NSManagedObject) { removeAll { $0 === object } }

    /// Takes objects out, whatever their flags are. O(*n*).
    mutating func removeAll(where isGone: (NSManagedObject) -> Bool) {
        revision += 1
        list = list.filter { isCurrent($0) && !isGone($0) }
        staleCount = 0
        index = nil
    }

    mutating func removeAll() {
        revision += 1
        list = []
        staleCount = 0
        entityCounts = [:]
        index = nil
    }

    private func isCurrent(_ object: NSManagedObject) -> Bool {
        object.state.isSuperset(of: flag) && object.state.isDisjoint(with: excluded)
    }
}
