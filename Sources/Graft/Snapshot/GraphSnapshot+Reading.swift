// From JSON to a whole snapshot, where it fits into memory. No context is needed, only the model.

public import CoreData
import Foundation

extension GraphSnapshot {
    /// Reads JSON: an array of objects, one object, objects one after the other, or an archive.
    ///
    /// Each object becomes one row, however often it occurs, and what is said later of one wins.
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - entity: The entity of its objects; may be left out where the model has one entity to which no relationship
    ///     leads, and for archives.
    ///   - model: The model whose annotations say how objects stand in JSON.
    ///   - options: Its limits and format are heeded.
    /// - Throws: ``GraftError`` with the place in the text.
    public init(
        json: Data, entity: String? = nil, model: NSManagedObjectModel, options: ImportOptions = ImportOptions()
    ) throws {
        var reader = SnapshotReader(
            try ImportSource.data(json).makeReader(options), mapping: try GraphMapping(model, options.mapping),
            entityName: entity
        ) { try GraphMapping(model, options.mapping, isArchive: true) }
        reader.startBatch()
        while try reader.readBatch(rowLimit: .max) {}
        self = reader.takeBatch()
    }
}
