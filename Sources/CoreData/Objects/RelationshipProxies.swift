// Mutable collections that stand for a to-many relationship: what is done to them is done to the relationship, change
// tracking and inverse included.

public import Foundation

extension NSManagedObject {
    /// A set that stands for an unordered to-many relationship.
    public func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(owner: self, slot: toManySlot(key, ordered: false))
    }

    /// An ordered set that stands for an ordered to-many relationship.
    public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        RelationshipOrderedSet(owner: self, slot: toManySlot(key, ordered: true))
    }

    private func toManySlot(_ key: String, ordered: Bool) -> Int {
        guard let slot = layout.slot(named: key), layout.slots[slot].kind == .toMany(ordered: ordered) else {
            fatalError(
                "'\(key)' is no \(ordered ? "ordered" : "unordered") to-many relationship of '\(entity.name ?? "")'.")
        }
        return slot
    }

    fileprivate func proxyMembers(_ slot: Int) -> [NSManagedObject] {
        realize()
        return members(slot).objects
    }

    fileprivate func proxyChange(_ slot: Int, _ change: () -> Void) {
        let key = layout.slots[slot].name
        willChangeValue(forKey: key)
        change()
        didChangeValue(forKey: key)
    }

    /// As ``proxyChange(_:_:)``; observers are told which member comes or goes.
    fileprivate func proxyChange(
        _ slot: Int, _ kind: NSKeyValueSetMutationKind, _ member: NSManagedObject, _ change: () -> Void
    ) {
        guard observation != nil else { return proxyChange(slot, change) }
        let key = layout.slots[slot].name
        willChangeValue(forKey: key, withSetMutation: kind, using: [member])
        change()
        didChangeValue(forKey: key, withSetMutation: kind, using: [member])
    }
}

private final class RelationshipSet: NSMutableSet {
    private let owner: NSManagedObject
    private let slot: Int

    init(owner: NSManagedObject, slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
    }

    required init?(coder: NSCoder) { nil }

    required init(capacity numItems: Int) {
        fatalError("A relationship's set comes from mutableSetValue(forKey:).")
    }

    override var count: Int { owner.proxyMembers(slot).count }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject else { return nil }
        owner.realize()
        return owner.members(slot).contains(object) ? object : nil
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: owner.proxyMembers(slot)).objectEnumerator() }

    override func add(_ object: Any) {
        guard let object = object as? NSManagedObject else { fatalError("A relationship holds managed objects only.") }
        owner.proxyChange(slot, .union, object) { owner.addMember(slot, object) }
    }

    override func remove(_ object: Any) {
        guard let object = object as? NSManagedObject else { return }
        owner.proxyChange(slot, .minus, object) { owner.removeMember(slot, object) }
    }
}

private final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject
    private let slot: Int

    init(owner: NSManagedObject, slot: Int) {
        self.owner = owner
        self.slot = slot
        super.init(capacity: 0)
    }

    required init?(coder: NSCoder) { nil }

    required init(arrayLiteral elements: Any...) {
        fatalError("A relationship's set comes from mutableOrderedSetValue(forKey:).")
    }

    override var count: Int { owner.proxyMembers(slot).count }

    override func object(at index: Int) -> Any { owner.proxyMembers(slot)[index] }

    override func index(of object: Any) -> Int {
        guard let object = object as? NSManagedObject else { return NSNotFound }
        owner.realize()
        return owner.members(slot).position(of: object) ?? NSNotFound
    }

    override func insert(_ object: Any, at index: Int) {
        guard let object = object as? NSManagedObject else { fatalError("A relationship holds managed objects only.") }
        var objects = owner.proxyMembers(slot)
        guard !objects.contains(where: { $0 === object }) else { return }
        objects.insert(object, at: index)
        owner.proxyChange(slot) { owner.setMembers(slot, to: objects) }
    }

    override func removeObject(at index: Int) {
        var objects = owner.proxyMembers(slot)
        objects.remove(at: index)
        owner.proxyChange(slot) { owner.setMembers(slot, to: objects) }
    }

    override func replaceObject(at index: Int, with object: Any) {
        guard let object = object as? NSManagedObject else { fatalError("A relationship holds managed objects only.") }
        var objects = owner.proxyMembers(slot)
        objects[index] = object
        owner.proxyChange(slot) { owner.setMembers(slot, to: objects) }
    }
}
