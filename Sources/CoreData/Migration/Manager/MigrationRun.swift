// One run of a mapping model over a store's objects: the two stacks, the passes, and who became whom.

import Foundation

/// A migration by objects.
final class MigrationRun {
    let mappingModel: NSMappingModel
    let sourceContext: NSManagedObjectContext
    let destinationContext: NSManagedObjectContext
    var associations = MigrationAssociations()
    /// Where the relationship leads whose mapping is being evaluated.
    var wantedEntity: NSEntityDescription?
    /// What ``addsLinks(_:_:in:)`` has found, by property mapping.
    var linkAdditions: [ObjectIdentifier: Bool] = [:]

    unowned let manager: NSMigrationManager
    private let coordinators: [NSPersistentStoreCoordinator]

    init(
        manager: NSMigrationManager, mappings: NSMappingModel, source: URL, sourceOptions: [AnyHashable: Any],
        destination: URL, options: [AnyHashable: Any]
    ) throws {
        self.manager = manager
        mappingModel = mappings
        var sourceOptions = sourceOptions
        sourceOptions[NSReadOnlyPersistentStoreOption] = true
        let from = NSPersistentStoreCoordinator(managedObjectModel: manager.sourceModel)
        try from.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: source, options: sourceOptions)
        let isNew = !SQLiteStoreFile.isDatabase(at: destination)
        let to = NSPersistentStoreCoordinator(managedObjectModel: manager.destinationModel)
        try to.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: destination, options: options)
        coordinators = [from, to]
        sourceContext = .plain(from)
        destinationContext = .plain(to)
        try keepMetadata(isNew: isNew)
    }

    /// What the application has noted in the source's metadata goes along. A new store is the source in its new version: it has its UUID,
    /// and tokens of its history.
    private func keepMetadata(isNew: Bool) throws {
        guard let old = coordinators[0].persistentStores.first, let new = coordinators[1].persistentStores.first else {
            return
        }
        new.metadata = old.metadata.merging(new.metadata) { _, own in own }
        guard isNew, let identifier = old.identifier, let from = old.backend as? SQLiteStoreBackend,
            let to = new.backend as? SQLiteStoreBackend
        else { return }
        try to.adopt(identifier, largestKeys: [:], entries: [:])
        try to.continueHistory(of: from, manager.destinationModel)
    }

    /// Lets go of both files.
    func close() throws {
        for coordinator in coordinators {
            for store in coordinator.persistentStores {
                try (store.backend as? SQLiteStoreBackend)?.close()
                try coordinator.remove(store)
            }
        }
    }

    // MARK: Passes

    /// Refuses a source with rows that are no entity's objects: no mapping would carry them over.
    func checkSource(_ errors: MigrationErrors) throws {
        // Links that lead nowhere, which Apple's own stores have, are nobody's objects either way.
        let rows = try sourceContext.strayRows().filter { !$0.isLink }
        guard let first = rows.first else { return }
        let place = "\(first.entity)\(first.row.map { ", row \($0)" } ?? "")"
        throw errors.badData(
            [
                "\(rows.count) row(s) of it are no objects, the first of them \(place): \(first.finding). Correct or delete them; "
                    + "graft check lists them all"
            ],
            reason: "Rows of no entity")
    }

    /// Runs all passes and saves. A fault that can't be read ends it.
    ///
    /// - Parameter isCancelled: Throws when the migration was cancelled.
    func perform(isCancelled: () throws -> Void) throws {
        try sourceContext.collectingFaultFailures {
            try destinationContext.collectingFaultFailures {
                try runPasses {
                    try isCancelled()
                    try sourceContext.throwFaultFailure()
                    try destinationContext.throwFaultFailure()
                }
            }
        }
    }

    /// - Parameter check: Throws when nothing more is to be done.
    private func runPasses(check: () throws -> Void) throws {
        let mappings = mappingModel.entityMappings ?? []
        let policies = try mappings.map(policy)
        let work = zip(mappings, policies).filter { mapping, _ in
            ![.removeEntityMappingType, .addEntityMappingType].contains(mapping.mappingType)
                || mapping.entityMigrationPolicyClassName != nil
        }
        let steps = Float(work.count * 3 + 1)
        func pass(_ number: Int, _ body: (NSEntityMapping, NSEntityMigrationPolicy) throws -> Void) throws {
            for (index, (mapping, policy)) in work.enumerated() {
                manager.currentEntityMapping = mapping
                try body(mapping, policy)
                try check()
                manager.migrationProgress = Float(number * work.count + index + 1) / steps
            }
        }
        try pass(0) { mapping, policy in try createInstances(mapping, policy, check) }
        try pass(1) { mapping, policy in try createRelationships(mapping, policy, check) }
        try pass(2) { mapping, policy in
            try policy.performCustomValidation(forMapping: mapping, manager: manager)
            try policy.end(mapping, manager: manager)
        }
        try destinationContext.save()
    }

    private func createInstances(
        _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy, _ check: () throws -> Void
    ) throws {
        try policy.begin(mapping, with: manager)
        for source in try sources(of: mapping) {
            try policy.createDestinationInstances(forSource: source, in: mapping, manager: manager)
            try check()
        }
        try policy.endInstanceCreation(forMapping: mapping, manager: manager)
    }

    private func createRelationships(
        _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy, _ check: () throws -> Void
    ) throws {
        for destination in associations.destinations(of: nil, mapping: mapping.name ?? "") {
            try policy.createRelationships(forDestination: destination, in: mapping, manager: manager)
            try check()
        }
        try policy.endRelationshipCreation(forMapping: mapping, manager: manager)
    }

    /// The objects that a mapping's source expression gives; without one those of its very entity, by primary key.
    private func sources(of mapping: NSEntityMapping) throws -> [NSManagedObject] {
        guard let name = mapping.sourceEntityName else { return [] }
        guard manager.sourceModel.entitiesByName[name] != nil else {
            throw MigrationMappingError.unknownEntity(name, mapping, "older")
        }
        guard let expression = mapping.sourceExpression else {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            return try sourceContext.fetch(request)
        }
        let variables: NSMutableDictionary = [
            NSMigrationManagerKey: manager, NSMigrationEntityMappingKey: mapping,
        ]
        var wanted = expression
        // Only the source's own context can be meant.
        if case .fetch(let request, _, false) = expression.node { wanted = request }
        let failure = EvaluationFailure()
        let value = ExpressionEvaluator.boxedValue(of: wanted, object: nil, context: variables, failure: failure)
        try MigrationMappingError.check(failure, mapping, nil)
        guard let request = value as? NSPersistentStoreRequest else {
            if wanted !== expression { throw MigrationMappingError.unusableSource(expression, mapping) }
            return MigrationObjects.all(in: value)
        }
        guard let state = request.fetchState, let name = state.entityName,
            manager.sourceModel.entitiesByName[name] != nil, state.resultType == .managedObjectResultType
        else { throw MigrationMappingError.unusableSource(expression, mapping) }
        return MigrationObjects.all(in: try sourceContext.results(of: state, affectedStores: request.affectedStores))
    }

    /// - Returns: Nil where the predicate can't be read.
    static func request(for entity: String, predicate: String) -> NSFetchRequest<NSManagedObject>? {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesSubentities = false
        guard !predicate.isEmpty, predicate != "TRUEPREDICATE" else { return request }
        // The mapping may come from a file. That there is no request is an error that shows the expression.
        guard let parsed = try? NSPredicate.parsing(predicate) else { return nil }
        request.predicate = parsed
        return request
    }

    /// What the objects in a source object's relationship have become, under whichever mapping. Where one object becomes
    /// several, those that the relationship can't lead to are left out.
    func destinations(of sources: [NSManagedObject]) -> [NSManagedObject] {
        let all = associations.destinations(of: sources, mapping: nil)
        guard let wantedEntity else { return all }
        return all.filter { $0.entity.isKindOf(entity: wantedEntity) }
    }

    // MARK: Mappings

    private func policy(for mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else { return NSEntityMigrationPolicy() }
        let found =
            ManagedObjectClasses.candidates(for: name).lazy.compactMap(ClassNames.classNamed)
            .compactMap { $0 as? NSEntityMigrationPolicy.Type }.first ?? onlyPolicy(named: name)
        guard let found else { throw MigrationMappingError.unknownPolicy(name, mapping) }
        return found.init()
    }

    /// The program's only policy of that name, in whichever module.
    private func onlyPolicy(named name: String) -> NSEntityMigrationPolicy.Type? {
        let found = ClassNames.classes(endingIn: name).compactMap { $0 as? NSEntityMigrationPolicy.Type }
        return found.count == 1 ? found[0] : nil
    }
}

/// Which source object has become which destination object, under which mapping.
struct MigrationAssociations {
    private struct Pair {
        let mapping: String
        let source: NSManagedObject
        let destination: NSManagedObject
    }

    private var pairs: [Pair] = []
    private var bySource: [ObjectIdentifier: [Int]] = [:]
    private var byDestination: [ObjectIdentifier: [Int]] = [:]
    private var byMapping: [String: [Int]] = [:]

    mutating func add(_ source: NSManagedObject, _ destination: NSManagedObject, mapping: String) {
        bySource[ObjectIdentifier(source), default: []].append(pairs.count)
        byDestination[ObjectIdentifier(destination), default: []].append(pairs.count)
        byMapping[mapping, default: []].append(pairs.count)
        pairs.append(Pair(mapping: mapping, source: source, destination: destination))
    }

    mutating func removeAll() { self = MigrationAssociations() }

    /// - Parameter mapping: Nil for any.
    func destinations(of sources: [NSManagedObject]?, mapping: String?) -> [NSManagedObject] {
        found(sources, bySource, mapping).map { pairs[$0].destination }
    }

    func sources(of destinations: [NSManagedObject]?, mapping: String?) -> [NSManagedObject] {
        found(destinations, byDestination, mapping).map { pairs[$0].source }
    }

    private func found(
        _ objects: [NSManagedObject]?, _ index: [ObjectIdentifier: [Int]], _ mapping: String?
    ) -> [Int] {
        guard let objects else { return mapping.map { byMapping[$0] ?? [] } ?? Array(pairs.indices) }
        let indices = objects.flatMap { index[ObjectIdentifier($0)] ?? [] }
        return mapping.map { name in indices.filter { pairs[$0].mapping == name } } ?? indices
    }
}
