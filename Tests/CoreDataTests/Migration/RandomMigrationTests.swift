// Random versions of random models with random objects. Each change is noted by its maker, and what must come out is
// computed from the notes; the migration has to find the same by itself.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite struct RandomMigrationTests {
    @Test(arguments: 0..<24)
    func `a store of a random model becomes one of a random next version`(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let source = RandomModel.make(using: &generator)
        let store = try MigratingStore(source) { context in
            try RandomObjects(model: source, perEntity: 5).insert(into: context, using: &generator)
        }
        let before = try ObjectTable(store.open(source, nil))
        try store.close()
        var versions = RandomModel(model: try source.next { _ in })
        for _ in 0..<Int.random(in: 1...6, using: &generator) { try versions.change(using: &generator) }
        let destination = versions.model
        let expected = try before.migrated(to: destination, names: versions.names)
        let story = Comment(rawValue: "seed \(seed): \(versions.story.joined(separator: "; "))")
        let after = try ObjectTable(store.open(destination))
        #expect(after.differences(from: expected) == [], story)
        #expect(try store.statements() == MigratingStore.statements(ofNew: try destination.next { _ in }), story)
        #expect(try store.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"], story)
    }

    @Test(.enabled(if: TestServer.url != nil, "no PostgreSQL server: make test-postgresql"), arguments: 0..<24)
    func `a store on a server becomes one of a random next version`(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let source = RandomModel.make(using: &generator)
        let store = try MigratingStore(source, in: .postgreSQL) { context in
            try RandomObjects(model: source, perEntity: 5).insert(into: context, using: &generator)
        }
        let before = try ObjectTable(store.open(source, nil))
        try store.close()
        var versions = RandomModel(model: try source.next { _ in })
        for _ in 0..<Int.random(in: 1...6, using: &generator) { try versions.change(using: &generator) }
        let expected = try before.migrated(to: versions.model, names: versions.names)
        let story = Comment(rawValue: "seed \(seed): \(versions.story.joined(separator: "; "))")
        let context = try store.open(versions.model)
        #expect(try ObjectTable(context).differences(from: expected) == [], story)
        // New keys come behind the old ones, and the store is one of the version.
        try RandomObjects(model: versions.model, perEntity: 1).insert(into: context, using: &generator)
        try context.save()
        let count = try ObjectTable(context).objects.count
        try store.close()
        #expect(try ObjectTable(store.open(versions.model, nil)).objects.count == count, story)
    }

    @Test(arguments: 100..<108)
    func `a mapping model that is run by objects gives what rows give`(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let source = RandomModel.make(using: &generator)
        let store = try MigratingStore(source) { context in
            try RandomObjects(model: source, perEntity: 4).insert(into: context, using: &generator)
        }
        var versions = RandomModel(model: try source.next { _ in })
        for _ in 0..<3 { try versions.change(using: &generator) }
        let destination = versions.model
        let story = Comment(rawValue: "seed \(seed): \(versions.story.joined(separator: "; "))")
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let results = try [true, false].map { movesRows in
            let result = try MigratingStore()
            let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
            manager.usesStoreSpecificMigrationManager = movesRows
            try manager.migrateStore(
                from: store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: result.url,
                destinationType: NSSQLiteStoreType)
            #expect(manager.migrationProgress == 0)
            return try ObjectTable(result.open(destination, nil)).withoutKeys
        }
        #expect(results[0] == results[1], story)
    }
}

extension ObjectTable {
    /// The attributes of each object, and how many objects its relationships lead to: what is the same under other keys.
    var withoutKeys: [String] {
        objects.map { key, values in
            let shown = values.sorted { $0.key < $1.key }.map { name, value in
                switch value {
                case .attribute(let text): "\(name)=\(text)"
                case .relationship(let keys): "\(name):\(keys.count)"
                }
            }
            return "\(key.entity) \(shown.joined(separator: " "))"
        }.sorted()
    }
}

/// A model and what has been changed since its previous version.
struct RandomModel {
    let model: NSManagedObjectModel
    /// The previous name of each changed entity and property; empty for new ones. As `ObjectTable.migrated` wants it.
    private(set) var names: [String: String] = [:]
    private(set) var story: [String] = []
    private var count = 0

    init(model: NSManagedObjectModel) { self.model = model }

    private static let types: [NSAttributeType] = [
        .integer16AttributeType, .integer64AttributeType, .booleanAttributeType, .doubleAttributeType,
        .decimalAttributeType, .stringAttributeType, .dateAttributeType, .binaryDataAttributeType, .UUIDAttributeType,
        .URIAttributeType, .transformableAttributeType,
    ]

    /// Two to four entities, some of them sub-entities, with attributes of all types and relationships of all kinds.
    static func make(using generator: inout SeededGenerator) -> NSManagedObjectModel {
        let entities = ["Alpha", "Beta", "Gamma", "Delta"].prefix(Int.random(in: 2...4, using: &generator)).map {
            name in
            let attributes = (0..<Int.random(in: 1...4, using: &generator)).map { index in
                let type = types.randomElement(using: &generator) ?? .stringAttributeType
                let allowsFiles = [.binaryDataAttributeType, .transformableAttributeType].contains(type)
                return TestModel.attribute(
                    "\(name.lowercased())\(index)", type, external: allowsFiles && Bool.random(using: &generator))
            }
            return TestModel.entity(name, attributes)
        }
        let counts: [TestModel.Count] = [.one, .many, .ordered]
        for index in 0..<Int.random(in: 1...4, using: &generator) {
            guard let first = entities.randomElement(using: &generator),
                let second = entities.randomElement(using: &generator),
                let count = counts.randomElement(using: &generator),
                let inverse = counts.randomElement(using: &generator)
            else { continue }
            if Int.random(in: 0..<6, using: &generator) == 0 {
                TestModel.relate(first, "only\(index)", count == .ordered ? .many : count, second)
            } else {
                TestModel.connect(first, "there\(index)", count, second, "back\(index)", inverse)
            }
        }
        for index in entities.indices.dropFirst() where Bool.random(using: &generator) {
            entities[index - 1].subentities.append(entities[index])
        }
        return TestModel.model(entities)
    }

    // MARK: Changes

    /// Makes one change that a mapping can be inferred for.
    mutating func change(using generator: inout SeededGenerator) throws {
        count += 1
        guard let entity = model.entities.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: addAttribute(to: entity, using: &generator)
        case 1: removeProperty(of: entity, using: &generator)
        case 2, 3: renameProperty(of: entity, using: &generator)
        case 4: renameEntity(entity)
        case 5: makeMandatory(entity, using: &generator)
        case 6: widen(entity, using: &generator)
        case 7: addEntity(relatedTo: entity, using: &generator)
        case 8: removeEntity(entity)
        default: addParent(to: entity)
        }
    }

    private func name(_ entity: NSEntityDescription) -> String { entity.name ?? "" }

    /// The previous name of a property, by what has been noted.
    private func previous(_ property: NSPropertyDescription, _ entity: NSEntityDescription) -> String {
        names["\(name(entity)).\(property.name)"] ?? property.name
    }

    private mutating func addAttribute(to entity: NSEntityDescription, using generator: inout SeededGenerator) {
        let type = Self.types.dropLast().randomElement(using: &generator) ?? .stringAttributeType
        let attribute = TestModel.attribute("added\(count)", type)
        attribute.defaultValue = RandomObjects.value(attribute, using: &generator)
        attribute.isOptional = attribute.defaultValue == nil || Bool.random(using: &generator)
        entity.properties.append(attribute)
        names["\(name(entity)).\(attribute.name)"] = ""
        story.append("added \(name(entity)).\(attribute.name)")
    }

    private mutating func removeProperty(of entity: NSEntityDescription, using generator: inout SeededGenerator) {
        guard let property = entity.properties.randomElement(using: &generator) else { return }
        story.append("removed \(name(entity)).\(property.name)")
        remove(property, of: entity)
    }

    /// With the inverse, if there is one.
    private func remove(_ property: NSPropertyDescription, of entity: NSEntityDescription) {
        if let inverse = (property as? NSRelationshipDescription)?.inverseRelationship, let owner = inverse.owner {
            owner.properties.removeAll { $0 === inverse }
        }
        entity.properties.removeAll { $0 === property }
    }

    private mutating func renameProperty(of entity: NSEntityDescription, using generator: inout SeededGenerator) {
        guard let property = entity.properties.randomElement(using: &generator) else { return }
        let old = previous(property, entity)
        // What was added in this version has no previous name, and so needs no identifier.
        property.renamingIdentifier = old.isEmpty ? "new\(count)" : old
        story.append("renamed \(name(entity)).\(property.name) to renamed\(count)")
        property.name = "renamed\(count)"
        names["\(name(entity)).\(property.name)"] = old
    }

    private mutating func renameEntity(_ entity: NSEntityDescription) {
        let old = names[name(entity)] ?? name(entity)
        let before = name(entity)
        entity.renamingIdentifier = old.isEmpty ? "New\(count)" : old
        entity.name = "Renamed\(count)"
        story.append("renamed \(before) to \(name(entity))")
        names[name(entity)] = old
        for (key, value) in names where key.hasPrefix("\(before).") {
            names[name(entity) + key.dropFirst(before.count)] = value
        }
    }

    private mutating func makeMandatory(_ entity: NSEntityDescription, using generator: inout SeededGenerator) {
        let attributes = entity.properties.compactMap { $0 as? NSAttributeDescription }
        guard let attribute = attributes.randomElement(using: &generator),
            let value = RandomObjects.value(attribute, using: &generator),
            attribute.attributeType != .transformableAttributeType
        else { return }
        attribute.defaultValue = value
        attribute.isOptional = false
        story.append("made \(name(entity)).\(attribute.name) mandatory")
    }

    /// To-one relationships become to-many ones. Without an inverse, a store has a member's owner in the member's row, so that of several
    /// owners one is left; which one, the two ways needn't agree on.
    private mutating func widen(_ entity: NSEntityDescription, using generator: inout SeededGenerator) {
        let relationships = entity.properties.compactMap { $0 as? NSRelationshipDescription }
            .filter { !$0.isToMany && $0.inverseRelationship != nil }
        guard let relationship = relationships.randomElement(using: &generator) else { return }
        relationship.maxCount = 0
        relationship.isOrdered = Bool.random(using: &generator) && relationship.inverseRelationship != nil
        story.append("made \(name(entity)).\(relationship.name) to-many")
    }

    private mutating func addEntity(relatedTo entity: NSEntityDescription, using generator: inout SeededGenerator) {
        let added = TestModel.entity("Added\(count)", [TestModel.attribute("name", .stringAttributeType)])
        model.entities.append(added)
        names[name(added)] = ""
        let other: TestModel.Count = Bool.random(using: &generator) ? .one : .many
        TestModel.connect(entity, "toAdded\(count)", other, added, "fromAdded\(count)", .many)
        names["\(name(entity)).toAdded\(count)"] = ""
        story.append("added \(name(added)), related to \(name(entity))")
    }

    private mutating func removeEntity(_ entity: NSEntityDescription) {
        guard model.entities.count > 2, entity.subentities.isEmpty else { return }
        story.append("removed \(name(entity))")
        for other in model.entities {
            for case let relationship as NSRelationshipDescription in other.properties
            where relationship.destinationEntity === entity || other === entity {
                remove(relationship, of: other)
            }
        }
        entity.superentity?.subentities.removeAll { $0 === entity }
        model.entities.removeAll { $0 === entity }
    }

    private mutating func addParent(to entity: NSEntityDescription) {
        guard entity.superentity == nil, !entity.properties.isEmpty else { return }
        let parent = TestModel.entity("Parent\(count)")
        parent.isAbstract = true
        let moved = entity.properties[0]
        entity.properties.removeFirst()
        names["\(name(parent)).\(moved.name)"] = previous(moved, entity)
        parent.properties = [moved]
        if let relationship = moved as? NSRelationshipDescription, let inverse = relationship.inverseRelationship {
            inverse.destinationEntity = parent
        }
        model.entities.append(parent)
        parent.subentities = [entity]
        names[name(parent)] = ""
        story.append("added the parent \(name(parent)) to \(name(entity)), with \(moved.name)")
    }
}
