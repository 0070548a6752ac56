// Changes at random in real stores, as far as the rules of their models allow it.

import CoreData
import Foundation
import Graft
import Testing

enum StoreChanger {
    /// Changes values and links, and inserts and deletes objects.
    static func change(
        _ container: NSPersistentContainer, _ count: Int, _ random: inout SeededGenerator
    ) throws {
        var generator = random
        try container.read { context in
            var done = 0
            var objects = try context.everything()
            for _ in 0..<count * 4 where done < count && !objects.isEmpty {
                let object = objects[generator.below(objects.count)]
                var inserted: [NSManagedObject] = []
                switch generator.below(10) {
                // Who has no inverse is left leading nowhere, and a diff refuses that.
                case 0: if !isLedToOneWay(object.entity) { context.delete(object) }
                case 1: inserted = [copy(object, in: context, done)]
                case 2, 3: link(object, objects, &generator)
                default: set(object, done, &generator)
                }
                do {
                    try context.save()
                    done += 1
                    // Deletions cascade.
                    objects = objects.filter { $0.managedObjectContext != nil } + inserted
                } catch {
                    context.rollback()
                }
            }
            #expect(done > 0)
        }
        random = generator
    }

    /// Changes objects of one half alone, and links them to each other: values, to-one relationships whose other end is an unordered
    /// to-many one, and new objects.
    ///
    /// - Parameters:
    ///   - half: 0 or 1; an object is of the half that its place in the order of all says.
    /// - Returns: How many objects have come.
    static func changeHalf(
        _ half: Int, of container: NSPersistentContainer, _ count: Int, _ random: inout SeededGenerator
    ) throws -> Int {
        var generator = random
        let inserted = try container.read { context in
            let all = try context.everything()
            let objects = all.enumerated().filter { $0.offset % 2 == half }.map(\.element)
            var done = 0, inserted = 0
            for _ in 0..<count * 4 where done < count && !objects.isEmpty {
                let object = objects[generator.below(objects.count)]
                let number = half * 1_000 + done
                var isNew = false
                switch generator.below(10) {
                case 0:
                    _ = copy(object, in: context, number)
                    isNew = true
                case 1, 2:
                    link(object, objects, &generator) { relationship in
                        relationship.inverseRelationship.map { $0.isToMany && !$0.isOrdered } ?? true
                    }
                default: set(object, number, &generator)
                }
                do {
                    try context.save()
                    done += 1
                    if isNew { inserted += 1 }
                } catch {
                    context.rollback()
                }
            }
            return inserted
        }
        random = generator
        return inserted
    }

    private static func isLedToOneWay(_ entity: NSEntityDescription) -> Bool {
        entity.managedObjectModel.entities.flatMap(\.relationshipsByName.values).contains { relationship in
            relationship.inverseRelationship == nil
                && relationship.destinationEntity.map(entity.isKindOf(entity:)) ?? false
        }
    }

    /// What may identify objects stays: another identity is another object.
    private static func mayChange(_ attribute: NSAttributeDescription) -> Bool {
        let name = attribute.name.lowercased()
        let isUnique = attribute.entity.uniquenessConstraints.joined().contains { "\($0)" == attribute.name }
        return !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) && !isUnique
            && !["id", "uuid", "guid", "identifier", "license", "\(attribute.entity.name ?? "")id".lowercased()]
                .contains(name)
    }

    /// The attributes of an entity that may be changed, by name.
    static func changeable(_ entity: NSEntityDescription) -> [NSAttributeDescription] {
        entity.attributesByName.values.filter(mayChange).sorted { $0.name < $1.name }
    }

    private static func set(_ object: NSManagedObject, _ number: Int, _ random: inout SeededGenerator) {
        let attributes = changeable(object.entity)
        guard !attributes.isEmpty else { return }
        set(attributes[random.below(attributes.count)], of: object, number)
    }

    /// Gives an attribute a value that tells of a number, if it is of a type that can.
    static func set(_ attribute: NSAttributeDescription, of object: NSManagedObject, _ number: Int) {
        switch attribute.attributeType {
        case .stringAttributeType: object.setValue("changed \(number)", forKey: attribute.name)
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            object.setValue(number + 2, forKey: attribute.name)
        case .doubleAttributeType, .floatAttributeType: object.setValue(Double(number) + 0.5, forKey: attribute.name)
        case .dateAttributeType:
            object.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: attribute.name)
        default: break
        }
    }

    private static func link(
        _ object: NSManagedObject, _ objects: [NSManagedObject], _ random: inout SeededGenerator,
        where isChosen: (NSRelationshipDescription) -> Bool = { _ in true }
    ) {
        let toOnes = object.entity.relationshipsByName.values.filter { !$0.isToMany && isChosen($0) }
            .sorted { $0.name < $1.name }
        guard !toOnes.isEmpty else { return }
        let relationship = toOnes[random.below(toOnes.count)]
        let ends = objects.filter { end in
            relationship.destinationEntity.map { end.entity.isKindOf(entity: $0) } ?? false
        }
        object.setValue(ends.isEmpty ? nil : ends[random.below(ends.count)], forKey: relationship.name)
    }

    /// A new object with an object's values, and an identity of its own.
    private static func copy(
        _ object: NSManagedObject, in context: NSManagedObjectContext, _ number: Int
    ) -> NSManagedObject {
        let copy = NSEntityDescription.insertNewObject(forEntityName: object.entity.name ?? "", into: context)
        for (name, attribute) in object.entity.attributesByName where !(attribute is NSDerivedAttributeDescription) {
            copy.setValue(object.value(forKey: name), forKey: name)
            if mayChange(attribute) { continue }
            switch attribute.attributeType {
            case .stringAttributeType: copy.setValue("new \(number)", forKey: name)
            case .UUIDAttributeType: copy.setValue(UUID(), forKey: name)
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
                copy.setValue(30000 + number, forKey: name)
            default: break
            }
        }
        return copy
    }
}
