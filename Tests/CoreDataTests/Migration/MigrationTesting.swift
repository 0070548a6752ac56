// What the tests of migrations share: stores made and opened in a few words through Core Data's public API, and a look
// into their files past it.

import CoreData
import Foundation
import GRDB
import Testing

/// A store file in a folder of its own, made with one version of a model and opened with others.
final class MigratingStore {
    let folder: TemporaryFolder
    let url: URL
    private let type: String
    /// Objects don't keep their context and coordinator alive; a test's store does.
    private var opened: [(NSPersistentStoreCoordinator, NSManagedObjectContext)] = []

    static let automatic: [String: Bool] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    /// - Parameter kind: SQLite or PostgreSQL.
    init(_ kind: StoreKind = .sqlite) throws {
        folder = try TemporaryFolder()
        (type, _) = try kind.newStore()
        url =
            kind == .sqlite ? folder.url.appendingPathComponent("Heroes.sqlite") : try TestServer.newStore()
    }

    /// A store with objects in it, closed.
    convenience init(
        _ model: NSManagedObjectModel, in kind: StoreKind = .sqlite, fill: (NSManagedObjectContext) throws -> Void
    ) throws {
        self.init(try MigratingStore(kind))
        let context = try open(model)
        try fill(context)
        try context.save()
        try close()
    }

    private init(_ store: MigratingStore) {
        folder = store.folder
        url = store.url
        type = store.type
    }

    @discardableResult
    func open(
        _ model: NSManagedObjectModel, _ options: [String: Any]? = automatic, configuration: String? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options = options ?? [:]
        // These stores needn't survive a loss of power.
        options[NSSQLitePragmasOption] = ["synchronous": "OFF"]
        try coordinator.addPersistentStore(
            ofType: type, configurationName: configuration, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        opened.append((coordinator, context))
        return context
    }

    /// The store that a manager makes of this one by an inferred mapping model.
    ///
    /// - Parameter movesRows: Whether the manager may move rows; otherwise it goes by objects.
    func migrated(
        from older: NSManagedObjectModel, to newer: NSManagedObjectModel, movesRows: Bool
    ) throws -> MigratingStore {
        try close()
        let result = try MigratingStore()
        let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
        manager.usesStoreSpecificMigrationManager = movesRows
        try manager.migrateStore(
            from: url, sourceType: NSSQLiteStoreType,
            with: NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer),
            toDestinationURL: result.url, destinationType: NSSQLiteStoreType)
        return result
    }

    func close() throws {
        for (coordinator, _) in opened {
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        opened = []
    }

    /// The error of opening the store with a model.
    func refusal(
        _ model: NSManagedObjectModel, _ options: [String: Any]? = automatic
    ) throws -> CocoaError {
        try #require(throws: CocoaError.self) { try open(model, options) }
    }

    /// Closes the store and looks into its file.
    func sql<T>(_ body: (Database) throws -> T) throws -> T {
        try close()
        return try DatabaseQueue(path: url.path).read(body)
    }

    /// The CREATE statements, sorted.
    func statements() throws -> [String] {
        try sql { db in
            try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql")
        }
    }

    /// The statements of a new store of a model.
    static func statements(ofNew model: NSManagedObjectModel) throws -> [String] {
        let store = try MigratingStore()
        try store.open(model)
        return try store.statements()
    }
}

extension NSManagedObjectContext {
    @discardableResult
    func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// All objects of an entity, sub-entities included, in the order of their primary keys.
    func all(_ entity: String) throws -> [NSManagedObject] {
        try fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
    }

    /// One property of all objects of an entity.
    func values(_ entity: String, _ key: String) throws -> [String] {
        try all(entity).map { object in object.value(forKey: key).map { "\($0)" } ?? "nil" }
    }

    /// The names of what a relationship leads to, for each object of an entity, sorted unless it is ordered.
    func members(_ entity: String, _ key: String, name: String = "name") throws -> [[String]] {
        try all(entity).map { object in
            func names(_ objects: [Any]) -> [String] {
                objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: name) as? String }
            }
            switch object.value(forKey: key) {
            case let set as NSOrderedSet: return names(set.array)
            case let set as NSSet: return names(set.allObjects).sorted()
            case let one as NSManagedObject: return names([one])
            default: return []
            }
        }
    }
}

extension NSManagedObjectModel {
    /// A copy to make the next version of.
    func next(_ change: (NSManagedObjectModel) throws -> Void) throws -> NSManagedObjectModel {
        let next = try #require(copy() as? NSManagedObjectModel)
        try change(next)
        return next
    }

    func entity(_ name: String) throws -> NSEntityDescription { try #require(entitiesByName[name]) }
}

extension NSEntityDescription {
    func attribute(_ name: String) throws -> NSAttributeDescription { try #require(attributesByName[name]) }
    func relationship(_ name: String) throws -> NSRelationshipDescription { try #require(relationshipsByName[name]) }
}
