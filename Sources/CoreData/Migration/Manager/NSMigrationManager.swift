// A migration from one store into another, by a mapping model. The object way is here; a mapping that was inferred and not
// changed moves rows instead (StoreMigration.swift).

public import Foundation

/// Migrates a store into a new one.
///
/// The new store takes its place when it is complete; until then, and if anything fails, there is the old one alone.
open class NSMigrationManager: NSObject {
    /// The older version.
    open private(set) var sourceModel: NSManagedObjectModel
    /// The newer version.
    open private(set) var destinationModel: NSManagedObjectModel
    /// Whether a mapping that was inferred moves rows without making objects of them. Policies see nothing of that.
    open var usesStoreSpecificMigrationManager = true
    /// Whatever the program wants to hand to its policies.
    open var userInfo: [AnyHashable: Any]?
    /// The mapping that is being run; the first of the mapping model otherwise.
    open internal(set) var currentEntityMapping: NSEntityMapping = NSEntityMapping() {
        willSet { willChangeValue(forKey: "currentEntityMapping") }
        didSet { didChangeValue(forKey: "currentEntityMapping") }
    }
    /// How much is done, from 0 to 1; 0 again after a migration. Observers are told of the 1, not of that 0.
    open internal(set) var migrationProgress: Float {
        get { progress }
        set {
            willChangeValue(forKey: "migrationProgress")
            progress = newValue
            didChangeValue(forKey: "migrationProgress")
        }
    }
    private var progress: Float = 0

    /// Called before `migrationProgress` or `currentEntityMapping` changes.
    open func willChangeValue(forKey key: String) { observation.begin(key) }

    /// Called after `migrationProgress` or `currentEntityMapping` has changed; tells their observers.
    open func didChangeValue(forKey key: String) { observation.end(key) }

    let observation = ObjectObservation()
    var run: MigrationRun?
    private var cancellation: (any Error)?

    /// A manager between two models without entities, for subclasses that say themselves which ones theirs are.
    public override init() {
        (sourceModel, destinationModel) = (NSManagedObjectModel(), NSManagedObjectModel())
        super.init()
    }

    /// A manager for migrations between two versions.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        super.init()
    }

    /// The mapping model of the migration that is running; stops the program when there is none.
    open var mappingModel: NSMappingModel { running(#function).mappingModel }

    /// The context of the source objects; stops the program when no migration is running.
    open var sourceContext: NSManagedObjectContext { running(#function).sourceContext }

    /// The context of the destination objects; stops the program when no migration is running.
    open var destinationContext: NSManagedObjectContext { running(#function).destinationContext }

    private func running(_ name: String) -> MigrationRun {
        guard let run else {
            fatalError("The migration manager's \(name) exists only while migrateStore(…) runs. Use it in a policy.")
        }
        return run
    }

    /// Migrates a store, with types as values.
    ///
    /// - Parameters:
    ///   - sourceURL: The store.
    ///   - sourceType: Its type.
    ///   - sOptions: What it is opened with.
    ///   - mapping: The mapping model: inferred, or made in code.
    ///   - destinationURL: Where the new store is put. It may be the source's own URL; a store of the newer version that is
    ///     there otherwise gets the objects beside its own.
    ///   - destinationType: The new store's type.
    ///   - dOptions: What the new store is made with.
    /// - Throws: As the older method does. Both stores are then as they were.
    open func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType, options sOptions: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
        options dOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: sOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationType.rawValue, destinationOptions: dOptions)
    }

    /// Migrates a store.
    ///
    /// - Parameters:
    ///   - sourceURL: The store.
    ///   - sStoreType: Its type.
    ///   - sOptions: What it is opened with.
    ///   - mappings: The mapping model: inferred, or made in code.
    ///   - dURL: Where the new store is put. It may be the source's own URL; a store of the newer version that is there
    ///     otherwise gets the objects beside its own, so that a migration can be done in several passes.
    ///   - dStoreType: The new store's type.
    ///   - dOptions: What the new store is made with.
    /// - Throws: `CocoaError`: `.migrationMissingMappingModel` without a mapping model,
    ///   `.persistentStoreIncompatibleVersionHash` for a source or a destination of another version, what a policy throws, a validation's
    ///   error, or `.migration`. Both stores are then as they were.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        let errors = MigrationErrors(source: sourceURL, destination: dURL)
        guard let mappings else { throw errors.missingMapping(sourceModel, destinationModel, underlying: nil) }
        for type in [sStoreType, dStoreType] where type != NSSQLiteStoreType {
            throw CoreDataError.make(
                .persistentStoreInvalidType,
                "A migration leads from a SQLite store to a SQLite store; '\(type)' is none. Add the store to a "
                    + "coordinator, and use migratePersistentStore(_:to:options:withType:).")
        }
        defer { cancellation = nil }
        migrationProgress = 0
        let staging = StagingStore(destination: dURL)
        do {
            try require(sourceModel, at: sourceURL)
            let isAppending = !Self.isSameFile(sourceURL, dURL) && SQLiteStoreFile.isDatabase(at: dURL)
            if isAppending {
                try require(destinationModel, at: dURL)
                try SQLiteStoreFile.replace(at: staging.url, withStoreAt: dURL)
            }
            // Rows keep their keys, which objects of the destination may have.
            if !isAppending, usesStoreSpecificMigrationManager, let inference = mappings.unchangedInference,
                inference.matching.source === sourceModel, inference.matching.destination === destinationModel
            {
                try moveRows(from: sourceURL, to: staging, dOptions ?? [:], errors)
            } else {
                try moveObjects(from: sourceURL, sOptions ?? [:], mappings, to: staging, dOptions ?? [:], errors)
            }
            try staging.commit()
        } catch {
            staging.discard()
            throw error
        }
        migrationProgress = 1
        // Observed: macOS (FreeCoreData's tests).
        progress = 0
    }

    private static func isSameFile(_ a: URL, _ b: URL) -> Bool {
        a.resolvingSymlinksInPath().standardizedFileURL.path == b.resolvingSymlinksInPath().standardizedFileURL.path
    }

    private func require(_ model: NSManagedObjectModel, at url: URL) throws {
        let metadata = try SQLiteStoreFile.metadata(at: url)
        let described = StoreMetadata(identifier: "", entries: metadata)
        let differences = described.differences(from: model, configuration: nil)
        if !differences.isEmpty { throw SQLiteErrors(path: url.path).incompatible(differences, metadata: metadata) }
    }

    private func moveRows(
        from source: URL, to staging: StagingStore, _ options: [AnyHashable: Any], _ errors: MigrationErrors
    ) throws {
        try SQLiteStoreFile.replace(at: staging.url, withStoreAt: source)
        try StoreMigration(
            url: staging.url, source: sourceModel, destination: destinationModel, options: SQLiteStoreOptions(options),
            errors: errors
        ).run()
    }

    private func moveObjects(
        from source: URL, _ sourceOptions: [AnyHashable: Any], _ mappings: NSMappingModel, to staging: StagingStore,
        _ options: [AnyHashable: Any], _ errors: MigrationErrors
    ) throws {
        if let cancellation { throw cancellation }
        do {
            try FileState.makeFile(staging.url.path, like: source.path)
        } catch {
            throw SQLiteErrors(path: staging.url.path).translated(error, .opening)
        }
        let run = try MigrationRun(
            manager: self, mappings: mappings, source: source, sourceOptions: sourceOptions, destination: staging.url,
            options: options)
        self.run = run
        defer { self.run = nil }
        do {
            try run.checkSource(errors)
            try run.perform { if let cancellation = self.cancellation { throw cancellation } }
            try run.close()
        } catch {
            // The error that is thrown is the migration's; the files go anyway.
            try? run.close()
            throw error
        }
    }

    /// Forgets the associations between source and destination objects.
    open func reset() { run?.associations.removeAll() }

    /// Ends the migration with an error after the object that is being made; before a migration, the one that is about to begin. One
    /// that moves rows isn't ended.
    open func cancelMigrationWithError(_ error: any Error) { cancellation = error }

    // MARK: Objects and their counterparts

    /// The older version's entity of a mapping.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The newer version's entity of a mapping.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    /// Notes which destination object a source object has become. Without it neither is found from the other.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        run?.associations.add(sourceInstance, destinationInstance, mapping: entityMapping.name ?? "")
    }

    /// What source objects have become under a mapping; all destination objects of the mapping for nil.
    ///
    /// Only objects that were associated are known.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        run?.associations.destinations(of: sourceInstances, mapping: mappingName) ?? []
    }

    /// What destination objects were made from under a mapping; all source objects of the mapping for nil.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        run?.associations.sources(of: destinationInstances, mapping: mappingName) ?? []
    }

    // MARK: Functions of expressions

    /// Answers `FUNCTION($manager, "name:", …)` in a mapping's expressions: the functions of mapping models, and those of a
    /// subclass, which overrides this as a policy does (``NSEntityMigrationPolicy/value(ofFunction:arguments:)``).
    ///
    /// - Note: Divergence 48: Core Data has no such method.
    /// - Throws: An error for a name that isn't known; what is thrown ends the migration.
    open func value(ofFunction name: String, arguments: [Any?]) throws -> Any? {
        func text(_ index: Int) -> String { (arguments.count > index ? arguments[index] as? String : nil) ?? "" }
        func objects(_ index: Int) -> [NSManagedObject] {
            MigrationObjects.all(in: arguments.count > index ? arguments[index] : nil)
        }
        switch name {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            return destinationInstances(forEntityMappingName: text(0), sourceInstances: objects(1))
        case "sourceInstancesForEntityMappingNamed:destinationInstances:":
            return sourceInstances(forEntityMappingName: text(0), destinationInstances: objects(1))
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            return run?.destinations(of: objects(1))
        case "fetchRequestForSourceEntityNamed:predicateString:":
            return MigrationRun.request(for: text(0), predicate: text(1))
        default:
            if arguments.isEmpty, let value = readableValue(forKey: name) { return value }
            throw UnknownMethod(name: name, target: self, count: arguments.count)
        }
    }
}

// MARK: Expressions

extension NSMigrationManager: ExpressionFunctionTarget, KeyValueReadable {
    /// `$manager.sourceContext` and the like.
    func readableValue(forKey key: String) -> Any? {
        switch key {
        case "sourceContext" where run != nil: sourceContext
        case "destinationContext" where run != nil: destinationContext
        case "mappingModel" where run != nil: mappingModel
        default: ReadableObject.reflected(self).operand(forKey: key).boxed
        }
    }

    /// The value of a property mapping's expression.
    func value(
        of expression: NSExpression, _ property: NSPropertyMapping, _ mapping: NSEntityMapping,
        _ policy: NSEntityMigrationPolicy, _ source: NSManagedObject?, _ destination: NSManagedObject
    ) throws -> Any? {
        // A plain key keeps the value as it is: decimals exact, objects of transformable attributes whole.
        if let source, let key = plainKey(expression, of: source) { return source.value(forKey: key) }
        let variables: NSMutableDictionary = [
            NSMigrationManagerKey: self, NSMigrationDestinationObjectKey: destination,
            NSMigrationEntityMappingKey: mapping, NSMigrationPropertyMappingKey: property,
            NSMigrationEntityPolicyKey: policy,
        ]
        variables[NSMigrationSourceObjectKey] = source
        run?.wantedEntity = destination.entity.relationshipsByName[property.name ?? ""]?.destinationEntity
        defer { run?.wantedEntity = nil }
        let failure = EvaluationFailure()
        let value = ExpressionEvaluator.boxedValue(
            of: expression, object: source, context: variables, failure: failure)
        try MigrationMappingError.check(failure, mapping, property)
        return value
    }

    /// The bytes of a transformable attribute of the source that an expression is, where they can't be decoded here.
    func undecodableBytes(of expression: NSExpression, _ source: NSManagedObject) throws -> Data? {
        guard let slot = plainKey(expression, of: source).flatMap({ source.layout.slot(named: $0) }),
            case .transformable(let value) = source.slotValue(slot), value.hasUndecodableBytes
        else { return nil }
        return try value.storedBytes()
    }

    private func plainKey(_ expression: NSExpression, of source: NSManagedObject) -> String? {
        expression.sourceKey.flatMap { source.entity.attributesByName[$0] == nil ? nil : $0 }
    }
}
