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
        try ImportErrors.graftErrors {
            try destination.write { handle in try write(roots, JSONWriter.sink(into: handle)) }
        }
    }

    /// Writes the archive into memory.
    func data(_ roots: [NSManagedObject]?) throws -> Data {
        final class Collector { var bytes = ByteBuffer(capacity: 1 << 16) }
        let collector = Collector()
        _ = try ImportErrors.graftErrors { try write(roots) { collector.bytes.append($0) } }
        return collector.bytes.data
    }

    private func write(
        _ roots: [NSManagedObject]?, _ sink: @escaping JSONWriter.ByteSink
    ) throws -> GraphArchive.Header {
        guard let model = context.graftModel else {
            throw GraftError(.missingModel(reason: "the context has no persistent store coordinator"))
        }
        let lineage = try context.lineage()
        var contents = ArchiveContents(
            ArchivePlan(try GraphSchema(model), hasRows: lineage != nil), model, context, batchSize: options.batchSize,
            releasesObjects: releasesObjects)
        if let roots { try contents.add(reachedFrom: roots) } else { try contents.addAll() }
        let progress = ExportProgress(progress) { contents.count }
        try progress.checkCancellation()
        if options.encoding == .json { try contents.nameAndSort() }
        contents.number()

        let entities = contents.plan.entities.map(\.archived)
        let encoder: any ArchiveEncoder =
            switch options.encoding {
            case .json: LineArchiveEncoder(entities, names: contents.names, sink: sink)
            case .binary: BlockArchiveEncoder(entities, isCompressed: options.isCompressed, sink: sink)
            }
        var header = header(contents, model)
        header.lineage = lineage
        let links = ArchiveLinks(contents.plan, onDamage: options.onDamage)
        try encoder.begin(header, model: options.includesModel ? ArchivePacking.data(of: model) : nil)
        var number = 0
        for (index, entity) in contents.plan.entities.enumerated() {
            // One for all objects: to make its lists costs as much as to fill them.
            var record = ArchiveRecord(entity.archived, index, number: number)
            try contents.forEachBatch(of: index) { objects in
                try progress.checkCancellation()
                try readMembers(of: objects, entity, contents)
                for object in objects {
                    record.number = number
                    try read(object, contents, links, into: &record)
                    try encoder.write(record)
                    number += 1
                }
                progress.advance(by: objects.count)
            }
        }
        try links.checkOtherEnds()
        try encoder.end()
        progress.finish()
        return header
    }

    private func header(_ contents: ArchiveContents, _ model: NSManagedObjectModel) -> GraphArchive.Header {
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

    // MARK: Objects

    /// Reads which members objects have, with one question for each relationship. A store that can't be read throws here, where a
    /// fault would stop the process.
    private func readMembers(
        of objects: [NSManagedObject], _ entity: ArchivePlan.Entity, _ contents: ArchiveContents
    ) throws {
        let properties = contents.plan.schema.entities[entity.number].properties
        for number in entity.properties where properties[number].isToMany {
            try context.readMemberIDs(number, properties[number], of: objects)
        }
    }

    private func read(
        _ object: NSManagedObject, _ contents: ArchiveContents, _ links: ArchiveLinks, into record: inout ArchiveRecord
    ) throws {
        let entity = contents.plan.entities[record.entity]
        let properties = contents.plan.schema.entities[entity.number].properties
        for (item, number) in zip(entity.archived.items, entity.properties) {
            do {
                try read(item, number, properties[number], of: object, contents, links, into: &record)
            } catch {
                throw ImportErrors.graftError(error).located(
                    in: .init(entity: entity.archived.name, property: item.name))
            }
        }
        if let column = entity.archived.rowColumn {
            record.values[column] = object.rowNumber.map { .integer($0) } ?? .null
        }
        links.noteOtherEnds(of: object, record.entity)
    }

    @inline(__always)
    private func read(
        _ item: ArchiveEntity.Item, _ number: Int, _ property: GraphSchema.Property, of object: NSManagedObject,
        _ contents: ArchiveContents, _ links: ArchiveLinks, into record: inout ArchiveRecord
    ) throws {
        switch item.form {
        case .attribute: record.values[item.column] = try object.archivedValue(number, property)
        case .toOne:
            record.destinations[item.column] = ArchiveRecord.none
            guard let id = object.destinationID(number, property) else { return }
            guard let destination = contents.number(id) else {
                return try links.noteMissing(id, of: item.name, from: object)
            }
            record.destinations[item.column] = destination
            links.note(number, property, from: object, to: id)
        case .toMany(let isOrdered):
            record.members[item.column].removeAll(keepingCapacity: true)
            for id in object.memberIDs(number, property) {
                guard let member = contents.number(id) else {
                    try links.noteMissing(id, of: item.name, from: object)
                    continue
                }
                record.members[item.column].append(member)
            }
            // An unordered relationship has the order of the archive, which is the same every time.
            if !isOrdered { record.members[item.column].sort() }
        }
    }
}
