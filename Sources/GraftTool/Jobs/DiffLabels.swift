// What people call the objects of a diff: the value of an attribute such as `name`, looked up for those that it
// mentions.

import CoreData
import Foundation
import Graft

/// Names for the objects that a diff mentions.
struct DiffLabels {
    private let model: NSManagedObjectModel
    private let identification: GraphDiff.Identification
    private var keys: [String: Set<ObjectKey>] = [:]

    /// The attributes that are names, the first choice first.
    private static let attributes = ["name", "title", "label", "displayName", "summary"]

    /// More objects than these nobody reads about; the rest go without.
    private static let limit = 20_000

    init(_ diff: GraphDiff, _ model: NSManagedObjectModel) {
        self.model = model
        identification = diff.identification
        for contents in diff.deleted + diff.inserted {
            add(contents.key)
            for property in contents.properties { for key in property.value.ends { add(key) } }
        }
        for change in diff.changed {
            add(change.key)
            for property in change.properties { for key in property.kind.ends { add(key) } }
        }
    }

    private mutating func add(_ key: ObjectKey) {
        guard key.position == nil, keys[key.entity, default: []].count < Self.limit else { return }
        keys[key.entity, default: []].insert(key)
    }

    /// Looks the names up.
    ///
    /// - Parameters:
    ///   - files: Where to look, the first choice first. JSON files aren't read again for this.
    ///   - snapshots: What has been read whole, the first choice first.
    func labels(
        in files: [GraphFile], snapshots: [GraphSnapshot], modelPath: String?
    ) throws -> [ObjectKey: String] {
        var labels: [ObjectKey: String] = [:]
        for snapshot in snapshots {
            for (entity, keys) in keys {
                for key in keys where labels[key] == nil && key.owners.isEmpty && !key.isRow {
                    guard let row = snapshot.row(of: entity, identity: key.identity) else { continue }
                    labels[key] = Self.label(of: row, in: model.entitiesByName[row.entityName])
                }
            }
        }
        for file in files where file.isStore {
            let container = try StoreAccess.openForReading(file.path, modelPath: modelPath)
            let context = container.newBackgroundContext()
            try context.performAndWait {
                for (entity, keys) in keys {
                    let missing = keys.filter { labels[$0] == nil }
                    try find(Array(missing), of: entity, in: context, &labels)
                }
            }
        }
        return labels
    }

    /// The first name that the data has of an object, unless it is what identifies it.
    private static func label(of row: GraphSnapshot.Row, in entity: NSEntityDescription?) -> String? {
        for name in attributes where entity?.attributesByName[name] != nil {
            guard case .string(let text)? = row[name] else { continue }
            return row.identity == [.string(text)] ? nil : text
        }
        return nil
    }

    private func find(
        _ keys: [ObjectKey], of entity: String, in context: NSManagedObjectContext, _ labels: inout [ObjectKey: String]
    ) throws {
        guard let description = model.entitiesByName[entity],
            let name = Self.attributes.first(where: {
                description.attributesByName[$0]?.attributeType == .stringAttributeType
            })
        else { return }
        for (key, object) in try context.objects(with: keys, in: identification) {
            guard let text = object.value(forKey: name) as? String, key.identity != [.string(text)] else { continue }
            labels[key] = text
        }
    }
}
