// A managed object: an entity, an ID, and its properties in slots. This file has the state and what identifies an
// object; each topic (keys, relationships, faulting, changes, validation) is a file beside it.
//
// `values` are the current slots, `committed` the ones last fetched or saved. They share storage until the first write.

public import Foundation

/// A model-driven object in a context. Follows Core Data's `NSManagedObject`.
///
/// An object belongs to its context's queue. What crosses to another queue is its ``objectID``.
open class NSManagedObject: NSObject, NSFetchRequestResult {
    struct State: OptionSet {
        let rawValue: UInt16
        /// The values haven't been asked for since the object was fetched or refreshed.
        static let fault = State(rawValue: 1 << 0)
        /// The values are there, although the object still counts as a fault.
        static let hasRow = State(rawValue: 1 << 1)
        static let inserted = State(rawValue: 1 << 2)
        static let updated = State(rawValue: 1 << 3)
        static let deleted = State(rawValue: 1 << 4)
        /// Already in the list of what changed since the last `processPendingChanges()`.
        static let inEvent = State(rawValue: 1 << 5)
        /// The deletion has reached the related objects.
        static let deletionPropagated = State(rawValue: 1 << 6)
        /// Inserted and deleted again, before any save.
        static let forgotten = State(rawValue: 1 << 7)
        /// A notification has told of the insertion.
        static let announced = State(rawValue: 1 << 8)
        /// In `awakeFromFetch()`, where changes are no changes.
        static let awakening = State(rawValue: 1 << 9)
        /// Not registered any more, although it still knows its context: somebody else has deleted its row.
        static let gone = State(rawValue: 1 << 10)
        /// Refreshed: what it has of changes only repeats what other objects' changes say of it.
        static let echo = State(rawValue: 1 << 11)
        /// Inserted or updated, and found by its values; see ``ChangeIndex``.
        static let indexed = State(rawValue: 1 << 12)
        /// Has values that were set without a note; see ``setPrimitiveValue(_:forKey:)``.
        static let primitive = State(rawValue: 1 << 13)
        /// Deleted because it turned out to have no row.
        static let rowless = State(rawValue: 1 << 14)
        /// Notes what it is asked for, to find the name of a key path.
        static let recording = State(rawValue: 1 << 15)
    }

    let layout: EntityLayout
    /// The table of the context that the object belongs to.
    var registry: ObjectRegistry?
    var context: NSManagedObjectContext? { unsafe registry?.context }
    /// Temporary, and made when it is asked for, until another one is given: what is fetched has its own from the start.
    var id: NSManagedObjectID {
        get {
            if let ownID { return ownID }
            let id = TemporaryObjectIDs.make(for: entity)
            ownID = id
            return id
        }
        set { ownID = newValue }
    }
    private var ownID: NSManagedObjectID?
    var values: SlotValues
    var committed: SlotValues
    /// The slots set since the last fetch or save, whether or not the values differ.
    var touched = SlotSet()
    var state: State = []
    /// The slot whose written accessor runs; see ``writtenProperty(_:slot:)``. Fits in beside the state.
    var answeringSlot = NSManagedObject.noSlot
    /// The object's place in its batch.
    var batchPosition: Int32 = 0
    /// The slots set since the last event began; see ``changedValuesForCurrentEvent()``.
    var touchedInEvent = SlotSet()
    /// The row's version when it was read.
    var version: Int64 = 0
    /// The objects fetched together, which load their relationships together.
    var batch: FetchBatch?
    /// Who observes the object; nil for nobody.
    var observation: ObjectObservation?

    /// Makes an object and, if there is a context, inserts it there: it gets a temporary ID and the model's defaults, then
    /// ``awakeFromInsert()`` runs. `NSManagedObject`'s own initialiser makes one of the entity's class, unless that has stored
    /// properties of its own.
    @inline(never)
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if context != nil, entity.isAbstract {
            fatalError("The entity '\(entity.name ?? "")' is abstract. Insert an object of one of its sub-entities.")
        }
        layout = entity.layout
        values = layout.defaults
        committed = values
        super.init()
        takeEntityClass()
        context?.register(inserted: self)
    }

    /// An object in no context, of the class's entity where a loaded model has one, else of one without properties.
    ///
    /// Core Data complains of this initialiser, and its object has no entity at all; what needs just any object calls it.
    public convenience override init() {
        self.init(entity: ManagedObjectClasses.someEntity(for: Self.self), insertInto: nil)
    }

    deinit {
        guard let registry else { return }
        registry.removeDying(self, for: id.key)
        id.noteUnregistration()
    }

    /// What every class has, so that objects of a class that is known at run time alone can be made.
    public required convenience init(making entity: NSEntityDescription, in context: NSManagedObjectContext?) {
        self.init(entity: entity, insertInto: context)
    }

    /// The class's entity, looked up in the models that coordinators have loaded; where none has the class, one without a name, which
    /// standard error is told of.
    open class func entity() -> NSEntityDescription { ManagedObjectClasses.entityOrNone(for: self) }

    /// The name of the class, as `NSStringFromClass` gives it.
    open class func description() -> String { ClassNames.name(of: self) }

    /// A request for all objects of the class's entity.
    ///
    /// What a class or protocol of the program declares under the same name with a result of its own, as Xcode writes it, is preferred.
    @_disfavoredOverload
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let entity = entity()
        let request = NSFetchRequest<Self>(entityName: entity.name ?? "")
        request.state.isOfClass = true
        if entity.name != nil { request.entity = entity }
        return request.untyped
    }

    // MARK: Identity

    /// The context; nil after a saved deletion, after the context's reset, and once it is gone.
    open var managedObjectContext: NSManagedObjectContext? { context }

    /// The entity of the object.
    open var entity: NSEntityDescription { layout.entity }

    /// The ID: temporary until the first save (in a child context until the root's), permanent after it.
    open var objectID: NSManagedObjectID {
        if id.isTemporaryID, let context, context.parentContext != nil { context.adoptPermanentIDs() }
        return id
    }

    public final override func isEqual(_ object: Any?) -> Bool { (object as AnyObject?) === self }

    /// The address; a set hashes it once more.
    public final override var hash: Int { Int(bitPattern: ObjectIdentifier(self)) >> 4 }

    /// Whether the object will be written to the store by the next save for the first time.
    open var isInserted: Bool { state.contains(.inserted) }

    /// Whether the object was changed since it was fetched or saved.
    open var isUpdated: Bool { state.contains(.updated) }

    /// Whether the next save deletes the object.
    open var isDeleted: Bool { state.contains(.deleted) }

    /// Whether the next save concerns the object; true also after setting an equal value.
    open var hasChanges: Bool { !state.isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// Whether the object was in a context and is in none any more. No registered object refers to it then.
    var hasLeft: Bool { state.contains(.gone) || (registry == nil && state.contains(.fault)) }

    /// Whether the values are still in the store only.
    open var isFault: Bool { state.contains(.fault) }

    /// 0 for an object whose values have been asked for, else another number.
    open var faultingState: Int { isFault ? 1 : 0 }

    /// A fault whose values nobody has seen or changed.
    var isUnseen: Bool { state.contains(.fault) && touched.isEmpty }

    // MARK: Life cycle, for subclasses

    /// Called once, when the object is inserted; the place for defaults that the model can't express.
    open func awakeFromInsert() {}

    /// Called when the object's values arrive from the store. What is set here doesn't count as a change; relationships
    /// mustn't be set, for their inverses would count.
    open func awakeFromFetch() {}

    /// Called when the object has got other values by an undo, a rollback, a refresh that keeps changes, or a merge policy; the place to
    /// compute anew what depends on them. What is set here doesn't count as a change.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called by the context's `delete(_:)`, while all relationships are intact.
    open func prepareForDeletion() {}

    /// Called before validation in a save, again as long as objects change in it.
    open func willSave() {}

    /// Called after the store has written the object.
    open func didSave() {}

    /// Called before the values are dropped.
    open func willTurnIntoFault() {}

    /// Called after the values were dropped.
    open func didTurnIntoFault() {}

    /// Announces that a property is about to be read; fires a fault. A nil key means all.
    open func willAccessValue(forKey key: String?) {
        if ConcurrencyDebug.isOn { context?.checkQueue() }
        if state.isDisjoint(with: [.fault, .recording]) { return }
        if state.contains(.recording) { return KeyPathRecorder.note(self, key) }
        realize()
        if key == nil { context?.keepForNow(self) }
    }

    /// Ends what ``willAccessValue(forKey:)`` began.
    open func didAccessValue(forKey key: String?) {}

    /// Announces a change of a property.
    open func willChangeValue(forKey key: String) {
        if ConcurrencyDebug.isOn { context?.checkQueue() }
        realize()
        beginPrimitiveChange(key)
        if let observation { observation.begin(key) }
    }

    /// Marks the property as changed and tells its observers.
    open func didChangeValue(forKey key: String) {
        if let slot = layout.slot(named: key) {
            endPrimitiveChange(slot)
            noteChange(slot)
        } else if let composite = layout.composites[key] {
            for slot in composite.slots { noteChange(slot) }
        }
        if let observation { observation.end(key) }
    }

    /// Announces a change of a relationship's members.
    open func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
    ) {
        beginSetMutation(key, mutationKind, objects)
        willChangeValue(forKey: key)
    }

    /// Marks a relationship as changed.
    open func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind, using objects: Set<AnyHashable>
    ) {
        didChangeValue(forKey: key)
        observation?.end(key)
    }

    /// Whether setting what isn't in the model leaves a context without changes, as it always does here.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    // MARK: Observing, for subclasses

    /// Whether setting a key tells its observers. Not asked: accessors of modelled properties tell by
    /// ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)``, and so has to do what a class writes itself.
    open class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }

    /// The keys on which the value of a key depends: whoever observes it is told when one of them changes. Overrides answer
    /// for their own keys and leave others to super.
    open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

    /// Called for each change of what the object observes.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        fatalError("\(type(of: self)) observes '\(keyPath ?? "")' and doesn't override observeValue(forKeyPath:…).")
    }

    // MARK: Validation, for subclasses

    /// Checks one property: whether it is there, the relationship's counts, the model's bounds and predicates, and then by
    /// the class's method `validate<Key>`, where the plugin `ManagedObjectClasses` has found one.
    ///
    /// - Parameters:
    ///   - value: The value; a validation may replace it.
    ///   - key: The property's name.
    /// - Throws: `CocoaError` with Core Data's validation codes.
    open func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        try unsafe validate(value.pointee, forKey: key)
        try unsafe validateWritten(&value.pointee, forKey: key)
    }

    /// Checks all properties before an insertion is saved. Overrides call super first.
    open func validateForInsert() throws { try readingFaults { try validateSlots() } }

    /// Checks all properties before a change is saved. Overrides call super first.
    open func validateForUpdate() throws { try readingFaults { try validateSlots() } }

    /// Checks the delete rule deny before a deletion is saved. Overrides call super first.
    open func validateForDelete() throws { try readingFaults { try validateDeletion() } }

    // MARK: Keys, for subclasses

    /// The value of a property; fires a fault. To-one gives the object, to-many an `NSMutableSet` or `NSMutableOrderedSet` of its own, which is
    /// to be set back if it is changed.
    ///
    /// A property that the class has written itself is asked, where the plugin `ManagedObjectClasses` has found it.
    open func value(forKey key: String) -> Any? {
        let slot = layout.slot(named: key)
        if let written = writtenProperty(key, slot: slot) { return answering(slot) { written.get(self) } }
        guard let slot else { return valueOutsideSlots(key) }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return boxedValue(slot)
    }

    /// Sets a property: remembers the old value, marks the object as changed and keeps the inverse relationship.
    ///
    /// A property that the class has written itself is set, where the plugin `ManagedObjectClasses` has found it.
    open func setValue(_ value: Any?, forKey key: String) {
        let slot = layout.slot(named: key)
        if let set = writtenProperty(key, slot: slot)?.set { return answering(slot) { set(self, value) } }
        guard slot != nil || layout.composites[key] != nil else { return setValue(value, forUndefinedKey: key) }
        willChangeValue(forKey: key)
        if let slot { setBoxedValue(value, slot: slot) } else { setComposite(value, key) }
        didChangeValue(forKey: key)
    }

    /// Called where nil is set to what can't be nil; nothing is set. No key of a managed object is like that.
    open func setNilValueForKey(_ key: String) {
        fatalError("'\(key)' of '\(entity.name ?? "")' can't be nil.")
    }

    /// The value without notification; a fault isn't fired. A to-many relationship gives a mutable set: between ``willChangeValue(forKey:)``
    /// and ``didChangeValue(forKey:)`` one that stands for its members; otherwise they are read, unless the object is a fault, and it is one of
    /// what they are now.
    open func primitiveValue(forKey key: String) -> Any? { primitive(key) }

    /// Sets a value without notification, inverse or entry in ``changedValues()``. It is written when the object is saved, but
    /// doesn't make it one that has to be.
    ///
    /// Between ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)``, as in an accessor, the latter makes it a change as any
    /// other: with its inverse.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) { setPrimitive(key, to: value) }

    /// The value at the end of a path of keys; to-many relationships on the way give the collection of all values.
    open func value(forKeyPath keyPath: String) -> Any? { KeyedValues.value(of: self, at: keyPath) }

    /// Sets the value at the end of a path of to-one relationships; does nothing where one of them is nil.
    open func setValue(_ value: Any?, forKeyPath keyPath: String) { set(keyPath, to: value) }

    /// The values of several keys; `NSNull` for nil.
    open func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Sets several values; `NSNull` means nil.
    open func setValuesForKeys(_ keyedValues: [String: Any]) {
        for key in keyedValues.keys.sorted() {
            let value = keyedValues[key]
            setValue(value is NSNull ? nil : value, forKey: key)
        }
    }

    /// A set that stands for an unordered to-many relationship.
    open func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(owner: self, slot: toManySlot(key, ordered: false), isPrimitive: false)
    }

    /// An ordered set that stands for an ordered to-many relationship.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        RelationshipOrderedSet(owner: self, slot: toManySlot(key, ordered: true), isPrimitive: false)
    }

    /// A set that stands for an unordered to-many relationship at the end of a path of to-one relationships. Stops where one of them is
    /// nil.
    open func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = end(of: keyPath)
        return owner.mutableSetValue(forKey: key)
    }

    /// An ordered set that stands for an ordered to-many relationship at the end of a path of to-one relationships. Stops where one of
    /// them is nil.
    open func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = end(of: keyPath)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    // MARK: Changes

    /// The new values of the persistent properties that differ from the last fetched or saved ones. `NSNull` for nil.
    open func changedValues() -> [String: Any] { newValues() }

    /// The last fetched or saved values of the persistent properties set since the last `processPendingChanges()`, also while that one
    /// is announcing them. `NSNull` for nil.
    open func changedValuesForCurrentEvent() -> [String: Any] { oldValuesInEvent() }

    /// The values as last fetched or saved, `NSNull` for nil; of all properties where `keys` is nil.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { oldValues(keys) }

    /// Whether a relationship hasn't been read yet: a to-one relationship is with its object, or as its destination is.
    open func hasFault(forRelationshipNamed key: String) -> Bool { isUnread(key) }

    /// The IDs at the other end of a relationship; no destination is fired, and no object is made for it.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] { endIDs(key) }

    /// Whether a persistent property has another value than the last fetched or saved one.
    open var hasPersistentChangedValues: Bool { !changedSlots.isEmpty }

    /// Asked for keys that the entity doesn't have; stops, as Core Data raises.
    open func value(forUndefinedKey key: String) -> Any? {
        fatalError("The entity '\(entity.name ?? "")' has no property '\(key)'. It has: \(layout.nameList).")
    }

    /// Asked for keys that the entity doesn't have; stops, as Core Data raises.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        fatalError("The entity '\(entity.name ?? "")' has no property '\(key)'. It has: \(layout.nameList).")
    }

    open override var description: String {
        let data = isFault ? "<fault>" : layout.slots.indices.map(describe).joined(separator: "; ")
        return "<\(type(of: self)) \(entity.name ?? ""): \(id.uriRepresentation().absoluteString)> { \(data) }"
    }

    private func describe(_ slot: Int) -> String {
        let name = layout.slots[slot].name
        return switch values[slot] {
        case .null: "\(name) = nil"
        case .object, .objectID: "\(name) = \(values[slot].referencedID?.uriRepresentation().absoluteString ?? "nil")"
        case .objects(let members): "\(name) = (\(members.count) objects)"
        case .unread, .memberIDs: "\(name) = <relationship fault>"
        // Foundation on Linux ends the process over a date that is no number.
        case .date(let seconds) where seconds.isNaN: "\(name) = \(seconds)"
        default: "\(name) = \(values[slot].boxedAttribute.map { "\($0)" } ?? "nil")"
        }
    }
}

// An object belongs to its context's queue. What crosses is its objectID.
@available(*, unavailable)
extension NSManagedObject: @unchecked Sendable {}

/// A pointer as Objective-C methods take it; Foundation on Linux has none.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>
