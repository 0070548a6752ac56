// What the build plugin ManagedObjectClasses makes, used in a target that has it. Foundation and Core Data are both imported,
// as most code does.

import CoreData
import Foundation
import Testing

@Suite struct PluginTests {
    private static func attribute(_ path: AnyKeyPath, _ type: NSAttributeType) throws -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = try #require(path._kvcKeyPathString)
        attribute.attributeType = type
        return attribute
    }

    private static func entity(_ className: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = className.split(separator: ".").last.map(String.init)
        entity.managedObjectClassName = className
        entity.properties = properties
        return entity
    }

    private static func withContext(
        _ entities: [NSEntityDescription], _ type: String = NSInMemoryStoreType,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let model = NSManagedObjectModel()
        model.entities = entities
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let url = type == NSSQLiteStoreType ? URL(fileURLWithPath: "/dev/null") : nil
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try body(context) }
    }

    @Test func `a model is built from key paths, and its class found by the bare name`() throws {
        let age = try Self.attribute(\PluginNamed.age, .integer64AttributeType)
        age.isOptional = true
        let label = try Self.attribute(\PluginNamed.label, .stringAttributeType)
        let next = NSRelationshipDescription()
        next.name = "next"
        next.maxCount = 1
        next.isOptional = true
        let entity = Self.entity("PluginNamed", [label, age, next])
        next.destinationEntity = entity
        try Self.withContext([entity]) { context in
            let object = NSEntityDescription.insertNewObject(forEntityName: "PluginNamed", into: context)
            let named = try #require(object as? PluginNamed)
            named.label = "A"
            named.age += 3
            try context.save()
            let request = NSFetchRequest<PluginNamed>(entityName: "PluginNamed")
            request.predicate = NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: \PluginNamed.age),
                rightExpression: NSExpression(forConstantValue: 3), modifier: .direct, type: .equalTo)
            #expect(try context.fetch(request) == [named])
        }
    }

    @Test func `values come back in every type that they are declared with`() throws {
        let types: [(PartialKeyPath<PluginKinds>, NSAttributeType)] = [
            (\.time, .dateAttributeType), (\.seconds, .dateAttributeType), (\.width, .doubleAttributeType),
            (\.bits, .integer64AttributeType), (\.names, .transformableAttributeType),
            (\.list, .transformableAttributeType), (\.table, .transformableAttributeType),
            (\.members, .transformableAttributeType), (\.anything, .transformableAttributeType),
            (\.object, .transformableAttributeType),
        ]
        let attributes = try types.map { path, type in
            let attribute = try Self.attribute(path, type)
            if type == .transformableAttributeType { attribute.valueTransformerName = "NSSecureUnarchiveFromData" }
            return attribute
        }
        try Self.withContext([Self.entity("PluginKinds", attributes)], NSSQLiteStoreType) { context in
            let kinds = PluginKinds(context: context)
            #expect(kinds.time == 0 && kinds.list == nil && kinds.names == nil)
            kinds.time = 100.5
            kinds.seconds = 7
            kinds.width = 2.5
            kinds.bits = .max
            kinds.names = ["a", "b"]
            kinds.list = NSMutableArray(array: ["x"])
            kinds.table = NSMutableDictionary(dictionary: ["k": 1])
            kinds.members = NSMutableSet(array: ["m"])
            kinds.anything = ["k": "v"]
            kinds.object = NSArray(array: ["o"])
            try context.save()
            context.refreshAllObjects()
            #expect(kinds.time == 100.5 && kinds.seconds == 7 && kinds.width == 2.5 && kinds.bits == .max)
            #expect(kinds.value(forKey: "time") as? Date == Date(timeIntervalSinceReferenceDate: 100.5))
            #expect(kinds.object as? [String] == ["o"])
            #expect(kinds.names == ["a", "b"] && kinds.anything?["k"] as? String == "v")
            #expect(kinds.table?["k"] as? Int == 1 && kinds.members?.contains("m") == true)
            kinds.list?.add("y")
            #expect(kinds.list?.count == 2)
            kinds.list = kinds.list
            try context.save()
            context.refreshAllObjects()
            #expect(kinds.list as? [String] == ["x", "y"])
        }
    }

    @Test func `compound predicates made in code print, compare and are copied as what they say`() throws {
        let parts = [NSPredicate(format: "age > 3"), NSPredicate(format: "label == 'A'")]
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        #expect(both.predicateFormat == "age > 3 AND label == \"A\"" && "\(both)" == both.predicateFormat)
        #expect(both.isEqual(NSPredicate(format: "age > 3 AND label == 'A'")))
        #expect(both != NSCompoundPredicate(orPredicateWithSubpredicates: parts))
        #expect((both.copy() as? NSCompoundPredicate)?.predicateFormat == both.predicateFormat)
        let negation = NSCompoundPredicate(notPredicateWithSubpredicate: both)
        #expect(negation.predicateFormat == "NOT (age > 3 AND label == \"A\")")
        #expect(both.evaluate(with: ["age": 4, "label": "A"]) && !both.evaluate(with: ["age": 4, "label": "B"]))
        let parsed = try #require(NSPredicate(format: "age > 3 OR label == 'A'") as? NSCompoundPredicate)
        #expect(parsed.compoundPredicateType == .or && parsed.subpredicates.count == 2)
    }

    @Test func `key paths through relationships have names without a model`() {
        #expect((\PluginNamed.next?.next?.age)._kvcKeyPathString == "next.next.age")
        #expect((\PluginOuter.Parent.children)._kvcKeyPathString == "children")
        #expect((\PluginOuter.Parent.kind)._kvcKeyPathString == "kind")
        #expect((\PluginOuter.Child.parent?.price)._kvcKeyPathString == "parent.price")
        #expect((\ShopOrder.customer?.name)._kvcKeyPathString == "customer.name")
        // PredicateKit, testFetchWithOneToOneRelationship2: a transformable attribute at the end.
        #expect((\PluginShelf.box.tags)._kvcKeyPathString == "box.tags")
        #expect((\PluginShelf.box.sortedTags)._kvcKeyPathString == nil)
    }

    @Test func `classes within another type have accessors, and are found`() throws {
        let price = try Self.attribute(\PluginOuter.Parent.price, .decimalAttributeType)
        price.isOptional = true
        let kind = try Self.attribute(\PluginOuter.Parent.kind, .integer16AttributeType)
        kind.defaultValue = 0
        let children = NSRelationshipDescription()
        children.name = "children"
        let parent = NSRelationshipDescription()
        parent.name = "parent"
        parent.maxCount = 1
        let outer = Self.entity("PluginOuter.Parent", [price, kind, children])
        let inner = Self.entity("PluginOuter.Child", [parent])
        children.destinationEntity = inner
        children.inverseRelationship = parent
        parent.destinationEntity = outer
        parent.inverseRelationship = children
        try Self.withContext([outer, inner]) { context in
            let family = PluginOuter.Parent(context: context)
            let child = PluginOuter.Child(context: context)
            family.addToChildren(child)
            family.kind = .large
            family.price = 3
            #expect(child.parent === family)
            #expect(family.children == [child])
            #expect(family.kind == .large)
            #expect(PluginOuter.Child.entity().name == "Child")
            // Core Data Programming Guide, "Managed Object Accessor Methods": primitive accessors notify nobody.
            try context.save()
            family.setPriceQuietly(4)
            #expect(family.price == 4 && family.quietPrice == 4 && !family.hasChanges)
            let (second, third) = (PluginOuter.Child(context: context), PluginOuter.Child(context: context))
            family.removeChildrenObject(child)
            family.addChildrenObject(second)
            family.addChildren([child, third])
            #expect(family.children == [child, second, third] && third.parent === family && family.hasChanges)
            family.leave([second, third])
            #expect(family.children == [child] && third.parent == nil)
        }
    }

    @Test func `a request that a class or a protocol of the target makes is preferred to the inherited one`() throws {
        let entity = Self.entity("PluginNamed", [try Self.attribute(\PluginNamed.label, .stringAttributeType)])
        try Self.withContext([entity]) { context in
            let named = PluginNamed(context: context)
            named.label = "A"
            try context.save()
            let request = PluginNamed.fetchRequest()
            #expect(try context.fetch(request).map(\.label) == ["A"])
            let orders = ShopOrder.fetchRequest()
            #expect(orders.entityName == "Order" && type(of: orders) == NSFetchRequest<ShopOrder>.self)
            let any: NSFetchRequest<any NSFetchRequestResult> = PluginNamed.fetchRequest()
            #expect(try context.count(for: any) == 1)
        }
    }

    @Test func `a compiled model has the target's classes`() throws {
        let container = NSPersistentContainer(name: "Shop")
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let context = container.viewContext
        let customer = ShopCustomer(context: context)
        let order = ShopOrder(context: context)
        customer.addToOrders(order)
        #expect(customer.name == "nobody & co")
        #expect(order.customer === customer)
        #expect(container.managedObjectModel.entitiesByName["Order"]?.managedObjectClassName == "PluginTests.ShopOrder")
    }
}
