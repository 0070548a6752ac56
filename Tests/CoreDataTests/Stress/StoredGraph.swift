// What a store should hold, as plain dictionaries: written down from what each save announces, compared with what a new context
// reads.

import CoreData

/// The rows of a library by ID.
struct StoredGraph {
    struct Row: Equatable {
        var entity: String
        var attributes: [String: String] = [:]
        var destinations: [String: NSManagedObjectID] = [:]
    }

    static let attributes = ["name", "title", "pages", "isbn", "heading", "label", "number"]

    private(set) var rows: [NSManagedObjectID: Row] = [:]
    /// Of objects that counted as updated, but of whose columns nothing differed: what they are if settling a conflict has written them
    /// after all. Which it is, no notification tells.
    private var alternatives: [NSManagedObjectID: [Row]] = [:]
    /// What books have which tags.
    private(set) var tagged: Set<[NSManagedObjectID]> = []
    /// In which order books have their chapters, where a save has said that: by a context that knew the order before it.
    private(set) var chapters: [NSManagedObjectID: [NSManagedObjectID]] = [:]
    /// Objects of settled conflicts: what tags and books have of them depends on the policy.
    private var settled: Set<NSManagedObjectID> = []

    static func row(of object: NSManagedObject) -> Row {
        var row = Row(entity: object.entity.name ?? "")
        for name in attributes where object.entity.attributesByName[name] != nil {
            row.attributes[name] = object.value(forKey: name).map { "\($0)" }
        }
        for (name, relationship) in object.entity.relationshipsByName where !relationship.isToMany {
            row.destinations[name] = object.one(name)?.objectID
        }
        return row
    }

    /// What an object was last read or saved as.
    static func committedRow(of object: NSManagedObject) -> Row {
        let values = object.committedValues(forKeys: nil)
        var row = Row(entity: object.entity.name ?? "")
        for name in attributes where object.entity.attributesByName[name] != nil {
            if let value = values[name], !(value is NSNull) { row.attributes[name] = "\(value)" }
        }
        for (name, relationship) in object.entity.relationshipsByName where !relationship.isToMany {
            row.destinations[name] = (values[name] as? NSManagedObject)?.objectID
        }
        return row
    }

    /// - Parameters:
    ///   - written: The updated objects of whose columns some differed before the save. The others count as updated for members that
    ///     came or went, or because settling a conflict has reached them.
    ///   - former: What those were before their changes. One that is so again has lost them when a constraint was settled: a new object,
    ///     which it was linked to, has become the stored one that it came from. Nothing of it is written then.
    mutating func take(
        _ saved: Notification, written: Set<NSManagedObject>, _ former: [NSManagedObjectID: Row]
    ) {
        func objects(_ key: String) -> Set<NSManagedObject> { saved.userInfo?[key] as? Set<NSManagedObject> ?? [] }
        for object in objects(NSInsertedObjectsKey) { rows[object.objectID] = Self.row(of: object) }
        // A save makes no row that somebody else has deleted: there was nothing left to write.
        let updated = objects(NSUpdatedObjectsKey).filter { rows[$0.objectID] != nil }
        let changed = updated.intersection(written).filter { Self.row(of: $0) != former[$0.objectID] }
        for object in changed {
            rows[object.objectID] = Self.row(of: object)
            alternatives[object.objectID] = nil
        }
        for object in updated.subtracting(changed) {
            alternatives[object.objectID, default: []].append(Self.row(of: object))
        }
        for object in objects(NSDeletedObjectsKey) { remove(object.objectID) }
    }

    mutating func remove(_ id: NSManagedObjectID) {
        rows[id] = nil
        alternatives[id] = nil
        tagged = tagged.filter { !$0.contains(id) }
        chapters[id] = nil
        chapters = chapters.mapValues { list in list.filter { $0 != id } }
        for (other, row) in rows where row.destinations.values.contains(id) {
            rows[other]?.destinations = row.destinations.filter { $0.value != id }
        }
        for (other, list) in alternatives {
            for (position, row) in list.enumerated() where row.destinations.values.contains(id) {
                alternatives[other]?[position].destinations = row.destinations.filter { $0.value != id }
            }
        }
    }

    mutating func set(_ attribute: String, _ value: String?, of id: NSManagedObjectID) {
        rows[id]?.attributes[attribute] = value
        for position in alternatives[id, default: []].indices {
            alternatives[id]?[position].attributes[attribute] = value
        }
    }

    mutating func insert(_ row: Row, _ id: NSManagedObjectID) { rows[id] = row }

    /// - Parameter conflicting: The objects of conflicts that the save has settled.
    mutating func take(_ saved: MemberChanges, _ conflicting: Set<NSManagedObjectID>) {
        tagged = tagged.union(saved.added).subtracting(saved.removed)
        settled.formUnion(conflicting)
        for order in saved.orders {
            let id = order.book.objectID
            let isKnown = order.isNew || chapters[id] == order.before
            guard rows[id] != nil, conflicting.isEmpty, isKnown else {
                chapters[id] = nil
                continue
            }
            chapters[id] = order.book.ordered("chapters").map(\.objectID)
        }
        chapters = chapters.filter { conflicting.isDisjoint(with: $0.value) && !conflicting.contains($0.key) }
    }

    // MARK: Comparing

    /// Where a context that has no changes differs.
    mutating func differences(to context: NSManagedObjectContext, withMembers: Bool) throws -> [String] {
        var found = StoredGraph()
        var findings: [String] = []
        for entity in ["Author", "Book", "Chapter", "Tag", "Passport", "Prize"] {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                found.rows[object.objectID] = Self.row(of: object)
                findings += Self.broken(object)
                guard entity == "Book" else { continue }
                for tag in object.many("tags") { found.tagged.insert([object.objectID, tag.objectID]) }
                found.chapters[object.objectID] = object.ordered("chapters").map(\.objectID)
            }
        }
        for id in Set(rows.keys).union(found.rows.keys) where rows[id] != found.rows[id] {
            if let row = found.rows[id], alternatives[id, default: []].contains(row) {
                rows[id] = row
                continue
            }
            findings.append(
                "\(id) is \(found.rows[id].map { "\($0)" } ?? "not stored") where saves said "
                    + "\(rows[id].map { "\($0)" } ?? "none")")
        }
        alternatives = [:]
        if withMembers { findings += memberDifferences(to: found) }
        (tagged, chapters, settled) = (found.tagged, found.chapters, [])
        return findings
    }

    private func memberDifferences(to found: StoredGraph) -> [String] {
        let tags = tagged.symmetricDifference(found.tagged).filter { settled.isDisjoint(with: $0) }
        let books = chapters.filter { found.chapters[$0.key] != $0.value }
        return tags.map { "\($0) is \(found.tagged.contains($0) ? "" : "not ")stored, and saves said otherwise" }
            + books.map { id, list in
                "\(id) has the chapters \(found.chapters[id] ?? []) where saves said \(list)"
            }
    }

    /// Links of stored objects whose other side says otherwise, or that lead to no row.
    private static func broken(_ object: NSManagedObject) -> [String] {
        var findings: [String] = []
        for (name, relationship) in object.entity.relationshipsByName {
            guard let inverse = relationship.inverseRelationship else { continue }
            let others = Set(object.objectIDs(forRelationshipNamed: name))
            if others.count != object.objectIDs(forRelationshipNamed: name).count {
                findings.append("\(object.objectID).\(name) has an object twice")
            }
            for id in others {
                guard let other = try? object.managedObjectContext?.existingObject(with: id) else {
                    findings.append("\(object.objectID).\(name) leads to \(id), which isn't stored")
                    continue
                }
                if !other.objectIDs(forRelationshipNamed: inverse.name).contains(object.objectID) {
                    findings.append("\(object.objectID).\(name) leads to \(id), which doesn't lead back")
                }
            }
        }
        return findings
    }
}
