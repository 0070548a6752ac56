// An atomic store as an application would write it, with public API alone: one property list with a row for each object.

import CoreData

final class PropertyListStore: NSAtomicStore {
    static let type = "PropertyListStore"
    struct Refused: Error {}

    /// Whether ``save()`` refuses.
    var refuses = false
    /// The references of deleted objects.
    var removed: [String] = []
    private var nodes: [String: NSAtomicStoreCacheNode] = [:]
    private var lastNumber = 0

    override var type: String { Self.type }

    private func node(_ entity: NSEntityDescription, _ reference: String) -> NSAtomicStoreCacheNode {
        if let node = nodes[reference] { return node }
        let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: reference))
        nodes[reference] = node
        return node
    }

    private func node(of object: NSManagedObject) -> NSAtomicStoreCacheNode {
        node(object.entity, referenceObject(for: object.objectID) as? String ?? "")
    }

    override func load() throws {
        guard let url, FileManager.default.fileExists(atPath: url.path) else { return }
        let list = try unsafe PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
        guard let list = list as? [String: Any], let rows = list["rows"] as? [[String: Any]],
            let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName
        else { throw Refused() }
        metadata = [NSStoreUUIDKey: list["uuid"] as? String ?? "", NSStoreTypeKey: type, "key": list["key"] as Any]
        lastNumber = rows.count
        let loaded = rows.compactMap { row -> NSAtomicStoreCacheNode? in
            guard let entity = entities[row["entity"] as? String ?? ""], let reference = row["reference"] as? String
            else { return nil }
            let node = node(entity, reference)
            for (key, value) in row["values"] as? [String: Any] ?? [:] { node.setValue(value, forKey: key) }
            for (key, references) in row["links"] as? [String: [String]] ?? [:] {
                guard let relationship = entity.relationshipsByName[key], let other = relationship.destinationEntity
                else { continue }
                let nodes = references.map { self.node(other, $0) }
                node.setValue(relationship.isToMany ? Set(nodes) : nodes.first, forKey: key)
            }
            return node
        }
        addCacheNodes(Set(loaded))
    }

    override func save() throws {
        if refuses { throw Refused() }
        let rows = cacheNodes().map { node -> [String: Any] in
            var values: [String: Any] = [:], links: [String: [String]] = [:]
            for key in node.objectID.entity.attributesByName.keys { values[key] = node.value(forKey: key) }
            for key in node.objectID.entity.relationshipsByName.keys {
                let others =
                    node.value(forKey: key) as? Set<NSAtomicStoreCacheNode>
                    ?? Set([node.value(forKey: key) as? NSAtomicStoreCacheNode].compactMap { $0 })
                links[key] = others.compactMap { referenceObject(for: $0.objectID) as? String }
            }
            return [
                "entity": node.objectID.entity.name ?? "", "values": values, "links": links,
                "reference": referenceObject(for: node.objectID),
            ]
        }
        let list: [String: Any] = ["rows": rows, "uuid": identifier ?? "", "key": metadata["key"] ?? ""]
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0).write(
            to: url ?? URL(fileURLWithPath: "/dev/null"))
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        lastNumber += 1
        return "\(managedObject.entity.name ?? "")-\(lastNumber)"
    }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = node(of: managedObject)
        updateCacheNode(node, from: managedObject)
        return node
    }

    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for key in managedObject.entity.attributesByName.keys {
            node.setValue(managedObject.value(forKey: key), forKey: key)
        }
        for (key, relationship) in managedObject.entity.relationshipsByName {
            guard relationship.isToMany else {
                let other = managedObject.value(forKey: key) as? NSManagedObject
                node.setValue(other.map(self.node(of:)), forKey: key)
                continue
            }
            let others = managedObject.value(forKey: key) as? Set<NSManagedObject> ?? []
            node.setValue(Set(others.map(self.node(of:))), forKey: key)
        }
    }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        removed += cacheNodes.compactMap { referenceObject(for: $0.objectID) as? String }
    }
}
