// Exporting what a container's stores hold: on a background context of its own, some objects at a time.

public import CoreData
public import Foundation

/// Which objects to export.
public struct ExportRequest: @unchecked Sendable {
    // Safe to share: predicates and sort descriptors don't change once they are made.

    /// The entity, sub-entities included.
    public var entity: String
    /// Which of its objects; nil for all.
    public var predicate: NSPredicate?
    /// In which order; by default that of their making.
    public var sortDescriptors: [NSSortDescriptor] = []
    /// At most how many; nil for all.
    public var limit: Int?

    /// All objects of an entity.
    public init(entity: String) { self.entity = entity }

    func fetchRequest() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = sortDescriptors
        request.fetchLimit = limit ?? 0
        return request
    }
}

extension NSPersistentContainer {
    /// Writes the objects of an entity as JSON and waits for it. Memory doesn't grow with their number.
    ///
    /// - Returns: How many objects were written, nested ones not counted.
    /// - Throws: ``GraftError``.
    @discardableResult
    public func exportJSON(
        _ request: ExportRequest, to destination: ExportDestination, options: ExportOptions = ExportOptions(),
        progress: Progress? = nil
    ) throws -> Int {
        try export(to: destination, options, progress) { try $0.write(request.fetchRequest(), to: &$1) }
    }

    /// Writes the objects of an entity as JSON without blocking the caller. Cancelling the task ends the export.
    ///
    /// - Returns: How many objects were written, nested ones not counted.
    /// - Throws: ``GraftError``.
    @discardableResult
    public func exportJSON(
        _ request: ExportRequest, to destination: ExportDestination, options: ExportOptions = ExportOptions(),
        progress: Progress? = nil
    ) async throws -> Int {
        try await export(to: destination, options, progress) { try $0.write(request.fetchRequest(), to: &$1) }
    }

    /// Writes the whole graph as one JSON object, and waits for it: every object once, in an array under its entity's name, so that
    /// an import makes an equal graph.
    ///
    /// Memory doesn't grow with the objects but for an ID, a number and the identity of each.
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
        try export(to: destination, options, progress) { try $0.writeDocument(of: entities, to: &$1) }
    }

    /// Writes the whole graph as one JSON object without blocking the caller. Cancelling the task ends the export.
    ///
    /// - Returns: How many objects were written.
    /// - Throws: ``GraftError``.
    @discardableResult
    public func exportJSON(
        of entities: [String]? = nil, to destination: ExportDestination, options: ExportOptions = ExportOptions(),
        progress: Progress? = nil
    ) async throws -> Int {
        try await export(to: destination, options, progress) { try $0.writeDocument(of: entities, to: &$1) }
    }

    // MARK: Contexts

    private typealias Writing = @Sendable (ExportRun, inout JSONWriter) throws -> Int

    private func export(
        to destination: ExportDestination, _ options: ExportOptions, _ progress: Progress?, _ write: Writing
    ) throws -> Int {
        let context = newBackgroundContext()
        return try context.performAndWait { try Self.export(to: destination, options, progress, context, write) }
    }

    private func export(
        to destination: ExportDestination, _ options: ExportOptions, _ progress: Progress?, _ write: @escaping Writing
    ) async throws -> Int {
        let context = newBackgroundContext()
        let progress = progress ?? Progress(totalUnitCount: 0)
        return try await context.perform(cancelling: progress) {
            try Self.export(to: destination, options, progress, context, write)
        }
    }

    private static func export(
        to destination: ExportDestination, _ options: ExportOptions, _ progress: Progress?,
        _ context: NSManagedObjectContext, _ write: Writing
    ) throws -> Int {
        try context.readOneState()
        let run = ExportRun(context: context, options: options, progress: progress, releasesObjects: true)
        return try run.write(to: destination) { try write(run, &$0) }
    }
}
