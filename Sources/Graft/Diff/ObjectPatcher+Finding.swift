// From the keys of a diff to the objects of a context: with a fetch for some hundred at a time, owners before what hangs on them, and
// objects without identity along the way that leads to them.

import CoreData
import Foundation

extension ObjectPatcher {
    /// Finds the objects that a diff names, as far as they are there. Where it is to be applied to given objects, what it is
    /// about is looked for in their graph alone: the store may have another copy of it. What that graph refers to may be
    /// anywhere.
    ///
    /// - Parameter own: The objects that the diff inserts, deletes or changes.
    /// - Throws: ``GraftError`` with `unknownEntity` for a name that the model doesn't have; the errors of fetches.
    mutating func find(_ keys: Set<ObjectKey>, own: Set<ObjectKey>) throws {
        if !roots.isEmpty { try takeGraphOfRoots() }
        for level in Self.levels(of: keys) {
            var byEntity: [Int: [ObjectKey]] = [:]
            for key in level {
                if objects[key] != nil || !roots.isEmpty && own.contains(key) { continue }
                byEntity[try scope.schema.requiredNumber(ofEntity: key.entity), default: []].append(key)
            }
            for (entity, keys) in byEntity.sorted(by: { $0.key < $1.key }) {
                if scope.schema.entities[entity].isByRow == true {
                    for batch in keys.batches(of: Self.batchSize) { try fetchRows(batch, entity) }
                    continue
                }
                let hangs = !scope.schema.entities[entity].relatedIdentity.isEmpty
                for batch in keys.batches(of: Self.batchSize) {
                    if hangs { try fetchHanging(batch, entity) } else { try fetch(batch, entity) }
                }
            }
        }
        if keys.contains(where: { $0.position?.contents != nil }) { try takeContents() }
        for key in keys.sorted() {
            if let object = try walk(to: key).last, object.entity.name == key.entity { objects[key] = object }
        }
    }

    /// Enters the objects with an identity in the graph of the given objects.
    private mutating func takeGraphOfRoots() throws {
        var reader = ObjectSnapshotReader(scope, model, .current)
        try reader.read(roots)
        for (row, object) in reader.objectsByRow {
            if let key = reader.snapshot.identityKey(of: row) { objects[key] = object }
        }
    }

    /// Reads everything, because only what all objects hold tells which of them is meant.
    private mutating func takeContents() throws {
        var all = roots
        if roots.isEmpty {
            for entity in scope.schema.entities where entity.parent == nil {
                all += try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name))
            }
        }
        var reader = ObjectSnapshotReader(scope, model, .current)
        if identification.store != nil { try reader.takeRows(of: context, identification) }
        try reader.read(all)
        let keys = RowKeys(
            reader.snapshot, scope, hasUnidentified: true, matchesRootsByPosition: !roots.isEmpty)
        let objects = reader.objectsByRow
        for (row, position) in keys.positions {
            objectsByContents[ObjectKey(scope.schema.entities[row.entity].name, at: position)] = objects[row]
        }
    }

    /// Fetches objects by their rows. A row may be one of another entity here: sub-entities share the numbers.
    private mutating func fetchRows(_ keys: [ObjectKey], _ entity: Int) throws {
        guard let coordinator = context.persistentStoreCoordinator ?? context.parent?.persistentStoreCoordinator,
            let store = identification.store
        else { return }
        let description = scope.schema.entities[entity]
        var wanted: [Int64: [ObjectKey]] = [:]
        for key in keys { if let number = key.rowNumber { wanted[number, default: []].append(key) } }
        let ids = wanted.keys.sorted().compactMap { number in
            URL(string: "x-coredata://\(store)/\(description.name)/p\(number)")
                .flatMap { coordinator.managedObjectID(forURIRepresentation: $0) }
        }
        for object in try context.readStored(ids, description.name, prefetching: []) {
            guard !object.isDeleted, object.entity.name == description.name, let number = object.rowNumber else {
                continue
            }
            let name = try identification.rowName(number, of: object, description)
            for key in wanted[number] ?? [] where key.identity.first?.isSameIdentity(as: name) == true {
                objects[key] = object
            }
        }
    }

    private static let batchSize = 500

    /// The keys with an identity among these, those included that they are made of, each after those that it hangs on.
    private static func levels(of keys: Set<ObjectKey>) -> [[ObjectKey]] {
        var levels: [Set<ObjectKey>] = []
        func add(_ key: ObjectKey) -> Int {
            let level = key.owners.reduce(0) { level, owner in max(level, owner.map { add($0) + 1 } ?? 0) }
            while levels.count <= level { levels.append([]) }
            levels[level].insert(key)
            return level
        }
        for key in keys {
            if key.position == nil { _ = add(key) } else if let start = key.position?.start { _ = add(start) }
        }
        return levels.map { $0.sorted() }
    }

    /// Fetches objects by the values of their identifying attributes.
    private mutating func fetch(_ keys: [ObjectKey], _ entity: Int) throws {
        let description = scope.schema.entities[entity]
        let keys = keys.filter(description.isIdentity)
        if keys.isEmpty { return }
        let parts = haveOne(of: keys, description)
        let wanted = Set(keys)
        for object in try known.fetch(known.request(entity, where: parts, includesUnsaved: true)) {
            let identity = try description.identity.map { try object.graphValue($0, description.properties[$0]) }
            take(object, ObjectKey(description.name, identity), wanted, description)
        }
    }

    /// For each identifying attribute, that it has one of the values which keys have. One alone may be shared by all objects.
    private func haveOne(of keys: [ObjectKey], _ description: GraphSchema.Entity) -> [NSPredicate] {
        description.identityAttributes.enumerated().map { index, number in
            .isOne(description.properties[number].name, of: keys.compactMap { $0.identity[index].object })
        }
    }

    /// Fetches objects by their own values and the objects that they hang on, which have been found before. An owner has several names
    /// where nobody but one of a sub-entity has its identity.
    private mutating func fetchHanging(_ keys: [ObjectKey], _ entity: Int) throws {
        let description = scope.schema.entities[entity]
        var wanted: [OwnedIdentity<ObjectIdentifier?>: Set<ObjectKey>] = [:]
        // Only what the store knows can have stored objects hanging on it; what is new is looked at below.
        var stored: [ObjectKey] = []
        for key in keys where description.isIdentity(key) {
            let owners = key.owners.map { $0.flatMap { objects[$0] } }
            if zip(key.owners, owners).contains(where: { $0 != nil && $1 == nil }) { continue }
            let identity = OwnedIdentity(
                space: entity, values: key.identity.map { ExactValue($0) },
                owners: owners.map { $0.map(ObjectIdentifier.init) })
            wanted[identity, default: []].insert(key)
            if !owners.contains(where: { $0?.objectID.isTemporaryID ?? false }) { stored.append(key) }
        }
        var found: [NSManagedObject] = []
        if !stored.isEmpty {
            var parts = haveOne(of: stored, description)
            for (index, number) in description.identityRelationships.enumerated() {
                let name = description.properties[number].name
                let owners = Set(stored.compactMap { key in key.owners[index].flatMap { objects[$0] } })
                parts.append(.isOne(name, of: Array(owners), orNil: stored.contains { $0.owners[index] == nil }))
            }
            found = try known.fetch(known.request(entity, where: parts, includesUnsaved: true))
        }
        found += context.insertedObjects.filter { object in
            known.number(of: object).map { scope.schema.isEntity($0, kindOf: entity) } ?? false
        }
        for object in found {
            let values = try description.identityAttributes.map {
                ExactValue(try object.graphValue($0, description.properties[$0]))
            }
            let owners = description.identityRelationships.map { number in
                object.destination(number, description.properties[number]).map(ObjectIdentifier.init)
            }
            let names = wanted[OwnedIdentity(space: entity, values: values, owners: owners)] ?? []
            for key in names { take(object, key, names, description) }
        }
    }

    /// Notes an object that is wanted. One of the entity itself counts more than one of a sub-entity.
    private mutating func take(
        _ object: NSManagedObject, _ key: ObjectKey, _ wanted: Set<ObjectKey>, _ description: GraphSchema.Entity
    ) {
        if wanted.contains(key), objects[key] == nil || object.entity.name == description.name { objects[key] = object }
    }

    /// The objects on the way to one without identity, that one last; empty where the way ends before.
    func walk(to key: ObjectKey) throws -> [NSManagedObject] {
        guard let position = key.position else { return [] }
        if position.contents != nil { return objectsByContents[key].map { [$0] } ?? [] }
        let start =
            position.start.map { objects[$0] } ?? (roots.indices.contains(position.root) ? roots[position.root] : nil)
        guard var object = start else { return [] }
        var way = [object]
        for step in position.steps {
            guard let entity = known.number(of: object),
                let number = scope.schema.entities[entity].number(ofProperty: step.relationship)
            else { return [] }
            let property = scope.schema.entities[entity].properties[number]
            let ends = property.isAttribute ? [] : object.relatedObjects(number, property)
            guard ends.indices.contains(step.index) else { return [] }
            object = ends[step.index]
            way.append(object)
        }
        return way
    }
}

extension ObjectKey.Position {
    /// The object with an identity that the way begins with.
    var start: ObjectKey? {
        entity.map { name in
            var key = ObjectKey(name, identity, of: owners)
            key.isRow = isRow
            return key
        }
    }
}
