// What an export does with values and graphs that JSON has no room for: it doesn't throw in Groot, so it mustn't stop here.

import CoreData
import Groot
import Testing

@Suite struct ExportTests {
    /// A context over nodes that are linked in a list; `key` identifies them.
    private func withNodes(
        key: NSAttributeType = .doubleAttributeType,
        _ body: (NSManagedObjectContext, NSEntityDescription) throws -> Void
    ) throws {
        let node = NSEntityDescription()
        node.name = "Node"
        node.userInfo = ["identityAttributes": "key"]
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
            attribute.userInfo = ["JSONKeyPath": name]
            return attribute
        }
        func relationship(_ name: String) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            (relationship.name, relationship.destinationEntity) = (name, node)
            (relationship.minCount, relationship.maxCount, relationship.isOptional) = (0, 1, true)
            return relationship
        }
        let (next, back) = (relationship("next"), relationship("back"))
        next.userInfo = ["JSONKeyPath": "next"]
        (next.inverseRelationship, back.inverseRelationship) = (back, next)
        let tree = attribute("tree", .transformableAttributeType)
        node.properties = [attribute("key", key), attribute("name", .stringAttributeType), tree, next, back]
        let model = NSManagedObjectModel()
        model.entities = [node]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try body(context, node) }
    }

    @Test func `a long list of objects isn't cut`() throws {
        try withNodes { context, entity throws in
            var last: NSManagedObject?
            for number in (0..<150).reversed() {
                let node = NSManagedObject(entity: entity, insertInto: context)
                node.setValue("\(number)", forKey: "name")
                node.setValue(last, forKey: "next")
                last = node
            }
            var found: [String] = []
            var next: JSONDictionary? = json(fromObject: try #require(last))
            while let node = next {
                found.append(node["name"] as? String ?? "?")
                next = node["next"] as? JSONDictionary
            }
            #expect(found == (0..<150).map { "\($0)" })
        }
    }

    @Test func `an object that is met again is null where its identity has no form in JSON`() throws {
        try withNodes { context, entity throws in
            let (one, other) = (
                NSManagedObject(entity: entity, insertInto: context),
                NSManagedObject(entity: entity, insertInto: context)
            )
            one.setValue(Double.nan, forKey: "key")
            one.setValue(other, forKey: "next")
            other.setValue(one, forKey: "next")
            let json = json(fromObject: one)
            #expect(json["key"] is NSNull)
            let nested = try #require(json["next"] as? JSONDictionary)
            #expect(nested["next"] is NSNull)
        }
    }

    @Test func `a tree as deep as an import takes it can be nested in another object`() throws {
        try withNodes { context, entity throws in
            var tree: Any = [Any]()
            for _ in 0..<505 { tree = [tree] }
            let (one, other) = (
                NSManagedObject(entity: entity, insertInto: context),
                NSManagedObject(entity: entity, insertInto: context)
            )
            other.setValue(1.0, forKey: "key")
            other.setValue(tree, forKey: "tree")
            other.setValue("other", forKey: "name")
            one.setValue(other, forKey: "next")
            for _ in 0..<3 { _ = json(fromObject: one) }
            #expect(json(fromObject: other)["name"] as? String == "other")
        }
    }
}
