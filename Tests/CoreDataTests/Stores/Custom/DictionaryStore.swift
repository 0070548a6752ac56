// A custom store as an application would write it, with public API alone: rows are dictionaries by reference, kept by URL so
// that they outlive a coordinator.

import CoreData
import Synchronization

/// Rows by reference, such as `Book-3`.
final class DictionaryRows: @unchecked Sendable {
    // Behind the lock.
    struct Row {
        var entity: String
        var values: [String: Any]
        var version: UInt64 = 1
    }

    private let lock = NSLock()
    private var rows: [String: Row] = [:]
    private var lastNumber = 0
    private var calls: [String] = []
    private var uses: [String: Int] = [:]

    func with<T>(_ body: (inout [String: Row]) throws -> T) rethrows -> T { try lock.withLock { try body(&rows) } }
    func note(_ call: String) { lock.withLock { calls.append(call) } }
    var takenCalls: [String] {
        lock.withLock {
            let taken = calls; calls = []; return taken
        }
    }
    /// The references of the objects that contexts have, once for each context.
    var used: [String] { lock.withLock { uses.flatMap { Array(repeating: $0.key, count: $0.value) }.sorted() } }
    func note(use reference: String, _ change: Int) { lock.withLock { uses[reference, default: 0] += change } }
    func newReference(_ entity: String) -> String {
        lock.withLock {
            lastNumber += 1; return "\(entity)-\(lastNumber)"
        }
    }

    static let all = Mutex<[URL: DictionaryRows]>([:])
    static func at(_ url: URL) -> DictionaryRows {
        all.withLock { all in
            if let rows = all[url] { return rows }
            let rows = DictionaryRows()
            all[url] = rows
            return rows
        }
    }
}

final class DictionaryStore: NSIncrementalStore {
    static let type = "DictionaryStore"
    struct Refused: Error {}

    private var rows: DictionaryRows { DictionaryRows.at(url ?? URL(fileURLWithPath: "/")) }

    override var type: String { Self.type }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        [NSStoreUUIDKey: url.lastPathComponent, NSStoreTypeKey: type]
    }

    override func didAdd(to coordinator: NSPersistentStoreCoordinator) {
        rows.note("added \(coordinator.persistentStores.contains { $0 === self })")
    }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        rows.note("removing \(coordinator?.persistentStores.contains { $0 === self } ?? false)")
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs { rows.note(use: "\(referenceObject(for: id))", 1) }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        for id in objectIDs { rows.note(use: "\(referenceObject(for: id))", -1) }
    }

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: url?.lastPathComponent ?? "", NSStoreTypeKey: Self.type]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        guard let context else { throw Refused() }
        switch request.requestType {
        case .fetchRequestType:
            guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult> else { throw Refused() }
            return try results(of: fetch, context)
        case .saveRequestType:
            guard let save = request as? NSSaveChangesRequest else { throw Refused() }
            try self.save(save)
            return []
        case .batchUpdateRequestType:
            guard let update = request as? NSBatchUpdateRequest else { throw Refused() }
            return try self.update(update, context)
        case .batchDeleteRequestType:
            guard let deletion = request as? NSBatchDeleteRequest else { throw Refused() }
            let references = try references(of: deletion.fetchRequest, context)
            let objects = try results(of: deletion.fetchRequest, context) as? [NSManagedObject]
            rows.with { rows in for reference in references { rows[reference] = nil } }
            if deletion.resultType == .resultTypeObjectIDs {
                return DeletionResult(objects?.map(\.objectID) ?? [])
            }
            return deletion.resultType == .resultTypeStatusOnly ? !references.isEmpty : references.count
        case .batchInsertRequestType:
            guard let insertion = request as? NSBatchInsertRequest else { throw Refused() }
            for values in insertion.objectsToInsert ?? [] {
                let row = DictionaryRows.Row(entity: insertion.entityName, values: values)
                rows.with { [reference = rows.newReference(insertion.entityName)] in $0[reference] = row }
            }
            return "inserted"
        @unknown default: throw Refused()
        }
    }

    private func update(_ update: NSBatchUpdateRequest, _ context: NSManagedObjectContext) throws -> [NSManagedObjectID]
    {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: update.entityName)
        fetch.predicate = update.predicate
        let objects = try results(of: fetch, context) as? [NSManagedObject] ?? []
        for object in objects {
            let reference = reference(object.objectID)
            rows.with { rows in
                for (key, value) in update.propertiesToUpdate ?? [:] {
                    guard let key = key as? String, let value = value as? NSExpression else { continue }
                    rows[reference]?.values[key] = value.constantValue
                }
            }
        }
        return objects.map(\.objectID)
    }

    private func references(
        of request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> [String] {
        try (results(of: request, context) as? [NSManagedObject] ?? []).map { reference($0.objectID) }
    }

    private func results(
        of request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
    ) throws -> Any {
        rows.note("fetch \(request.entityName ?? "")")
        let model = context.persistentStoreCoordinator?.managedObjectModel
        guard let entity = request.entity ?? model?.entitiesByName[request.entityName ?? ""] else { throw Refused() }
        let references = rows.with { rows in
            rows.filter { _, row in
                row.entity == entity.name
                    || (request.includesSubentities && entity.subentitiesByName[row.entity] != nil)
            }.map { (key: $0.key, entity: $0.value.entity) }.sorted { $0.key < $1.key }
        }
        var objects: [NSManagedObject] = []
        for (reference, name) in references {
            guard let own = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[name] else {
                continue
            }
            objects.append(context.object(with: newObjectID(for: own, referenceObject: reference)))
        }
        if let predicate = request.predicate { objects = objects.filter { predicate.evaluate(with: $0) } }
        if let descriptors = request.sortDescriptors {
            objects = (objects as NSArray).sortedArray(using: descriptors).compactMap { $0 as? NSManagedObject }
        }
        objects = Array(objects.dropFirst(request.fetchOffset))
        if request.fetchLimit > 0 { objects = Array(objects.prefix(request.fetchLimit)) }
        switch request.resultType {
        case .countResultType: return [NSNumber(value: objects.count)]
        case .managedObjectIDResultType: return objects.map(\.objectID)
        case .dictionaryResultType:
            let keys = request.propertiesToFetch?.compactMap { $0 as? String } ?? []
            return objects.map { object in
                Dictionary(uniqueKeysWithValues: keys.compactMap { key in object.value(forKey: key).map { (key, $0) } })
            }
        default: return objects
        }
    }

    private func save(_ request: NSSaveChangesRequest) throws {
        let inserted = request.insertedObjects ?? [], updated = request.updatedObjects ?? []
        let locked = request.lockedObjects.map { " minding \($0.count)" } ?? ""
        rows.note("save \(inserted.count) \(updated.count) \(request.deletedObjects?.count ?? 0)\(locked)")
        if inserted.contains(where: { $0.entity.name == "Prize" }) { throw Refused() }
        for object in inserted.union(updated) {
            let reference = reference(object.objectID), values = values(of: object)
            rows.with { rows in
                let version = (rows[reference]?.version ?? 0) + 1
                rows[reference] = DictionaryRows.Row(
                    entity: object.entity.name ?? "", values: values, version: version)
            }
        }
        for object in request.deletedObjects ?? [] {
            rows.with { $0[self.reference(object.objectID)] = nil }
        }
    }

    private func values(of object: NSManagedObject) -> [String: Any] {
        var values: [String: Any] = [:]
        for (name, property) in object.entity.propertiesByName where !property.isTransient {
            switch object.value(forKey: name) {
            case let other as NSManagedObject: values[name] = reference(other.objectID)
            case let set as NSSet:
                values[name] = set.allObjects.compactMap { ($0 as? NSManagedObject).map { reference($0.objectID) } }
                    .sorted()
            case let set as NSOrderedSet:
                values[name] = set.array.compactMap { ($0 as? NSManagedObject).map { reference($0.objectID) } }
            case let value: values[name] = value
            }
        }
        return values
    }

    private func reference(_ id: NSManagedObjectID) -> String { referenceObject(for: id) as? String ?? "" }

    private func row(_ id: NSManagedObjectID) throws -> DictionaryRows.Row {
        guard let row = rows.with({ $0[reference(id)] }) else {
            throw CocoaError(.managedObjectReferentialIntegrity)
        }
        return row
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        rows.note("values of \(reference(objectID))")
        let row = try row(objectID)
        let attributes = row.values.filter { objectID.entity.attributesByName[$0.key] != nil }
        return NSIncrementalStoreNode(objectID: objectID, withValues: attributes, version: row.version)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        func id(_ reference: String) -> NSManagedObjectID? {
            guard let name = rows.with({ $0[reference]?.entity }),
                let entity = objectID.entity.managedObjectModel.entitiesByName[name]
            else { return nil }
            return newObjectID(for: entity, referenceObject: reference)
        }
        let value = try row(objectID).values[relationship.name]
        if relationship.isToMany { return (value as? [String] ?? []).compactMap(id) }
        return (value as? String).flatMap(id) ?? NSNull()
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            newObjectID(for: object.entity, referenceObject: rows.newReference(object.entity.name ?? ""))
        }
    }
}

/// A result that a store has made itself.
private final class DeletionResult: NSBatchDeleteResult {
    private let ids: [NSManagedObjectID]

    init(_ ids: [NSManagedObjectID]) {
        self.ids = ids
        super.init()
    }

    override var result: Any? { ids }
}
