// What becomes of a save whose rows were changed by somebody else meanwhile.

public import Foundation

/// The kinds of merge policy.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails with the conflicts in the error.
    case errorMergePolicyType = 0
    /// Property by property; where both changed one, the store's value stays.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property; where both changed one, the context's value is written.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The context's object is written as a whole.
    case overwriteMergePolicyType = 3
    /// The context's changes are dropped.
    case rollbackMergePolicyType = 4
}

/// An object that the context and somebody else have changed. Follows Core Data's `NSMergeConflict`.
open class NSMergeConflict: NSObject {
    /// The object as this context has it.
    open private(set) var sourceObject: NSManagedObject
    /// The row's version that the context read.
    open private(set) var oldVersionNumber: Int
    /// The row's version now; 0 where it is gone.
    open private(set) var newVersionNumber: Int
    /// The values that the context read.
    open private(set) var objectSnapshot: [String: Any]?
    /// The values that the coordinator knows by now; nil where the row is gone.
    open private(set) var cachedSnapshot: [String: Any]?
    /// The values in the store, where the coordinator doesn't know them. Here it always does: nil in what a save finds.
    open private(set) var persistedSnapshot: [String: Any]?

    private let found: StoreRow?

    /// A conflict that nobody has found; the row is the one that is there when it is settled.
    ///
    /// - Parameters:
    ///   - srcObject: The object that was to be saved.
    ///   - newvers: The row's version now; 0 where it is gone.
    ///   - oldvers: The row's version when the context read it.
    ///   - cachesnap: The values that the coordinator knows by now.
    ///   - persnap: The values in the store.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        sourceObject = srcObject
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        objectSnapshot = Self.snapshot(srcObject.committed, srcObject.layout)
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        found = nil
    }

    init(object: NSManagedObject, conflict: StoreConflict.Row) {
        sourceObject = object
        found = conflict.found
        oldVersionNumber = Int(conflict.expectedVersion)
        newVersionNumber = Int(conflict.found?.version ?? 0)
        objectSnapshot = Self.snapshot(object.committed, object.layout)
        cachedSnapshot = conflict.found.map { Self.snapshot($0.values, object.layout) }
        persistedSnapshot = nil
    }

    /// The row as it is; nil where it is gone.
    func row() throws -> StoreRow? {
        guard found == nil, newVersionNumber != 0, let context = sourceObject.context else { return found }
        return try context.requiredSource.rows(withIDs: [sourceObject.id], for: context).first
    }

    static func snapshot(_ values: SlotValues, _ layout: EntityLayout) -> [String: Any] {
        var snapshot: [String: Any] = [:]
        for (slot, definition) in layout.slots.enumerated() where !definition.isToMany && !definition.isTransient {
            snapshot[definition.name] =
                definition.isRelationship
                ? values[slot].referencedID ?? NSNull() : values[slot].boxedAttribute ?? NSNull()
        }
        for (name, composite) in layout.composites where !name.contains(".") {
            for slot in composite.slots { snapshot[layout.slots[slot].name] = nil }
            if composite.slots.contains(where: { layout.slots[$0].isTransient }) { continue }
            snapshot[name] = composite.dictionary { values[$0].boxedAttribute } ?? NSNull() as Any
        }
        return snapshot
    }
}

/// What to do about conflicts at a save. Follows Core Data's `NSMergePolicy`.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    // Safe to share: a policy has no mutable state.

    /// How often a save is tried while others keep changing the rows.
    static let attempts = 10

    /// The save fails.
    open class var error: NSMergePolicy { errorPolicy }
    /// The context's changes are dropped.
    open class var rollback: NSMergePolicy { rollbackPolicy }
    /// The context's objects are written as a whole.
    open class var overwrite: NSMergePolicy { overwritePolicy }
    /// Property by property, the context's value where both changed one.
    open class var mergeByPropertyObjectTrump: NSMergePolicy { objectTrumpPolicy }
    /// Property by property, the store's value where both changed one.
    open class var mergeByPropertyStoreTrump: NSMergePolicy { storeTrumpPolicy }

    private static let errorPolicy = NSMergePolicy(merge: .errorMergePolicyType)
    private static let rollbackPolicy = NSMergePolicy(merge: .rollbackMergePolicyType)
    private static let overwritePolicy = NSMergePolicy(merge: .overwriteMergePolicyType)
    private static let objectTrumpPolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    private static let storeTrumpPolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)

    /// The kind.
    open private(set) var mergeType: NSMergePolicyType

    /// A policy of a kind.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// Settles the conflicts of a save in the objects, so that it can be tried again.
    ///
    /// - Throws: `CocoaError` (`.managedObjectMerge`) with the list under the error policy, and under object trump and overwrite
    ///   where the row of a changed object is gone.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType { throw Self.mergeError(list) }
        let vanished = try list.filter { try settle($0) == .gone }.map(\.sourceObject)
        vanished.first?.context?.forget(vanished: vanished)
    }

    /// Settles objects that have the values of others which have to be unique; called for one constraint after the other.
    ///
    /// The delete rules of what has been deleted before are followed first: an override may drop what the stored objects are to lose.
    ///
    /// - Throws: `CocoaError` (`.managedObjectConstraintMerge`) with the list under the error policy, and where two stored
    ///   objects would have to become one.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if mergeType == .errorMergePolicyType { throw Self.constraintError(list) }
        list.lazy.flatMap(\.conflictingObjects).compactMap(\.context).first?.propagateDeletions()
        try settle(list)
    }

    /// Settles conflicts of either kind: hands each kind to its method.
    ///
    /// - Throws: What these throw.
    open func resolve(mergeConflicts list: [Any]) throws {
        let rows = list.compactMap { $0 as? NSMergeConflict },
            constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !rows.isEmpty { try resolve(optimisticLockingConflicts: rows) }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Whether what the store has goes before what the context has.
    var isStoreFirst: Bool {
        mergeType == .rollbackMergePolicyType || mergeType == .mergeByPropertyStoreTrumpMergePolicyType
    }

    private enum Outcome { case settled, gone }

    private func settle(_ conflict: NSMergeConflict) throws -> Outcome {
        let object = conflict.sourceObject
        guard let row = try conflict.row() else {
            // A deletion is a change, too: where the store's count, it stands.
            guard object.isDeleted || isStoreFirst else { throw Self.mergeError([conflict]) }
            return .gone
        }
        if object.isDeleted {
            object.context?.deleteAgain(object, row)
            return .settled
        }
        let mine = object.touched.filter { object.differs($0) }
        let theirs = row.values.indices.filter { !row.values[$0].isSame(as: object.committed[$0]) }
        var kept: [Int]
        switch mergeType {
        case .rollbackMergePolicyType: kept = []
        case .mergeByPropertyStoreTrumpMergePolicyType: kept = mine.filter { !theirs.contains($0) }
        case .overwriteMergePolicyType:
            kept = object.layout.slots.indices.filter { !object.layout.slots[$0].isToMany || mine.contains($0) }
        default: kept = mine + object.claimedSlots.filter { !mine.contains($0) }
        }
        // A row doesn't tell of members; what came and went is put onto those that there are.
        if mergeType != .rollbackMergePolicyType {
            kept += mine.filter { object.layout.slots[$0].isToMany && !kept.contains($0) }
        }
        var slots = SlotSet()
        for slot in kept { slots.insert(slot) }
        object.rebase(on: row, keeping: slots)
        object.awake(from: .mergePolicy)
        return .settled
    }

    static func mergeError(_ list: [NSMergeConflict]) -> CocoaError {
        let names = list.prefix(5).map { $0.sourceObject.objectID.uriRepresentation().absoluteString }
        return CoreDataError.make(
            .managedObjectMerge,
            "\(list.count) rows were changed by somebody else since they were read: \(names.joined(separator: ", ")). "
                + "Refresh these objects and save again, or set another merge policy.",
            userInfo: [
                NSPersistentStoreSaveConflictsErrorKey: list, NSAffectedObjectsErrorKey: list.map(\.sourceObject),
            ])
    }
}

/// The policy with which a save fails on a conflict.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// The policy that keeps the store's value where both changed one.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// The policy that writes the context's value where both changed one.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// The policy that writes the context's objects as a whole.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The policy that drops the context's changes.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

extension NSManagedObjectContext {
    func mergeConflict(_ row: StoreConflict.Row) -> NSMergeConflict {
        NSMergeConflict(object: object(with: row.objectID), conflict: row)
    }

    /// Lets a deletion stand whose row somebody else has changed meanwhile: the delete rules are followed once more, for the
    /// relationships that it has now. What it had let go before stays out of them.
    func deleteAgain(_ object: NSManagedObject, _ row: StoreRow) {
        let left = object.lostRelationships(on: row)
        object.values = row.values
        object.committed = row.values
        object.touched.removeAll()
        for (slot, value) in left {
            object.values[slot] = value
            object.touched.insert(slot)
        }
        object.version = row.version
        guard object.state.contains(.deletionPropagated) else { return }
        object.state.remove(.deletionPropagated)
        undeclaredDeletions.append(object)
    }

    /// A violation that the store found.
    func constraintConflict(_ conflict: StoreUniquenessConflict) -> NSConstraintConflict {
        let existing = conflict.existing.map(object(with:))
        existing?.realize()
        // New objects are registered under their new IDs only after a save.
        let wanted = Set(conflict.inserted)
        let new = inserted.objects.filter { wanted.contains($0.id) }
        let objects = new + conflict.inserted.compactMap(registeredObject).filter { !new.contains($0) }
        return NSConstraintConflict(
            constraint: conflict.constraint, database: existing,
            databaseSnapshot: existing.map { NSMergeConflict.snapshot($0.committed, $0.layout) },
            conflicting: objects,
            conflictingSnapshots: objects.map { NSMergeConflict.snapshot($0.committed, $0.layout) })
    }
}

/// Objects that violate a uniqueness constraint. Follows Core Data's `NSConstraintConflict`.
open class NSConstraintConflict: NSObject {
    /// The names of the constraint's properties.
    open private(set) var constraint: [String]
    /// The values of these properties.
    open var constraintValues: [String: Any] {
        guard let object = conflictingObjects.first else { return [:] }
        object.realize()
        // What a class's own accessors make of them isn't what is compared.
        let values = constraint.map { name -> (String, Any) in
            let slot = object.layout.slot(named: name)
            return (name, (slot.map(object.boxedValue) ?? object.value(forKey: name)) ?? NSNull())
        }
        return Dictionary(values) { first, _ in first }
    }
    /// The stored object with the values; nil where only objects of the context share them.
    open private(set) var databaseObject: NSManagedObject?
    /// The values of the stored object.
    open private(set) var databaseSnapshot: [String: Any]?
    /// The objects of the save.
    open private(set) var conflictingObjects: [NSManagedObject]
    /// The values that the objects of the save were read with.
    open private(set) var conflictingSnapshots: [[String: Any]]

    /// A conflict over nothing, between no objects.
    public override convenience init() {
        self.init(
            constraint: [], database: nil, databaseSnapshot: nil, conflicting: [], conflictingSnapshots: [])
    }

    /// A conflict over a constraint.
    public init(
        constraint constrainedProperties: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        constraint = constrainedProperties
        self.databaseObject = databaseObject
        self.databaseSnapshot = databaseSnapshot as? [String: Any]
        self.conflictingObjects = conflictingObjects
        self.conflictingSnapshots = conflictingSnapshots.compactMap { $0 as? [String: Any] }
    }
}
