// From a source to a whole snapshot, where it fits into memory: the one door for JSON, archives and stores. No context is needed,
// only the model.

public import CoreData
import Foundation

extension GraphSnapshot {
    /// Reads a graph: JSON or NDJSON, an archive, or a store. Its bytes tell what it is.
    ///
    /// Of JSON, each object becomes one row, however often it occurs, and what is said later of one wins. What it says is gone, an
    /// import deletes, and a comparison takes for missing. An archive and a store give every object with everything that it has.
    ///
    /// - Parameters:
    ///   - source: The file, the bytes or the pipe. A store has to be a file.
    ///   - entity: The entity of JSON's objects; may be left out where the model has one entity to which no relationship
    ///     leads, and where a file is named after one of several (`heroes.json`). Of an archive or a store, the entity to
    ///     read, with its sub-entities and what they own; nil for all.
    ///   - model: The model whose annotations say how objects stand in JSON.
    ///   - options: Its limits, format and mapping are heeded, and what it says of unknown keys.
    /// - Throws: ``GraftError`` with the place in the text; with `wrongKind` for a source that is no graph, such as a diff.
    public init(
        reading source: ImportSource, entity: String? = nil, model: NSManagedObjectModel,
        options: ImportOptions = ImportOptions()
    ) throws {
        try self.init(
            reading: source.named(for: entity, model), entity: entity, model: model,
            mapping: GraphMapping(model, options.mapping), options: options)
    }

    /// Reads a graph as ``init(reading:entity:model:options:)`` does, with a mapping of the model that was made before.
    package init(
        reading source: ImportSource, entity: String? = nil, model: NSManagedObjectModel, mapping: GraphMapping,
        options: ImportOptions = ImportOptions()
    ) throws {
        if let entity { _ = try mapping.entity(named: entity) }
        let name = source.entity ?? entity
        let hasList = try source.hasDeletedList(name, mapping)
        let text = hasList ? try source.rereadable() : source
        defer { if !source.isTemporary { text.removeTemporaryFile() } }
        var reader = try JSONSnapshotReader(text, model, mapping, entityName: name, options)
        reader.readsDeletions(of: text)
        try self.init(reader)
        if hasList { try readGone(in: text.deletedList(), model, mapping, name, options) }
    }

    /// Reads what Graft has exported, to be patched. An object that an attribute of it calls gone is there like any other.
    init(exported text: Data, entity: String?, model: NSManagedObjectModel, options: ImportOptions) throws {
        let mapping = try GraphMapping(model, options.mapping)
        try self.init(JSONSnapshotReader(.data(text), model, mapping, entityName: entity, options))
    }

    private init(_ reader: consuming JSONSnapshotReader) throws {
        var reader = reader
        reader.startBatch()
        while try reader.readBatch(rowLimit: .max) {}
        self = reader.takeBatch()
        let isText = absence == .unknown && !reader.mapping.isDocument
        if isText {
            try settleLinks()
            noteAddedMembers()
        } else {
            try addUpLists { _, _, _ in true }
            (earlier, times) = ([], [:])
        }
        if absence == .unknown { keepUnnamedObjects() }
    }

    /// Lets rows that name nothing be objects: `{}` refers to nobody.
    private mutating func keepUnnamedObjects() {
        for row in allRows where !schema.entities[row.entity].hasIdentity && saysNothing(row) {
            tables[row.entity].flags[row.row].insert(.whole)
        }
    }

    private func saysNothing(_ row: RowReference) -> Bool {
        !schema.entities[row.entity].properties.indices.contains { tables[row.entity].hasValue($0, row: row.row) }
    }

    /// Marks what the list beside the records says is gone.
    private mutating func readGone(
        in list: ImportSource, _ model: NSManagedObjectModel, _ mapping: GraphMapping, _ name: String?,
        _ options: ImportOptions
    ) throws {
        var reader = try JSONSnapshotReader(list, model, mapping, entityName: name, options)
        reader.readsDeletions(of: list)
        reader.snapshot = self
        while try reader.readBatch(rowLimit: .max) {}
        self = reader.takeBatch()
    }

    /// Reads a graph from memory, as ``init(reading:entity:model:options:)`` does.
    ///
    /// - Throws: As that.
    public init(
        json: Data, entity: String? = nil, model: NSManagedObjectModel, options: ImportOptions = ImportOptions()
    ) throws {
        try self.init(reading: .data(json), entity: entity, model: model, options: options)
    }
}

extension JSONSnapshotReader {
    /// Makes a reader of a source, whatever it holds.
    ///
    /// - Parameters:
    ///   - entityName: The entity of JSON's objects, and that to be read of an archive or a store.
    ///   - isForImport: Whether an archive and a store say each link once. At its other end, others may be linked, too: the
    ///     members that only the destination has are none of the data's business. Of a part, links are left out to what nobody can
    ///     find.
    /// - Throws: ``GraftError``, with `wrongKind` for a source that is no graph.
    init(
        _ source: ImportSource, _ model: NSManagedObjectModel, _ mapping: GraphMapping, entityName: String?,
        _ options: ImportOptions, isForImport: Bool = false
    ) throws {
        let kind = try source.kind(of: entityName, in: mapping.schema)
        switch kind {
        case .archive, .store:
            var graph =
                try kind == .store
                ? source.storeSnapshot(model, entity: entityName)
                : ArchiveSnapshot.read(GraphArchive(source), model, mapping.schema, entity: entityName)
            let leftOut = isForImport && entityName != nil ? try graph.leaveOutLinksFromPart() : [:]
            if isForImport { graph.sayLinksOnce() }
            self.init(graph, mapping: mapping)
            leftOutLinks = leftOut
        case .jsonPatch where Self.hasOperations(mapping, entityName): fallthrough
        case .json, .text, .empty:
            self.init(try source.makeReader(options), mapping: mapping, entityName: entityName)
            unknownKeyPolicy = options.unknownKeys
        case .export:
            let mapping = try GraphMapping(model, options.mapping, isDocument: true)
            self.init(try source.makeReader(options), mapping: mapping, entityName: nil)
            unknownKeyPolicy = options.unknownKeys
        case .other, .diff, .jsonPatch, .tracker, .report: throw kind.refusal(for: .graph, source: source.name)
        }
    }

    /// Whether records may look like the operations of a JSON Patch.
    private static func hasOperations(_ mapping: GraphMapping, _ name: String?) -> Bool {
        // Which entity is asked for is said by the reader.
        guard let entity = try? mapping.entity(named: name) else { return false }
        return ["op", "path"].allSatisfy(mapping.entities[entity].keys.table.keys.contains)
    }
}

extension GraphSnapshot {
    /// Makes one side of each relationship absent, as an archive has it: the other one says it all.
    fileprivate mutating func sayLinksOnce() {
        let plan = ArchivePlan(schema)
        for pair in plan.oneToOnes { sayLinks(of: pair.other, by: pair.written) }
        for entity in plan.entities {
            let said = Set(entity.properties)
            let identity = schema.entities[entity.number].relatedIdentity
            for (number, property) in schema.entities[entity.number].properties.enumerated()
            where !property.isAttribute && !said.contains(number) {
                for row in 0..<tables[entity.number].count {
                    tables[entity.number].markAbsent(number, row: row)
                    if !identity.contains(number) { tables[entity.number].clear(property, row: row) }
                }
            }
        }
    }
}

extension ImportSource {
    /// Reads a store, of which not a byte changes.
    ///
    /// - Throws: ``GraftError``; what opening the store throws.
    fileprivate func storeSnapshot(_ model: NSManagedObjectModel, entity: String?) throws -> GraphSnapshot {
        guard case .file(let url) = content else {
            throw GraftError(
                .wrongKind(
                    found: "the bytes of a store", expected: "a store's file",
                    remedy: "Name its file, on the command line or as ImportSource.file(_:)."),
                at: .init(source: name))
        }
        let description = NSPersistentStoreDescription(url: url)
        description.isReadOnly = true
        // A store of another version of the model is an error, not something to convert on the way.
        description.shouldMigrateStoreAutomatically = false
        description.shouldInferMappingModelAutomatically = false
        let container = NSPersistentContainer(name: "graft", managedObjectModel: model)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = failure ?? $1 }
        if let failure { throw failure }
        let context = container.newBackgroundContext()
        var options = DiffOptions()
        // What the model leaves out of diffs is part of the graph nevertheless.
        for entity in try GraphSchema(model).entities {
            for property in entity.properties where property.diffRole == .exclude {
                options.included.insert(.init(entity.name, property.name))
            }
        }
        let snapshot: GraphSnapshot
        do {
            snapshot = try context.performAndWait { [options] in
                try GraphSnapshot(of: context, entities: entity.map { [$0] }, options: options)
            }
        } catch let error as GraftError {
            throw error.located(in: .init(source: name))
        }
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
        return snapshot
    }
}

extension GraphSnapshot {
    /// Has the end of a one-to-one relationship that is said have what its other end alone has.
    fileprivate mutating func sayLinks(of other: ArchivePlan.OneToOne, by written: ArchivePlan.OneToOne) {
        var said: Set<RowReference> = []
        for entity in schema.entities.indices where schema.isEntity(entity, kindOf: written.entity) {
            let column = schema.entities[entity].properties[written.property].column
            for row in 0..<tables[entity].count { said.insert(tables[entity].toOne(column, row: row)) }
        }
        for entity in schema.entities.indices where schema.isEntity(entity, kindOf: other.entity) {
            let column = schema.entities[entity].properties[other.property].column
            for row in 0..<tables[entity].count where !tables[entity].flags[row].contains(.dead) {
                let end = tables[entity].toOne(column, row: row)
                if end.isNone || said.contains(RowReference(entity: entity, row: row)) { continue }
                let property = schema.entities[end.entity].properties[written.property]
                guard tables[end.entity].toOne(property.column, row: end.row).isNone else { continue }
                tables[end.entity].setToOne(RowReference(entity: entity, row: row), property.column, row: end.row)
                tables[end.entity].markPresent(written.property, row: end.row)
            }
        }
    }
}
