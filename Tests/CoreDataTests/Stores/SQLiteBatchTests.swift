// What batches leave in the file, row by row, and the statements that they take.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite struct SQLiteBatchTests {
    /// Two heroes with two powers each, the second one a pupil of the first, both in one team.
    private func heroes() throws -> (store: TestStore, heroes: [NSManagedObjectID]) {
        let store = try TestStore(TestModel.heroes())
        let heroes = try store.insert("Hero", ["Bruce", "Barry"].map { ["name": .string($0)] })
        try store.update(heroes[1], ["mentor": .objectID(heroes[0])])
        for hero in heroes { try store.insert("Power", (0..<2).map { _ in ["hero": .objectID(hero)] }) }
        let team = try store.insert("Team")
        try store.relate(team, version: 1, "members", add: heroes)
        return (store, heroes)
    }

    private func query(_ store: TestStore, _ entity: String, _ format: String? = nil) throws -> StoreQuery {
        StoreQuery(entity: try store.entity(entity), predicate: format.map { NSPredicate(format: $0) })
    }

    @Test func `a deletion takes join rows along, and clears columns and versions of what pointed there`() throws {
        let (store, heroes) = try heroes()
        let outcome = try store.backend.execute(
            StoreBatch(operation: .delete(try query(store, "Hero", "name == 'Bruce'")), wantsIDs: true))
        #expect(outcome.ids == [heroes[0]] && outcome.count == 1)
        #expect(try store.rows("SELECT Z_PK, ZMENTOR, Z_OPT FROM ZHERO") == ["2|NULL|3"])
        let powers = "SELECT Z_PK, ZHERO, Z_FOK_HERO IS NULL, Z_OPT FROM ZPOWER ORDER BY Z_PK"
        #expect(try store.rows(powers) == ["1|NULL|1|2", "2|NULL|1|2", "3|2|1|1", "4|2|1|1"])
        let joins = try store.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\__TEAMS' ESCAPE '\\'")
        let table = try #require(joins.first).replacingOccurrences(of: "'", with: "")
        #expect(try store.rows("SELECT COUNT(*) FROM \(table)") == ["1"])
        #expect(try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Hero'") == ["2"])
    }

    @Test func `an update is one statement that raises the versions`() throws {
        let (store, _) = try heroes()
        let age = try #require(try store.entity("Hero").attributesByName["age"])
        let statements = try store.statements {
            let batch = StoreBatch(
                operation: .update(
                    try query(store, "Hero", "mentor != nil"),
                    [
                        StoreBatchAssignment(
                            attribute: age, value: .expression(NSExpression(format: "pupils.@count + 7")))
                    ]))
            #expect(try store.backend.execute(batch).count == 1)
        }
        #expect(statements.filter { $0.hasPrefix("UPDATE") }.count == 1)
        #expect(try store.rows("SELECT ZAGE, Z_OPT FROM ZHERO ORDER BY Z_PK") == ["NULL|1", "7|3"])
    }

    @Test func `an insertion counts the keys up once for all rows`() throws {
        let (store, _) = try heroes()
        let entity = try store.entity("Sidekick")
        var left = 5
        let insertion = StoreBatchInsertion(entity: entity, policy: .errorMergePolicyType) {
            left -= 1
            return left < 0 ? nil : StoreBatchInsertion.Row(values: entity.layout.defaults, given: SlotSet())
        }
        let statements = try store.statements {
            #expect(try store.backend.execute(StoreBatch(operation: .insert(insertion))).count == 5)
        }
        #expect(statements.filter { $0.contains("Z_PRIMARYKEY SET") }.count == 1)
        #expect(try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Hero'") == ["7"])
        #expect(try store.rows("SELECT COUNT(*), MIN(Z_OPT) FROM ZHERO WHERE Z_PK > 2") == ["5|1"])
    }

    @Test func `files of external values go with their rows`() throws {
        let folder = try TemporaryFolder()
        let model = TestModel.model([
            TestModel.entity("Photo", [TestModel.attribute("pixels", .binaryDataAttributeType, external: true)])
        ])
        let store = try TestStore(model, at: folder.url.appendingPathComponent("Photos.sqlite"))
        let large = Data(repeating: 7, count: 200_000)
        try store.insert("Photo", (0..<3).map { _ in ["pixels": .data(large)] })
        let files = {
            let folder = store.backend.external?.url.path ?? ""
            return try FileManager.default.contentsOfDirectory(atPath: folder).count
        }
        #expect(try files() == 3)
        let pixels = try #require(try store.entity("Photo").attributesByName["pixels"])
        let small = StoreBatchAssignment(attribute: pixels, value: .constant(.data(Data([1]))))
        _ = try store.backend.execute(
            StoreBatch(operation: .update(try query(store, "Photo", "objectID != nil"), [small])))
        #expect(try files() == 0)
        try store.insert("Photo", ["pixels": .data(large)])
        #expect(try files() == 1)
        _ = try store.backend.execute(StoreBatch(operation: .delete(try query(store, "Photo"))))
        #expect(try files() == 0)
    }

    // MARK: History

    @Test func `the tables of a history are those of Core Data, word for word`() throws {
        let model = TestModel.heroes()
        for name in ["name", "age"] {
            model.entitiesByName["Hero"]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
        }
        var options = SQLiteStoreOptions()
        options.tracksHistory = true
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let first = try TestStore(model, at: url, options: options)
        try first.insert("Team")
        try first.backend.close()
        let store = try TestStore(model, at: url, options: options)
        let sql = "SELECT sql FROM sqlite_master WHERE name IN ('ACHANGE', 'ATRANSACTIONSTRING') ORDER BY name"
        #expect(
            try store.rows(sql) == [
                "'CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
                    + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, "
                    + "ZTOMBSTONE1 BLOB )'",
                "'CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZNAME VARCHAR )'",
            ])
        #expect(
            try store.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
                == ["16001|'CHANGE'|0|1", "16002|'TRANSACTION'|0|1", "16003|'TRANSACTIONSTRING'|0|1"])
        #expect(try store.backend.transactions(in: .all).count == 1)
    }
}
