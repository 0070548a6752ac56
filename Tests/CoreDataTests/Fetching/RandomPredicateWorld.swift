// A model with everything that predicates can meet, and the same random objects in a SQLite store and in memory. Objects
// are told apart by their `number`, which is the same in both.

import Foundation

@testable import CoreData

enum PredicateModel {
    /// Thing 1-n Thing (parent), Thing n-n Thing (friends, its own inverse), Thing n-1 Person, Thing n-n Tag,
    /// Thing 1-n Part (ordered); Extra: Special: Thing; Manager: Person.
    static func make() -> NSManagedObjectModel {
        let thing = entity("Thing"), special = entity("Special"), extra = entity("Extra")
        let person = entity("Person"), manager = entity("Manager"), tag = entity("Tag"), part = entity("Part")
        let attribute = { LibraryModel.attribute($0, $1) }
        thing.properties = [
            attribute("number", .integer64AttributeType), attribute("flag", .booleanAttributeType),
            attribute("small", .integer16AttributeType), attribute("medium", .integer32AttributeType),
            attribute("big", .integer64AttributeType), attribute("real", .doubleAttributeType),
            attribute("single", .floatAttributeType), attribute("price", .decimalAttributeType),
            attribute("name", .stringAttributeType), attribute("note", .stringAttributeType),
            attribute("when", .dateAttributeType), attribute("until", .dateAttributeType),
            attribute("key", .UUIDAttributeType), attribute("blob", .binaryDataAttributeType),
            attribute("link", .URIAttributeType), attribute("color", .transformableAttributeType),
        ]
        special.properties = [attribute("level", .integer32AttributeType)]
        extra.properties = [attribute("surplus", .stringAttributeType)]
        person.properties = [
            attribute("number", .integer64AttributeType), attribute("name", .stringAttributeType),
            attribute("age", .integer32AttributeType), attribute("born", .dateAttributeType),
        ]
        manager.properties = [attribute("title", .stringAttributeType)]
        tag.properties = [
            attribute("number", .integer64AttributeType), attribute("label", .stringAttributeType),
            attribute("weight", .doubleAttributeType),
        ]
        part.properties = [
            attribute("number", .integer64AttributeType), attribute("name", .stringAttributeType),
            attribute("mass", .decimalAttributeType), attribute("count", .integer64AttributeType),
        ]
        LibraryModel.connect(person, "things", many: true, .nullifyDeleteRule, thing, "owner", many: false)
        LibraryModel.connect(person, "reports", many: true, .nullifyDeleteRule, person, "boss", many: false)
        LibraryModel.connect(thing, "children", many: true, .nullifyDeleteRule, thing, "parent", many: false)
        LibraryModel.connect(thing, "tags", many: true, .nullifyDeleteRule, tag, "things", many: true)
        LibraryModel.connect(thing, "parts", many: true, .nullifyDeleteRule, part, "whole", many: false, ordered: true)
        LibraryModel.connect(person, "made", many: true, .nullifyDeleteRule, part, "maker", many: false)
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.destinationEntity = thing
        friends.inverseRelationship = friends
        friends.maxCount = 0
        friends.isOptional = true
        thing.properties += [friends]
        thing.subentities = [special]
        special.subentities = [extra]
        person.subentities = [manager]
        let model = NSManagedObjectModel()
        model.entities = [thing, special, extra, person, manager, tag, part]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }
}

/// Values from small sets, so that comparisons often hold, with the awkward ones among them.
struct PredicateValues {
    static let integers: [Int64] = [-3, -1, 0, 1, 2, 3, 7, 40]
    static let bigs: [Int64] = [.min, .max, .max - 1, 0, 1, 3, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1]
    static let reals: [Double] = [-2.5, -1, 0, 0.25, 0.5, 1, 2, 3, 7.75, 9_007_199_254_740_992, 0x1p40, -0x1p40]
    static let decimals = [
        "-1.5", "0", "0.1", "0.25", "1", "2", "3", "19.99", "1000000.01", "9007199254740993", "-9007199254740995",
    ]
    static let strings = [
        "", "a", "A", "b", "B", "ab", "Ab", "aB", "abc", "ABC", "é", "É", "e\u{301}", "e", "E", "ß", "ss", "SS", "ø",
        "İ", "i", "10", "9", "a%b", "a_b", "a*b", "a?b", "a\\b", "'", "\"", "x\ny", "日本", "😀", "ﬁ", "zz", " a",
        "Straße",
    ]
    static let dates: [Double] = [-1000.5, 0, 86400, 86400.5, 700_000_000, 700_000_000.25]
    static let uuids = [
        "00000000-0000-0000-0000-000000000001", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
        "FFFFFFFF-0000-4000-8000-000000000000",
    ]
    static let blobs: [Data] = [Data(), Data([0]), Data([0, 1]), Data([255, 1, 2]), Data([1])]
    static let links = ["https://example.org/a", "https://example.org/A", "file:///tmp/x", "https://example.org/%20b"]
}

/// The same objects in a store of either kind.
final class PredicateWorld {
    let library: Library
    private(set) var things: [NSManagedObject] = []
    private(set) var people: [NSManagedObject] = []
    private(set) var tags: [NSManagedObject] = []
    private(set) var parts: [NSManagedObject] = []

    /// - Parameter seed: Equal seeds make equal worlds.
    init(_ kind: StoreKind, seed: UInt64) throws {
        library = try Library(kind, model: PredicateModel.make())
        var random = SeededGenerator(seed: seed)
        populate(&random)
        try library.context.save()
    }

    private func insert(_ entity: String, _ number: Int, _ values: [String: Any]) -> NSManagedObject {
        library.insert(entity, values.merging(["number": number]) { first, _ in first })
    }

    private func populate(_ random: inout SeededGenerator) {
        for number in 0..<12 {
            let values: [String: Any?] = [
                "name": random.maybe(PredicateValues.strings), "age": random.maybe(PredicateValues.integers),
                "born": random.maybe(PredicateValues.dates).map(Date.init(timeIntervalSinceReferenceDate:)),
            ]
            people.append(insert(number % 3 == 0 ? "Manager" : "Person", number, values.compactMapValues { $0 }))
        }
        for number in 0..<8 {
            let values: [String: Any?] = [
                "label": random.maybe(PredicateValues.strings), "weight": random.maybe(PredicateValues.reals),
            ]
            tags.append(insert("Tag", number, values.compactMapValues { $0 }))
        }
        for number in 0..<45 {
            let entity = ["Thing", "Thing", "Special", "Extra"][number % 4]
            var values = thingValues(&random)
            if entity != "Thing" { values["level"] = random.maybe(PredicateValues.integers) }
            if entity == "Extra" { values["surplus"] = random.maybe(PredicateValues.strings) }
            things.append(insert(entity, number, values.compactMapValues { $0 }))
        }
        for number in 0..<40 {
            let values: [String: Any?] = [
                "name": random.maybe(PredicateValues.strings), "count": random.maybe(PredicateValues.bigs),
                "mass": random.maybe(PredicateValues.decimals).map { NSDecimalNumber(string: $0) },
            ]
            parts.append(insert("Part", number, values.compactMapValues { $0 }))
        }
        connect(&random)
    }

    private func thingValues(_ random: inout SeededGenerator) -> [String: Any?] {
        [
            "flag": random.maybe([true, false]), "small": random.maybe(PredicateValues.integers),
            "medium": random.maybe(PredicateValues.integers), "big": random.maybe(PredicateValues.bigs),
            "real": random.maybe(PredicateValues.reals), "single": random.maybe([-1.5, 0, 0.25, 2, 3] as [Float]),
            "price": random.maybe(PredicateValues.decimals).map { NSDecimalNumber(string: $0) },
            "name": random.maybe(PredicateValues.strings), "note": random.maybe(PredicateValues.strings),
            "when": random.maybe(PredicateValues.dates).map(Date.init(timeIntervalSinceReferenceDate:)),
            "until": random.maybe(PredicateValues.dates).map(Date.init(timeIntervalSinceReferenceDate:)),
            "key": random.maybe(PredicateValues.uuids).flatMap(UUID.init(uuidString:)),
            "blob": random.maybe(PredicateValues.blobs),
            "link": random.maybe(PredicateValues.links).flatMap(URL.init(string:)),
            "color": random.maybe([["red"], ["blue"]]),
        ]
    }

    private func connect(_ random: inout SeededGenerator) {
        for (index, person) in people.enumerated() where index > 0 {
            if let boss = random.maybe(Array(people[..<index])) { person.setValue(boss, forKey: "boss") }
        }
        for (index, thing) in things.enumerated() {
            if let owner = random.maybe(people) { thing.setValue(owner, forKey: "owner") }
            if index > 0, let parent = random.maybe(Array(things[..<index])) {
                thing.setValue(parent, forKey: "parent")
            }
            let own = tags.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            thing.setValue(NSSet(array: own), forKey: "tags")
            for other in things where other !== thing && Int.random(in: 0..<20, using: &random) == 0 {
                thing.mutableSetValue(forKey: "friends").add(other)
            }
        }
        for part in parts {
            if let whole = random.maybe(things) { part.setValue(whole, forKey: "whole") }
            if let maker = random.maybe(people) { part.setValue(maker, forKey: "maker") }
        }
    }

    /// What `$thing3`, `$person1` and so on stand for in this world; `$things`, `$people` are lists.
    var variables: [String: Any] {
        var variables: [String: Any] = [:]
        for (index, thing) in things.enumerated() {
            variables["thing\(index)"] = index % 2 == 0 ? thing : thing.objectID
        }
        for (index, person) in people.enumerated() { variables["person\(index)"] = person }
        for (index, tag) in tags.enumerated() { variables["tag\(index)"] = tag.objectID }
        for (index, part) in parts.enumerated() { variables["part\(index)"] = part }
        variables["things"] = Array(things.prefix(10))
        variables["people"] = NSSet(array: Array(people.prefix(5)))
        variables["tags"] = tags.prefix(3).map(\.objectID)
        return variables
    }

    /// The numbers of the objects that a fetch finds, in its order.
    func numbers(
        _ entity: String, _ predicate: NSPredicate?, sort: [NSSortDescriptor] = [], includesSubentities: Bool = true
    ) throws -> [Int] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        request.sortDescriptors = sort
        request.includesSubentities = includesSubentities
        return try library.context.fetch(request).map { $0.value(forKey: "number") as? Int ?? -1 }
    }
}

extension SeededGenerator {
    mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: 0..<values.count, using: &self)]
    }

    /// One of the values, or one time in four nothing.
    mutating func maybe<T>(_ values: [T]) -> T? {
        Int.random(in: 0..<4, using: &self) == 0 ? nil : pick(values)
    }
}
