// Whether two graphs are the same, told through key-value coding alone: each object is labelled by its entity and its
// values to the bit, then several times by the labels of its neighbours. Equal graphs have equal labels, also where nothing
// identifies the objects.

import CoreData
import Foundation

enum GraphFingerprint {
    /// The labels of all objects of a context, sorted.
    static func labels(_ context: NSManagedObjectContext, rounds: Int = 4) throws -> [String] {
        var objects: [NSManagedObject] = []
        for entity in context.persistentStoreCoordinator?.managedObjectModel.entities ?? []
        where entity.superentity == nil {
            objects += try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
        }
        return labels(of: objects, rounds: rounds)
    }

    /// The labels of some objects, sorted.
    static func labels(of objects: [NSManagedObject], rounds: Int = 4) -> [String] {
        var labels: [NSManagedObjectID: String] = [:]
        for object in objects { labels[object.objectID] = values(object) }
        for _ in 0..<rounds {
            var next: [NSManagedObjectID: String] = [:]
            for object in objects {
                let text = (labels[object.objectID] ?? "") + "|" + links(object, labels)
                next[object.objectID] = digest(text)
            }
            labels = next
        }
        return objects.map { values($0) + " " + (labels[$0.objectID] ?? "") }.sorted()
    }

    private static func values(_ object: NSManagedObject) -> String {
        let attributes = object.entity.attributesByName.sorted { $0.key < $1.key }
        let texts = attributes.map { "\($0.key)=\(text(object.value(forKey: $0.key)))" }
        return "\(object.entity.name ?? "") " + texts.joined(separator: " ")
    }

    private static func links(_ object: NSManagedObject, _ labels: [NSManagedObjectID: String]) -> String {
        object.entity.relationshipsByName.sorted { $0.key < $1.key }.map { name, relationship in
            // What isn't in the store is nobody's neighbour.
            let members = object.objectIDs(forRelationshipNamed: name).compactMap { labels[$0] }
            return "\(name):" + (relationship.isOrdered ? members : members.sorted()).joined(separator: ",")
        }.joined(separator: ";")
    }

    /// A value to the bit.
    static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let decimal as NSDecimalNumber: "decimal \(decimal.decimalValue)"
        case let date as Date: "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
        case let string as String: "text \(Array(string.utf8))"
        case let data as Data: "data \(data.base64EncodedString())"
        case let uuid as UUID: "uuid \(uuid)"
        case let url as URL: "url \(url.absoluteString)"
        case let number as NSNumber: "number \(number.doubleValue.bitPattern) \(number.int64Value)"
        case let array as [Any]: "[\(array.map { text($0) }.joined(separator: ","))]"
        case let dictionary as [String: Any]:
            "{\(dictionary.sorted { $0.key < $1.key }.map { "\($0.key):\(text($0.value))" }.joined(separator: ","))}"
        case let other?: "\(other)"
        }
    }

    /// FNV-1a, so that a label doesn't grow with each round.
    private static func digest(_ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}

extension NSManagedObject {
    /// What the relationships lead to, to be read; unordered ones by name.
    func linksToRead(_ name: (NSManagedObject) -> String) -> String {
        entity.relationshipsByName.keys.sorted().map { key -> String in
            let value = value(forKey: key)
            let members =
                (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? value.map { [$0] } ?? []
            let names = members.compactMap { $0 as? NSManagedObject }.map(name)
            return "\(key): " + (value is NSOrderedSet ? names : names.sorted()).joined(separator: ", ")
        }.joined(separator: "; ")
    }
}
