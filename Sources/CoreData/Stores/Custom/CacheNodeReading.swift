// From a node of an atomic store to a row. What a node holds was read by code of the application: what doesn't fit is an error.

import Foundation

/// Reads one node.
struct CacheNodeReading {
    let node: NSAtomicStoreCacheNode
    let storeClass: AnyClass

    func row(version: Int64) throws -> InMemoryStoreBackend.LoadedRow {
        let layout = node.objectID.entity.layout
        var members: [Int: [NSManagedObjectID]] = [:]
        let values = try layout.values { slot, definition in
            if definition.isTransient { return layout.defaults[slot] }
            let given = node.value(forKey: definition.name)
            if definition.isToMany {
                if let given, !(given is NSNull) { members[slot] = try ids(given, definition) }
                return .unread(nil)
            }
            guard let given, !(given is NSNull) else { return .null }
            if definition.isRelationship {
                guard let id = id(given) else { throw wrong(given, definition, "a node") }
                return .objectID(id)
            }
            guard let attribute = definition.property as? NSAttributeDescription,
                let value = ManagedValue(boxed: given, for: attribute)
            else { throw wrong(given, definition, "a value of the attribute's type") }
            return value
        }
        return InMemoryStoreBackend.LoadedRow(
            objectID: node.objectID, version: version, values: values, members: members)
    }

    private func id(_ given: Any) -> NSManagedObjectID? {
        (given as? NSAtomicStoreCacheNode)?.objectID ?? given as? NSManagedObjectID
    }

    private func ids(_ given: Any, _ definition: EntityLayout.Slot) throws -> [NSManagedObjectID] {
        let elements: [Any]? =
            switch given {
            case let nodes as Set<NSAtomicStoreCacheNode>: nodes.sorted { $0.objectID.number < $1.objectID.number }
            case let set as NSSet: set.allObjects
            case let set as NSOrderedSet: set.array
            case let array as [Any]: array
            case let array as NSArray: Array(array)
            default: nil
            }
        return try (elements ?? [given]).map { element in
            guard elements != nil, let id = id(element) else { throw wrong(element, definition, "a set of nodes") }
            return id
        }
    }

    private func wrong(_ found: Any, _ definition: EntityLayout.Slot, _ expected: String) -> CocoaError {
        CoreDataError.make(
            .coreData,
            "A node of the store class \(storeClass) has \(type(of: found)) for "
                + "\(node.objectID.entity.name ?? "").\(definition.name) where \(expected) is expected. Correct its load()."
        )
    }
}
