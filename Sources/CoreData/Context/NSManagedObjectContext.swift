// The context: which objects there are and which of them changed. Each thing that it does with them is a file beside this
// one; what has to agree between those files is the state declared here, and `checkInvariants()` (in +Checking) says how.

public import Foundation

/// How a context runs its blocks.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// None: the context belongs to the thread that made it. The way before there were queues.
    case confinementConcurrencyType = 0
    /// A queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}

/// A space of managed objects and the changes made to them, until a save writes them. Follows Core Data's
/// `NSManagedObjectContext`.
///
/// Everything but ``perform(_:)`` and its relatives has to be called on the context's queue.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    // Shared safely because all mutable state is touched on the context's queue alone; that is the contract of every
    // method but the `perform` family, as on Apple's platforms.

    /// How the context runs its blocks.
    public let concurrencyType: NSManagedObjectContextConcurrencyType
    let confinement: QueueConfinement

    /// Where objects come from and changes go to: a coordinator or a parent, never both.
    var source: (any ObjectSource)? {
        didSet { ownSpace = nil }
    }
    /// The source, where it is another context.
    var parentContext: NSManagedObjectContext?
    /// Whether the objects that it reads are of no class, whatever their entities say.
    var makesPlainObjects = false
    /// What the children have to learn of this context's saves.
    let settledIDs = SettledIDs()
    /// Which of the parent's settled IDs the context knows.
    var seenSettlements = 0
    /// The last numbering that was found to be one of the coordinator's stores.
    var ownSpace: RowSpace?
    /// A name for messages.
    open var name: String?
    /// What becomes of a save that meets rows changed by somebody else; an `NSMergePolicy`, by default the error policy.
    open var mergePolicy: Any = NSMergePolicy.error
    /// Whatever the application wants to keep with the context.
    open private(set) var userInfo = NSMutableDictionary()
    /// Who is writing; ends up in the store's history where there is one.
    open var transactionAuthor: String?
    /// Whether a fault whose row is gone becomes a deleted object with nil values.
    open var shouldDeleteInaccessibleFaults = true
    /// Whether objects without changes are kept alive by the context.
    open var retainsRegisteredObjects = false {
        didSet { retained = ObjectList(retainsRegisteredObjects ? Array(registeredObjects) : []) }
    }

    /// Whether the context takes over by itself, on its queue, what is saved to its coordinator or parent by other contexts,
    /// and what its parent saves.
    open var automaticallyMergesChangesFromParent = false {
        didSet { observeOtherContexts() }
    }
    var otherContexts: (any NSObjectProtocol)?
    /// Whether deletions reach related objects with the rest of the event's changes, the default, or at once.
    open var propagatesDeletesAtEndOfEvent = true

    /// Whether anybody may be listening for this very context. Off, it announces its saves (others merge them), but not each
    /// change, nor the saved IDs apart.
    package var isObserved = true
    /// Whether a save checks the rules of the model, and those of classes. Not where rows are taken over from a store that holds
    /// what breaks them.
    package var validatesOnSave = true

    /// All objects of the context that somebody holds, by ID.
    let registry = ObjectRegistry()
    var retained = ObjectList()
    /// Disjoint; in the order of the changes.
    var inserted = ChangeList(.inserted, without: .deleted)
    var updated = ChangeList(.updated, without: .deleted)
    var deleted = ChangeList(.deleted, without: .inserted)
    /// What others have deleted, as merges have told since the last save.
    var mergedDeletions = MergedDeletions()
    /// Faults that turned out to have no row, to which others still refer.
    var inaccessible: [NSManagedObject] = []
    /// Those whose partners are being brought into line with a newer row.
    var settling: Set<ObjectIdentifier> = []
    /// Deleted, but their relationships don't know it yet.
    var undeclaredDeletions = ObjectList()
    /// What changed since the last `processPendingChanges()`.
    var event = ObjectList()
    /// Objects of the running event whose deletion, which had been announced, was taken back, or that were inserted once more.
    var revived: Set<ObjectIdentifier> = []
    /// What relationships were before they were set without a note in the running event.
    var formerEnds: [RelationshipEnd: ManagedValue] = [:]
    /// How often to-many relationships are between `willChangeValue` and `didChangeValue`.
    var changingEnds: [RelationshipEnd: Int] = [:]
    /// Notes changes for an undo manager, where there is one.
    var undoRecorder: UndoRecorder?
    /// Which state of the stores is read; nil for the latest.
    var generation: NSQueryGenerationToken?
    /// What is read of that state before it is asked for: at most of two batches.
    var rowsAhead: [RowsAhead] = []
    /// Where unsaved objects shall go, by their temporary IDs.
    var assignedStores: [RowKey: NSPersistentStore] = [:]
    /// Which numbers the rows of unsaved objects shall get if they are free, by their temporary IDs.
    var wantedRows: [RowKey: Int64] = [:]
    /// Objects that the next save mustn't find changed by somebody else.
    var watched = ToManyMembers()
    /// What couldn't be read while ``collectingFaultFailures(_:)`` runs; nil where such a failure stops the process.
    var faultFailures: FaultFailures?
    /// What couldn't be read, so that the changes may lack it; nil where they don't.
    var brokenBy: FaultFailures?
    /// Whether a subclass's way to fetch is running.
    var isInOverride = false
    /// Whether the changes of an event are being posted.
    var isAnnouncing = false
    /// Whether objects are being told that they will be saved.
    var isPreparingSave = false
    /// Whether the main queue will process the changes of the event that runs.
    var willProcess = false
    /// Objects that are kept until the queue gets to its next block; see ``keepForNow(_:)``.
    var accessed: [NSManagedObject] = []
    /// How old values may be that a refreshed object gets, in seconds.
    ///
    /// - Note: There is no cache of rows here, so a refresh always reads the store.
    open var stalenessInterval: TimeInterval = -1

    /// A context of the thread that makes it, in the way before there were queues.
    public override convenience init() { self.init(concurrencyType: .confinementConcurrencyType) }

    /// A context without a coordinator yet.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        confinement = QueueConfinement(isMain: ct == .mainQueueConcurrencyType)
        super.init()
        unsafe registry.context = self
    }

    /// ``init(concurrencyType:)`` as newer code spells it.
    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.kind) }

    deinit {
        parentContext?.settledIDs.loseChild()
        if let otherContexts { NotificationCenter.default.removeObserver(otherContexts) }
        unsafe registry.context = nil
        for object in registry.objects { object.detach() }
    }

    /// Whether a save would have something to write (or to find out that it hasn't).
    open var hasChanges: Bool { hasAnyChanges }

    /// ``hasChanges``, whatever a subclass makes of that.
    final var hasAnyChanges: Bool { hasOwnChanges || !mergedDeletions.isEmpty }

    /// The objects that the next save writes for the first time.
    open var insertedObjects: Set<NSManagedObject> { Set(inserted.objects) }

    /// The objects with changes that the next save writes.
    open var updatedObjects: Set<NSManagedObject> { Set(updated.objects) }

    /// The objects that the next save deletes, and, until then, those that somebody else has deleted and a merge has told of.
    open var deletedObjects: Set<NSManagedObject> { Set(deleted.objects + mergedDeletions.objects) }

    /// All objects of the context; those without changes only as long as somebody holds them.
    open var registeredObjects: Set<NSManagedObject> { Set(registry.objects + mergedDeletions.objects) }

    // MARK: For subclasses

    /// The coordinator whose stores the context reads and writes; a child context answers its root's.
    ///
    /// Stops when it is set for a context with changes, or for one that has a parent.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { source?.rootCoordinator }
        set { connect(to: newValue) }
    }

    /// The context that this one reads from and saves to; nil for a context with a coordinator of its own.
    ///
    /// A child sees the parent's unsaved changes. Its save hands its own to the parent, where they are unsaved changes until
    /// that one saves; new objects keep their temporary IDs until the root has saved. The parent may be on another queue: a
    /// child waits for it there, so the parent's queue must not wait for the child's.
    ///
    /// Stops when it is set for a context that has a coordinator or changes, and for a context above itself.
    open var parent: NSManagedObjectContext? {
        get { parentContext }
        set { become(childOf: newValue) }
    }

    /// What the context's changes are registered with, once for each `processPendingChanges()`; nil, the default, for none.
    ///
    /// Changes made in `awakeFromInsert()` and `awakeFromFetch()` can't be undone by themselves. A save leaves the actions
    /// as they are; `rollback()` and `reset()` remove them.
    open var undoManager: UndoManager? {
        get { undoRecorder?.manager }
        set { register(with: newValue) }
    }

    /// Takes the last group of changes back; does nothing without an undo manager.
    open func undo() { takeBack() }

    /// Makes the changes again that were undone last; does nothing without an undo manager.
    open func redo() { repeatUndone() }

    /// Takes over what another context of the same coordinator or parent has saved: changed objects are read anew (keeping
    /// unsaved changes), deleted ones are marked as deleted. May be called on any thread. A child's own save concerns its
    /// parent no more: it has the changes already.
    open func mergeChanges(fromContextDidSave notification: Notification) { merge(notification) }

    /// Writes all changes to the stores, or none. Stores that an application has written itself are asked to save although
    /// nothing has changed.
    ///
    /// - Throws: `CocoaError` with a validation code; `.managedObjectMerge` or `.managedObjectConstraintMerge` with the
    ///   conflicts under `NSPersistentStoreSaveConflictsErrorKey`; or the store's error. The changes are all still there.
    open func save() throws { try saveChanges() }

    /// Lets the next save that writes something fail, or go to the merge policy, if somebody else has changed an object meanwhile,
    /// although it has no changes here. Changed and deleted objects are always checked.
    ///
    /// Of several stores, those to which the save writes nothing are looked at before it writes to the others. In a child context
    /// nothing is looked at: only its root writes.
    open func detectConflicts(for object: NSManagedObject) {
        checkQueue()
        guard object.context === self, !object.id.isTemporaryID else { return }
        object.realize()
        watched.append(object)
    }

    /// Gives objects their permanent IDs without saving them.
    ///
    /// - Throws: The store's error; then no object has another ID.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try givePermanentIDs(to: objects) }

    /// Fetches what a request asks for, of whatever type; ``fetch(_:)-(NSFetchRequest<T>)`` comes here in subclasses.
    ///
    /// - Throws: As that one.
    @_disfavoredOverload
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        checkQueue()
        return Array(try results(of: request.state, affectedStores: request.affectedStores)) as [Any]
    }

    /// The number of objects that a request of whatever type would fetch; ``count(for:)-(NSFetchRequest<T>)`` comes here in
    /// subclasses.
    ///
    /// - Throws: As that one.
    @_disfavoredOverload
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try numberOfObjects(for: request.state, affectedStores: request.affectedStores)
    }

    /// Whether a fault whose row is gone is dealt with: it is a deleted object with nil values then. Asked when that turns out.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool { shouldDeleteInaccessibleFaults }

    /// Marks an object for deletion by the next save. Its delete rules are followed when pending changes are processed.
    open func delete(_ object: NSManagedObject) { markDeleted(object) }

    /// Follows delete rules and posts one `NSManagedObjectContextObjectsDidChange` for all changes since the last time.
    open func processPendingChanges() { processEvent() }

    /// Executes a request: a fetch, a batch or a request for the history.
    ///
    /// Batches change the stores only; no object of any context and no notification tells of them. Merge their IDs with
    /// ``mergeChanges(fromRemoteContextSave:into:)``.
    ///
    /// - Returns: The result of the request's class: `NSBatchDeleteResult` for an `NSBatchDeleteRequest`, and so on; for a
    ///   fetch an `NSAsynchronousFetchResult`.
    /// - Throws: `CocoaError`: `.persistentStoreUnsupportedRequestType` for a request or a store that doesn't take it,
    ///   `.managedObjectConstraintMerge` for a batch that a uniqueness constraint forbids; then the store that refuses it hasn't changed.
    ///   Of several stores, each has a transaction of its own: those that were asked before that one, in the coordinator's order, have
    ///   changed, and tell so as ever (`NSPersistentStoreRemoteChange`).
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try result(of: request)
    }

    /// The context's object with an ID, if there is one; never asks the store.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? { knownObject(for: objectID) }

    /// The object with an ID: the registered one, or else a fault, whether or not there is such a row.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { objectOrFault(with: objectID) }

    /// The object with an ID, realised.
    ///
    /// - Throws: `CocoaError` (`.managedObjectReferentialIntegrity`) if the store has no such object.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try realisedObject(with: objectID)
    }

    /// Says in which store a new object shall be saved, where several keep its entity.
    ///
    /// Stops for an object that isn't new here, and for a store that doesn't keep its entity.
    open func assign(_ object: Any, to store: NSPersistentStore) { chooseStore(store, for: object) }

    /// The state that the context reads: nil for the latest, ``NSQueryGenerationToken/current`` until the first read after that
    /// was set, and then a token of that state, which other contexts of the same coordinator can be given.
    open var queryGenerationToken: NSQueryGenerationToken? { generation }

    /// Pins what the context reads to a state of its stores; nil for the latest.
    ///
    /// Objects that have been read don't change until they are refreshed. A save, a merge and `reset()` let a pinned context read
    /// the state that is the latest then. Stores that can't keep a state (in memory, custom, not in WAL mode) give the latest;
    /// so do batch requests, histories and everything that writes. A child context reads what its parent reads.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        checkQueue()
        self.generation = generation
    }

    /// Inserts an object that was made without a context.
    open func insert(_ object: NSManagedObject) { adopt(object) }

    /// Drops an object's values, so that they are read anew; with `mergeChanges` its unsaved changes are kept on top.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { reread(object, mergesChanges: flag) }

    /// Refreshes all objects, keeping unsaved changes.
    open func refreshAllObjects() { rereadAll() }

    /// Undoes all changes since the last save: inserted objects are forgotten, deletions called off, values restored. The
    /// undo manager has nothing to undo afterwards.
    open func rollback() { dropChanges() }

    /// Forgets all objects and changes. Objects that somebody still holds are without a context from then on.
    open func reset() { forgetAll() }

    /// Runs a block on the context's queue, later; pending changes are processed at its end.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) { enqueue(block) }

    /// Runs a block on the context's queue and waits for it. On the caller's thread; reentrant, also from within the block
    /// of another context that waits for this one.
    open func performAndWait(_ block: () -> Void) { runAndWait(block) }
}
