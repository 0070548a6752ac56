// Rows that are damaged under a context: calls that can throw do so, and nothing is written.

import Foundation
import GRDB
import TestSupport
import Testing

@testable import CoreData

@Suite struct DamagedRowTests {
    private let folder: TemporaryFolder
    private let container: NSPersistentContainer
    private var url: URL { folder.url.appendingPathComponent("Heroes.sqlite") }

    /// A hero, who is the mentor of a sidekick and in a team, in a store with a history.
    init() throws {
        folder = try TemporaryFolder()
        container = NSPersistentContainer(name: "Heroes", managedObjectModel: TestModel.heroes())
        let description = NSPersistentStoreDescription(url: folder.url.appendingPathComponent("Heroes.sqlite"))
        description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        try work { context throws in
            func make(_ name: String) -> NSManagedObject {
                NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            }
            let hero = make("Hero")
            hero.setValue("Ann", forKey: "name")
            hero.setValue(NSSet(object: make("Team")), forKey: "teams")
            make("Sidekick").setValue(hero, forKey: "mentor")
            try context.save()
        }
    }

    private func work(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait { try body(context) }
    }

    private func change(_ sql: String) throws {
        try StoreSQL.run(sql, at: url)
    }

    private func text(_ sql: String) throws -> String {
        let queue = try DatabaseQueue(path: url.path)
        defer { #expect(throws: Never.self) { try queue.close() } }
        return try queue.read { db in try db.texts(sql).joined(separator: ",") }
    }

    private func all(_ name: String, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name))
    }

    @Test func `a link that names another entity than its row is an error of the fetch that finds out`() throws {
        let column = try text("SELECT name FROM pragma_table_info('ZHERO') WHERE name LIKE 'Z_\\_MENTOR' ESCAPE '\\'")
        let number = try text("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Sidekick'")
        try change("UPDATE ZHERO SET \(column) = \(number) WHERE ZMENTOR IS NOT NULL")
        try work { context throws in
            let sidekick = try #require(try all("Sidekick", in: context).first)
            let mentor = try #require(sidekick.value(forKey: "mentor") as? NSManagedObject)
            #expect(mentor.entity.name == "Sidekick")
            let error = try #require(throws: CocoaError.self) { try all("Hero", in: context) }
            #expect(error.localizedDescription.contains("is one of 'Hero', and a link to it says 'Sidekick'"))
            #expect(throws: CocoaError.self) {
                try context.existingObject(with: mentor.objectID).value(forKey: "name")
            }
        }
    }

    @Test func `a damaged row doesn't fail the sound ones beside it`() throws {
        try work { context throws in
            let team = try #require(try all("Team", in: context).first)
            let heroes = (0..<3).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Hero", into: context) }
            for (age, hero) in heroes.enumerated() { hero.setValue(age, forKey: "age") }
            team.mutableSetValue(forKey: "members").addObjects(from: heroes)
            try context.save()
            let ids = heroes.map(\.objectID)
            let key = ids[1].uriRepresentation().lastPathComponent.dropFirst()
            try change("UPDATE ZHERO SET ZAGE = 'x' WHERE Z_PK = \(key)")
            context.reset()
            let members = try all("Team", in: context).first?.value(forKey: "members") as? Set<NSManagedObject> ?? []
            #expect(members.count == 4)
            // Whoever is asked first is read with the others.
            for (place, age) in [(0, 0), (1, nil), (2, 2)] {
                let member = try #require(members.first { $0.objectID == ids[place] })
                func read() throws {
                    #expect(try context.collectingFaultFailures { member.value(forKey: "age") as? Int } == age)
                }
                if age == nil {
                    let error = try #require(throws: CocoaError.self) { try read() }
                    #expect(error.localizedDescription.contains("ZHERO.ZAGE of row \(key)"))
                } else {
                    try read()
                }
            }
        }
    }

    @Test func `members that can't be read keep a store from being moved to another type`() throws {
        let table = try text("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*TEAMS'")
        let column = try text("SELECT name FROM pragma_table_info('\(table)') WHERE name LIKE '%TEAMS'")
        try change("UPDATE \(table) SET \(column) = 'x'")
        let coordinator = container.persistentStoreCoordinator
        let store = coordinator.persistentStores[0]
        #expect(throws: CocoaError.self) {
            try coordinator.migratePersistentStore(
                store, to: folder.url.appendingPathComponent("memory"), type: .inMemory)
        }
        #expect(coordinator.persistentStores.count == 1 && coordinator.persistentStores.first === store)
    }

    @Test func `a batch update names a key that two rows have`() throws {
        try change(
            "CREATE TABLE bare AS SELECT * FROM ZTEAM; DROP TABLE ZTEAM; ALTER TABLE bare RENAME TO ZTEAM;"
                + "INSERT INTO ZTEAM SELECT * FROM ZTEAM")
        try work { context throws in
            let request = NSBatchUpdateRequest(entityName: "Team")
            request.propertiesToUpdate = ["name": "New"]
            let error = try #require(throws: CocoaError.self) { try context.execute(request) }
            #expect(error.localizedDescription.contains("the key 1 in several rows"))
        }
        #expect(try text("SELECT COUNT(*) FROM ZTEAM WHERE ZNAME = 'New'") == "0")
    }

    @Test(arguments: [true, false])
    func `a save that meets a damaged row throws, and writes nothing`(_ isRolledBack: Bool) throws {
        try work { context throws in
            let team = try #require(try all("Team", in: context).first)
            context.delete(team)
            try change("UPDATE ZHERO SET ZAGE = 'x'")
            let error = try #require(throws: CocoaError.self) { try context.save() }
            #expect(error.localizedDescription.contains("ZHERO.ZAGE of row 1"), "\(error.localizedDescription)")
            #expect(try text("SELECT COUNT(*) FROM ZTEAM") == "1")
            try change("UPDATE ZHERO SET ZAGE = 40")
            // What goes with the deletion may not be known.
            let again = try #require(throws: CocoaError.self) { try context.save() }
            #expect(again.localizedDescription.contains("Roll it back or reset it"))
            #expect(try text("SELECT COUNT(*) FROM ZTEAM") == "1")
            if isRolledBack { context.rollback() } else { context.reset() }
            #expect(try all("Hero", in: context).map { $0.value(forKey: "age") as? Int } == [40, 40])
            let hero = try #require(try all("Hero", in: context).first { $0.entity.name == "Hero" })
            #expect((hero.value(forKey: "teams") as? Set<NSManagedObject>)?.count == 1)
            context.delete(try #require(try all("Team", in: context).first))
            try context.save()
            #expect((hero.value(forKey: "teams") as? Set<NSManagedObject>)?.isEmpty ?? false)
        }
        #expect(try text("SELECT COUNT(*) FROM ZTEAM") == "0")
    }

    @Test func `what was added to a list that couldn't be read is still there`() throws {
        let table = try text("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*TEAMS'")
        let column = try text("SELECT name FROM pragma_table_info('\(table)') WHERE name LIKE '%TEAMS'")
        try work { context throws in
            let hero = try #require(try all("Hero", in: context).first { $0.entity.name == "Hero" })
            hero.mutableSetValue(forKey: "teams").add(
                NSEntityDescription.insertNewObject(forEntityName: "Team", into: context))
            try change("UPDATE \(table) SET \(column) = 'x'")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
            request.predicate = NSPredicate(format: "teams.@count > 5")
            #expect(throws: CocoaError.self) { try context.fetch(request) }
            try change("UPDATE \(table) SET \(column) = 1")
            try context.save()
            context.reset()
            let read = try #require(try all("Hero", in: context).first { $0.entity.name == "Hero" })
            #expect((read.value(forKey: "teams") as? Set<NSManagedObject>)?.count == 2)
        }
    }

    @Test func `a list of which only the members' IDs couldn't be read is unread afterwards`() throws {
        let table = try text("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*TEAMS'")
        let column = try text("SELECT name FROM pragma_table_info('\(table)') WHERE name LIKE '%TEAMS'")
        try work { context throws in
            let hero = try #require(try all("Hero", in: context).first { $0.entity.name == "Hero" })
            try change("UPDATE \(table) SET \(column) = 'x'")
            #expect(throws: CocoaError.self) {
                try context.collectingFaultFailures { #expect(hero.objectIDs(forRelationshipNamed: "teams").isEmpty) }
            }
            try change("UPDATE \(table) SET \(column) = 1")
            #expect(hero.objectIDs(forRelationshipNamed: "teams").count == 1)
        }
    }

    @Test func `a fault that a fetch couldn't fill is one afterwards`() throws {
        try work { context throws in
            let sidekick = try #require(try all("Sidekick", in: context).first)
            let mentor = try #require(sidekick.value(forKey: "mentor") as? NSManagedObject)
            try change("UPDATE ZHERO SET ZAGE = 'x' WHERE ZMENTOR IS NULL")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Sidekick")
            request.predicate = NSPredicate(format: "mentor.name == 'Ann'")
            sidekick.setValue("Bo", forKey: "name")
            let error = try #require(throws: CocoaError.self) { try context.fetch(request) }
            #expect(error.localizedDescription.contains("ZHERO.ZAGE of row"))
            #expect(mentor.isFault)
            try change("UPDATE ZHERO SET ZAGE = 40")
            #expect(try context.fetch(request) == [sidekick] && mentor.value(forKey: "name") as? String == "Ann")
        }
    }

    @Test func `what can't be evaluated of an unsaved object is an error of the fetch`() throws {
        try work { context throws in
            let hero = NSEntityDescription.insertNewObject(forEntityName: "Hero", into: context)
            hero.setValue("Al", forKey: "name")
            let request = NSFetchRequest<NSManagedObject>(entityName: "Hero")
            request.predicate = NSPredicate(format: "FUNCTION(name, 'substringFromIndex:', 5) == 'x'")
            #expect(throws: CocoaError.self) { try context.fetch(request) }
        }
    }
}
