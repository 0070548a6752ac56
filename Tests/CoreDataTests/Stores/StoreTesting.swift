// What the tests of the SQLite store share: models built in a few words, stores in temporary folders, rows built by
// property name, and a look into the file that doesn't go through the store.

import Foundation
import GRDB
import Synchronization
import Testing

@testable import CoreData

// MARK: Models

/// Builds models in few words.
enum TestModel {
    static func attribute(
        _ name: String, _ type: NSAttributeType, external: Bool = false, transient: Bool = false, indexed: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.allowsExternalBinaryDataStorage = external
        attribute.isTransient = transient
        attribute.isIndexed = indexed
        return attribute
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription] = []) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    enum Count {
        case one, many, ordered
    }

    /// A relationship without inverse.
    @discardableResult
    static func relate(
        _ owner: NSEntityDescription, _ name: String, _ count: Count, _ destination: NSEntityDescription
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = count == .one ? 1 : 0
        relationship.isOrdered = count == .ordered
        owner.properties.append(relationship)
        return relationship
    }

    /// A pair of relationships, inverse to each other.
    static func connect(
        _ first: NSEntityDescription, _ name: String, _ count: Count,
        _ second: NSEntityDescription, _ inverseName: String, _ inverseCount: Count
    ) {
        let relationship = relate(first, name, count, second)
        let inverse = relate(second, inverseName, inverseCount, first)
        relationship.inverseRelationship = inverse
        inverse.inverseRelationship = relationship
    }

    static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// Hero 1-n Power (ordered), Hero n-n Team, Sidekick: Hero, Hero.mentor (one-to-many within the entity).
    static func heroes() -> NSManagedObjectModel {
        let hero = entity("Hero", [attribute("name", .stringAttributeType), attribute("age", .integer32AttributeType)])
        let sidekick = entity("Sidekick", [attribute("nickname", .stringAttributeType)])
        let power = entity("Power", [attribute("name", .stringAttributeType)])
        let team = entity("Team", [attribute("name", .stringAttributeType)])
        connect(hero, "powers", .ordered, power, "hero", .one)
        connect(hero, "teams", .many, team, "members", .many)
        connect(hero, "pupils", .many, hero, "mentor", .one)
        hero.subentities = [sidekick]
        return model([hero, sidekick, power, team])
    }
}

// MARK: Stores

/// A store with its model and a count of the statements it runs.
final class TestStore {
    let model: NSManagedObjectModel
    let url: URL
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore
    let backend: SQLiteStoreBackend
    private let log: StatementLog

    /// - Parameter url: The file; nil for a store in memory.
    init(
        _ model: NSManagedObjectModel, at url: URL? = nil, configuration: String? = nil,
        options: SQLiteStoreOptions = SQLiteStoreOptions()
    ) throws {
        let url = url ?? URL(fileURLWithPath: "/dev/null")
        let log = StatementLog()
        var options = options
        options.onStatement = { log.add($0) }
        self.model = model
        self.url = url
        self.log = log
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        store = NSPersistentStore(
            coordinator: coordinator, type: NSSQLiteStoreType, configurationName: configuration, url: url, options: nil)
        backend = try SQLiteStoreBackend(
            url: url, model: model, configuration: configuration, options: options, store: store)
        store.backend = backend
    }

    func entity(_ name: String) throws -> NSEntityDescription {
        try #require(model.entitiesByName[name], "The model has no entity '\(name)'.")
    }

    /// The statements that run meanwhile, without those that begin and end a transaction or look at the schema.
    func statements(_ body: () throws -> Void) rethrows -> [String] {
        log.clear()
        try body()
        return log.statements.filter { statement in
            !["BEGIN", "COMMIT", "ROLLBACK", "PRAGMA"].contains { statement.hasPrefix($0) }
        }
    }

    // MARK: Rows

    /// Inserts rows of one entity and returns their IDs.
    @discardableResult
    func insert(_ entityName: String, _ rows: [[String: ManagedValue]]) throws -> [NSManagedObjectID] {
        let entity = try entity(entityName)
        let ids = try backend.permanentIDs(for: entity, count: rows.count)
        var changes = StoreChanges()
        for (id, row) in zip(ids, rows) { changes.inserted.append(try change(id, row)) }
        try backend.save(changes)
        return ids
    }

    @discardableResult
    func insert(_ entityName: String, _ row: [String: ManagedValue] = [:]) throws -> NSManagedObjectID {
        try #require(try insert(entityName, [row]).first)
    }

    func change(
        _ id: NSManagedObjectID, version: Int64 = 0, _ row: [String: ManagedValue]
    ) throws -> RowChange {
        let layout = id.entity.layout
        var change = RowChange(
            objectID: id, version: version, values: layout.defaults,
            changed: version == 0 ? SlotSet(all: layout.slots.count) : SlotSet())
        for (name, value) in row {
            let slot = try #require(layout.slot(named: name), "\(id.entity.name ?? "") has no property '\(name)'.")
            change.values[slot] = value
            change.changed.insert(slot)
        }
        return change
    }

    func update(_ id: NSManagedObjectID, version: Int64 = 1, _ row: [String: ManagedValue]) throws {
        try backend.save(StoreChanges(updated: [try change(id, version: version, row)]))
    }

    /// Changes the members of a to-many relationship.
    func relate(
        _ id: NSManagedObjectID, version: Int64, _ name: String, add: [NSManagedObjectID] = [],
        remove: [NSManagedObjectID] = [], order: [NSManagedObjectID]? = nil
    ) throws {
        var change = try change(id, version: version, [:])
        let slot = try #require(id.entity.layout.slot(named: name))
        change.relations = [RelationChange(slot: slot, added: add, removed: remove, order: order)]
        try backend.save(StoreChanges(updated: [change]))
    }

    func delete(_ id: NSManagedObjectID, version: Int64 = 1) throws {
        try backend.save(StoreChanges(deleted: [try change(id, version: version, [:])]))
    }

    func row(_ id: NSManagedObjectID) throws -> StoreRow {
        try #require(try backend.rows(withIDs: [id]).first, "There is no row \(id).")
    }

    func value(_ id: NSManagedObjectID, _ name: String) throws -> ManagedValue {
        let slot = try #require(id.entity.layout.slot(named: name))
        return try row(id).values[slot]
    }

    func members(_ id: NSManagedObjectID, _ name: String) throws -> [NSManagedObjectID] {
        let relationship = try #require(id.entity.relationshipsByName[name])
        return try #require(try backend.members(of: relationship, owners: [id]).first)
    }

    /// Runs SQL in the store's file, past the store.
    func sql<T>(_ body: (Database) throws -> T) throws -> T { try backend.database.withoutTransaction(body) }

    func rows(_ sql: String) throws -> [String] {
        try self.sql { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { value in
                    switch value.storage {
                    case .null: "NULL"
                    case .int64(let integer): "\(integer)"
                    case .double(let double): "\(double)"
                    case .string(let string): "'\(string)'"
                    case .blob(let data): "x'\(data.map { String(format: "%02x", $0) }.joined())'"
                    }
                }.joined(separator: "|")
            }
        }
    }
}

/// Collects statements from several connections.
private final class StatementLog: Sendable {
    private let entries = Mutex<[String]>([])

    var statements: [String] { entries.withLock { $0 } }
    func add(_ statement: String) { entries.withLock { $0.append(statement) } }
    func clear() { entries.withLock { $0.removeAll() } }
}

// MARK: Values

extension ManagedValue {
    /// A readable form that distinguishes all values and types.
    var shown: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "boolean \(value)"
        case .integer(let value): "integer \(value)"
        case .double(let value): "double \(value)"
        case .string(let value): "string \(value)"
        case .date(let value): "date \(value)"
        case .data(let value): "data \(value.map { String(format: "%02x", $0) }.joined())"
        case .uuid(let value): "uuid \(value.uuidString)"
        case .decimal(let value): "decimal \(value)"
        case .uri(let value): "uri \(value.absoluteString)"
        case .transformable(let value): "transformable \(value.object ?? "undecodable")"
        case .objectID(let id): "\(id.entity.name ?? "") \(id.number)"
        case .object(let object): "\(object.entity.name ?? "") \(object.objectID.number)"
        case .objects(let members): "objects \(members.objects.map(\.objectID.number))"
        case .unread: "unread"
        case .memberIDs(let ids): "members \(ids.map(\.number))"
        }
    }
}

extension CocoaError {
    /// What comes with the error.
    var info: [String: Any] { (self as NSError).userInfo }
}

// MARK: Real stores

/// A store of the shared data and the version of its project's model that it was made with.
struct RealStore: CustomTestStringConvertible, Sendable {
    let path: String
    var testDescription: String { path }
    var url: URL { ModelTestData.stores.appendingPathComponent(path) }

    static let all = ModelTestData.databases.map { RealStore(path: $0) }

    /// The model from source whose hashes are the store's.
    func model() throws -> NSManagedObjectModel {
        let metadata = try SQLiteStoreFile.metadata(at: url)
        let project = path.prefix { $0 != "/" }
        for source in ModelTestData.sources where source.hasPrefix("\(project)/") {
            let model = try ModelTestData.model(source)
            if model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return model }
        }
        throw RealStoreError(description: "No model in \(project) has the hashes of \(path).")
    }

    struct RealStoreError: Error, CustomStringConvertible {
        let description: String
    }

    /// A copy that may be written to.
    func copied(into folder: TemporaryFolder) throws -> URL {
        let copy = folder.url.appendingPathComponent("Copy.sqlite")
        try FileManager.default.copyItem(at: url, to: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path)
        return copy
    }

    func read<T>(_ body: (Database) throws -> T) throws -> T {
        try SQLiteDatabase.readOnlyFile(at: url.path, options: SQLiteStoreOptions()).read(body)
    }
}
