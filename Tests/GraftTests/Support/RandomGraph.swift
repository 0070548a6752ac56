// Random models and random graphs of them, from a seed: inheritance, cycles, ordered and many-to-many relationships, all
// attribute types, annotated and not, with and without identity.

import CoreData
import Foundation

struct RandomGraph {
    let model: NSManagedObjectModel
    private var random: SeededGenerator
    private let entityNames: [String]
    /// Whether every object gets an identity.
    private var identifiesAll = false

    private static let types: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType,
        .doubleAttributeType, .floatAttributeType, .decimalAttributeType, .stringAttributeType, .dateAttributeType,
        .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType, .transformableAttributeType,
    ]

    init(seed: Int) {
        var random = SeededGenerator(seed: seed)
        var sketch = ModelSketch()
        let count = 2 + random.below(4)
        let names = (0..<count).map { "E\($0)" }
        var parents: [String?] = [nil]
        for index in 1..<count { parents.append(random.chance(40) ? names[random.below(index)] : nil) }
        var properties: [[ModelSketch.Property]] = names.map { _ in [] }
        let isAnnotated = random.chance(50)
        for index in 0..<count {
            func root(_ index: Int) -> Int { parents[index].flatMap { names.firstIndex(of: $0) }.map(root) ?? index }
            let annotates = isAnnotated && root(index) % 2 == 0
            for number in 0...random.below(4) {
                let name = "a\(index)_\(number)"
                let type = Self.types[random.below(Self.types.count)]
                let path =
                    annotates && random.chance(80) ? (random.chance(30) ? "p\(index).\(name)" : "k_\(name)") : nil
                let hasDefault = type == .stringAttributeType && random.chance(30)
                properties[index].append(
                    .attribute(name, type, json: path, default: hasDefault ? "default" : nil))
            }
            if parents[index] == nil {
                properties[index].append(.attribute("key", .integer32AttributeType, json: annotates ? "id" : nil))
                properties[index].append(.attribute("part", json: annotates ? "part" : nil))
            }
        }
        Self.connect(names, &properties, &random)
        for index in 0..<count {
            var info: [String: String] = [:]
            var unique: [[String]] = []
            if parents[index] == nil {
                switch random.below(5) {
                case 0: info["identityAttributes"] = "key"
                case 1: info["identityAttributes"] = "key, part"
                case 2: unique = [["key"]]
                default: break
                }
            }
            sketch.entity(
                names[index], parent: parents[index], isAbstract: index == 0 && count > 3 && parents.contains("E0"),
                info: info, unique: unique, properties[index])
        }
        model = sketch.model()
        entityNames = names
        self.random = random
    }

    /// A model whose objects plain JSON can tell: all have an identity, and no entity inherits.
    ///
    /// - Parameter made: The model, where it has been made already.
    init(plainSeed seed: Int, _ made: NSManagedObjectModel? = nil) {
        var random = SeededGenerator(seed: seed)
        var sketch = ModelSketch()
        let names = (0..<(2 + random.below(4))).map { "P\($0)" }
        let isAnnotated = random.chance(50)
        var properties = names.indices.map { index -> [ModelSketch.Property] in
            let attributes = (0...random.below(8)).map { number in
                let name = "a\(index)_\(number)"
                let path = random.chance(30) ? "p\(index).\(name)" : "k_\(name)"
                return ModelSketch.Property.attribute(
                    name, Self.types[random.below(Self.types.count)], json: isAnnotated ? path : nil)
            }
            return attributes + [
                .attribute("key", .integer32AttributeType, json: isAnnotated ? "id" : nil),
                .attribute("part", json: isAnnotated ? "part" : nil),
            ]
        }
        Self.connect(names, &properties, &random, annotates: isAnnotated)
        for (index, name) in names.enumerated() {
            sketch.entity(name, info: ["identityAttributes": "key"], properties[index])
        }
        model = made ?? sketch.model()
        entityNames = names
        identifiesAll = true
        self.random = random
    }

    private static func connect(
        _ names: [String], _ properties: inout [[ModelSketch.Property]], _ random: inout SeededGenerator,
        annotates: Bool? = nil
    ) {
        for number in 0..<(1 + random.below(5)) {
            let (from, to) = (random.below(names.count), random.below(names.count))
            let forth = "r\(number)", back = random.chance(90) ? "s\(number)" : nil
            func end(_ name: String, _ destination: Int, _ inverse: String?, _ isToMany: Bool) -> ModelSketch.Property {
                let rule: NSDeleteRule = random.chance(40) ? .cascadeDeleteRule : .nullifyDeleteRule
                let json = annotates ?? random.chance(20) ? "j_\(name)" : nil
                return isToMany
                    ? .toMany(
                        name, names[destination], inverse: inverse, json: json, rule: rule, isOrdered: random.chance(40)
                    )
                    : .toOne(name, names[destination], inverse: inverse, json: json, rule: rule)
            }
            // Without an inverse, only a to-one relationship has a place of its own in a store.
            properties[from].append(end(forth, to, back, back != nil && random.chance(60)))
            if let back { properties[to].append(end(back, from, forth, random.chance(50))) }
        }
    }

    // MARK: Objects

    /// Fills a context with random objects and links.
    mutating func fill(_ context: NSManagedObjectContext, count: Int) {
        let concrete = entityNames.compactMap { model.entitiesByName[$0] }.filter { !$0.isAbstract }
        var objects: [NSManagedObject] = []
        for index in 0..<count {
            let entity = concrete[random.below(concrete.count)]
            let object = NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context)
            objects.append(object)
            setValues(of: object, key: index)
        }
        link(objects, to: objects)
    }

    /// Changes attributes and links of a saved graph, deletes objects and inserts others. Nobody but their owner clears links without
    /// inverse to what is deleted, so that is done here.
    mutating func change(_ context: NSManagedObjectContext, numbersFrom number: Int = 1000) throws {
        for object in try context.everything() {
            switch random.below(10) {
            case 0, 1: object.setValue("changed \(random.below(100))", forKey: "part")
            case 2: context.delete(object)
            default: break
            }
        }
        context.processPendingChanges()
        for object in try context.everything() where !object.isDeleted { object.letGoOfDeleted() }
        let concrete = entityNames.compactMap { model.entitiesByName[$0] }.filter { !$0.isAbstract }
        var new: [NSManagedObject] = []
        for index in 0..<random.below(4) {
            let name = concrete[random.below(concrete.count)].name ?? ""
            let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            setValues(of: object, key: number + index)
            new.append(object)
        }
        let all = try context.everything().filter { !$0.objectID.isTemporaryID } + new
        link(all.filter { _ in random.chance(25) } + new, to: all)
        context.processPendingChanges()
    }

    private mutating func setValues(of object: NSManagedObject, key: Int) {
        for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key }) {
            if name == "key" {
                object.setValue(identifiesAll || random.chance(95) ? NSNumber(value: key) : nil, forKey: name)
            } else if random.chance(80) {
                object.setValue(value(attribute), forKey: name)
            } else if random.chance(30) {
                object.setValue(nil, forKey: name)
            }
        }
    }

    private mutating func link(_ some: [NSManagedObject], to objects: [NSManagedObject]) {
        for object in some {
            for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
                guard let destination = relationship.destinationEntity, random.chance(60) else { continue }
                let candidates = objects.filter { $0.entity.isKindOf(entity: destination) }
                if candidates.isEmpty { continue }
                guard relationship.isToMany else {
                    object.setValue(candidates[random.below(candidates.count)], forKey: name)
                    continue
                }
                let members = (0..<random.below(4)).map { _ in candidates[random.below(candidates.count)] }
                let value: Any = relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
                object.setValue(value, forKey: name)
            }
        }
    }

    private mutating func value(_ attribute: NSAttributeDescription) -> Any? {
        switch attribute.attributeType {
        case .integer16AttributeType: NSNumber(value: Int16(truncatingIfNeeded: random.next()))
        case .integer32AttributeType: NSNumber(value: Int32(truncatingIfNeeded: random.next()))
        case .integer64AttributeType: NSNumber(value: Int64(bitPattern: random.next()))
        case .booleanAttributeType: NSNumber(value: random.chance(50))
        case .doubleAttributeType: NSNumber(value: Double.random(in: -1e12...1e12, using: &random))
        case .floatAttributeType: NSNumber(value: Float.random(in: -1000...1000, using: &random))
        case .decimalAttributeType: NSDecimalNumber(string: "\(random.below(1_000_000)).\(random.below(1000))")
        case .stringAttributeType: text()
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))
        case .binaryDataAttributeType: Data((0..<random.below(20)).map { _ in UInt8(random.below(256)) })
        case .UUIDAttributeType: uuid()
        case .URIAttributeType: URL(string: "https://example.org/\(random.below(1000))?q=%20")
        default: tree()
        }
    }

    private mutating func text() -> String {
        let parts = [
            "", "a", "é", "\"quoted\"", "back\\slash", "line\nfeed", "正義", "🖌️", "e\u{301}", "\u{1}", "$ref", "/",
        ]
        return (0..<random.below(4)).map { _ in parts[random.below(parts.count)] }.joined(separator: " ")
    }

    private mutating func uuid() -> UUID {
        let bytes = (0..<16).map { _ in UInt8(random.below(256)) }
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var text = hex
        for offset in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
        return UUID(uuidString: text) ?? UUID()
    }

    /// A tree. Its texts have one normal form: Foundation's archiver on Linux, which stores keep trees with, takes equal
    /// texts for one and the same.
    private mutating func tree() -> Any {
        func text() -> String { self.text().precomposedStringWithCanonicalMapping }
        switch random.below(4) {
        case 0: return text()
        case 1:
            return ["k": text(), "n": NSNumber(value: random.below(1000)), "list": [NSNumber(value: 1.5), text()]]
                as [String: Any]
        case 2: return [text(), NSNumber(value: random.chance(50))] as [Any]
        default: return ["$encoded": "AQID"]
        }
    }
}

extension NSManagedObject {
    /// Clears relationships without inverse to deleted objects: nobody else does. Random models have them to one object only.
    func letGoOfDeleted() {
        for (name, relationship) in entity.relationshipsByName where relationship.inverseRelationship == nil {
            if object(name)?.isDeleted == true { setValue(nil, forKey: name) }
        }
    }
}
