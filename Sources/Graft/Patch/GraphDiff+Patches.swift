// JSON Patch and Merge Patch onto objects: the objects' export is patched, and what differs between the two texts
// becomes a diff, which is applied like any other. So objects keep their identity, and delete rules hold.

public import CoreData
import Foundation

extension GraphDiff {
    /// Makes the diff that a patch means for some objects, in the form in which
    /// ``CoreData/NSManagedObjectContext/json(of:options:)-([NSManagedObject],_)`` writes them: an array in their
    /// order.
    ///
    /// A member that the patched text doesn't have any more becomes null, in nested objects, too; an identifier in the
    /// place of an object only refers to one. Objects that a patch adds are new. Those that it removes from the array,
    /// or from a list whose object owns them, are deleted; others that it removes from a list stay, without that link.
    ///
    /// - Parameters:
    ///   - patch: The patch.
    ///   - objects: The objects, all of one entity. Call it on their context's queue.
    ///   - options: What takes part.
    /// - Throws: ``GraftError``: `inapplicablePatch`; `wrongType` and its kin for values that the model has no place
    ///   for; an error with both places for copies of an object that the patch changes in different ways.
    public init(
        _ patch: JSONPatch, on objects: [NSManagedObject], options: DiffOptions = DiffOptions()
    ) throws {
        try self.init(changing: objects, options) { try patch.applying(to: $0) }
    }

    /// Makes the diff that a patch means for one object, in the form in which
    /// ``CoreData/NSManagedObjectContext/json(of:options:)-(NSManagedObject,_)`` writes it.
    ///
    /// - Throws: As ``init(_:on:options:)-(JSONPatch,[NSManagedObject],_)``.
    public init(
        _ patch: JSONPatch, on object: NSManagedObject, options: DiffOptions = DiffOptions()
    ) throws {
        try self.init(changing: [object], isAlone: true, options) { try patch.applying(to: $0) }
    }

    /// Makes the diff that a merge patch means for one object, in the form in which
    /// ``CoreData/NSManagedObjectContext/json(of:options:)-(NSManagedObject,_)`` writes it.
    ///
    /// - Throws: As ``init(_:on:options:)-(JSONPatch,[NSManagedObject],_)``.
    public init(
        _ patch: JSONMergePatch, on object: NSManagedObject, options: DiffOptions = DiffOptions()
    ) throws {
        try self.init(changing: [object], isAlone: true, options) { patch.applying(to: $0) }
    }

    /// - Parameter isAlone: Whether the patch is about the one object, and not about a list of it.
    private init(
        changing objects: [NSManagedObject], isAlone: Bool = false, _ options: DiffOptions,
        _ change: (JSONValue) throws -> JSONValue
    ) throws {
        guard let first = objects.first, let context = first.managedObjectContext else {
            self.init()
            return
        }
        guard objects.allSatisfy({ $0.entity == first.entity }) else {
            throw GraftError(
                .ambiguousEntity(candidates: Set(objects.compactMap(\.entity.name)).sorted()))
        }
        // They are what the caller has; that one is added again only changes it.
        var conflicts: [Conflict] = []
        try self.init(
            changing: context.json(of: objects), of: objects, in: context, entity: first.entity.name,
            model: CompiledModel.model(of: first), options, conflicts: &conflicts, isAlone: isAlone
        ) { document in
            guard isAlone, case .array(let elements) = document, let first = elements.first else {
                return try change(document)
            }
            return .array([try change(first)])
        }
    }

    /// Makes the diff that a patch means for a context's objects: for the export of an entity, or for the JSON of the
    /// whole graph.
    ///
    /// - Parameters:
    ///   - change: Patches the export.
    ///   - context: The context. Call it on its queue.
    ///   - entity: The entity whose objects are exported; nil for the whole graph.
    ///   - options: What takes part.
    ///   - conflicts: Gets the objects that the patch adds although they are there. The diff changes them.
    /// - Throws: As ``init(_:on:options:)-(JSONPatch,[NSManagedObject],_)``, and what the closure throws.
    package init(
        changing context: NSManagedObjectContext, entity: String?, options: DiffOptions = DiffOptions(),
        conflicts: inout [Conflict], _ change: (JSONValue) throws -> JSONValue
    ) throws {
        let model = try context.requiredModel()
        let text =
            try entity.map { try context.exportJSON(NSFetchRequest<NSManagedObject>(entityName: $0)) }
            ?? context.exportJSON()
        try self.init(
            changing: text, in: context, entity: entity, model: model, options, conflicts: &conflicts, change)
    }

    private init(
        changing text: Data, of objects: [NSManagedObject] = [], in context: NSManagedObjectContext, entity: String?,
        model: NSManagedObjectModel, _ options: DiffOptions, conflicts: inout [Conflict], isAlone: Bool = false,
        _ change: (JSONValue) throws -> JSONValue
    ) throws {
        let patched = try JSONWriter.data(of: change(JSONValue(parsing: text)))
        var options = options
        // What comes of it is written.
        options.guessesKeys = options.guessesKeys ?? false
        var old = try GraphSnapshot(exported: text, entity: entity, model: model, options: ImportOptions())
        var new: GraphSnapshot
        // The objects of a whole graph are in it once.
        if let entity {
            let mapping = try GraphMapping(model, MappingOptions())
            func copies(_ text: Data, _ options: ImportOptions) throws -> GraphSnapshot {
                try GraphSnapshot(copiesIn: text, entity: entity, model, mapping, options)
            }
            new = try Self.reading(patched: patched, from: text, copies)
            try new.mergeCopies(since: copies(text, ImportOptions()), mapping, isAlone: isAlone)
        } else {
            new = try Self.reading(patched: patched, from: text) {
                try GraphSnapshot(json: $0, model: model, options: $1)
            }
        }
        // The export says something of every property, so what the patched text doesn't say was removed.
        (old.absence, new.absence) = (.null, .null)
        // An object that the patch has taken out of the whole graph is deleted, whoever still refers to it.
        if entity == nil { try new.dropReferences(toRootsOf: old, try DiffScope(new.schema, options)) }
        try self.init(from: old, to: new, options: options)
        // An export doesn't say all that an object holds, so its contents don't find it in the store.
        if let key = keys.first(where: { $0.position?.contents != nil }) {
            throw try unidentified(key, in: [new, old], options)
        }
        let identified = try new.identified(by: identification)
        conflicts += identified.repeatedRoots.map { Conflict($0, expected: .noObject, found: .object) }
        // The whole graph has all objects; an export of one entity also shows some that others only lead to.
        old = try old.identified(by: identification)
        if entity != nil { try leaveOut(old, identified, options) }
        self = try present(options.matchesRootsByPosition ? objects : [], in: context, export: old, options)
        let names = try ownNames(in: context, old.schema)
        if names.isEmpty { return }
        self = renaming(names)
        for index in conflicts.indices { conflicts[index].key = names[conflicts[index].key] ?? conflicts[index].key }
    }

    /// The error for an object that only its contents tell: its entity has no identity, or it lacks a part of it.
    private func unidentified(
        _ key: ObjectKey, in snapshots: [GraphSnapshot], _ options: DiffOptions
    ) throws -> GraftError {
        for snapshot in snapshots {
            let snapshot = try snapshot.identified(by: identification)
            let keys = RowKeys(
                snapshot, try DiffScope(snapshot.schema, options), hasUnidentified: true,
                matchesRootsByPosition: options.matchesRootsByPosition)
            let row = keys.rowsByContents.first { snapshot.schema.entities[$0.entity].name == key.entity }
            if let row { return keys.unidentified(row, snapshot) }
        }
        return GraftError.unidentifiedObjects(of: key.entity)
    }

    /// The diff with what the objects have as the values of before, whatever their export said of them.
    private func present(
        _ roots: [NSManagedObject], in context: NSManagedObjectContext, export: GraphSnapshot, _ options: DiffOptions
    ) throws -> GraphDiff {
        var patcher = try ObjectPatcher(
            context, roots: roots, GraphDiff.ApplyingOptions(diff: options), identification)
        // A link is said at both ends by the one that the export has.
        let export = try export.completingInverses()
        let index = RelatedIndex(export)
        return try CoreDataErrors.graftErrors {
            try context.withFaultsAsErrors {
                try patcher.present(self) { key, name in
                    guard let row = index.row(of: key, in: export) else { return true }
                    // The object may be of a sub-entity, and have more than its export tells of.
                    let number = export.schema.entities[row.entity].number(ofProperty: name)
                    return number.map { export.tables[row.entity].hasValue($0, row: row.row) } ?? false
                }
            }
        }
    }

    /// The keys by which a context has the objects of sub-entities: an export doesn't say of which entity they are.
    private func ownNames(
        in context: NSManagedObjectContext, _ schema: GraphSchema
    ) throws -> [ObjectKey: ObjectKey] {
        let keys = (deleted.map(\.key) + changed.map(\.key)).filter { key in
            guard key.position == nil, let number = schema.number(ofEntity: key.entity) else { return false }
            return schema.entities[number].end > number + 1
        }
        if keys.isEmpty { return [:] }
        var names: [ObjectKey: ObjectKey] = [:]
        for (key, object) in try context.objects(with: keys, in: identification) {
            guard let entity = object.entity.name, entity != key.entity else { continue }
            names[key] = key
            names[key]?.entity = entity
        }
        return names
    }

    /// Reads the patched export. A key that nothing is mapped to would be passed over, and what was meant by it be null.
    private static func reading(
        patched: Data, from text: Data, _ read: (Data, ImportOptions) throws -> GraphSnapshot
    ) throws -> GraphSnapshot {
        var strict = ImportOptions()
        strict.unknownKeys = .fail
        func isUnknownKey(_ error: any Error) -> Bool {
            if case .unknownKeys? = (error as? GraftError)?.problem { true } else { false }
        }
        do {
            return try read(patched, strict)
        } catch let error as GraftError where isUnknownKey(error) {
            do {
                _ = try read(text, strict)
            } catch let own where isUnknownKey(own) {
                // What the export itself has, the patch didn't bring.
                return try read(patched, ImportOptions())
            }
            throw error.asErrorOfPatch
        }
    }

    /// The objects that the diff names, again and again.
    private var keys: [ObjectKey] {
        (deleted + inserted).flatMap { [$0.key] + $0.properties.flatMap(\.value.ends) }
            + changed.flatMap { [$0.key] + $0.properties.flatMap(\.kind.ends) }
    }

    /// Leaves out the changes that conflicts are about: all of an object, or what is said of a property of it.
    package mutating func leaveOut(_ conflicts: [Conflict]) {
        let keys = Set(conflicts.filter { $0.property == nil }.map(\.key))
        deleted.removeAll { keys.contains($0.key) }
        inserted.removeAll { keys.contains($0.key) }
        changed.removeAll { keys.contains($0.key) }
        let names = Dictionary(grouping: conflicts, by: \.key).mapValues { Set($0.compactMap(\.property)) }
        for index in inserted.indices {
            guard let names = names[inserted[index].key] else { continue }
            inserted[index].properties.removeAll { names.contains($0.name) }
        }
        for index in changed.indices {
            guard let names = names[changed[index].key] else { continue }
            changed[index].properties.removeAll { names.contains($0.name) }
        }
        changed.removeAll { $0.properties.isEmpty }
    }

    /// Leaves out what the end of a mention would do to objects: those that nobody owns aren't deleted, and those that
    /// are now only referred to keep their values.
    private mutating func leaveOut(_ old: GraphSnapshot, _ new: GraphSnapshot, _ options: DiffOptions) throws {
        let scope = try DiffScope(old.schema, options)
        let owned = old.owned(by: old.rootReferences)
        let (oldIndex, newIndex) = (RelatedIndex(old), RelatedIndex(new))
        deleted = deleted.filter { contents in
            oldIndex.row(of: contents.key, in: old).map(owned.contains) ?? true
        }
        changed = changed.compactMap { change in
            guard let row = newIndex.row(of: change.key, in: new),
                new.isReference(row.entity, row.row, scope)
            else { return change }
            let links = change.properties.filter { property in
                if case .attribute = property.kind { false } else { true }
            }
            return links.isEmpty ? nil : ObjectChange(change.key, links)
        }
    }
}

extension GraftError {
    /// The error of an unknown key in a text that only a patch has made: lines and columns lead nowhere, and the patch is to be corrected.
    fileprivate var asErrorOfPatch: GraftError {
        guard case .unknownKeys(let keys, let closest, let known, _) = problem, let key = keys.first else {
            return self
        }
        let finding = "the patch sets the key '\(key)', which nothing is mapped to"
        let remedy =
            closest.first.map { "Did you mean '\($0)'?" }
            ?? "The keys there are \(known.prefix(12).map { "'\($0)'" }.joined(separator: ", "))\(known.count > 12 ? ", ..." : "")."
        return GraftError(.other(finding: finding, remedy: remedy), at: Place(path: place.path, entity: place.entity))
    }
}

extension GraphSnapshot {
    /// Takes the objects that are at the top of another snapshot, and here are only referred to, out of all relationships.
    fileprivate mutating func dropReferences(toRootsOf old: GraphSnapshot, _ scope: DiffScope) throws {
        let kept = Set(rootReferences.compactMap { identityKey(of: $0) })
        let removed = Set(old.rootReferences.compactMap { old.identityKey(of: $0) }).subtracting(kept)
        if removed.isEmpty { return }
        var gone: Set<RowReference> = []
        for entity in tables.indices {
            for row in liveRows(of: entity) where isReference(entity, row, scope) {
                let reference = RowReference(entity: entity, row: row)
                if identityKey(of: reference).map(removed.contains) ?? false { gone.insert(reference) }
            }
        }
        try takeOut(gone)
    }

    /// The objects that stand at the top of the text more than once, in their order.
    fileprivate var repeatedRoots: [ObjectKey] {
        var (seen, repeated): (Set<RowReference>, Set<RowReference>) = ([], [])
        return rootReferences.filter { !seen.insert($0).inserted && repeated.insert($0).inserted }
            .compactMap { identityKey(of: $0) }
    }
}

extension JSONValue {
    /// Reads a text that consists of one value.
    ///
    /// - Throws: ``GraftError`` with `invalidJSON` or `tooDeep`.
    package init(parsing data: Data) throws {
        var reader = JSONReader(data)
        _ = try reader.next()
        self = try reader.value()
        _ = try reader.next()
    }
}

extension JSONWriter {
    /// Returns a value as text.
    ///
    /// - Throws: ``GraftError`` with `tooDeep`.
    package static func data(of value: JSONValue, isPretty: Bool = false) throws -> Data {
        var options = Options()
        options.isPretty = isPretty
        var writer = JSONWriter(options: options)
        try writer.value(value)
        return try writer.finish()
    }
}
