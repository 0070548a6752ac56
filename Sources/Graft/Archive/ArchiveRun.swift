// Writing an archive from beginning to end: choose, number, then objects in batches through an encoder.

import CoreData
import Foundation

/// The writing of one archive. Runs on the context's queue.
struct ArchiveRun {
    let context: NSManagedObjectContext
    let options: GraphArchive.WritingOptions
    let progress: Progress?
    /// Whether nobody else uses the context, so that objects can be let go after each batch.
    let releasesObjects: Bool

    /// Writes the archive to a place.
    ///
    /// - Parameter roots: The objects to begin with; nil for all.
    /// - Throws: ``GraftError``; a file is then as it was.
    func write(_ roots: [NSManagedObject]?, to destination: ExportDestination) throws -> GraphArchive.Header {
        try CoreDataErrors.graftErrors {
            try destination.write { handle in
                try context.withFaultsAsErrors { try write(roots, JSONWriter.sink(into: handle)) }
            }
        }
    }

    /// Writes the archive into memory.
    func data(_ roots: [NSManagedObject]?) throws -> Data {
        final class Collector { var bytes = ByteBuffer(capacity: 1 << 16) }
        let collector = Collector()
        _ = try CoreDataErrors.graftErrors {
            try context.withFaultsAsErrors { try write(roots) { collector.bytes.append($0) } }
        }
        return collector.bytes.data
    }

    private func write(
        _ roots: [NSManagedObject]?, _ sink: @escaping JSONWriter.ByteSink
    ) throws -> GraphArchive.Header {
        let damage = GraphDamage(context, options.onDamage)
        let lineage = try damage.lineage()
        var contents = try ArchivedObjects(
            context, hasRows: lineage != nil, batchSize: options.batchSize, releasesObjects: releasesObjects)
        if let roots { try contents.add(reachedFrom: roots) } else { try contents.addAll(damage) }
        let progress = ObjectProgress(progress) { contents.count }
        try progress.checkCancellation()
        var namer = ArchiveNames()
        var names: [String] = []
        if options.encoding == .json {
            let entities = contents.plan.entities.map(\.archived.name)
            try contents.sortByIdentity { id, entity, identity in
                names.append(namer.name(id, entities[entity], identity: Array(identity)))
            }
        }
        contents.number()

        let records = try GraphRecords(contents, isExact: true, damage)
        let entities = records.contents.plan.entities.map(\.archived)
        let encoder: any ArchiveEncoder =
            switch options.encoding {
            case .json: LineArchiveEncoder(entities, names: names, sink: sink)
            case .binary: BlockArchiveEncoder(entities, isCompressed: options.isCompressed, sink: sink)
            }
        let model = contents.model
        var header = header(records.contents, model)
        header.lineage = lineage
        try encoder.begin(header, model: options.includesModel ? ArchivePacking.data(of: model) : nil)
        try records.forEach(progress) { try encoder.write($0) }
        try encoder.end()
        if roots == nil { try noteSharedValues(contents.plan.schema) }
        progress.finish()
        return header
    }

    /// Tells of objects that share what the model says is unique: the store has lost the index that forbids it.
    private func noteSharedValues(_ schema: GraphSchema) throws {
        guard let onLoss = options.onLoss else { return }
        for entity in schema.entities {
            let inherited = entity.parent.map { schema.entities[$0].uniqueness } ?? []
            for constraint in entity.uniqueness where !inherited.contains(constraint) {
                let names = constraint.map { entity.properties[$0].name }
                guard let values = try context.sharedValues(of: names, entity.name) else { continue }
                let shown = names.map { "\($0) \(values[$0].map { "\($0)" } ?? "null")" }.joined(separator: ", ")
                onLoss(
                    "\(entity.name): several objects have \(shown), which the model says is unique. The archive has all of "
                        + "them, and a store of that model takes one: correct the others (graft check lists them), and archive "
                        + "the store again.")
            }
        }
    }

    private func header(_ contents: ArchivedObjects, _ model: NSManagedObjectModel) -> GraphArchive.Header {
        let schema = contents.plan.schema
        let hashes = model.entityVersionHashesByName
        let entities = contents.plan.entities.enumerated().map { index, entity in
            GraphArchive.Header.Entity(
                name: entity.archived.name,
                superentity: schema.entities[entity.number].parent.map { schema.entities[$0].name },
                versionHash: hashes[entity.archived.name] ?? Data(), objectCount: contents.ids[index].count,
                properties: entity.archived.items.map {
                    .init(name: $0.name, type: $0.form.type, destination: $0.destination)
                })
        }
        return GraphArchive.Header(
            version: GraphArchive.formatVersion, encoding: options.encoding, modelChecksum: model.versionChecksum,
            entities: entities)
    }
}
