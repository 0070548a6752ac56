// Random models and graphs as plain values, for laws about diffs: inheritance, cycles, composite identities, objects known by a
// number and their owner, objects without identity in ordered relationships, ordered and many-to-many relationships, relationships without inverse. The graph is
// kept here by simple means, as an oracle; Graft sees it as contents in the form of a diff.

import CoreData
import Foundation
import Graft

/// A random model.
struct RandomModel {
    /// One end of a relationship, as an entity has it.
    struct End {
        var name: String
        var destination: Int
        var isToMany: Bool
        var isOrdered: Bool
        var isOwning: Bool
        /// The name of the end on the other side.
        var inverse: String?
    }

    struct Entity {
        var name: String
        var parent: Int?
        var attributes: [(name: String, type: NSAttributeType)]
        var ends: [End]
        var identity: [String]
        /// Whether objects are known by their place in an owner's ordered relationship.
        var isPlaced: Bool { identity.isEmpty }
        /// Whether objects are known by a number and their owner.
        var hangs: Bool { identity.contains("owner") }
    }

    private(set) var entities: [Entity] = []
    let model: NSManagedObjectModel

    private static let types: [NSAttributeType] = [
        .integer16AttributeType, .integer64AttributeType, .booleanAttributeType, .doubleAttributeType,
        .decimalAttributeType, .stringAttributeType, .dateAttributeType, .binaryDataAttributeType,
    ]

    init(_ random: inout SeededGenerator) {
        var own: [Entity] = []
        for index in 0..<(2 + random.below(3)) {
            let parent = index > 0 && random.chance(35) ? random.below(index) : nil
            var entity = Entity(name: "E\(index)", parent: parent, attributes: [], ends: [], identity: [])
            if let parent {
                entity.identity = own[parent].identity
            } else {
                entity.attributes = [("key", .integer64AttributeType), ("part", .stringAttributeType)]
                entity.identity = random.chance(30) ? ["key", "part"] : ["key"]
            }
            for number in 0..<(1 + random.below(2)) {
                entity.attributes.append(("a\(index)\(number)", Self.types[random.below(Self.types.count)]))
            }
            own.append(entity)
        }
        for number in 0..<(1 + random.below(4)) {
            let (from, to) = (random.below(own.count), random.below(own.count))
            let inverse = random.chance(90) ? "s\(number)" : nil
            func end(_ name: String, _ destination: Int, _ inverse: String?, _ isToMany: Bool) -> End {
                End(
                    name: name, destination: destination, isToMany: isToMany,
                    isOrdered: isToMany && random.chance(40), isOwning: random.chance(25), inverse: inverse)
            }
            own[from].ends.append(end("r\(number)", to, inverse, inverse != nil && random.chance(60)))
            if let inverse { own[to].ends.append(end(inverse, from, "r\(number)", random.chance(50))) }
        }
        if random.chance(50) {
            let owner = random.below(own.count)
            let hangs = random.chance(50)
            own[owner].ends.append(
                End(
                    name: "lines", destination: own.count, isToMany: true, isOrdered: !hangs || random.chance(50),
                    isOwning: true, inverse: "owner"))
            own.append(
                Entity(
                    name: "Line",
                    attributes: (hangs ? [("number", .integer32AttributeType)] : []) + [("text", .stringAttributeType)],
                    ends: [
                        End(
                            name: "owner", destination: owner, isToMany: false, isOrdered: false, isOwning: false,
                            inverse: "lines")
                    ], identity: hangs ? ["number", "owner"] : []))
        }
        model = Self.model(own)
        for entity in own {
            var whole = entity
            if let parent = entity.parent {
                whole.attributes = entities[parent].attributes + entity.attributes
                whole.ends = entities[parent].ends + entity.ends
            }
            entities.append(whole)
        }
    }

    private static func model(_ entities: [Entity]) -> NSManagedObjectModel {
        var sketch = ModelSketch()
        for entity in entities {
            let attributes = entity.attributes.map { ModelSketch.Property.attribute($0.name, $0.type) }
            let ends = entity.ends.map { end in
                let rule: NSDeleteRule = end.isOwning ? .cascadeDeleteRule : .nullifyDeleteRule
                let destination = entities[end.destination].name
                return end.isToMany
                    ? ModelSketch.Property.toMany(
                        end.name, destination, inverse: end.inverse, rule: rule, isOrdered: end.isOrdered)
                    : .toOne(end.name, destination, inverse: end.inverse, rule: rule)
            }
            let info =
                entity.parent == nil && !entity.isPlaced
                ? ["identityAttributes": entity.identity.joined(separator: ",")] : [:]
            sketch.entity(
                entity.name, parent: entity.parent.map { entities[$0].name }, info: info, attributes + ends)
        }
        return sketch.model()
    }

    func isEntity(_ entity: Int, kindOf other: Int) -> Bool {
        var next: Int? = entity
        while let current = next {
            if current == other { return true }
            next = entities[current].parent
        }
        return false
    }
}

/// A random graph of a random model. Objects are known by numbers that are never used again.
struct RandomWorld {
    struct Object {
        var entity: Int
        var values: [String: GraphValue]
        var links: [String: [Int]]
    }

    let model: RandomModel
    private(set) var objects: [Int: Object] = [:]
    private var nextNumber = 1
    /// Whether there is NaN among the doubles. SQLite makes null of it.
    private let hasNaN: Bool

    init(_ model: RandomModel, count: Int, hasNaN: Bool = true, _ random: inout SeededGenerator) {
        self.model = model
        self.hasNaN = hasNaN
        for _ in 0..<count { insert(&random) }
        for _ in 0..<count * 2 { connect(&random) }
    }

    // MARK: Changing

    /// Makes some random changes. Worlds whose new objects may meet in one graph begin their numbers at different places.
    mutating func mutate(_ count: Int, numbersFrom start: Int? = nil, _ random: inout SeededGenerator) {
        if let start { nextNumber = max(nextNumber, start) }
        for _ in 0..<count {
            switch random.below(10) {
            case 0: insert(&random)
            case 1: deleteOne(&random)
            case 2...4: changeValue(&random)
            case 5: shuffle(&random)
            case 6: disconnect(&random)
            default: connect(&random)
            }
        }
    }

    private var numbers: [Int] { objects.keys.sorted() }

    private mutating func insert(_ random: inout SeededGenerator) {
        let entity = random.below(model.entities.count)
        var object = Object(entity: entity, values: [:], links: [:])
        for (name, type) in model.entities[entity].attributes {
            object.values[name] = random.chance(75) ? value(type, &random) : .null
        }
        let number = nextNumber
        nextNumber += 1
        if model.entities[entity].hangs {
            let owners = numbers.filter { end("lines", of: $0) != nil }
            guard !owners.isEmpty else { return }
            let owner = owners[random.below(owners.count)]
            object.values["number"] = freeLineNumber(of: owner, from: random.below(3))
            objects[number] = object
            link(owner, "lines", number)
            return
        }
        if model.entities[entity].isPlaced {
            guard let owner = numbers.first(where: { end("lines", of: $0) != nil }) else { return }
            objects[number] = object
            link(owner, "lines", number)
            return
        }
        object.values["key"] = .integer(Int64(number))
        if model.entities[entity].identity.count == 2 { object.values["part"] = .string("p\(number % 3)") }
        objects[number] = object
    }

    /// A number that no line of an owner has.
    private func freeLineNumber(of owner: Int, from start: Int) -> GraphValue {
        let used = (objects[owner]?.links["lines"] ?? []).compactMap { objects[$0]?.values["number"] }
        var number = start
        while used.contains(.integer(Int64(number))) { number += 1 }
        return .integer(Int64(number))
    }

    /// Gives a line that hangs on an owner to another one: it is another line then.
    private mutating func move(_ number: Int, _ random: inout SeededGenerator) {
        let owners = numbers.filter { end("lines", of: $0) != nil }
        let owner = owners[random.below(owners.count)]
        if objects[owner]?.links["lines"]?.contains(number) == true { return }
        let free = freeLineNumber(of: owner, from: random.below(3))
        objects[number]?.values["number"] = free
        link(owner, "lines", number)
    }

    private mutating func deleteOne(_ random: inout SeededGenerator) {
        if objects.isEmpty { return }
        delete(numbers[random.below(objects.count)])
    }

    private mutating func delete(_ number: Int) {
        guard let object = objects.removeValue(forKey: number) else { return }
        for other in numbers {
            for name in (objects[other]?.links.keys).map(Array.init) ?? [] {
                objects[other]?.links[name]?.removeAll { $0 == number }
            }
        }
        for line in object.links["lines"] ?? [] { delete(line) }
    }

    private mutating func changeValue(_ random: inout SeededGenerator) {
        if objects.isEmpty { return }
        let number = numbers[random.below(objects.count)]
        guard let object = objects[number] else { return }
        let entity = model.entities[object.entity]
        let free = entity.attributes.filter { !entity.identity.contains($0.name) }
        if free.isEmpty { return }
        let (name, type) = free[random.below(free.count)]
        let new = random.chance(80) ? value(type, &random) : .null
        objects[number]?.values[name] = new
    }

    private mutating func shuffle(_ random: inout SeededGenerator) {
        for number in numbers where random.chance(50) {
            guard let object = objects[number] else { continue }
            for end in model.entities[object.entity].ends where end.isOrdered {
                guard var members = object.links[end.name], members.count > 1 else { continue }
                let member = members.remove(at: random.below(members.count))
                members.insert(member, at: random.below(members.count + 1))
                objects[number]?.links[end.name] = members
            }
        }
    }

    private mutating func connect(_ random: inout SeededGenerator) {
        if objects.isEmpty { return }
        let number = numbers[random.below(objects.count)]
        guard let object = objects[number] else { return }
        if model.entities[object.entity].hangs { return move(number, &random) }
        let ends = model.entities[object.entity].ends.filter { $0.name != "owner" && $0.name != "lines" }
        if ends.isEmpty { return }
        let end = ends[random.below(ends.count)]
        let candidates = numbers.filter { other in
            objects[other].map { model.isEntity($0.entity, kindOf: end.destination) } ?? false
        }
        if candidates.isEmpty { return }
        link(number, end.name, candidates[random.below(candidates.count)])
    }

    private mutating func disconnect(_ random: inout SeededGenerator) {
        for number in numbers where random.chance(40) {
            guard let object = objects[number] else { continue }
            for end in model.entities[object.entity].ends where end.name != "owner" && end.name != "lines" {
                guard let members = object.links[end.name], let first = members.first else { continue }
                unlink(number, end.name, first)
                return
            }
        }
    }

    private func end(_ name: String, of number: Int) -> RandomModel.End? {
        objects[number].flatMap { model.entities[$0.entity].ends.first { $0.name == name } }
    }

    private mutating func link(_ one: Int, _ name: String, _ other: Int) {
        guard let end = end(name, of: one) else { return }
        if objects[one]?.links[name]?.contains(other) == true { return }
        if !end.isToMany { for old in objects[one]?.links[name] ?? [] { unlink(one, name, old) } }
        if let inverse = end.inverse, let back = self.end(inverse, of: other), !back.isToMany {
            for old in objects[other]?.links[inverse] ?? [] { unlink(other, inverse, old) }
        }
        objects[one]?.links[name, default: []].append(other)
        guard let inverse = end.inverse else { return }
        if objects[other]?.links[inverse]?.contains(one) == true { return }
        objects[other]?.links[inverse, default: []].append(one)
    }

    private mutating func unlink(_ one: Int, _ name: String, _ other: Int) {
        objects[one]?.links[name]?.removeAll { $0 == other }
        guard let inverse = end(name, of: one)?.inverse else { return }
        objects[other]?.links[inverse]?.removeAll { $0 == one }
    }

    private func value(_ type: NSAttributeType, _ random: inout SeededGenerator) -> GraphValue {
        let number = random.below(4)
        return switch type {
        case .booleanAttributeType: .boolean(number < 2)
        case .doubleAttributeType: .double([0, -1.5, hasNaN ? .nan : 7, .infinity][number])
        case .decimalAttributeType: .decimal(Decimal(number) / 8)
        case .stringAttributeType: .string(["", "a", "e\u{301}", "é"][number])
        case .dateAttributeType: .date(Double(number) * 0.1)
        case .binaryDataAttributeType: .data(Data([UInt8(number)]))
        default: .integer(Int64(number))
        }
    }

    // MARK: As Graft sees it

    func key(_ number: Int) -> ObjectKey {
        guard let object = objects[number] else { return ObjectKey("?", []) }
        let entity = model.entities[object.entity]
        if entity.hangs {
            let owner = object.links["owner"]?.first.map { key($0) }
            return ObjectKey(entity.name, [object.values["number"] ?? .null], of: [owner])
        }
        guard entity.isPlaced else { return ObjectKey(entity.name, entity.identity.map { object.values[$0] ?? .null }) }
        guard let owner = object.links["owner"]?.first,
            let place = objects[owner]?.links["lines"]?.firstIndex(of: number)
        else { return ObjectKey("?", []) }
        let known = key(owner)
        return ObjectKey(
            entity.name, at: .init(entity: known.entity, identity: known.identity, steps: [.init("lines", place)]))
    }

    /// The graph by key.
    var contents: [ObjectContents] {
        let keys = Dictionary(uniqueKeysWithValues: objects.keys.map { ($0, key($0)) })
        return objects.map { number, object in
            let entity = model.entities[object.entity]
            var properties = entity.attributes.map {
                PropertyContents($0.name, .attribute(object.values[$0.name] ?? .null))
            }
            for end in entity.ends {
                let members = (object.links[end.name] ?? []).compactMap { keys[$0] }
                if members.isEmpty { continue }
                let value: PropertyValue =
                    end.isToMany
                    ? .toMany(end.isOrdered ? members : members.sorted(), isOrdered: end.isOrdered) : .toOne(members[0])
                properties.append(PropertyContents(end.name, value))
            }
            return ObjectContents(keys[number] ?? ObjectKey("?", []), properties)
        }.sorted { $0.key < $1.key }
    }

    func snapshot() throws -> GraphSnapshot {
        try GraphSnapshot(model: model.model).applying(GraphDiff(inserted: contents))
    }
}
