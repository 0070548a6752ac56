// Files as other versions of Core Data and its migrations leave them: columns at the end, join tables named after the
// other side, extra columns and indexes, stale entity names, rows of entities that the model doesn't have.

import Foundation
import GRDB
import Testing

@testable import CoreData

/// Folders that go with the value.
private final class TemporaryFolders {
    private var folders: [TemporaryFolder] = []

    func next() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        folders.append(folder)
        return folder
    }
}

@Suite struct SQLiteStoreForeignSchemaTests {
    /// Makes a store of `model` in a file and changes the file past it.
    private func file(
        _ folder: TemporaryFolder, _ model: NSManagedObjectModel, _ fill: (TestStore) throws -> Void = { _ in },
        sql: String
    ) throws -> URL {
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let store = try TestStore(model, at: url)
        try fill(store)
        try store.backend.close()
        let queue = try DatabaseQueue(path: url.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return url
    }

    @Test func `columns are found wherever they stand, and those that nobody knows are left alone`() throws {
        let folder = try TemporaryFolder()
        let url = try file(
            folder, TestModel.heroes(), { try $0.insert("Hero", ["name": .string("Bruce"), "age": .integer(40)]) },
            sql: """
                ALTER TABLE ZHERO RENAME COLUMN ZNAME TO ZOLD;
                ALTER TABLE ZHERO ADD COLUMN ZEXTRA VARCHAR;
                ALTER TABLE ZHERO ADD COLUMN ZNAME VARCHAR;
                UPDATE ZHERO SET ZNAME = ZOLD, ZEXTRA = 'kept';
                CREATE INDEX ZHERO_ZOLD_INDEX ON ZHERO (ZOLD);
                """)
        let store = try TestStore(TestModel.heroes(), at: url)
        let id = store.backend.objectID(for: try store.entity("Hero"), primaryKey: 1)
        #expect(try store.value(id, "name").shown == "string Bruce")
        try store.update(id, ["name": .string("Batman")])
        try store.insert("Hero", ["name": .string("Diana")])
        #expect(
            try store.rows("SELECT ZNAME, ZOLD, ZEXTRA FROM ZHERO") == ["'Batman'|'Bruce'|'kept'", "'Diana'|NULL|NULL"])
    }

    @Test func `a join table is found under the other side's name, with quotes and old numbers`() throws {
        let folder = try TemporaryFolder()
        let url = try file(
            folder, TestModel.heroes(),
            {
                let hero = try $0.insert("Hero"), team = try $0.insert("Team")
                try $0.relate(hero, version: 1, "teams", add: [team])
            },
            sql: """
                CREATE TABLE "Z_4MEMBERS" ( Z_3TEAMS INTEGER, Z_1MEMBERS INTEGER, PRIMARY KEY (Z_3TEAMS, Z_1MEMBERS) );
                INSERT INTO Z_4MEMBERS SELECT Z_4TEAMS, Z_1MEMBERS FROM Z_1TEAMS;
                DROP TABLE Z_1TEAMS;
                """)
        let store = try TestStore(TestModel.heroes(), at: url)
        let hero = store.backend.objectID(for: try store.entity("Hero"), primaryKey: 1)
        let team = store.backend.objectID(for: try store.entity("Team"), primaryKey: 1)
        #expect(try store.members(hero, "teams") == [team])
        #expect(try store.members(team, "members") == [hero])
        try store.relate(hero, version: 2, "teams", remove: [team])
        #expect(try store.rows("SELECT COUNT(*) FROM Z_4MEMBERS") == ["0"])
    }

    @Test func `the names of a join table's columns tell which is which, not their order`() throws {
        func model() -> NSManagedObjectModel {
            let client = TestModel.entity("Client")
            TestModel.connect(client, "trustedClients", .many, client, "trustedByClients", .many)
            return TestModel.model([client])
        }
        let folder = TemporaryFolders()
        for columns in ["Z_1TRUSTEDBYCLIENTS, Z_1TRUSTEDCLIENTS", "Z_1TRUSTEDCLIENTS, Z_1TRUSTEDBYCLIENTS"] {
            for name in ["Z_1TRUSTEDBYCLIENTS", "Z_1TRUSTEDCLIENTS"] {
                let url = try file(
                    folder.next(), model(), { try $0.insert("Client", [[:], [:]]) },
                    sql: """
                        DROP TABLE Z_1TRUSTEDCLIENTS;
                        CREATE TABLE \(name) ( \(columns), PRIMARY KEY (\(columns)) );
                        INSERT INTO \(name) (Z_1TRUSTEDBYCLIENTS, Z_1TRUSTEDCLIENTS) VALUES (1, 2);
                        """)
                let store = try TestStore(model(), at: url)
                let entity = try store.entity("Client")
                let clients = (1...2).map { store.backend.objectID(for: entity, primaryKey: $0) }
                // The first one trusts the second: that one's key is in the column named after what it is a member of.
                #expect(try store.members(clients[0], "trustedClients") == [clients[1]])
                #expect(try store.members(clients[1], "trustedByClients") == [clients[0]])
                #expect(try store.members(clients[1], "trustedClients") == [])
                try store.relate(clients[1], version: 1, "trustedClients", add: [clients[0]])
                #expect(
                    try store.rows("SELECT Z_1TRUSTEDBYCLIENTS, Z_1TRUSTEDCLIENTS FROM \(name) ORDER BY 1")
                        == ["1|2", "2|1"])
            }
        }
    }

    @Test func `a counter that lags behind its table costs no row`() throws {
        let folder = try TemporaryFolder()
        let url = try file(
            folder, TestModel.heroes(), { try $0.insert("Hero", [[:], [:], [:]]) },
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Hero'")
        let store = try TestStore(TestModel.heroes(), at: url)
        let new = try store.insert("Sidekick")
        #expect(new.number == 4)
        #expect(try store.rows("SELECT COUNT(*) FROM ZHERO") == ["4"])
        #expect(try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Hero'") == ["4"])
    }

    @Test func `within one entity the file's join table says who is the master`() throws {
        func model() -> NSManagedObjectModel {
            let task = TestModel.entity("Task")
            TestModel.connect(task, "next", .many, task, "previous", .many)
            return TestModel.model([task])
        }
        let folder = try TemporaryFolder()
        let url = try file(
            folder, model(), { try $0.insert("Task", [[:], [:]]) },
            sql: """
                DROP TABLE Z_1PREVIOUS;
                CREATE TABLE Z_1NEXT ( Z_1PREVIOUS INTEGER, Z_1NEXT INTEGER, PRIMARY KEY (Z_1PREVIOUS, Z_1NEXT) );
                INSERT INTO Z_1NEXT (Z_1PREVIOUS, Z_1NEXT) VALUES (1, 2);
                """)
        let store = try TestStore(model(), at: url)
        let first = store.backend.objectID(for: try store.entity("Task"), primaryKey: 1)
        let second = store.backend.objectID(for: try store.entity("Task"), primaryKey: 2)
        // Column 1 is named after the inverse of the table's relationship: 1 has 2 as next.
        #expect(try store.members(first, "next") == [second])
        #expect(try store.members(second, "previous") == [first])
        #expect(try store.members(first, "previous") == [])
    }

    @Test func `what is missing is listed, all of it`() throws {
        let folder = try TemporaryFolder()
        let url = try file(
            folder, TestModel.heroes(),
            sql: "DROP TABLE Z_1TEAMS; DROP TABLE ZPOWER; ALTER TABLE ZHERO DROP COLUMN ZAGE;")
        let error = try #require(throws: CocoaError.self) { try TestStore(TestModel.heroes(), at: url) }
        #expect(error.code == .persistentStoreIncompatibleSchema)
        for phrase in ["table ZPOWER", "column ZHERO.ZAGE", "join table Z_1TEAMS (Z_1MEMBERS, Z_4TEAMS) of Hero.teams"]
        {
            #expect(error.localizedDescription.contains(phrase))
        }
    }

    @Test func `the file's entity numbers hold, also where they aren't those of a new store`() throws {
        let folder = try TemporaryFolder()
        let url = try file(
            folder, TestModel.heroes(), { try $0.insert("Sidekick", ["name": .string("Robin")]) },
            sql: """
                UPDATE Z_PRIMARYKEY SET Z_ENT = 9 WHERE Z_NAME = 'Sidekick';
                UPDATE ZHERO SET Z_ENT = 9;
                """)
        let store = try TestStore(TestModel.heroes(), at: url)
        #expect(try store.backend.rows(matching: StoreQuery(entity: store.entity("Sidekick"))).count == 1)
        try store.insert("Sidekick")
        #expect(try store.rows("SELECT Z_ENT FROM ZHERO") == ["9", "9"])
    }

    @Test func `a stale entity name is matched by its number and super-entity`() throws {
        let folder = try TemporaryFolder()
        let url = try file(
            folder, TestModel.heroes(), { try $0.insert("Sidekick") },
            sql: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Helper' WHERE Z_NAME = 'Sidekick'")
        let store = try TestStore(TestModel.heroes(), at: url)
        #expect(try store.backend.rows(matching: StoreQuery(entity: store.entity("Sidekick"))).count == 1)
    }

    // Observed: macOS 15.
    @Test func `rows of a sub-entity that a configuration leaves out are seen where the file has them`() throws {
        func model() -> NSManagedObjectModel {
            let hero = TestModel.entity("Hero"), sidekick = TestModel.entity("Sidekick")
            hero.subentities = [sidekick]
            let model = TestModel.model([hero, sidekick])
            model.setEntities([hero], forConfigurationName: "Heroes")
            return model
        }
        let folder = try TemporaryFolder()
        let url = try file(
            folder, model(),
            {
                try $0.insert("Hero")
                try $0.insert("Sidekick")
            }, sql: "SELECT 1")
        let store = try TestStore(model(), at: url, configuration: "Heroes")
        let query = StoreQuery(entity: try store.entity("Hero"))
        #expect(try store.backend.rows(matching: query).map(\.objectID.number) == [1, 2])
        #expect(try store.backend.count(matching: query) == 2)
        let other = try TestStore(model(), at: folder.url.appending(path: "new.sqlite"), configuration: "Heroes")
        try other.insert("Hero")
        #expect(try other.backend.rows(matching: StoreQuery(entity: try other.entity("Hero"))).count == 1)
    }

    @Test func `a sub-entity that a configuration leaves out may be of another version`() throws {
        func model(_ sidekickHas: String) -> NSManagedObjectModel {
            let hero = TestModel.entity("Hero"), sidekick = TestModel.entity("Sidekick")
            sidekick.properties = [LibraryModel.attribute(sidekickHas, .stringAttributeType)]
            hero.subentities = [sidekick]
            let model = TestModel.model([hero, sidekick])
            model.setEntities([hero], forConfigurationName: "Heroes")
            return model
        }
        let file = SQLFileContents(
            tables: ["ZHERO": ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME"]],
            entityRows: [
                SQLFileContents.EntityRow(number: 1, name: "Hero", superNumber: 0),
                SQLFileContents.EntityRow(number: 2, name: "Sidekick", superNumber: 1),
            ])
        func names(_ sidekickHas: String) throws -> [String] {
            let model = model(sidekickHas)
            return try withExtendedLifetime(model) {
                try SQLSchema(model: model, configuration: "Heroes", file: file).entities.map(\.name).sorted()
            }
        }
        #expect(try names("name") == ["Hero", "Sidekick"])
        #expect(try names("nickname") == ["Hero"])
    }

    // MARK: Real stores

    /// Everything in a file that a save of one row must not touch, as text.
    private func dump(_ url: URL, without table: String, _ key: Int64) throws -> [String] {
        let queue = try DatabaseQueue(path: url.path)
        let lines = try queue.read { db in
            var lines = try String.fetchAll(
                db, sql: "SELECT name || ' ' || IFNULL(sql, '') FROM sqlite_master ORDER BY rowid")
            lines.append("schema cookie \(try Int.fetchOne(db, sql: "PRAGMA schema_version") ?? -1)")
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            for name in tables {
                let condition = name == table ? " WHERE Z_PK <> \(key)" : ""
                for row in try Row.fetchAll(db, sql: "SELECT * FROM \"\(name)\"\(condition)") {
                    lines.append("\(name) \(row.databaseValues)")
                }
            }
            return lines
        }
        try queue.close()
        return lines
    }

    @Test(.needsReferenceData, arguments: RealStore.all)
    func `updating one row of a real store leaves everything else as it was`(_ real: RealStore) throws {
        let folder = try TemporaryFolder()
        let url = try real.copied(into: folder)
        let store = try TestStore(try real.model(), at: url)
        // The first row with a string among its values.
        for entity in store.model.entities where !entity.isAbstract {
            let name = entity.attributesByName.values
                .filter { $0.attributeType == .stringAttributeType && !$0.isTransient }.map(\.name).min()
            let rows = try store.backend.rows(matching: StoreQuery(entity: entity, includesSubentities: false))
            guard let name, let row = rows.first else { continue }
            let sqlEntity = try #require(store.backend.schema.entity(for: entity))
            try store.backend.close()
            let before = try dump(url, without: sqlEntity.table, row.objectID.number)

            let writer = try TestStore(try real.model(), at: url)
            let id = writer.backend.objectID(for: try writer.entity(entity.name ?? ""), primaryKey: row.objectID.number)
            try writer.update(id, version: row.version, [name: .string("changed")])
            #expect(try writer.value(id, name).shown == "string changed")
            #expect(try writer.row(id).version == row.version + 1)
            try writer.backend.close()
            #expect(try dump(url, without: sqlEntity.table, row.objectID.number) == before)
            return
        }
    }

    @Test(.needsReferenceData, arguments: RealStore.all)
    func `a row added to a real store takes the next key and leaves the others as they were`(_ real: RealStore) throws {
        let folder = try TemporaryFolder()
        let url = try real.copied(into: folder)
        let store = try TestStore(try real.model(), at: url)
        let entity = try #require(store.model.entities.first { !$0.isAbstract })
        let sqlEntity = try #require(store.backend.schema.entity(for: entity))
        let last = try store.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(sqlEntity.rootNumber)")
        let id = try store.insert(entity.name ?? "")
        #expect(last == ["\(id.number - 1)"])
        #expect(
            try store.rows("SELECT Z_ENT, Z_OPT FROM \(sqlEntity.table) WHERE Z_PK = \(id.number)") == [
                "\(sqlEntity.number)|1"
            ])
        #expect(try store.rows("PRAGMA integrity_check") == ["'ok'"])
    }
}
