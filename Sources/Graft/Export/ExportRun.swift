// An export from beginning to end: objects in batches, through a writer.

import CoreData
import Foundation

/// An export from one context. Runs on the context's queue.
struct ExportRun {
    let context: NSManagedObjectContext
    let options: ExportOptions
    let progress: Progress?
    /// Whether nobody else uses the context, so that objects can be let go after each batch.
    let releasesObjects: Bool

    /// Writes the results of a request: an array, or one object per line.
    ///
    /// - Returns: How many there were.
    func write(_ request: NSFetchRequest<NSManagedObject>, to writer: inout JSONWriter) throws -> Int {
        let model = try context.requiredModel()
        let name = request.entityName ?? ""
        guard model.entitiesByName[name] != nil else {
            throw GraftError.unknownEntity(name, among: model.entitiesByName.keys.sorted(), at: .init(entity: name))
        }
        let progress = try ObjectProgress(progress) { try context.count(for: request) }
        let damage = GraphDamage(context, options.onDamage)
        // A request that picks some objects isn't about the others.
        if request.predicate == nil, request.fetchLimit == 0, request.fetchOffset == 0 {
            try damage.noteStrayRows(of: [name])
        }
        let objectWriter = try ObjectWriter(model, options, damage)
        var batches = ObjectBatches(
            context: context, request: request, batchSize: options.batchSize,
            relationships: objectWriter.relationshipNames(of: name), releasesObjects: releasesObjects)
        batches.damage = damage
        var count = 0
        if options.format == .json { try writer.beginArray() }
        if releasesObjects,
            let rowWriter = StoredObjectWriter(
                model, objectWriter.form, entity: name, options, context, damage, objectWriter.losses)
        {
            try batches.forEachRows { rows in
                try progress.checkCancellation()
                try rowWriter.write(rows, to: &writer)
                count += rows.count
                progress.advance(by: rows.count)
            }
        } else {
            let root = objectWriter.plans.first { $0.name == name }?.number
            try batches.forEach { objects in
                try progress.checkCancellation()
                try objectWriter.prepare(objects)
                for object in objects where try objectWriter.write(object, to: &writer) {
                    try objectWriter.note(object, as: root, by: nil)
                    count += 1
                }
                progress.advance(by: objects.count)
            }
        }
        if options.format == .json { try writer.endArray() }
        for sentence in objectWriter.losses?.sentences ?? [] { options.onLoss?(sentence) }
        progress.finish()
        return count
    }

    /// Writes the document of the whole graph.
    ///
    /// - Parameter entities: The entities, without their sub-entities; nil for all.
    /// - Returns: How many objects it has.
    func writeDocument(of entities: [String]?, to writer: inout JSONWriter) throws -> Int {
        let model = try context.requiredModel()
        let mapping = try GraphMapping(model, options.mapping, isDocument: true)
        let chosen = try entities.map { try Set($0.map(mapping.schema.requiredNumber)) }
        let damage = GraphDamage(context, options.onDamage)
        var contents = try ArchivedObjects(
            context, mapping.schema, batchSize: options.batchSize, releasesObjects: releasesObjects)
        try contents.addAll(damage)
        let isWritten = contents.plan.entities.map { chosen?.contains($0.number) ?? true }
        let progress = ObjectProgress(progress) {
            zip(contents.ids, isWritten).reduce(0) { $0 + ($1.1 ? $1.0.count : 0) }
        }
        try progress.checkCancellation()
        var names = DocumentNames(contents.plan)
        try contents.sortByIdentity { id, entity, identity in
            // What JSON can't tell identifies nothing.
            if !names.add(entity, identity: identity.allSatisfy(\.hasJSONForm) ? identity : []) {
                try damage.noteDuplicate(id, identity.words)
            }
        }
        contents.number()
        let records = try GraphRecords(contents, isExact: false, damage)
        noteOneSidedLinks(records.contents, isWritten)
        var document = try DocumentWriter(
            mapping, records.contents.plan, names, sortsKeys: options.sortsKeys, isWritten: isWritten)
        var identities = RelatedIdentities(records.contents.plan)
        try document.begin(&writer)
        try records.forEach(progress, of: { chosen?.contains($0.number) ?? true }) { record in
            if !identities.add(record) {
                try damage.noteDuplicate(records.contents.id(of: record), identities.words(for: record, names))
            }
            try document.write(record, to: &writer)
        }
        try document.end(&writer)
        progress.finish()
        return document.count
    }

    /// Tells of links that an import sets at both ends, and the store has at one.
    private func noteOneSidedLinks(_ contents: ArchivedObjects, _ isWritten: [Bool]) {
        guard let onLoss = options.onLoss else { return }
        let written = Set(zip(contents.plan.entities, isWritten).filter(\.1).map(\.0.archived.name))
        for (relationship, owners) in contents.oneSidedLinks {
            let count = owners.count { written.contains($0.entity.name ?? "") }
            if count == 0 { continue }
            let entity = contents.plan.schema.entities[relationship.entity]
            let subject = count == 1 ? "1 link is" : "\(count) links are"
            onLoss(
                "\(entity.name).\(entity.properties[relationship.property].name): \(subject) at this end alone in the store, "
                    + "and an import of this JSON sets both ends. graft archive keeps what the store has.")
        }
    }

    /// Runs a closure with a writer into a place; errors come out as ``GraftError``.
    func write(
        to destination: ExportDestination, _ body: (inout JSONWriter) throws -> Int
    ) throws -> Int {
        try CoreDataErrors.graftErrors {
            try destination.write { handle in
                var writer = JSONWriter(handle, options: options.writerOptions)
                let count = try context.withFaultsAsErrors { try body(&writer) }
                _ = try writer.finish()
                return count
            }
        }
    }

    /// Runs a closure with a writer into memory.
    func data(_ body: (inout JSONWriter) throws -> Void) throws -> Data {
        try CoreDataErrors.graftErrors {
            var writer = JSONWriter(options: options.writerOptions)
            try context.withFaultsAsErrors { try body(&writer) }
            return try writer.finish()
        }
    }
}

extension ExportOptions {
    /// The form of the text.
    var writerOptions: JSONWriter.Options {
        var writer = JSONWriter.Options()
        writer.isPretty = isPretty && format == .json
        writer.sortsKeys = sortsKeys
        return writer
    }
}
