// Importing JSON into a context, as its owner calls it. Nothing here saves.

public import CoreData
public import Foundation

extension NSManagedObjectContext {
    /// Imports JSON: each object is found by its identity or made, and gets the values that the data has and it hasn't.
    ///
    ///     let report = try context.importJSON(from: .file(url), entity: "Hero")
    ///     try context.save()
    ///
    /// What the data leaves out stays as it is, null clears, and the members of a to-many relationship are replaced.
    /// Call it on the context's queue. It doesn't save.
    ///
    /// - Parameters:
    ///   - source: The text: an array, an object, objects one after the other (NDJSON), or an archive.
    ///   - entity: The entity of its objects; may be left out where the model has one entity to which no relationship leads,
    ///     and for archives.
    ///   - options: How the import behaves. ``ImportOptions/savesEachBatch`` has no effect here.
    ///   - progress: Is told how far the import is, in bytes; cancelling it ends the import.
    /// - Returns: What was inserted, updated and left alone, per entity.
    /// - Throws: ``GraftError``. Then the context is as it was before, other unsaved changes included.
    @discardableResult
    public func importJSON(
        from source: ImportSource, entity: String? = nil, options: ImportOptions = ImportOptions(),
        progress: Progress? = nil
    ) throws -> ImportReport {
        try importJSON(from: [source], entity: entity, options: options, progress: progress)
    }

    /// Imports several texts as if they were one: if one fails, none is imported.
    ///
    /// - Throws: As ``importJSON(from:entity:options:progress:)-(ImportSource,_,_,_)``.
    @discardableResult
    public func importJSON(
        from sources: [ImportSource], entity: String? = nil, options: ImportOptions = ImportOptions(),
        progress: Progress? = nil
    ) throws -> ImportReport {
        try importObjects(sources, entity, options, progress, roots: nil)
    }

    /// Imports JSON from memory.
    ///
    /// - Throws: As ``importJSON(from:entity:options:progress:)-(ImportSource,_,_,_)``.
    @discardableResult
    public func importJSON(
        _ data: Data, entity: String? = nil, options: ImportOptions = ImportOptions()
    ) throws -> ImportReport {
        try importJSON(from: .data(data), entity: entity, options: options)
    }

    /// Imports JSON from memory and returns the objects that it is about: one for each element that isn't null, in the order
    /// of the data, so that an object that occurs twice is there twice.
    ///
    /// - Throws: As ``importJSON(from:entity:options:progress:)-(ImportSource,_,_,_)``.
    public func objects(
        fromJSON data: Data, entity: String? = nil, options: ImportOptions = ImportOptions()
    ) throws -> [NSManagedObject] {
        try objects(fromJSON: data, entity: entity, options: options) { _ in }
    }

    /// The same with a check of each object, which may refuse it: the context is then as it was before.
    package func objects(
        fromJSON data: Data, entity: String?, options: ImportOptions, check: @escaping (NSManagedObject) throws -> Void
    ) throws -> [NSManagedObject] {
        var options = options
        options.isDryRun = false
        var objects: [NSManagedObject] = []
        try importObjects([.data(data)], entity, options, nil) { object in
            try check(object)
            objects.append(object)
        }
        return objects
    }

    /// Imports the JSON of one object into an object that is there: one that was made here, sent to a server, and has now
    /// been answered with its identifier.
    ///
    ///     let hero = Hero(context: context)
    ///     ...
    ///     try context.importJSON(answer, into: hero)
    ///
    /// Its identity in the context plays no part, and it gets the one that the data has. What is nested in it is found or
    /// made as always. Nothing is saved.
    ///
    /// - Throws: ``GraftError``, with `duplicateIdentity` where another object has that identity already. Then the context is
    ///   as it was before.
    @discardableResult
    public func importJSON(
        _ data: Data, into object: NSManagedObject, options: ImportOptions = ImportOptions()
    ) throws -> ImportReport {
        try object.requireLiving()
        return try ImportRun(
            [.data(data)], into: self, entityName: object.entity.name, options: options, progress: nil, mode: .keep,
            target: object
        ).run()
    }

    /// Tries references again that an import couldn't resolve: now the objects may be there. Nothing is saved.
    ///
    /// - Parameters:
    ///   - references: Those of an ``ImportReport``, kept as long as necessary.
    ///   - options: Those of the import.
    /// - Returns: Those that are still unresolved.
    /// - Throws: ``GraftError``. Then the context is as it was before.
    public func resolve(
        _ references: [ImportReport.UnresolvedReference], options: ImportOptions = ImportOptions()
    ) throws -> [ImportReport.UnresolvedReference] {
        var options = options
        options.unresolvedReferences = references
        return try ImportRun([], into: self, entityName: nil, options: options, progress: nil, mode: .keep)
            .run().unresolvedReferences
    }

    /// Imports a snapshot as if it were the text that it was made from.
    ///
    /// When the text said what isn't a part of an encoded snapshot, nor of one that was changed since: of an ordered relationship of
    /// which only the other end speaks, these have the members in the order of their rows.
    ///
    /// - Throws: ``GraftError``, with `modelMismatch` where the snapshot was made with another model than the context's. Then
    ///   the context is as it was before.
    @discardableResult
    public func importSnapshot(
        _ snapshot: GraphSnapshot, options: ImportOptions = ImportOptions()
    ) throws -> ImportReport {
        try ImportRun([], into: self, entityName: nil, options: options, progress: nil, mode: .keep).run(snapshot)
    }

    @discardableResult
    private func importObjects(
        _ sources: [ImportSource], _ entity: String?, _ options: ImportOptions, _ progress: Progress?,
        roots: ((NSManagedObject) throws -> Void)?
    ) throws -> ImportReport {
        try ImportRun(
            sources, into: self, entityName: entity, options: options, progress: progress, mode: .keep
        ).run(roots: roots)
    }
}
