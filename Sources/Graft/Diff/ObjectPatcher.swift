// A diff applied to managed objects. The objects that it names are found, become a snapshot with what they lead to, and the
// diff is applied to that by SnapshotPatcher, so that both mean the same; what it touched is then repeated on the objects.
// Until then nothing has changed, and what can fail has failed. ObjectPatcher+Finding.swift finds the objects.

import CoreData

/// Applies one diff to the objects of a context. Runs on its queue.
struct ObjectPatcher {
    let context: NSManagedObjectContext
    let model: NSManagedObjectModel
    let scope: DiffScope
    private let options: GraphDiff.ApplyingOptions
    let known: ContextObjects
    let roots: [NSManagedObject]
    let identification: GraphDiff.Identification
    var objects: [ObjectKey: NSManagedObject] = [:]
    /// The objects that only their contents tell apart, by these.
    var objectsByContents: [ObjectKey: NSManagedObject] = [:]

    /// - Parameter identification: What tells the objects apart that the diff is about.
    /// - Throws: ``GraftError`` for a diff by the rows of another store.
    init(
        _ context: NSManagedObjectContext, roots: [NSManagedObject], _ options: GraphDiff.ApplyingOptions,
        _ identification: GraphDiff.Identification
    ) throws {
        let model = try context.requiredModel()
        self.context = context
        self.model = model
        self.roots = roots
        self.options = options
        self.identification = identification
        if identification.store != nil { try identification.requireLineage(context.lineage()) }
        scope = try DiffScope(GraphSchema(model).identified(by: identification), options.diff)
        known = try ContextObjects(context, scope.schema, model)
    }

    /// Applies the diff.
    ///
    /// - Parameter isDryRun: Whether limits of deletions are noted in the report only.
    /// - Throws: ``GraftError``. The context is then as it was before.
    mutating func apply(_ diff: GraphDiff, isDryRun: Bool) throws -> GraphDiff.ApplyingReport {
        let diff = diff.kept(context.rounding)
        let reader = try read(diff)
        var snapshot = reader.snapshot
        // Those that were given are told by their places, and what they own by them.
        let given = roots.filter { !$0.isDeleted }.distinctObjects.count
        if given > 0 { snapshot.roots.removeSubrange(given...) }
        var patcher = SnapshotPatcher(snapshot, scope, options, unknownIsMissing: true)
        try patcher.apply(diff)
        try checkEntities(of: patcher)
        let exceeded = try patcher.exceededLimits(options) { try context.count(for: known.request($0)) }
        if !isDryRun, let first = exceeded.first { throw first.error }
        patcher.report.exceededLimits = exceeded.map(\.sentence)
        let editor = ObjectEditor(context, scope.schema)
        try editor.atomically { try repeatChanges(patcher, reader, editor) }
        return patcher.report
    }

    /// Finds the objects that a diff names, and reads what they have.
    mutating func read(_ diff: GraphDiff) throws -> ObjectSnapshotReader {
        let presence = PresenceCheck()
        for root in roots { try presence.require(root) }
        let own = Set((diff.deleted + diff.inserted).map(\.key) + diff.changed.map(\.key))
        try find(keys(of: diff), own: own)
        var whole: [NSManagedObject] = roots
        for key in diff.changed.map(\.key) + diff.inserted.map(\.key) {
            if let object = objects[key] { whole.append(object) }
        }
        let deleted = diff.deleted.compactMap { objects[$0.key] }
        // With what is owned no more: delete rules may reach it.
        let going = known.withOwned(deleted)
        whole += going
        whole += try wayObjects(of: diff)
        whole += objectsByContents.sorted { $0.key < $1.key }.map(\.value)
        var reader = ObjectSnapshotReader(scope, model, .current)
        reader.going = Set(going.map(ObjectIdentifier.init))
        if identification.store != nil { try reader.takeRows(of: context, identification) }
        try reader.read(
            whole.filter { !$0.isDeleted }.distinctObjects,
            references: Array(objects.sorted { $0.key < $1.key }.map(\.value)), isFollowing: false)
        return reader
    }

    /// Has the store remember which rows of the other side the diff gives other numbers here.
    func part(after diff: GraphDiff) throws {
        if identification.store == nil { return }
        var limits: [String: Int64] = [:]
        var mixed: Set<String> = []
        // What wasn't saved there will get a number of its own there.
        let unsaved = Set(diff.inserted.filter { !$0.key.isRow }.map(\.key.entity))
        for entity in Set(diff.inserted.map(\.key.entity)) {
            guard case .row(let limit, let isMarked)? = identification.rules[entity] else { continue }
            let number = try scope.schema.requiredNumber(ofEntity: entity)
            let root = scope.schema.entities[scope.schema.root(of: number)].name
            limits[root] = min(limit, limits[root] ?? limit)
            if isMarked || unsaved.contains(entity) { mixed.insert(root) }
        }
        if !limits.isEmpty { try context.part(at: limits, mixed: mixed) }
    }

    private func checkEntities(of patcher: SnapshotPatcher) throws {
        for row in patcher.newRows where scope.schema.entities[row.entity].isAbstract {
            throw GraftError.abstractEntity(
                remedy: "Insert an object of one of its sub-entities, or make it concrete.",
                at: .init(entity: scope.schema.entities[row.entity].name))
        }
    }

    // MARK: Finding objects

    /// All objects that a diff names.
    private func keys(of diff: GraphDiff) -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for contents in diff.deleted + diff.inserted {
            keys.insert(contents.key)
            for property in contents.properties { keys.formUnion(property.value.ends) }
        }
        for change in diff.changed {
            keys.insert(change.key)
            for property in change.properties { keys.formUnion(property.kind.ends) }
        }
        return keys
    }

    /// The objects that the ways to objects without identity lead through: their places have to be known.
    private func wayObjects(of diff: GraphDiff) throws -> [NSManagedObject] {
        try keys(of: diff).filter { $0.position != nil }.sorted().flatMap { key in
            let start = key.position?.start.flatMap { objects[$0] }
            return try (start.map { [$0] } ?? []) + walk(to: key)
        }
    }

    // MARK: Changing objects

    /// Repeats on the objects what was done to the snapshot. Each relationship is set to what it leads to now, so the order in
    /// which they are set doesn't matter: Core Data's own care for the other side never undoes one of them.
    private func repeatChanges(
        _ patcher: SnapshotPatcher, _ reader: ObjectSnapshotReader, _ editor: ObjectEditor
    ) throws {
        var objects = reader.objectsByRow
        for row in patcher.newRows {
            let object = known.make(row.entity)
            editor.madeWhole(object)
            objects[row] = object
            let name = patcher.snapshot.tables[row.entity].rowName(row.row)
            if let number = GraphSnapshot.RowName.number(in: name) { context.wish(forRow: number, of: object) }
            for number in scope.schema.entities[row.entity].identityAttributes {
                try assign(number, of: row, object, patcher, editor)
            }
        }
        for cell in patcher.assignments {
            if let object = objects[cell.row] { try assign(cell.property, of: cell.row, object, patcher, editor) }
        }
        for (cell, list) in patcher.links.sorted(by: { $0.key < $1.key }) {
            guard let object = objects[cell.row] else { continue }
            let ends = list.rows.compactMap { objects[$0] }
            let property = scope.schema.entities[cell.row.entity].properties[cell.property]
            if property.isToMany {
                try editor.connect(cell.property, property, of: object, to: ends)
            } else {
                try editor.connect(cell.property, property, of: object, to: ends.first)
            }
        }
        let deleted = patcher.deletedRows.compactMap { objects[$0] }
        try known.takeOut(deleted, editor)
        try editor.delete(deleted)
    }

    private func assign(
        _ number: Int, of row: RowReference, _ object: NSManagedObject, _ patcher: SnapshotPatcher,
        _ editor: ObjectEditor
    ) throws {
        let property = scope.schema.entities[row.entity].properties[number]
        let value = patcher.snapshot.tables[row.entity].value(property.column, row: row.row)
        _ = try editor.set(value, number, property, of: object)
    }
}
