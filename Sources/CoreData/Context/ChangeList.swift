// The objects with one kind of pending change, in the order of the changes.

import Foundation

/// A list of objects that have a flag.
struct ChangeList {
    private var list = ObjectList()
    /// How many objects of an entity are in the list.
    private var entityCounts: [ObjectIdentifier: Int] = [:]
    private let flag: NSManagedObject.State
    private let excluded: NSManagedObject.State
    /// Made when somebody looks for a value. Who has left the list stays in it until there are more of them than of the others.
    private var index: ChangeIndex?
    private var leftCount = 0

    /// - Parameters:
    ///   - flag: What an object of the list has.
    ///   - excluded: What it hasn't.
    init(_ flag: NSManagedObject.State, without excluded: NSManagedObject.State = []) {
        self.flag = flag
        self.excluded = excluded
    }

    /// How often objects have come and gone.
    private(set) var revision = 0

    var count: Int { list.count }
    var isEmpty: Bool { list.isEmpty }

    var objects: [NSManagedObject] { list.objects }

    /// Adds an object that isn't in the list and has just got the flag.
    mutating func append(_ object: NSManagedObject) {
        revision += 1
        list.append(object)
        entityCounts[ObjectIdentifier(object.entity), default: 0] += 1
        index?.note(object)
    }

    /// Takes an object out that has just lost the flag, or is about to.
    mutating func remove(_ object: NSManagedObject) {
        guard list.remove(object) else { return }
        revision += 1
        entityCounts[ObjectIdentifier(object.entity), default: 1] -= 1
        leftCount += 1
        guard leftCount > list.count else { return }
        leftCount = 0
        index = nil
    }

    /// How many objects of some entities are in the list.
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

    mutating func removeAll() {
        revision += 1
        list = ObjectList()
        entityCounts = [:]
        leftCount = 0
        index = nil
    }

    private func isCurrent(_ object: NSManagedObject) -> Bool {
        object.state.isSuperset(of: flag) && object.state.isDisjoint(with: excluded)
    }
}
