// Stores in which somebody has written what Core Data never writes. Reading one is an error that says where, or works; it never
// ends the process, and what is wrong is never taken for something else.

import Foundation
import GRDB
import TestSupport
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
        try StoreSQL.run(sql, at: url)
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

    @Test func `a model in a store that is no bytes is a damaged one, and its place is named`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        try Self.makeStore(url)
        try Self.change(url, "UPDATE Z_MODELCACHE SET Z_CONTENT = 'x'")
        let error = try #require(throws: ModelError.self) { try SQLiteStoreFile.model(at: url) }
        #expect(error.reasons == "Z_MODELCACHE.Z_CONTENT of row 1 is text 'x' where Core Data has binary data")
        _ = try TestStore(TestModel.heroes(), at: url)
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

    @Test func `a row without a version is changed and deleted like every other`() throws {
        let store = try TestStore(TestModel.heroes())
        let id = try store.insert("Hero", ["age": .integer(1)])
        try store.sql { try $0.execute(sql: "UPDATE ZHERO SET Z_OPT = NULL") }
        #expect(try store.row(id).version == 0)
        try store.backend.save(StoreChanges(updated: [try Self.unversioned(id, age: 2, store)]))
        #expect(try store.rows("SELECT Z_OPT, ZAGE FROM ZHERO") == ["1|2"])
        try store.sql { try $0.execute(sql: "UPDATE ZHERO SET Z_OPT = NULL") }
        try store.delete(id, version: 0)
        #expect(try store.rows("SELECT * FROM ZHERO").isEmpty)
    }

    /// An update of a row that was read without a version; one of version 0 would be an insertion's.
    private static func unversioned(_ id: NSManagedObjectID, age: Int64, _ store: TestStore) throws -> RowChange {
        var change = try store.change(id, version: 1, ["age": .integer(age)])
        change.version = 0
        return change
    }

    // MARK: Rows and members

    /// Makes a table again without its keys.
    private static func bare(_ table: String) -> String {
        "CREATE TABLE bare AS SELECT * FROM \(table); DROP TABLE \(table); ALTER TABLE bare RENAME TO \(table);"
    }

    @Test(arguments: ["99", "NULL", "3"])
    func `a member of no entity, or of another one, is an error and not left out`(_ number: String) throws {
        let store = try TestStore(TestModel.heroes())
        let team = try store.insert("Team"), hero = try store.insert("Hero")
        try store.relate(team, version: 1, "members", add: [hero])
        #expect(try store.members(team, "members") == [hero])
        try store.sql { try $0.execute(sql: "UPDATE ZHERO SET Z_ENT = \(number)") }
        if number == "NULL" {
            // As one that isn't there.
            #expect(try store.members(team, "members").count == 1)
        } else {
            let error = try #require(throws: CocoaError.self) { try store.members(team, "members") }
            #expect(error.localizedDescription.contains("Z_ENT of a member of 'members' of Team/p1"))
        }
    }

    @Test func `a member that isn't there is told of, whether or not its entity has sub-entities`() throws {
        let store = try TestStore(TestModel.heroes())
        let team = try store.insert("Team"), hero = try store.insert("Hero")
        try store.relate(team, version: 1, "members", add: [hero])
        try store.sql { try $0.execute(sql: "DELETE FROM ZHERO") }
        #expect(try store.members(team, "members") == [hero])
    }

    @Test func `a pair that a join table has twice is one member`() throws {
        let store = try TestStore(TestModel.heroes())
        let team = try store.insert("Team"), hero = try store.insert("Hero")
        try store.relate(team, version: 1, "members", add: [hero])
        let table = try #require(store.backend.schema.joinTables.first?.name)
        try store.sql { try $0.execute(sql: Self.bare(table) + "INSERT INTO \(table) SELECT * FROM \(table)") }
        #expect(try store.members(team, "members") == [hero])
        #expect(try store.members(hero, "teams") == [team])
    }

    @Test func `two rows with one key are an error, and not one object`() throws {
        let store = try TestStore(TestModel.heroes())
        try store.insert("Hero", ["age": .integer(1)])
        try store.sql {
            try $0.execute(
                sql: Self.bare("ZHERO") + "INSERT INTO ZHERO SELECT * FROM ZHERO; UPDATE ZHERO SET ZAGE = rowid")
        }
        let query = StoreQuery(entity: try store.entity("Hero"))
        for read in [
            { _ = try store.backend.rows(matching: query) }, { _ = try store.backend.objectIDs(matching: query) },
        ] {
            let error = try #require(throws: CocoaError.self) { try read() }
            #expect(error.localizedDescription.contains("the key 1 in several rows"))
        }
    }

    @Test func `an ID is never made of the entity number of another table's rows`() throws {
        let store = try TestStore(TestModel.heroes())
        try store.insert("Team")
        try store.sql { try $0.execute(sql: "UPDATE ZTEAM SET Z_ENT = 1") }
        let query = StoreQuery(entity: try store.entity("Team"))
        #expect(throws: CocoaError.self) { try store.backend.objectIDs(matching: query) }
    }
}
