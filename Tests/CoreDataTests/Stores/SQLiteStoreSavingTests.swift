// Keys, versions, conflicts, uniqueness: what one save does to rows, and what it refuses.

import Foundation
import GRDB
import Synchronization
import Testing

@testable import CoreData

@Suite struct SQLiteStoreSavingTests {
    private func unique() -> NSManagedObjectModel {
        let hero = TestModel.entity(
            "Hero",
            ["name", "city"].map { TestModel.attribute($0, .stringAttributeType) }
                + [TestModel.attribute("code", .integer64AttributeType)])
        let sidekick = TestModel.entity("Sidekick")
        hero.subentities = [sidekick]
        hero.uniquenessConstraints = [["name", "city"], ["code"]]
        return TestModel.model([hero, sidekick])
    }

    // MARK: Keys

    @Test func `keys go on from the stored maximum, which counts for a table and stands with its root`() throws {
        let store = try TestStore(TestModel.heroes())
        try store.sql { try $0.execute(sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 41 WHERE Z_NAME = 'Hero'") }
        let hero = try store.insert("Hero"), sidekick = try store.insert("Sidekick")
        #expect([hero.number, sidekick.number] == [42, 43])
        #expect(try store.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_MAX > 0") == ["'Hero'|43"])
        #expect(
            hero.uriRepresentation().absoluteString == "x-coredata://\(store.backend.identifier)/Hero/p42")
    }

    @Test func `two stores on one file never get the same keys`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let first = try TestStore(TestModel.heroes(), at: url), second = try TestStore(TestModel.heroes(), at: url)
        var keys: [Int64] = []
        for store in [first, second, first, second] {
            keys += try store.backend.permanentIDs(for: store.entity("Hero"), count: 3).map(\.number)
        }
        #expect(keys == Array(1...12))
    }

    @Test func `a turn at writing lasts until the save, whatever numbers new rows wish for`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        let library = try Library(at: url, model: LibraryModel.make())
        let other = try Library(at: url, model: LibraryModel.make(), options: [NSPersistentStoreTimeoutOption: 0.1])
        let turn = try library.coordinator.beginWriting { true }
        let tag = library.insert("Tag")
        library.context.want(row: 50, for: tag)
        try library.context.obtainPermanentIDs(for: [tag])
        _ = other.insert("Tag")
        #expect(throws: CocoaError.self) { try other.context.save() }
        try library.context.save()
        library.coordinator.end(turn)
        try other.context.save()
        #expect(tag.objectID.number == 50)
    }

    @Test func `a new row has version 1 and its entity's number`() throws {
        let store = try TestStore(TestModel.heroes())
        try store.insert("Sidekick", ["name": .string("Robin")])
        #expect(try store.rows("SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ZHERO") == ["1|2|1|'Robin'"])
    }

    // MARK: Updating

    @Test func `an update writes the changed columns only, and counts up the version`() throws {
        let store = try TestStore(TestModel.heroes())
        let id = try store.insert("Hero", ["name": .string("Bruce"), "age": .integer(40)])
        let statements = try store.statements { try store.update(id, ["age": .integer(41)]) }
        let condition = "WHERE Z_PK = ? AND \(RowVersion.known) = ?"
        #expect(statements == ["UPDATE ZHERO SET ZAGE = ?, \(RowVersion.countingUp) \(condition)"])
        #expect(try store.rows("SELECT Z_OPT, ZNAME, ZAGE FROM ZHERO") == ["2|'Bruce'|41"])
    }

    @Test func `an update that only concerns relationships counts up the version too`() throws {
        let store = try TestStore(TestModel.heroes())
        let hero = try store.insert("Hero"), team = try store.insert("Team")
        try store.relate(hero, version: 1, "teams", add: [team])
        #expect(try store.row(hero).version == 2)
    }

    @Test func `many updates of the same columns compile one statement`() throws {
        let store = try TestStore(TestModel.heroes())
        let ids = try store.insert("Hero", (0..<50).map { ["age": .integer($0)] })
        var changes = StoreChanges()
        for id in ids { changes.updated.append(try store.change(id, version: 1, ["age": .integer(7)])) }
        let statements = try store.statements { try store.backend.save(changes) }
        #expect(statements.count == 50)
        #expect(Set(statements).count == 1)
    }

    // MARK: Conflicts

    @Test func `a row that was changed meanwhile is a conflict with the row as it stands, and nothing is written`()
        throws
    {
        // Two stores read version 1. The first saves age 41; the second's save of another name has to fail.
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let mine = try TestStore(TestModel.heroes(), at: url)
        let id = try mine.insert("Hero", ["name": .string("Bruce"), "age": .integer(40)])
        let other = try mine.insert("Hero", ["name": .string("Diana")])
        let theirs = try TestStore(TestModel.heroes(), at: url)
        let theirID = theirs.backend.objectID(for: try theirs.entity("Hero"), primaryKey: id.number)
        try theirs.update(theirID, ["age": .integer(41)])

        let changes = StoreChanges(
            inserted: [],
            updated: [
                try mine.change(other, version: 1, ["name": .string("Wonder Woman")]),
                try mine.change(id, version: 1, ["name": .string("Batman")]),
            ])
        let conflict = try #require(throws: StoreConflict.self) { try mine.backend.save(changes) }
        #expect(conflict.rows.map(\.objectID) == [id])
        #expect(conflict.rows.first?.expectedVersion == 1)
        #expect(conflict.rows.first?.found?.version == 2)
        let slot = try #require(id.entity.layout.slot(named: "age"))
        #expect(conflict.rows.first?.found?.values[slot].shown == "integer 41")
        #expect(try mine.rows("SELECT ZNAME FROM ZHERO ORDER BY Z_PK") == ["'Bruce'", "'Diana'"])
    }

    @Test func `a row that is gone is a conflict without a row`() throws {
        let store = try TestStore(TestModel.heroes())
        let id = try store.insert("Hero")
        try store.sql { try $0.execute(sql: "DELETE FROM ZHERO") }
        for save in [{ try store.update(id, ["age": .integer(1)]) }, { try store.delete(id) }] {
            let conflict = try #require(throws: StoreConflict.self) { try save() }
            #expect(conflict.rows.count == 1)
            #expect(conflict.rows.first?.found == nil)
        }
    }

    @Test func `all conflicts of a save are reported at once`() throws {
        let store = try TestStore(TestModel.heroes())
        let ids = try store.insert("Hero", [[:], [:], [:]])
        try store.sql { try $0.execute(sql: "UPDATE ZHERO SET Z_OPT = 5 WHERE Z_PK <> 2") }
        var changes = StoreChanges()
        changes.updated = try ids.prefix(2).map { try store.change($0, version: 1, ["age": .integer(1)]) }
        changes.deleted = [try store.change(ids[2], version: 1, [:])]
        let conflict = try #require(throws: StoreConflict.self) { try store.backend.save(changes) }
        #expect(Set(conflict.rows.map(\.objectID)) == [ids[0], ids[2]])
        #expect(try store.rows("SELECT COUNT(*) FROM ZHERO WHERE ZAGE IS NULL") == ["3"])
    }

    // MARK: Uniqueness

    @Test func `a second row with the same values is a conflict with the first`() throws {
        let store = try TestStore(unique())
        let first = try store.insert("Hero", ["name": .string("Flash"), "city": .string("Central")])
        let values: [String: ManagedValue] = ["name": .string("Flash"), "city": .string("Central")]
        let conflict = try #require(throws: StoreUniquenessConflict.self) { try store.insert("Sidekick", values) }
        #expect(conflict.entity.name == "Hero")
        #expect(conflict.constraint == ["name", "city"])
        #expect(conflict.existing == first)
        #expect(conflict.inserted.map(\.entity.name) == ["Sidekick"])
        #expect(try store.rows("SELECT COUNT(*) FROM ZHERO") == ["1"])
    }

    @Test func `two rows of one save with the same values are both in the conflict`() throws {
        let store = try TestStore(unique())
        let ids = try store.backend.permanentIDs(for: store.entity("Hero"), count: 2)
        let changes = StoreChanges(inserted: try ids.map { try store.change($0, ["code": .integer(7)]) })
        let conflict = try #require(throws: StoreUniquenessConflict.self) { try store.backend.save(changes) }
        #expect(conflict.inserted == ids)
        #expect(conflict.existing == nil)
    }

    @Test func `an update can violate a constraint as well`() throws {
        let store = try TestStore(unique())
        let ids = try store.insert("Hero", [["code": .integer(1)], ["code": .integer(2)]])
        let conflict = try #require(throws: StoreUniquenessConflict.self) {
            try store.update(ids[1], ["code": .integer(1)])
        }
        #expect(conflict.constraint == ["code"])
        #expect(conflict.inserted == [ids[1]])
        #expect(conflict.existing == ids[0])
    }

    @Test func `rows with a nil among the values never collide`() throws {
        let store = try TestStore(unique())
        try store.insert("Hero", [["name": .string("Flash")], ["name": .string("Flash")]])
        #expect(try store.rows("SELECT COUNT(*) FROM ZHERO") == ["2"])
    }

    @Test func `a value that one row gives up another can take in the same save`() throws {
        let store = try TestStore(unique())
        let ids = try store.insert("Hero", [["code": .integer(1)], ["code": .integer(2)]])
        let new = try #require(try store.backend.permanentIDs(for: store.entity("Hero"), count: 1).first)
        try store.backend.save(
            StoreChanges(
                inserted: [try store.change(new, ["code": .integer(2)])],
                updated: [try store.change(ids[1], version: 1, ["code": .integer(1)])],
                deleted: [try store.change(ids[0], version: 1, [:])]))
        #expect(try store.rows("SELECT Z_PK, ZCODE FROM ZHERO ORDER BY Z_PK") == ["2|1", "3|2"])
    }

    // MARK: Several writers

    @Test func `writers on several threads and connections wait for each other and lose nothing`() async throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        _ = try TestStore(TestModel.heroes(), at: url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let store = try TestStore(TestModel.heroes(), at: url)
                    for round in 0..<10 {
                        try store.insert(
                            "Hero", (0..<5).map { ["age": .integer(Int64(writer * 100 + round * 5 + $0))] })
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try TestStore(TestModel.heroes(), at: url)
        #expect(try store.rows("SELECT COUNT(*), COUNT(DISTINCT ZAGE), MAX(Z_PK) FROM ZHERO") == ["200|200|200"])
        #expect(try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1") == ["200"])
    }

    @Test func `a reader sees whole saves while another thread writes`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let reader = try TestStore(TestModel.heroes(), at: url)
        let query = StoreQuery(entity: try reader.entity("Hero"))
        let isDone = Mutex(false)
        let writing = DispatchGroup()
        DispatchQueue(label: "writer").async(group: writing) {
            defer { isDone.withLock { $0 = true } }
            do {
                let writer = try TestStore(TestModel.heroes(), at: url)
                for _ in 0..<20 { try writer.insert("Hero", [[:], [:], [:], [:], [:]]) }
            } catch {
                Issue.record(error)
            }
        }
        var counts: [Int] = []
        while !isDone.withLock({ $0 }) { counts.append(try reader.backend.count(matching: query)) }
        writing.wait()
        counts.append(try reader.backend.count(matching: query))
        #expect(counts.last == 100)
        #expect(counts.allSatisfy { $0 % 5 == 0 })
        #expect(counts == counts.sorted())
    }

    // MARK: Refusals

    @Test func `a reference into another store is refused and nothing is written`() throws {
        let store = try TestStore(TestModel.heroes()), other = try TestStore(TestModel.heroes())
        let stranger = try other.insert("Hero")
        let error = try #require(throws: CocoaError.self) { try store.insert("Power", ["hero": .objectID(stranger)]) }
        #expect(error.code == .managedObjectExternalRelationship)
        #expect(error.localizedDescription.contains("'hero'"))
        #expect(try store.rows("SELECT COUNT(*) FROM ZPOWER") == ["0"])
    }

    @Test func `a failing statement rolls everything back and names itself`() throws {
        let store = try TestStore(TestModel.heroes())
        try store.sql { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER no_joker BEFORE INSERT ON ZHERO WHEN NEW.ZNAME = 'Joker'
                    BEGIN SELECT RAISE(ABORT, 'no villains'); END
                    """)
        }
        let error = try #require(throws: CocoaError.self) {
            try store.insert("Hero", [["name": .string("Bruce")], ["name": .string("Joker")]])
        }
        #expect(error.code == .persistentStoreSave)
        #expect(error.localizedDescription.contains("no villains"))
        #expect((error.info[SQLiteErrors.statementKey] as? String)?.hasPrefix("INSERT INTO ZHERO") == true)
        #expect((error.info[NSUnderlyingErrorKey] as? NSError)?.domain == NSSQLiteErrorDomain)
        #expect(try store.rows("SELECT COUNT(*) FROM ZHERO") == ["0"])
    }

    @Test func `a full disk is an error that says so, and the store stays as it was`() throws {
        let folder = try TemporaryFolder()
        let store = try TestStore(TestModel.heroes(), at: folder.url.appendingPathComponent("Heroes.sqlite"))
        try store.insert("Hero", ["name": .string("Bruce")])
        try store.sql { db in
            let pages = try #require(try Int.fetchOne(db, sql: "PRAGMA page_count"))
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
        }
        let text = String(repeating: "x", count: 1000)
        let error = try #require(throws: CocoaError.self) {
            try store.insert("Hero", (0..<100).map { _ in ["name": .string(text)] })
        }
        #expect(error.code == .fileWriteOutOfSpace)
        #expect(try store.rows("SELECT ZNAME FROM ZHERO") == ["'Bruce'"])
        #expect(try store.rows("PRAGMA integrity_check") == ["'ok'"])
    }

    // MARK: Metadata

    @Test func `metadata are written with the next save, unknown keys kept`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let store = try TestStore(TestModel.heroes(), at: url)
        var metadata = store.backend.metadata
        metadata["lastSync"] = Date(timeIntervalSinceReferenceDate: 5)
        metadata["NSStoreModelVersionHashes"] = [String: Data]()
        store.backend.metadata = metadata
        #expect(try SQLiteStoreFile.metadata(at: url)["lastSync"] == nil)
        try store.insert("Hero")
        let saved = try SQLiteStoreFile.metadata(at: url)
        #expect(saved["lastSync"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect((saved["NSStoreModelVersionHashes"] as? [String: Data])?.count == 4)
        #expect(saved["NSStoreUUID"] as? String == store.backend.identifier)
    }

    @Test func `metadata that no property list can hold are refused`() throws {
        let store = try TestStore(TestModel.heroes())
        store.backend.metadata = ["set": Set([1])]
        #expect(throws: CocoaError.self) { try store.insert("Hero") }
    }
}
