// Random objects for any model: values for all attributes, links for all relationships.

import CoreData
import Foundation

/// Fills a store of a model.
struct RandomObjects {
    let model: NSManagedObjectModel
    let perEntity: Int

    func insert(into context: NSManagedObjectContext, using generator: inout SeededGenerator) throws {
        let entities = model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
        var objects: [NSManagedObject] = []
        for entity in entities {
            for _ in 0..<perEntity {
                let object = context.insert(entity.name ?? "")
                let unique = Set(entity.uniquenessConstraintNames(inherited: true))
                for attribute in entity.attributesByName.values.sorted(by: { $0.name < $1.name }) {
                    let isNeeded = !attribute.isOptional || unique.contains(attribute.name)
                    if !isNeeded, Int.random(in: 0..<4, using: &generator) == 0 { continue }
                    guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription) else { continue }
                    object.setValue(Self.value(attribute, using: &generator), forKey: attribute.name)
                }
                objects.append(object)
            }
        }
        for object in objects { link(object, among: objects, using: &generator) }
        // What was left without something that it needs goes, and whatever needed that.
        while let index = objects.firstIndex(where: { $0.managedObjectContext != nil && !isValid($0) }) {
            context.delete(objects.remove(at: index))
            context.processPendingChanges()
        }
    }

    private func isValid(_ object: NSManagedObject) -> Bool {
        do {
            try object.validateForInsert()
            return true
        } catch {
            return false
        }
    }

    private func link(
        _ object: NSManagedObject, among objects: [NSManagedObject], using generator: inout SeededGenerator
    ) {
        for relationship in object.entity.relationshipsByName.values.sorted(by: { $0.name < $1.name }) {
            guard !relationship.isTransient, let destination = relationship.destinationEntity else { continue }
            let candidates = objects.filter { $0.entity.isKindOf(entity: destination) }
            guard !candidates.isEmpty else { continue }
            if let inverse = relationship.inverseRelationship, !relationship.isToMany, !inverse.isToMany {
                // Whoever is taken already may need the one that has it.
                guard object.value(forKey: relationship.name) == nil else { continue }
                let free = candidates.filter { $0.value(forKey: inverse.name) == nil }
                object.setValue(free.randomElement(using: &generator), forKey: relationship.name)
                continue
            }
            let some = candidates.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator))
            if !relationship.isToMany {
                if relationship.isOptional, some.isEmpty { continue }
                object.setValue(some.first ?? candidates[0], forKey: relationship.name)
            } else if relationship.isOrdered {
                object.setValue(NSOrderedSet(array: Array(some)), forKey: relationship.name)
            } else {
                object.setValue(NSSet(array: Array(some)), forKey: relationship.name)
            }
        }
    }

    static func value(_ attribute: NSAttributeDescription, using generator: inout SeededGenerator) -> Any? {
        let number = Int.random(in: 0...1_000_000, using: &generator)
        switch attribute.attributeType {
        case .integer16AttributeType: return NSNumber(value: number % 30_000)
        case .integer32AttributeType, .integer64AttributeType: return NSNumber(value: number)
        case .booleanAttributeType: return NSNumber(value: number.isMultiple(of: 2))
        case .doubleAttributeType: return NSNumber(value: Double(number) / 8)
        case .floatAttributeType: return NSNumber(value: Float(number % 1000) / 4)
        case .decimalAttributeType: return NSDecimalNumber(value: number)
        case .stringAttributeType: return "text \(number)"
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number))
        case .binaryDataAttributeType:
            return Data((0..<(number % 40)).map { UInt8(truncatingIfNeeded: $0 &* number) })
        case .UUIDAttributeType:
            return UUID(uuidString: String(format: "%08X-0000-4000-8000-%012X", number, number &* 7))
        case .URIAttributeType: return URL(string: "https://example.org/\(number)")
        case .transformableAttributeType:
            return attribute.valueTransformerName == nil ? "object \(number)" as NSString : nil
        default: return nil
        }
    }
}

extension NSEntityDescription {
    /// The names of all properties in uniqueness constraints.
    fileprivate func uniquenessConstraintNames(inherited: Bool) -> [String] {
        sequence(first: self, next: \.superentity).flatMap { entity in
            entity.uniquenessConstraints.flatMap { $0 }.map { ($0 as? NSPropertyDescription)?.name ?? "\($0)" }
        }
    }
}
