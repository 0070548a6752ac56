// Mutable collections that stand for a to-many relationship: what is done to them is done to the relationship, change
// tracking and inverse included.

import Foundation

extension NSManagedObject {
    func toManySlot(_ key: String, ordered: Bool) -> Int {
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

final class RelationshipSet: NSMutableSet {
    private let owner: NSManagedObject
    private let slot: Int
    /// Whether changes stay on this side, without a note; see `primitiveValue(forKey:)`.
    private let isPrimitive: Bool

    init(owner: NSManagedObject, slot: Int, isPrimitive: Bool) {
        self.owner = owner
        self.slot = slot
        self.isPrimitive = isPrimitive
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
        owner.checked(object, slot)
        if isPrimitive { return owner.changePrimitive(slot) { $0.append(object) } }
        owner.proxyChange(slot, .union, object) { owner.addMember(slot, object) }
    }

    override func remove(_ object: Any) {
        guard let object = object as? NSManagedObject else { return }
        if isPrimitive { return owner.changePrimitive(slot) { $0.remove(object, keepingOrder: false) } }
        owner.proxyChange(slot, .minus, object) { owner.removeMember(slot, object) }
    }
}

/// Foundation's ordered set on Linux doesn't make its methods of the few that a subclass has to supply, so all that change it are
/// here. Some that read it can't be (`array`, `set`, `contains`): for these its own storage mirrors the relationship as it was when the
/// proxy was made, and after each change that is made through it.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject
    private let slot: Int
    /// Whether changes stay on this side, without a note; see `primitiveValue(forKey:)`.
    private let isPrimitive: Bool
    /// What the superclass's storage has.
    private var mirrored = ToManyMembers()

    init(owner: NSManagedObject, slot: Int, isPrimitive: Bool) {
        self.owner = owner
        self.slot = slot
        self.isPrimitive = isPrimitive
        super.init(capacity: 0)
        mirror()
    }

    required init?(coder: NSCoder) { nil }

    required init(arrayLiteral elements: Any...) {
        fatalError("A relationship's set comes from mutableOrderedSetValue(forKey:).")
    }

    private var members: ToManyMembers {
        owner.realize()
        return owner.members(slot)
    }

    private func mirror() {
        super.removeAllObjects()
        mirrored = members
        for (index, object) in mirrored.objects.enumerated() { super.insert(object, at: index) }
    }

    private func change(_ change: (inout ToManyMembers) -> Void) {
        let before = members
        var members = before
        change(&members)
        guard !members.hasSameMembers(as: before, ordered: true) else { return }
        if isPrimitive {
            owner.changePrimitive(slot) { $0 = members }
        } else {
            owner.proxyChange(slot) { owner.setMembers(slot, to: members) }
        }
        mirror()
    }

    private func rearrange(_ change: (inout [NSManagedObject]) -> Void) {
        self.change { members in
            var objects = members.objects
            change(&objects)
            members = ToManyMembers(unique: objects)
        }
    }

    /// Whether a change of one member needn't look at all the others. An observer may change the relationship before it is changed.
    private var isChangedInPlace: Bool { !isPrimitive && owner.observation == nil }

    /// Changes one member in place, and in the superclass's storage where that has what the relationship had.
    ///
    /// - Parameter change: Returns the members that it has made.
    private func changeInPlace(_ change: () -> ToManyMembers, mirroring: () -> Void) {
        let isMirrored = mirrored.hasSameMembers(as: members, ordered: true)
        // Members that somebody else has, too, are copied before they are changed.
        mirrored = ToManyMembers()
        owner.proxyChange(slot) {
            // Before the change: the superclass compares a place with `count`.
            if isMirrored { mirroring() }
            mirrored = change()
        }
        if !isMirrored || !mirrored.hasSameMembers(as: members, ordered: true) { mirror() }
    }

    private func managed(_ object: Any) -> NSManagedObject {
        guard let object = object as? NSManagedObject else { fatalError("A relationship holds managed objects only.") }
        return owner.checked(object, slot)
    }

    override var count: Int { owner.proxyMembers(slot).count }

    override func object(at index: Int) -> Any { owner.proxyMembers(slot)[index] }

    override func index(of object: Any) -> Int {
        guard let object = object as? NSManagedObject else { return NSNotFound }
        owner.realize()
        return owner.members(slot).position(of: object) ?? NSNotFound
    }

    // MARK: Adding

    override func insert(_ object: Any, at index: Int) {
        let object = managed(object)
        if members.contains(object) { return }
        guard isChangedInPlace else { return change { $0.insert(object, at: index) } }
        changeInPlace({ owner.insertMember(slot, object, at: index) }, mirroring: { super.insert(object, at: index) })
    }

    override func insert(_ objects: [Any], at indexes: IndexSet) {
        for (object, index) in zip(objects, indexes) { insert(object, at: index) }
    }

    override func add(_ object: Any) { insert(object, at: count) }

    override func addObjects(from array: [Any]) {
        let added = array.map(managed)
        change { members in
            for object in added { members.append(object) }
        }
    }

    override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }

    override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }

    // MARK: Taking away

    override func removeObject(at index: Int) {
        guard isChangedInPlace else { return rearrange { $0.remove(at: index) } }
        changeInPlace({ owner.removeMember(slot, at: index) }, mirroring: { super.removeObject(at: index) })
    }

    override func removeObjects(in range: NSRange) {
        rearrange { $0.removeSubrange(range.location..<range.location + range.length) }
    }

    override func removeObjects(at indexes: IndexSet) {
        rearrange { objects in
            for index in indexes.reversed() { objects.remove(at: index) }
        }
    }

    override func removeAllObjects() { change { $0 = ToManyMembers() } }

    override func remove(_ object: Any) {
        let index = index(of: object)
        if index != NSNotFound { removeObject(at: index) }
    }

    override func removeObjects(in array: [Any]) {
        let removed = ToManyMembers(array.compactMap { $0 as? NSManagedObject })
        rearrange { $0.removeAll(where: removed.contains) }
    }

    override func minus(_ other: NSOrderedSet) { removeObjects(in: other.array) }

    override func minusSet(_ other: Set<AnyHashable>) { removeObjects(in: other.map(\.base)) }

    override func intersect(_ other: NSOrderedSet) { keep(other.array) }

    override func intersectSet(_ other: Set<AnyHashable>) { keep(other.map(\.base)) }

    private func keep(_ array: [Any]) {
        let kept = ToManyMembers(array.compactMap { $0 as? NSManagedObject })
        rearrange { $0.removeAll { !kept.contains($0) } }
    }

    // MARK: Placing

    override func replaceObject(at index: Int, with object: Any) {
        let object = managed(object)
        if members.contains(object) { return }
        rearrange { $0[index] = object }
    }

    override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
        for (object, index) in zip(objects, indexes) { replaceObject(at: index, with: object) }
    }

    override func setObject(_ object: Any, at index: Int) {
        if index == count { insert(object, at: index) } else { replaceObject(at: index, with: object) }
    }

    override func exchangeObject(at index: Int, withObjectAt other: Int) { rearrange { $0.swapAt(index, other) } }

    override func moveObjects(at indexes: IndexSet, to index: Int) {
        rearrange { objects in
            let moved = ToManyMembers(indexes.map { objects[$0] })
            objects.removeAll(where: moved.contains)
            objects.insert(contentsOf: moved.objects, at: index)
        }
    }

    override func sort(comparator compare: (Any, Any) -> ComparisonResult) {
        rearrange { $0.sort { compare($0, $1) == .orderedAscending } }
    }

    override func sort(using descriptors: [NSSortDescriptor]) {
        rearrange { $0 = NSArray(array: $0).sortedArray(using: descriptors) as? [NSManagedObject] ?? $0 }
    }

    override func sort(options: NSSortOptions, usingComparator compare: (Any, Any) -> ComparisonResult) {
        sort(comparator: compare)
    }

    override func sortRange(
        _ range: NSRange, options: NSSortOptions, usingComparator compare: (Any, Any) -> ComparisonResult
    ) {
        rearrange { $0[range.location..<range.location + range.length].sort { compare($0, $1) == .orderedAscending } }
    }
}
