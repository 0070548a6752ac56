// The JSON that an export would write of a snapshot: its objects are made in a context of their own, in memory, and exported. None
// of them is of a class of the program's, so that no code of it runs.

import CoreData
import Foundation

/// Writes snapshots as an export does.
struct SnapshotDocuments {
    private let model: NSManagedObjectModel
    private let schema: GraphSchema
    private var options: DiffOptions

    init(_ model: NSManagedObjectModel, _ options: DiffOptions) throws {
        guard let copy = model.copy() as? NSManagedObjectModel else {
            throw GraftError(.missingModel(reason: "the context's model can't be copied"))
        }
        for entity in copy.entities { entity.managedObjectClassName = "NSManagedObject" }
        self.model = copy
        schema = try GraphSchema(copy)
        self.options = options
        // What is rendered is known by its place or its contents, where the model says nothing.
        self.options.guessesKeys = false
    }

    /// Returns the JSON of an object, null where it isn't there; without a key, that of the whole graph.
    ///
    /// - Throws: ``GraftError``.
    func document(of snapshot: GraphSnapshot, _ key: ObjectKey?) throws -> JSONValue {
        guard let key else { return try JSONValue(parsing: snapshot.json(model: model)) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return try context.performAndWait {
            try context.apply(
                contents(of: snapshot), options: GraphDiff.ApplyingOptions(conflicts: .force, diff: options))
            guard let key = try self.key(key, in: snapshot) else { return .null }
            var finder = try ObjectPatcher(context, roots: [], GraphDiff.ApplyingOptions(diff: options), .init())
            try finder.find([key], own: [])
            return try finder.objects[key].map { try JSONValue(parsing: context.json(of: $0)) } ?? .null
        }
    }

    /// What an object is called where its row doesn't count; nil where it isn't there.
    private func key(_ key: ObjectKey, in snapshot: GraphSnapshot) throws -> ObjectKey? {
        guard key.isRow else { return key }
        let identification = try IdentityDecision(snapshot.schema, options, [snapshot]).identification
        guard let row = try snapshot.identified(by: identification).row(of: key) else { return nil }
        let keys = RowKeys(
            snapshot, try DiffScope(snapshot.schema, options), hasUnidentified: true, matchesRootsByPosition: false)
        return try keys.key(of: row, snapshot)
    }

    /// All objects of a snapshot as new ones, and those that it only refers to with their identity.
    private func contents(of snapshot: GraphSnapshot) throws -> GraphDiff {
        var diff = try GraphDiff(from: GraphSnapshot(snapshot.schema), to: snapshot, options: options)
        let known = Set(diff.inserted.map(\.key))
        var references: [ObjectContents] = []
        for entity in schema.entities.indices where !schema.entities[entity].isAbstract {
            let description = schema.entities[entity]
            for row in snapshot.liveRows(of: entity) {
                let reference = RowReference(entity: entity, row: row)
                guard let key = snapshot.identityKey(of: reference), !known.contains(key) else { continue }
                let attributes = zip(description.identityAttributes, key.identity).map { number, value in
                    PropertyContents(description.properties[number].name, .attribute(value))
                }
                references.append(ObjectContents(key, attributes))
            }
        }
        diff = GraphDiff(inserted: diff.inserted + references)
        return diff
    }
}
