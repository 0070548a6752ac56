// Composite attributes: a dictionary for the outside, a column for each element. The API is NSCompositeAttributeDescription's
// (Apple's documentation); how the columns are called is assumed, see docs/store-format.md.

import CoreData
import Foundation
import GRDB
import Testing

@Suite struct CompositeAttributeTests {
    private final class Stack {
        let container: NSPersistentContainer
        let url: URL

        init(
            _ model: NSManagedObjectModel, _ kind: StoreKind, at url: URL? = nil, tracksHistory: Bool = false
        ) throws {
            let new = try kind.newStore()
            let file = FileManager.default.temporaryDirectory.appending(path: "composite-\(UUID().uuidString).sqlite")
            self.url = url ?? (kind == .postgreSQL ? new.url ?? file : file)
            container = NSPersistentContainer(name: "Test", managedObjectModel: model)
            let description = NSPersistentStoreDescription(url: self.url)
            description.type = new.type
            if tracksHistory { description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey) }
            container.persistentStoreDescriptions = [description]
            var failure: (any Error)?
            container.loadPersistentStores { failure = $1 }
            if let failure { throw failure }
        }

        deinit {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: url.path + suffix)
            }
        }
    }

    private static func attribute(_ name: String, _ type: NSAttributeType, isOptional: Bool = true)
        -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    private static func composite(_ name: String, _ elements: [NSAttributeDescription])
        -> NSCompositeAttributeDescription
    {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.isOptional = true
        composite.elements = elements
        return composite
    }

    /// Quakes with a place, which has a point in it, and the point where they were felt.
    private static func model(
        place: String = "place", renamedFrom old: String? = nil, extra: [NSAttributeDescription] = []
    ) -> NSManagedObjectModel {
        func point(_ name: String) -> NSCompositeAttributeDescription {
            composite(name, [attribute("x", .doubleAttributeType), attribute("y", .doubleAttributeType)])
        }
        let quake = NSEntityDescription()
        quake.name = "Quake"
        let placeAttribute = composite(
            place,
            [attribute("name", .stringAttributeType), attribute("since", .dateAttributeType), point("point")] + extra)
        placeAttribute.renamingIdentifier = old
        quake.properties = [
            attribute("code", .stringAttributeType, isOptional: false), placeAttribute, point("felt"),
        ]
        quake.uniquenessConstraints = [["\(place).name"]]
        let model = NSManagedObjectModel()
        model.entities = [quake]
        return model
    }

    private func make(_ context: NSManagedObjectContext, _ code: String, _ values: [String: Any]) -> NSManagedObject {
        let quake = NSEntityDescription.insertNewObject(forEntityName: "Quake", into: context)
        quake.setValue(code, forKey: "code")
        for (key, value) in values { quake.setValue(value, forKey: key) }
        return quake
    }

    private func codes(
        _ context: NSManagedObjectContext, _ format: String, _ arguments: [Any] = [], sortedBy key: String = "code"
    ) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Quake")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request).compactMap { $0.value(forKey: "code") as? String }
    }

    @Test(arguments: StoreKind.allCases)
    func `a dictionary is kept by its elements, and nothing is no dictionary`(_ type: StoreKind)
        throws
    {
        let stack = try Stack(Self.model(), type)
        let context = stack.container.viewContext
        let since = Date(timeIntervalSinceReferenceDate: 1000)
        let point: [String: Any] = ["x": 1.5, "y": 2.0]
        let a = make(context, "a", ["place": ["name": "Rome", "since": since, "point": point], "felt": ["y": 7]])
        _ = make(context, "b", ["place": NSNull()])
        try context.save()
        let other = stack.container.newBackgroundContext()
        try other.performAndWait {
            let a = try other.existingObject(with: a.objectID)
            let place = try #require(a.value(forKey: "place") as? [String: Any])
            #expect(place["name"] as? String == "Rome" && place["since"] as? Date == since)
            #expect((place["point"] as? NSDictionary)?["x"] as? Double == 1.5)
            #expect((a.value(forKey: "felt") as? [String: Any])?.keys.sorted() == ["y"])
            #expect(a.value(forKeyPath: "place.point.y") as? Double == 2)
            let b = try #require(
                try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Quake")).first { $0 !== a })
            #expect(b.value(forKey: "place") == nil && b.value(forKeyPath: "place.point.y") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `elements are set by their paths, and the attribute is what changed`(_ type: StoreKind)
        throws
    {
        let stack = try Stack(Self.model(), type)
        defer { withExtendedLifetime(stack) {} }
        let context = stack.container.viewContext
        let quake = make(context, "a", ["felt": ["x": 1, "y": 2]])
        try context.save()
        #expect(!quake.hasChanges)
        quake.setValue(5, forKeyPath: "felt.x")
        #expect(quake.changedValues().keys.sorted() == ["felt"])
        #expect((quake.changedValues()["felt"] as? [String: Double]) == ["x": 5, "y": 2])
        #expect((quake.committedValues(forKeys: ["felt"])["felt"] as? [String: Double]) == ["x": 1, "y": 2])
        try context.save()
        quake.setValue(nil, forKey: "felt")
        #expect(quake.changedValues()["felt"] is NSNull)
        context.rollback()
        #expect((quake.value(forKey: "felt") as? [String: Double]) == ["x": 5, "y": 2])
        quake.setPrimitiveValue(["x": 9], forKey: "felt")
        #expect(quake.primitiveValue(forKey: "felt") as? [String: Double] == ["x": 9])
    }

    @Test(arguments: StoreKind.allCases)
    func `elements are asked for and sorted by`(_ type: StoreKind) throws {
        let stack = try Stack(Self.model(), type)
        defer { withExtendedLifetime(stack) {} }
        let context = stack.container.viewContext
        _ = make(context, "a", ["place": ["name": "Rome", "point": ["x": 3.0]]])
        _ = make(context, "b", ["place": ["name": "Oslo", "point": ["x": 1.0, "y": 1.0]], "felt": ["x": 1.0]])
        _ = make(context, "c", [:])
        try context.save()
        #expect(try codes(context, "place.point.x > %@", [2.0]) == ["a"])
        #expect(try codes(context, "place.point.x == felt.x AND felt.x != nil") == ["b"])
        #expect(try codes(context, "place == nil") == ["c"])
        #expect(try codes(context, "felt != nil") == ["b"])
        #expect(try codes(context, "place.point == nil") == ["c"])
        #expect(try codes(context, "TRUEPREDICATE", sortedBy: "place.point.x") == ["c", "b", "a"])
        #expect(throws: (any Error).self) { try codes(context, "place.point.z == 1") }
        let request = NSFetchRequest<NSDictionary>(entityName: "Quake")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["code", "place.point.x"]
        request.predicate = NSPredicate(format: "place.name == 'Rome'")
        let found = try context.fetch(request)
        #expect(found == [["code": "a", "place.point.x": 3.0]], "\(found)")
    }

    private static func familyModel() -> NSManagedObjectModel {
        let quake = NSEntityDescription()
        quake.name = "Quake"
        let (first, after) = (NSRelationshipDescription(), NSRelationshipDescription())
        (first.name, after.name, first.maxCount) = ("first", "after", 1)
        for (relationship, inverse) in [(first, after), (after, first)] {
            relationship.destinationEntity = quake
            relationship.inverseRelationship = inverse
            relationship.isOptional = true
        }
        let place = composite(
            "place",
            [
                attribute("name", .stringAttributeType), attribute("since", .dateAttributeType),
                composite("point", [attribute("x", .doubleAttributeType)]),
            ])
        quake.properties = [attribute("code", .stringAttributeType), place, first, after]
        let model = NSManagedObjectModel()
        model.entities = [quake]
        return model
    }

    @Test(arguments: StoreKind.allCases)
    func `elements of members are asked for behind operators and subqueries`(_ type: StoreKind) throws {
        let stack = try Stack(Self.familyModel(), type)
        defer { withExtendedLifetime(stack) {} }
        let context = stack.container.viewContext
        let since = Date(timeIntervalSinceReferenceDate: 1000)
        let first = make(context, "a", ["place": ["name": "Rome", "since": since]])
        _ = make(context, "b", ["place": ["name": "Oslo", "point": ["x": 3.0]], "first": first])
        _ = make(context, "c", ["place": ["name": "Bonn", "point": ["x": 1.0]], "first": first])
        _ = make(context, "d", ["place": ["name": "Bern"], "first": first])
        try context.save()
        for format in [
            "after.@max.place.point.x == 3", "after.first.@max.place.since == %@",
            "ANY after.first.@distinctUnionOfObjects.place.name == 'Rome'",
            "ANY SUBQUERY(after, $q, $q.code == 'b').first.place.name == 'Rome'",
            "SUBQUERY(after, $q, $q.code != 'b').@max.first.place.since == %@",
            "SUBQUERY(after, $q, $q.code != 'b').place.point.@max.x == 1",
        ] {
            #expect(try codes(context, format, format.contains("%@") ? [since] : []) == ["a"], "\(format)")
        }
        let mean = NSExpressionDescription()
        (mean.name, mean.expressionResultType) = ("mean", .doubleAttributeType)
        mean.expression = NSExpression(format: "average:(after.place.point.x)")
        let request = NSFetchRequest<NSDictionary>(entityName: "Quake")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["code", mean]
        request.propertiesToGroupBy = ["code"]
        request.predicate = NSPredicate(format: "code == 'a'")
        #expect(try context.fetch(request) == [["code": "a", "mean": 2.0]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a uniqueness constraint may name an element`(_ type: StoreKind) throws {
        let stack = try Stack(Self.model(), type)
        defer { withExtendedLifetime(stack) {} }
        let context = stack.container.viewContext
        _ = make(context, "a", ["place": ["name": "Rome"]])
        try context.save()
        _ = make(context, "b", ["place": ["name": "Rome"]])
        #expect(throws: (any Error).self) { try context.save() }
    }

    @Test(arguments: StoreKind.allCases)
    func `a composite value that is there has its mandatory elements`(_ type: StoreKind) throws {
        let mandatory = Self.attribute("country", .stringAttributeType, isOptional: false)
        let stack = try Stack(Self.model(extra: [mandatory]), type)
        defer { withExtendedLifetime(stack) {} }
        let context = stack.container.viewContext
        let quake = make(context, "a", [:])
        try context.save()
        quake.setValue("Rome", forKeyPath: "place.name")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        #expect(error?.code == .validationMissingMandatoryProperty)
        #expect((error as NSError?)?.userInfo[NSValidationKeyErrorKey] as? String == "place.country")
        quake.setValue("Italy", forKeyPath: "place.country")
        try context.save()
        quake.setValue(nil, forKey: "place")
        try context.save()
    }

    @Test func `a history keeps the elements of what is deleted`() throws {
        let model = Self.model()
        let quake = try #require(model.entitiesByName["Quake"])
        let place = try #require(quake.attributesByName["place"] as? NSCompositeAttributeDescription)
        place.elements[0].preservesValueInHistoryOnDeletion = true
        quake.attributesByName["felt"]?.preservesValueInHistoryOnDeletion = true
        let stack = try Stack(model, .database, tracksHistory: true)
        defer { withExtendedLifetime(stack) {} }
        let context = stack.container.viewContext
        let object = make(
            context, "a", ["place": ["name": "Rome", "point": ["x": 3.0]], "felt": ["x": 1.0, "y": 2.0]])
        try context.save()
        object.setValue(4, forKeyPath: "felt.x")
        try context.save()
        context.delete(object)
        try context.save()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .changesOnly
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let changes = try #require(result?.result as? [NSPersistentHistoryChange])
        #expect(changes[1].updatedProperties?.map(\.name) == ["felt"])
        let tombstone = try #require(changes[2].tombstone as? [String: [String: AnyHashable]])
        #expect(tombstone == ["place": ["name": "Rome"], "felt": ["x": 4.0, "y": 2.0]])
    }

    @Test func `batches take dictionaries, too`() throws {
        let stack = try Stack(Self.model(), .database)
        defer { withExtendedLifetime(stack) {} }
        let context = stack.container.viewContext
        try context.execute(
            NSBatchInsertRequest(entityName: "Quake", objects: [["code": "a", "felt": ["x": 2.0] as [String: Any]]]))
        #expect(try codes(context, "felt.x == 2") == ["a"])
        let update = NSBatchUpdateRequest(entityName: "Quake")
        update.propertiesToUpdate = ["felt.x": 4.0]
        try context.execute(update)
        #expect(try codes(context, "felt.x == 4") == ["a"])
        let wrong = NSBatchInsertRequest(
            entityName: "Quake", objects: [["code": "b", "felt": ["z": 2.0] as [String: Any]]])
        #expect(throws: (any Error).self) { try context.execute(wrong) }
    }

    @Test func `columns are called after the elements, with numbers where the name is taken`() throws {
        let stack = try Stack(Self.model(), .sqlite)
        let columns = try DatabaseQueue(path: stack.url.path).read { try $0.columns(in: "ZQUAKE").map(\.name) }
        #expect(columns.sorted() == ["ZCODE", "ZNAME", "ZSINCE", "ZX", "ZX1", "ZY", "ZY1", "Z_ENT", "Z_OPT", "Z_PK"])
    }

    @Test func `a migration carries elements over, those of a renamed attribute, too`() throws {
        let old = try Stack(Self.model(), .database)
        let context = old.container.viewContext
        _ = make(context, "a", ["place": ["name": "Rome", "point": ["x": 3.0, "y": 4.0]], "felt": ["x": 1.0]])
        try context.save()
        try old.container.persistentStoreCoordinator.persistentStores.forEach {
            try old.container.persistentStoreCoordinator.remove($0)
        }
        let model = Self.model(
            place: "site", renamedFrom: "place", extra: [Self.attribute("depth", .doubleAttributeType)])
        let new = try Stack(model, .database, at: old.url)
        let quake = try #require(
            try new.container.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Quake")).first)
        #expect(quake.value(forKeyPath: "site.name") as? String == "Rome")
        #expect(quake.value(forKeyPath: "site.point.y") as? Double == 4)
        #expect((quake.value(forKey: "felt") as? [String: Double]) == ["x": 1])
        #expect(quake.value(forKeyPath: "site.depth") == nil)
    }

    @Test func `observers of the attribute hear of its elements`() throws {
        let stack = try Stack(Self.model(), .inMemory)
        defer { withExtendedLifetime(stack) {} }
        let context = stack.container.viewContext
        let quake = make(context, "a", ["felt": ["x": 1]])
        let watcher = Watcher()
        unsafe quake.addObserver(watcher, forKeyPath: "felt", options: [.new])
        quake.setValue(2, forKeyPath: "felt.x")
        quake.setValue(["x": 3], forKey: "felt")
        quake.removeObserver(watcher, forKeyPath: "felt")
        #expect(watcher.heard == [["x": 2], ["x": 3]])
    }

    private final class Watcher: NSObject, NSKeyValueObserver {
        var heard: [[String: Double]] = []

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            if let value = change?[.newKey] as? [String: Double] { heard.append(value) }
        }
    }
}
