// The objects of a store as plain text values, and what a lightweight migration has to make of them: the simple model of
// its semantics that the tests compare with.

import CoreData
import Foundation

/// All objects of a store.
struct ObjectTable {
    /// An object's entity and key. Keys are unique within a root entity.
    struct Key: Hashable, Comparable {
        var entity: String
        var number: String

        static func < (left: Key, right: Key) -> Bool {
            (left.entity, left.number.count, left.number) < (right.entity, right.number.count, right.number)
        }
    }

    enum Value: Equatable {
        case attribute(String)
        /// In their order where they have one, else sorted.
        case relationship([Key])
    }

    let model: NSManagedObjectModel
    private(set) var objects: [Key: [String: Value]] = [:]

    init(_ context: NSManagedObjectContext) throws {
        guard let model = context.persistentStoreCoordinator?.managedObjectModel else { fatalError("No coordinator.") }
        self.model = model
        for entity in model.entities where entity.superentity == nil {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")) {
                var values: [String: Value] = [:]
                for attribute in object.entity.attributesByName.values where !attribute.isTransient {
                    values[attribute.name] = .attribute(Self.text(object.value(forKey: attribute.name)))
                }
                for relationship in object.entity.relationshipsByName.values where !relationship.isTransient {
                    values[relationship.name] = .relationship(
                        Self.keys(object.value(forKey: relationship.name), relationship))
                }
                objects[Self.key(object)] = values
            }
        }
    }

    private init(model: NSManagedObjectModel, objects: [Key: [String: Value]]) {
        self.model = model
        self.objects = objects
    }

    private static func key(_ object: NSManagedObject) -> Key {
        Key(
            entity: object.entity.name ?? "",
            number: object.objectID.uriRepresentation().lastPathComponent)
    }

    private static func keys(_ value: Any?, _ relationship: NSRelationshipDescription) -> [Key] {
        switch value {
        case let set as NSOrderedSet: set.array.compactMap { ($0 as? NSManagedObject).map(key) }
        case let set as NSSet: set.allObjects.compactMap { ($0 as? NSManagedObject).map(key) }.sorted()
        case let one as NSManagedObject: [key(one)]
        default: []
        }
    }

    static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let data as Data: "<\(data.map { String(format: "%02x", $0) }.joined())>"
        case let dictionary as NSDictionary:
            "[\(dictionary.map { "\($0.key): \(text($0.value))" }.sorted().joined(separator: ", "))]"
        case let array as NSArray: "[\(array.map { text($0) }.joined(separator: ", "))]"
        case let set as NSSet: "{\(set.map { text($0) }.sorted().joined(separator: ", "))}"
        case let value?: "\(value)"
        }
    }

    /// The lines that only one of two tables has: at most ten of each.
    func differences(from other: ObjectTable) -> [String] {
        let mine = Set(lines), theirs = Set(other.lines)
        return lines.filter { !theirs.contains($0) }.prefix(10).map { "found \($0)" }
            + other.lines.filter { !mine.contains($0) }.prefix(10).map { "expected \($0)" }
    }

    /// One line for each value, in a defined order.
    var lines: [String] {
        objects.sorted { $0.key < $1.key }.flatMap { key, values in
            values.sorted { $0.key < $1.key }.map { name, value in
                let place = "\(key.entity)/\(key.number).\(name)"
                switch value {
                case .attribute(let text): return "\(place) = \(text)"
                case .relationship(let keys):
                    return "\(place) -> \(keys.map { "\($0.entity)/\($0.number)" }.joined(separator: " "))"
                }
            }
        }
    }

    // MARK: The expected result

    /// What the objects have to be in another version.
    ///
    /// - Parameter names: The older name for a newer one: of an entity (`Hero`), or a property of one (`Hero.name`). What
    ///   isn't in it is found by its renaming identifier; an empty text stands for nothing.
    func migrated(to model: NSManagedObjectModel, names: [String: String] = [:]) throws -> ObjectTable {
        Expectation(before: self, model: model, names: names).table()
    }

    private struct Expectation {
        let before: ObjectTable
        let model: NSManagedObjectModel
        let names: [String: String]

        func oldEntity(_ entity: NSEntityDescription) -> NSEntityDescription? {
            let name = entity.name ?? ""
            // No entity has an empty name.
            if let known = names[name] { return before.model.entitiesByName[known] }
            return before.model.entities.first { $0.renamingIdentifier == entity.renamingIdentifier }
                ?? before.model.entitiesByName[name]
        }

        func oldName(_ property: NSPropertyDescription, _ new: NSEntityDescription, _ old: NSEntityDescription)
            -> String?
        {
            for entity in sequence(first: new, next: \.superentity) {
                if let known = names["\(entity.name ?? "").\(property.name)"] { return known.isEmpty ? nil : known }
            }
            let candidates = old.propertiesByName.values.filter {
                !$0.isTransient && ($0 is NSAttributeDescription) == (property is NSAttributeDescription)
            }
            return candidates.first { $0.renamingIdentifier == property.renamingIdentifier }?.name
                ?? candidates.first { $0.name == property.name }?.name
        }

        func table() -> ObjectTable {
            var newEntity: [String: String] = [:]
            for entity in model.entities {
                if let old = oldEntity(entity)?.name { newEntity[old] = entity.name }
            }
            func survivor(_ key: Key, _ relationship: NSRelationshipDescription) -> Key? {
                guard let name = newEntity[key.entity], let entity = model.entitiesByName[name],
                    let destination = relationship.destinationEntity, entity.isKindOf(entity: destination)
                else { return nil }
                return Key(entity: name, number: key.number)
            }
            var objects: [Key: [String: Value]] = [:]
            for (key, values) in before.objects {
                guard let name = newEntity[key.entity], let entity = model.entitiesByName[name],
                    let old = before.model.entitiesByName[key.entity]
                else { continue }
                var migrated: [String: Value] = [:]
                for attribute in entity.attributesByName.values where !attribute.isTransient {
                    migrated[attribute.name] = .attribute(value(attribute, oldName(attribute, entity, old), values))
                }
                for relationship in entity.relationshipsByName.values where !relationship.isTransient {
                    var keys: [Key] = []
                    if let name = oldName(relationship, entity, old), case .relationship(let members)? = values[name] {
                        keys = members.compactMap { survivor($0, relationship) }
                    }
                    if !relationship.isOrdered { keys.sort() }
                    migrated[relationship.name] = .relationship(keys)
                }
                objects[Key(entity: name, number: key.number)] = migrated
            }
            return ObjectTable(model: model, objects: objects)
        }

        private func value(
            _ attribute: NSAttributeDescription, _ old: String?, _ values: [String: Value]
        ) -> String {
            let standard = ObjectTable.text(attribute.defaultValue)
            guard let old, case .attribute(let text)? = values[old] else { return standard }
            return text == "nil" && !attribute.isOptional ? standard : text
        }
    }
}
