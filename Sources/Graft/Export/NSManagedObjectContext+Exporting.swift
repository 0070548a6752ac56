// Exporting a context's objects as JSON. Unsaved changes are part of it.

public import CoreData
public import Foundation

extension NSManagedObjectContext {
    /// Returns objects as a JSON array, or with ``ExportOptions/Format/ndjson`` one per line, each with what it leads to.
    ///
    /// - Throws: ``GraftError``, for instance with `notRepresentable` for a number that JSON doesn't have.
    public func json(of objects: [NSManagedObject], options: ExportOptions = ExportOptions()) throws -> Data {
        let run = ExportRun(context: self, options: options, progress: nil, releasesObjects: false)
        return try run.data { writer in
            let objectWriter = try ObjectWriter(model(of: objects), options, GraphDamage(self, options.onDamage))
            if options.format == .json { try writer.beginArray() }
            try objectWriter.prepare(objects)
            for object in objects { _ = try objectWriter.write(object, to: &writer) }
            if options.format == .json { try writer.endArray() }
        }
    }

    /// Returns one object as a JSON object, with what it leads to. Of changes only, where there are none, that is its
    /// identity.
    ///
    /// - Throws: ``GraftError``.
    public func json(of object: NSManagedObject, options: ExportOptions = ExportOptions()) throws -> Data {
        let run = ExportRun(context: self, options: options, progress: nil, releasesObjects: false)
        return try run.data { writer in
            let objectWriter = try ObjectWriter(model(of: [object]), options, GraphDamage(self, options.onDamage))
            try objectWriter.writeAlways(object, to: &writer)
        }
    }

    private func model(of objects: [NSManagedObject]) throws -> NSManagedObjectModel {
        try graftModel ?? objects.first.map(CompiledModel.model) ?? requiredModel()
    }

    /// Writes the results of a fetch as JSON.
    ///
    /// The objects stay in the context. For stores that don't fit into memory, export from the container.
    ///
    /// - Returns: How many objects were written, nested ones not counted.
    /// - Throws: ``GraftError``.
    @discardableResult
    public func exportJSON(
        _ request: NSFetchRequest<NSManagedObject>, to destination: ExportDestination,
        options: ExportOptions = ExportOptions(), progress: Progress? = nil
    ) throws -> Int {
        let run = ExportRun(context: self, options: options, progress: progress, releasesObjects: false)
        return try run.write(to: destination) { try run.write(request, to: &$0) }
    }

    /// Returns the results of a fetch as JSON.
    ///
    /// - Throws: ``GraftError``.
    public func exportJSON(
        _ request: NSFetchRequest<NSManagedObject>, options: ExportOptions = ExportOptions()
    ) throws -> Data {
        let run = ExportRun(context: self, options: options, progress: nil, releasesObjects: false)
        return try run.data { _ = try run.write(request, to: &$0) }
    }

    /// Writes the whole graph as one JSON object: every object once, in an array under its entity's name, so that an import
    /// makes an equal graph.
    ///
    /// - Parameters:
    ///   - entities: The entities, without their sub-entities; nil for all.
    ///   - destination: Where the JSON goes.
    ///   - options: What is written, and how.
    ///   - progress: Shows how far it is, and can cancel it.
    /// - Returns: How many objects were written.
    /// - Throws: ``GraftError``.
    @discardableResult
    public func exportJSON(
        of entities: [String]? = nil, to destination: ExportDestination, options: ExportOptions = ExportOptions(),
        progress: Progress? = nil
    ) throws -> Int {
        let run = ExportRun(context: self, options: options, progress: progress, releasesObjects: false)
        return try run.write(to: destination) { try run.writeDocument(of: entities, to: &$0) }
    }

    /// Returns the whole graph as one JSON object.
    ///
    /// - Throws: ``GraftError``.
    public func exportJSON(of entities: [String]? = nil, options: ExportOptions = ExportOptions()) throws -> Data {
        let run = ExportRun(context: self, options: options, progress: nil, releasesObjects: false)
        return try run.data { _ = try run.writeDocument(of: entities, to: &$0) }
    }
}
