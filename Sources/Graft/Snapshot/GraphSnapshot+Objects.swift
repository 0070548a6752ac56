// Snapshots of managed objects: of some with what they own, of a fetch, of a whole context.

public import CoreData

extension GraphSnapshot {
    /// Which state of the objects a snapshot shows.
    public enum ObjectValues: Hashable, Sendable {
        /// As they are, with unsaved changes.
        case current
        /// As they were last fetched or saved.
        case committed
    }

    /// Makes a snapshot of objects and what they own. Call it on their context's queue.
    ///
    /// Relationships with the delete rule cascade are followed, and those that the model or the options include. Other
    /// objects that the relationships lead to are in the snapshot with their identity alone.
    ///
    /// - Parameters:
    ///   - objects: The objects, of one context.
    ///   - values: The state to show: without changes there is none of inserted objects, and with them none of deleted ones.
    ///   - options: What takes part.
    /// - Throws: ``GraftError``, for instance with `duplicateIdentity`; with `missingObject` for an object that is gone.
    /// - Complexity: O(*n*) in the number of objects and links.
    public init(
        of objects: [NSManagedObject], values: ObjectValues = .current, options: DiffOptions = DiffOptions()
    ) throws {
        try self.init(of: objects, members: [], values, options)
    }

    /// - Parameter members: Objects that belong to the others, whatever leads there in this state.
    init(
        of objects: [NSManagedObject], members: [NSManagedObject], _ values: ObjectValues, _ options: DiffOptions
    ) throws {
        guard let first = objects.first else {
            throw GraftError(
                .other(
                    finding: "a snapshot of no objects has no model",
                    remedy: "Name an object, or make the snapshot of a context."))
        }
        var reader = try ObjectSnapshotReader(CompiledModel.model(of: first), options, values)
        if !options.matchesRootsByPosition { try reader.takeRows(of: first.managedObjectContext) }
        try reader.read(objects, members: members)
        self = reader.snapshot
    }

    /// Makes a snapshot of all objects that a context can fetch, with unsaved changes. Call it on the context's queue.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - entities: The entities, with their sub-entities; nil for all. What the objects of others lead to is in the
    ///     snapshot, too, where they own it.
    ///   - options: What takes part.
    /// - Throws: ``GraftError``, for instance with `duplicateIdentity`; the errors of fetches.
    /// - Complexity: O(*n*) in the number of objects and links; all of them are in memory.
    public init(
        of context: NSManagedObjectContext, entities: [String]? = nil, options: DiffOptions = DiffOptions()
    ) throws {
        try self.init(of: context, entities: entities, members: [], options)
    }

    /// - Parameters:
    ///   - members: Objects that belong to the others, whatever leads there.
    ///   - progress: Who is told how many have been read.
    init(
        of context: NSManagedObjectContext, entities: [String]?, members: [NSManagedObject], _ options: DiffOptions,
        _ progress: ObjectProgress? = nil
    ) throws {
        let model = try context.requiredModel()
        let schema = try GraphSchema(model)
        let numbers =
            try entities.map { try $0.map { try schema.requiredNumber(ofEntity: $0) } }
            ?? schema.entities.indices.filter { schema.entities[$0].parent == nil }
        try GraphDamage(context).noteStrayRows(of: numbers.map { schema.entities[$0].name })
        var objects: [NSManagedObject] = []
        for number in numbers {
            try progress?.checkCancellation()
            let entity = schema.entities[number]
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
            request.relationshipKeyPathsForPrefetching =
                entity.properties.filter { !$0.isAttribute && $0.diffRole != .exclude }.map(\.name)
            objects += try context.fetch(request)
        }
        var reader = ObjectSnapshotReader(try DiffScope(schema, options), model, .current)
        reader.progress = progress
        try reader.takeRows(of: context)
        try reader.read(objects, members: members)
        self = reader.snapshot
    }

    /// Makes a snapshot of the results of a fetch and what they own. Call it on the context's queue.
    ///
    /// - Throws: ``GraftError``, for instance with `duplicateIdentity`; the errors of the fetch.
    public init(
        of request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext,
        options: DiffOptions = DiffOptions()
    ) throws {
        let model = try context.requiredModel()
        var reader = try ObjectSnapshotReader(model, options, .current)
        try reader.takeRows(of: context)
        try reader.read(try context.fetch(request))
        self = reader.snapshot
    }
}
