// Stores in which somebody has written what Core Data never writes. Reading one is an error that says where, or works; it never
// ends the process, and what is wrong is never taken for something else.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite struct DamagedStoreTests {
    /// A store with two heroes, a power, a team and a history, of which each damage gets a copy.
    private static func makeStore(_ url: URL) throws {
        let container = NSPersistentContainer(name: "Heroes", managedObjectModel: TestModel.heroes())
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(NSNumber(value: true), forKey: NSPersistentHistoryTrackingKey)
        description.setValue(NSString(string: "DELETE"), forPragmaNamed: "journal_mode")
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        let context = container.viewContext
        let hero = NSManagedObject(entity: try #require(model(container, "Hero")), insertInto: context)
        let pupil = NSManagedObject(entity: try #require(model(container, "Sidekick")), insertInto: context)
        let power = NSManagedObject(entity: try #require(model(container, "Power")), insertInto: context)
        let team = NSManagedObject(entity: try #require(model(container, "Team")), insertInto: context)
        hero.setValue("Ann", forKey: "name")
        hero.setValue(NSNumber(value: 40), forKey: "age")
        pupil.setValue(hero, forKey: "mentor")
        hero.setValue(NSOrderedSet(object: power), forKey: "powers")
        hero.setValue(NSSet(object: team), forKey: "teams")
        try context.save()
        hero.setValue(NSNumber(value: 41), forKey: "age")
        try context.save()
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    private static func model(_ container: NSPersistentContainer, _ name: String) -> NSEntityDescription? {
        container.managedObjectModel.entitiesByName[name]
    }

    /// Everything that reads a store without faults.
    private static func readAll(_ url: URL) throws {
        _ = try SQLiteStoreFile.metadata(at: url)
        _ = try SQLiteStoreFile.model(at: url)
        var options = SQLiteStoreOptions()
        options.tracksHistory = true
        let store = try TestStore(TestModel.heroes(), at: url, options: options)
        defer {
            // The error that counts is the one of reading.
            try? store.backend.close()
        }
        for entity in store.model.entities {
            for row in try store.backend.rows(matching: StoreQuery(entity: entity)) {
                for relationship in entity.relationshipsByName.values where relationship.isToMany {
                    _ = try store.backend.members(of: relationship, owners: [row.objectID])
                }
            }
            _ = try store.backend.objectIDs(matching: StoreQuery(entity: entity))
        }
        _ = try store.backend.lastTransactionNumber()
        let transactions = try store.backend.transactions(in: .all)
        _ = try store.backend.historyChanges(of: transactions.map(\.number))
        _ = try store.backend.transactions(in: .after(.max))
        let id = try store.insert("Hero", ["age": .integer(1)])
        try store.update(id, ["age": .integer(2)])
    }

    private static func change(_ url: URL, _ sql: String) throws {
        let queue = try DatabaseQueue(path: url.path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    private static func copy(_ original: URL, in folder: TemporaryFolder, _ number: Int) throws -> URL {
        let copy = folder.url.appendingPathComponent("Copy\(number).sqlite")
        try FileManager.default.copyItem(at: original, to: copy)
        return copy
    }

    @Test func `no value in any column of any table ends the process or gives an error without the store's name`()
        throws
    {
        let folder = try TemporaryFolder()
        let original = folder.url.appendingPathComponent("Heroes.sqlite")
        try Self.makeStore(original)
        let queue = try DatabaseQueue(path: original.path)
        let columns = try queue.read { db in
            try db.texts(
                """
                SELECT m.name || '.' || c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
                WHERE m.type = 'table' ORDER BY m.name, c.cid
                """)
        }
        try queue.close()
        #expect(columns.count > 40)
        var number = 0
        for column in columns {
            let parts = column.split(separator: ".")
            // Each column gets one of them; the tests below and those of the tool have others.
            let value = ["'x'", "x'00ff'", "9223372036854775807"][number % 3]
            number += 1
            let url = try Self.copy(original, in: folder, number)
            do {
                try Self.change(url, "UPDATE \(parts[0]) SET \(parts[1]) = \(value)")
            } catch is DatabaseError {
                // A key can't be a text.
                continue
            }
            do {
                try Self.readAll(url)
            } catch let error as CocoaError {
                #expect(error.localizedDescription.contains(url.path), "\(column) = \(value): \(error)")
            } catch is StoreConflict {
            } catch {
                #expect(error is ModelError, "\(column) = \(value): \(error)")
            }
            try FileManager.default.removeItem(at: url)
        }
    }

    struct Damage: CustomTestStringConvertible {
        let sql: String, place: String, found: String
        var testDescription: String { sql }
    }

    @Test(arguments: [
        Damage(sql: "UPDATE Z_PRIMARYKEY SET Z_SUPER = 'x'", place: "Z_PRIMARYKEY.Z_SUPER of row 1", found: "text 'x'"),
        Damage(sql: "UPDATE Z_PRIMARYKEY SET Z_NAME = x'00'", place: "Z_PRIMARYKEY.Z_NAME of row 1", found: "1 bytes"),
        Damage(sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 'x'", place: "Z_PRIMARYKEY.Z_MAX", found: "text 'x'"),
        // One key is left, and the history counts on behind it.
        Damage(
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775806", place: "Z_PRIMARYKEY.Z_MAX",
            found: "9223372036854775806"),
        Damage(sql: "UPDATE Z_METADATA SET Z_UUID = x'00'", place: "Z_METADATA.Z_UUID of row 1", found: "1 bytes"),
        Damage(sql: "UPDATE Z_METADATA SET Z_UUID = 'a b'", place: "Z_METADATA.Z_UUID of row 1", found: "text 'a b'"),
        Damage(sql: "UPDATE Z_METADATA SET Z_PLIST = 'x'", place: "Z_METADATA.Z_PLIST of row 1", found: "text 'x'"),
        Damage(
            sql: "UPDATE Z_MODELCACHE SET Z_CONTENT = 'x'", place: "Z_MODELCACHE.Z_CONTENT of row 1", found: "text 'x'"),
        Damage(sql: "UPDATE ZHERO SET Z_ENT = 'x'", place: "ZHERO.Z_ENT of row 1", found: "text 'x'"),
        Damage(sql: "UPDATE ZHERO SET Z_OPT = 'x'", place: "ZHERO.Z_OPT of row 1", found: "text 'x'"),
        Damage(sql: "UPDATE ZHERO SET ZAGE = '0x10'", place: "Hero.age (ZHERO.ZAGE of row 1)", found: "text '0x10'"),
        Damage(sql: "UPDATE ZHERO SET ZAGE = 'x'", place: "Hero.age (ZHERO.ZAGE of row 1)", found: "text 'x'"),
        Damage(sql: "UPDATE ACHANGE SET ZENTITY = 'x'", place: "ACHANGE.ZENTITY of row 1", found: "text 'x'"),
    ])
    func `a damaged value is an error that names its table, row and column`(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        try Self.makeStore(url)
        try Self.change(url, damage.sql)
        let error = try #require(throws: CocoaError.self) { try Self.readAll(url) }
        #expect(error.code == .fileReadCorruptFile)
        #expect(error.localizedDescription.contains("\(damage.place)"), "\(error.localizedDescription)")
        #expect(error.localizedDescription.contains(damage.found), "\(error.localizedDescription)")
        #expect(error.localizedDescription.contains(url.path))
    }

    @Test func `a row in its last version is changed and deleted like every other`() throws {
        let store = try TestStore(TestModel.heroes())
        let id = try store.insert("Hero", ["age": .integer(1)])
        try store.sql { try $0.execute(sql: "UPDATE ZHERO SET Z_OPT = 9223372036854775807") }
        try store.update(id, version: .max, ["age": .integer(2)])
        #expect(try store.row(id).version == 1)
        try store.delete(id, version: 1)
        #expect(RowVersion.after(.max) == 1 && RowVersion.after(1) == 2 && RowVersion.after(.min) == 0)
    }
}
