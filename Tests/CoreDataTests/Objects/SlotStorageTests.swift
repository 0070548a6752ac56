// Values of all types in an object's slots, set, copied and taken back in any order.

import CoreData
import Foundation
import Testing

@Suite struct SlotStorageTests {
    private static let types: [(name: String, type: NSAttributeType)] = [
        ("boolean", .booleanAttributeType), ("small", .integer16AttributeType), ("medium", .integer32AttributeType),
        ("large", .integer64AttributeType), ("double", .doubleAttributeType), ("float", .floatAttributeType),
        ("decimal", .decimalAttributeType), ("text", .stringAttributeType), ("date", .dateAttributeType),
        ("data", .binaryDataAttributeType), ("uuid", .UUIDAttributeType), ("uri", .URIAttributeType),
        ("tree", .transformableAttributeType), ("flag", .booleanAttributeType), ("note", .stringAttributeType),
    ]

    private static func model() -> NSManagedObjectModel {
        let thing = NSEntityDescription()
        thing.name = "Thing"
        thing.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
            return attribute
        }
        let next = NSRelationshipDescription(), previous = NSRelationshipDescription()
        (next.name, next.destinationEntity, next.maxCount, next.inverseRelationship) = ("next", thing, 1, previous)
        (previous.name, previous.destinationEntity, previous.inverseRelationship) = ("previous", thing, next)
        thing.properties += [next, previous]
        let model = NSManagedObjectModel()
        model.entities = [thing]
        return model
    }

    private func value(_ type: NSAttributeType, _ random: inout SeededGenerator) -> NSObject? {
        let number = Int64.random(in: -1_000_000...1_000_000, using: &random)
        if number % 4 == 0 { return nil }
        let text = String(repeating: "ä", count: Int(abs(number) % 40))
        switch type {
        case .booleanAttributeType: return NSNumber(value: number % 2 == 1)
        case .integer16AttributeType: return NSNumber(value: Int16(truncatingIfNeeded: number))
        case .integer32AttributeType: return NSNumber(value: Int32(truncatingIfNeeded: number))
        case .integer64AttributeType: return NSNumber(value: number << 40)
        case .doubleAttributeType: return NSNumber(value: Double(number) / 8)
        case .floatAttributeType: return NSNumber(value: Float(number) / 8)
        case .decimalAttributeType: return NSDecimalNumber(mantissa: 7, exponent: -3, isNegative: number < 0)
        case .stringAttributeType: return NSString(string: text)
        case .dateAttributeType: return NSDate(timeIntervalSinceReferenceDate: Double(number))
        case .binaryDataAttributeType: return NSData(data: Data(text.utf8))
        case .UUIDAttributeType: return NSUUID()
        case .URIAttributeType: return NSURL(string: "http://example.org/\(number)")
        default: return NSArray(array: [NSNumber(value: number)])
        }
    }

    private func isEqual(_ found: Any?, _ expected: NSObject?) -> Bool {
        guard let expected else { return found == nil }
        guard let found else { return false }
        return expected.isEqual((found as AnyObject) as? NSObject)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6])
    func `values of all types are what was set last, and a rollback brings back what was saved`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let library = try Library(.inMemory, model: Self.model())
        let things = (0..<4).map { _ in library.insert("Thing") }
        var saved = [[String: NSObject]](repeating: [:], count: things.count)
        var current = saved
        for _ in 0..<400 {
            let index = Int.random(in: 0..<things.count, using: &random)
            let (name, type) = Self.types[Int.random(in: 0..<Self.types.count, using: &random)]
            let value = value(type, &random)
            things[index].setValue(value, forKey: name)
            current[index][name] = value
            switch Int.random(in: 0..<40, using: &random) {
            case 0:
                try library.context.save()
                saved = current
            case 1 where !saved.allSatisfy(\.isEmpty):
                library.context.rollback()
                current = saved
            case 2: things[index].setValue(things.randomElement(using: &random), forKey: "next")
            default: break
            }
            if things.contains(where: { $0.managedObjectContext == nil }) { return }
            for (thing, values) in zip(things, current) {
                for (name, _) in Self.types where !isEqual(thing.value(forKey: name), values[name]) {
                    Issue.record(
                        "\(name) is \(thing.value(forKey: name) ?? "nil"), set was \(values[name] ?? NSNull())")
                }
            }
            library.context.checkInvariants()
        }
    }

    @Test func `a number that its type has no room for is kept as it is`() throws {
        let library = try Library(.inMemory, model: Self.model())
        let thing = library.insert("Thing", ["text": "a long text that has a storage of its own", "small": 1])
        thing.setValue(70_000, forKey: "small")
        thing.setValue(1 << 40, forKey: "medium")
        #expect(thing.value(forKey: "small") as? Int == 70_000 && thing.value(forKey: "medium") as? Int == 1 << 40)
        #expect(thing.text("text") == "a long text that has a storage of its own")
        thing.setValue(2, forKey: "small")
        #expect(thing.value(forKey: "small") as? Int == 2)
    }

    @Test(arguments: [11, 12, 13])
    func `the context finds the objects that somebody holds, and no others`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let library = try Library(.inMemory, model: Self.model())
        var ids: [NSManagedObjectID] = []
        for _ in 0..<600 { ids.append(library.insert("Thing").objectID) }
        let inserted = library.context.insertedObjects
        try library.context.save()
        ids = inserted.map(\.objectID)
        library.context.reset()
        var held: [NSManagedObjectID: NSManagedObject] = [:]
        for _ in 0..<6000 {
            let id = ids[Int.random(in: 0..<ids.count, using: &random)]
            if held[id] == nil, Bool.random(using: &random) {
                held[id] = library.context.object(with: id)
            } else {
                held[id] = nil
            }
            let asked = ids[Int.random(in: 0..<ids.count, using: &random)]
            #expect(library.context.registeredObject(for: asked) === held[asked])
        }
        #expect(library.context.registeredObjects == Set(held.values))
    }
}
