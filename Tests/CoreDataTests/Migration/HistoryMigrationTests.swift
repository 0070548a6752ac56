// A history speaks of entities and properties by name. After a migration it has the new ones, and nothing of what is gone, whose name
// somebody else may have by then.

import CoreData
import Foundation
import Testing

@Suite struct HistoryMigrationTests {
    private static let kinds = StoreKind.allCases.filter { $0 != .inMemory }

    private let options: [String: Any] = [
        NSPersistentHistoryTrackingKey: true, NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
    ]

    private func attribute(
        _ name: String, id identifier: String? = nil, isKept: Bool = false
    ) -> NSAttributeDescription {
        let attribute = TestModel.attribute(name, .stringAttributeType)
        attribute.renamingIdentifier = identifier
        attribute.preservesValueInHistoryOnDeletion = isKept
        return attribute
    }

    private func changes(_ context: NSManagedObjectContext) throws -> [NSPersistentHistoryChange] {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .changesOnly
        let result = try context.execute(request) as? NSPersistentHistoryResult
        return try #require(result?.result as? [NSPersistentHistoryChange])
    }

    @Test(arguments: kinds)
    func `it tells of properties by their new names, and nothing of those that are gone`(_ kind: StoreKind) throws {
        let older = TestModel.model([
            TestModel.entity("Hero", [attribute("title", isKept: true), attribute("age", isKept: true)])
        ])
        // The title is the caption now, and another property has its name.
        let newer = TestModel.model([
            TestModel.entity(
                "Person",
                [attribute("caption", id: "title", isKept: true), attribute("title", id: "heading", isKept: true)])
        ])
        newer.entities[0].renamingIdentifier = "Hero"
        let store = try MigratingStore(kind)
        let context = try store.open(older, options)
        let hero = context.insert("Hero", ["title": "Countess", "age": "36"])
        try context.save()
        for (key, value) in [("title", "Duchess"), ("age", "37")] { hero.setValue(value, forKey: key) }
        try context.save()
        context.delete(hero)
        try context.save()
        try store.close()
        let changes = try changes(store.open(newer, options))
        #expect(changes.map(\.changedObjectID.entity.name) == ["Person", "Person", "Person"])
        #expect(changes[1].updatedProperties?.map(\.name) == ["caption"])
        #expect(changes[2].tombstone as? [String: String] == ["caption": "Duchess"])
    }

    @Test(arguments: kinds)
    func `it tells an entity nothing of one that had its name and is gone`(_ kind: StoreKind) throws {
        func model(_ names: [String]) -> NSManagedObjectModel {
            TestModel.model(names.map { TestModel.entity($0, [attribute("name")]) })
        }
        let store = try MigratingStore(kind)
        let context = try store.open(model(["Hero", "Robot"]), options)
        for entity in ["Hero", "Robot"] { context.insert(entity, ["name": entity]) }
        try context.save()
        for names in [["Hero"], ["Hero", "Robot"]] {
            try store.close()
            let found = try changes(store.open(model(names), options))
            #expect(found.map(\.changedObjectID.entity.name) == ["Hero"])
        }
    }
}
