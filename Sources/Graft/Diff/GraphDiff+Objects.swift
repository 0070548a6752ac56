// Differences between managed objects: through snapshots of both sides.

public import CoreData

extension GraphDiff {
    /// Makes the difference between two versions of an object, with what it owns. They may belong to different contexts;
    /// call it where both may be read.
    ///
    /// - Parameters:
    ///   - old: The object before; nil where it wasn't there.
    ///   - new: The object after; nil where it is no more.
    ///   - options: What takes part.
    /// - Throws: ``GraftError``, with `invalidMapping` for owned objects that nothing tells apart.
    public init(from old: NSManagedObject?, to new: NSManagedObject?, options: DiffOptions = DiffOptions()) throws {
        try self.init(from: old.map { [$0] } ?? [], to: new.map { [$0] } ?? [], options: options)
    }

    /// Makes the difference between two sets of objects, with what they own. They may belong to different contexts; call it
    /// where both may be read.
    ///
    /// Objects without identity are matched by their place in the two lists.
    ///
    /// - Throws: ``GraftError``, with `invalidMapping` for owned objects that nothing tells apart.
    public init(from old: [NSManagedObject], to new: [NSManagedObject], options: DiffOptions = DiffOptions()) throws {
        var options = options
        options.matchesRootsByPosition = true
        if old.isEmpty, new.isEmpty {
            self.init()
            return
        }
        let oldSnapshot = old.isEmpty ? nil : try GraphSnapshot(of: old, options: options)
        let newSnapshot = new.isEmpty ? nil : try GraphSnapshot(of: new, options: options)
        try self.init(oldSnapshot, newSnapshot, options)
    }

    /// Makes the difference between what an object's context last fetched or saved and what is unsaved of the object and what
    /// it owns. Call it on the context's queue.
    ///
    /// - Throws: ``GraftError``, with `invalidMapping` for owned objects that nothing tells apart.
    public init(unsavedChangesOf object: NSManagedObject, options: DiffOptions = DiffOptions()) throws {
        try self.init(unsavedChangesOf: [object], options: options)
    }

    /// Makes the difference between what a context last fetched or saved and what is unsaved in it: inserted, deleted and
    /// changed objects. Call it on the context's queue.
    ///
    /// - Throws: ``GraftError``, with `invalidMapping` for objects that nothing tells apart.
    public init(unsavedChangesIn context: NSManagedObjectContext, options: DiffOptions = DiffOptions()) throws {
        context.processPendingChanges()
        let objects = context.insertedObjects.union(context.updatedObjects).union(context.deletedObjects)
        // The order of a set is none, but keys order the diff.
        try self.init(unsavedChangesOf: Array(objects), options: options, matchesRootsByPosition: false)
    }

    private init(
        unsavedChangesOf objects: [NSManagedObject], options: DiffOptions, matchesRootsByPosition: Bool = true
    ) throws {
        var options = options
        options.matchesRootsByPosition = matchesRootsByPosition
        if objects.isEmpty {
            self.init()
            return
        }
        let model = try CompiledModel.model(of: objects[0])
        let scope = try DiffScope(CompiledModel.of(model).schema, options)
        let states = try objects[0].withFaultsAsErrors {
            // What is owned in one of the states isn't new or gone in the other where it was there before, or still is.
            let members = try ObjectSnapshotReader.members(of: objects, scope, model, [.committed, .current])
            return try [GraphSnapshot.ObjectValues.committed, .current].map {
                try GraphSnapshot(of: objects, members: members, $0, options)
            }
        }
        try self.init(from: states[0], to: states[1], options: options)
    }

    /// Makes the difference between all objects of two contexts, or of some entities, each with unsaved changes. Waits for
    /// both contexts' queues.
    ///
    /// What the objects of these entities own is compared with them. An object that one of them owns in one context alone, and that
    /// is in the other one, too, has changed: it is neither new nor gone.
    ///
    /// - Throws: ``GraftError``, with `invalidMapping` for objects that nothing tells apart.
    public init(
        from old: NSManagedObjectContext, to new: NSManagedObjectContext, entities: [String]? = nil,
        options: DiffOptions = DiffOptions()
    ) throws {
        try self.init(from: old, to: new, entities: entities, options: options, telling: nil)
    }

    /// - Parameter progress: Who is told how many objects of both contexts have been read.
    init(
        from old: NSManagedObjectContext, to new: NSManagedObjectContext, entities: [String]?, options: DiffOptions,
        telling progress: ObjectProgress?
    ) throws {
        var before = ContextPart(old, entities, options, progress)
        var after = ContextPart(new, entities, options, progress)
        var isWhole: Bool
        repeat {
            self = try GraphDiff(from: before.snapshot(), to: after.snapshot(), options: options)
            let taken = try [before.take(inserted, identification), after.take(deleted, identification)]
            isWhole = !taken.contains(true)
        } while !isWhole
        progress?.finish()
    }

    /// The difference of two snapshots of which one may be empty.
    private init(_ old: GraphSnapshot?, _ new: GraphSnapshot?, _ options: DiffOptions) throws {
        guard let schema = (old ?? new)?.schema else {
            self.init()
            return
        }
        try self.init(from: old ?? GraphSnapshot(schema), to: new ?? GraphSnapshot(schema), options: options)
    }
}

/// A context's objects of some entities and what they own, with what belongs to these in another context.
private struct ContextPart {
    private let context: NSManagedObjectContext
    private let entities: [String]?
    private let options: DiffOptions
    private let progress: ObjectProgress?
    private var members: [NSManagedObject] = []

    init(
        _ context: NSManagedObjectContext, _ entities: [String]?, _ options: DiffOptions, _ progress: ObjectProgress?
    ) {
        self.progress = progress
        self.context = context
        self.entities = entities
        self.options = options
    }

    func snapshot() throws -> GraphSnapshot {
        try context.performAndWait(with: members) { [context, entities, options, progress] members in
            try GraphSnapshot(of: context, entities: entities, members: members, options, progress)
        }
    }

    /// Takes in the objects that are only in the part of the other context, as far as this context has them.
    ///
    /// - Returns: Whether there are any.
    mutating func take(_ contents: [ObjectContents], _ identification: GraphDiff.Identification) throws -> Bool {
        guard let entities else { return false }
        let known = Set(members.map { ObjectIdentifier($0) })
        let found: [NSManagedObject] = try context.performAndWait { [context] in
            let model = try context.requiredModel().entitiesByName
            let chosen = entities.compactMap { model[$0] }
            // Of the chosen entities, the snapshot has all objects.
            let keys = contents.map(\.key).filter { key in
                key.position == nil && !chosen.contains { model[key.entity]?.isKindOf(entity: $0) ?? true }
            }
            if keys.isEmpty { return [] }
            let objects = try context.objects(with: keys, in: identification)
            return keys.compactMap { objects[$0] }.filter { !known.contains(ObjectIdentifier($0)) }
        }
        members += found
        return !found.isEmpty
    }
}
