// What `graft export` does: the objects of one entity as JSON, or the graph of several entities or of all in one object.

import ArgumentParser
import CoreData
import Foundation
import Graft
import Synchronization

/// An export of a store's objects.
struct ExportJob {
    var store: String
    var model: String?
    var entities: [String]
    var predicate: String?
    var sortKey: String?
    var limit: Int?
    /// Whether the options are for the objects of one entity.
    var isPlain = false
    var options: ExportOptions
    var output: String?
    /// Whether what is damaged is left out and listed.
    var keepsGoing = false

    /// Exports to the file or to the console's output.
    ///
    /// - Returns: How much was left out.
    /// - Throws: What went wrong. The output file is then as it was.
    func run(on console: Console) throws -> Int {
        var options = options
        let losses = Mutex<[String]>([])
        options.onLoss = { sentence in losses.withLock { $0.append(sentence) } }
        let container = try StoreAccess.openForReading(store, modelPath: model)
        return try OutputFile.write(output, of: store, model: model, console) { destination, onDamage, progress in
            if keepsGoing { options.onDamage = onDamage }
            try export(container, options, to: destination, progress)
            for sentence in losses.withLock({ $0 }) { console.note("graft: \(sentence)") }
        }
    }

    private func export(
        _ container: NSPersistentContainer, _ options: ExportOptions, to destination: ExportDestination,
        _ progress: Progress
    ) throws {
        if let request = try request(container.managedObjectModel) {
            try ModelTransformers.register(for: container.managedObjectModel, at: model ?? store)
            try container.exportJSON(request, to: destination, options: options, progress: progress)
        } else {
            let names = try entitiesOfGraph(container.managedObjectModel)
            try container.exportJSON(of: names, to: destination, options: options, progress: progress)
        }
    }

    // MARK: What

    /// The request for one entity's objects; nil for a whole graph.
    private func request(_ model: NSManagedObjectModel) throws -> ExportRequest? {
        let chooses = predicate != nil || sortKey != nil || limit != nil || options.format == .ndjson || isPlain
        guard entities.count == 1 || chooses else { return nil }
        let entity = try model.entity(named: entities.first ?? soleEntity(of: model))
        var request = ExportRequest(entity: entity.name ?? "")
        if let predicate {
            let parsed = try StoreAccess.predicate(predicate)
            request.predicate = try PredicateCheck(entity: entity, source: "--where").checked(parsed)
        }
        if let sortKey {
            try PredicateCheck(entity: entity, source: "--sort").check(sortKey: sortKey)
            request.sortDescriptors = [NSSortDescriptor(key: sortKey, ascending: true)]
        }
        request.limit = limit
        // In a fetch request, 0 is no limit.
        if limit == 0 { request.predicate = NSPredicate(value: false) }
        return request
    }

    /// The entity that is meant when none is named: the one that all others inherit from, if there is one.
    private func soleEntity(of model: NSManagedObjectModel) throws -> String {
        let roots = model.rootNames
        if roots.count == 1 { return roots[0] }
        throw ValidationError(
            "The options given are for the objects of one entity. Name one with --entity: \(roots.joined(separator: ", "))."
        )
    }

    /// The entities of a graph with their sub-entities; nil for all.
    private func entitiesOfGraph(_ model: NSManagedObjectModel) throws -> [String]? {
        if entities.isEmpty { return nil }
        let named = try entities.map(model.entity)
        return model.entities.filter { entity in named.contains { entity.isKindOf(entity: $0) } }.compactMap(\.name)
    }
}
