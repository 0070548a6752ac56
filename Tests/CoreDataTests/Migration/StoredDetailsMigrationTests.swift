// What a store has beside rows and relationships, and what a migration does with it.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite struct StoredDetailsMigrationTests {
    private func files(_ store: MigratingStore) throws -> [String] {
        let folder = ExternalDataFolder(storeURL: store.url).url.path
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    // MARK: External storage

    private func photos(external: Bool) -> NSManagedObjectModel {
        TestModel.model([
            TestModel.entity(
                "Photo",
                [
                    TestModel.attribute("name", .stringAttributeType),
                    TestModel.attribute("bytes", .binaryDataAttributeType, external: external),
                ]), TestModel.entity("Other"),
        ])
    }

    private static let values = [
        Data([0, 1, 0, 2]), Data([1]), Data(), Data(repeating: 7, count: 200_000), Data(repeating: 9, count: 150_000),
    ]

    private func photoStore(external: Bool) throws -> MigratingStore {
        try MigratingStore(photos(external: external)) { context in
            for (index, value) in Self.values.enumerated() {
                context.insert("Photo", ["name": "\(index)", "bytes": value])
            }
            context.insert("Photo", ["name": "none"])
        }
    }

    private func check(_ context: NSManagedObjectContext) throws {
        let photos = try context.all("Photo").sorted {
            "\($0.value(forKey: "name") ?? "")" < "\($1.value(forKey: "name") ?? "")"
        }
        #expect(photos.map { $0.value(forKey: "bytes") as? Data } == Self.values + [nil])
    }

    @Test func `external files are kept, with their names`() throws {
        let store = try photoStore(external: true)
        let before = try files(store)
        #expect(before.count == 2)
        let model = try photos(external: true).next { try $0.entity("Photo").attribute("bytes").name = "content" }
        try model.entity("Photo").attribute("content").renamingIdentifier = "bytes"
        let context = try store.open(model)
        #expect(
            try context.all("Photo").map { ($0.value(forKey: "content") as? Data)?.count } == Self.values.map(\.count)
                + [nil])
        #expect(try files(store) == before)
    }

    @Test func `values move out of files and into them when external storage is allowed no longer, or from now on`()
        throws
    {
        let store = try photoStore(external: true)
        try check(try store.open(photos(external: false)))
        try store.close()
        #expect(try files(store) == [])
        try check(try store.open(photos(external: true)))
        let prefixes = try store.sql {
            try String.fetchAll(
                $0, sql: "SELECT DISTINCT HEX(SUBSTR(ZBYTES, 1, 1)) FROM ZPHOTO WHERE ZBYTES IS NOT NULL")
        }
        #expect(prefixes == ["01"])
    }

    @Test func `files that no row refers to any more are deleted, once the migration has succeeded`() throws {
        let store = try photoStore(external: true)
        let model = TestModel.model([TestModel.entity("Other", [TestModel.attribute("x", .stringAttributeType)])])
        try store.open(model)
        #expect(try files(store) == [])
    }

    // MARK: Triggers, indexes, what others have made

    private func counting(name: String = "count") -> NSManagedObjectModel {
        let book = TestModel.entity("Book", [TestModel.attribute("title", .stringAttributeType)])
        let page = TestModel.entity("Page", [TestModel.attribute("text", .stringAttributeType)])
        TestModel.connect(book, "pages", .many, page, "book", .one)
        let count = NSDerivedAttributeDescription()
        count.name = name
        count.attributeType = .integer64AttributeType
        count.derivationExpression = NSExpression(format: "pages.@count")
        book.properties.append(count)
        return TestModel.model([book, page])
    }

    private func books(_ model: NSManagedObjectModel) throws -> MigratingStore {
        try MigratingStore(model) { context in
            for number in 0..<3 {
                let book = context.insert("Book", ["title": "\(number)"])
                for _ in 0..<number { context.insert("Page", ["book": book]) }
            }
        }
    }

    @Test func `derived attributes are computed for the rows that there are, and kept by triggers from then on`() throws
    {
        let plain = try counting().next { model in
            try model.entity("Book").properties.removeAll { $0 is NSDerivedAttributeDescription }
        }
        let store = try books(plain)
        let context = try store.open(counting())
        #expect(try context.values("Book", "count") == ["0", "1", "2"])
        context.insert("Page", ["book": try context.all("Book")[0]])
        try context.save()
        try store.close()
        #expect(try store.open(counting(), nil).values("Book", "count") == ["1", "1", "2"])
        #expect(try store.statements() == MigratingStore.statements(ofNew: counting()))
    }

    @Test func `an attribute that becomes the moment of the last change keeps a moment and nothing else`() throws {
        func items(_ type: NSAttributeType, isDerived: Bool) -> NSManagedObjectModel {
            let changed = isDerived ? NSDerivedAttributeDescription() : NSAttributeDescription()
            changed.name = "changed"
            changed.attributeType = type
            (changed as? NSDerivedAttributeDescription)?.derivationExpression = NSExpression(format: "now()")
            // A version whose hash can't be computed is told by its columns.
            let other = TestModel.attribute(isDerived ? "newer" : "older", .stringAttributeType)
            return TestModel.model([TestModel.entity("Item", [other, changed])])
        }
        let noted = try MigratingStore(items(.stringAttributeType, isDerived: false)) {
            $0.insert("Item", ["changed": "yesterday"])
        }
        let before = Date(timeIntervalSinceNow: -60)
        let now = try noted.open(items(.dateAttributeType, isDerived: true)).all("Item")[0].value(forKey: "changed")
        #expect(try #require(now as? Date) > before)
        let moment = Date(timeIntervalSinceReferenceDate: 1000)
        let dated = try MigratingStore(items(.dateAttributeType, isDerived: false)) {
            $0.insert("Item", ["changed": moment])
        }
        #expect(
            try dated.open(items(.dateAttributeType, isDerived: true)).all("Item")[0].value(forKey: "changed") as? Date
                == moment)
    }

    @Test func `a version whose hash can't be computed is told from another one by the model in the store`() throws {
        func next(_ change: (NSEntityDescription) throws -> Void) throws -> NSManagedObjectModel {
            try counting().next { try change($0.entity("Book")) }
        }
        let store = try books(counting())
        // A title that is a number now: no migration makes it one, and no row may get one.
        let typed = try next { try $0.attribute("title").attributeType = .integer64AttributeType }
        #expect(try store.refusal(typed).code == .migrationMissingMappingModel)
        let shorter = try next { book in book.properties.removeAll { $0.name == "title" } }
        #expect(throws: CocoaError.self) { try store.open(shorter, nil) }
        #expect(try store.open(shorter).values("Book", "count") == ["0", "1", "2"])
        try store.close()
        #expect(try store.statements() == MigratingStore.statements(ofNew: shorter))
        #expect(try store.open(shorter, nil).all("Book").count == 3)
    }

    @Test func `a derivation can change although its hash can't be computed`() throws {
        let store = try books(counting())
        #expect(try store.open(counting(name: "number")).values("Book", "number") == ["0", "1", "2"])
    }

    @Test func `the hashes that a store has for derived attributes are kept and taken over`() throws {
        let store = try books(counting())
        try store.close()
        // As Apple's: a hash that isn't the one that would be computed.
        let apples = Data(repeating: 0xA5, count: 32)
        try DatabaseQueue(path: store.url.path).write { db in
            var metadata = try StoreMetadata.read(db, errors: SQLiteErrors(path: store.url.path))
            var hashes = metadata.versionHashes
            hashes["Book"] = apples
            metadata.entries[NSStoreModelVersionHashesKey] = hashes
            try metadata.update(db)
        }
        let carried = try #require(try SQLiteStoreFile.model(at: store.url))
        #expect(carried.entityVersionHashesByName["Book"] == apples)
        #expect(try store.open(carried, nil).all("Book").count == 3)
        try store.close()
        // The entity stays the same while another one changes.
        let model = try counting().next { try $0.entity("Page").attribute("text").isOptional = false }
        try model.entity("Page").attribute("text").defaultValue = ""
        try store.open(model)
        try store.close()
        let hashes = try SQLiteStoreFile.metadata(at: store.url)[NSStoreModelVersionHashesKey] as? [String: Data]
        #expect(hashes?["Book"] == apples)
        #expect(hashes?["Page"] == model.entityVersionHashesByName["Page"])
    }

    @Test func `tables, views and indexes that others have made stay`() throws {
        let store = try MigratingStore(TestModel.heroes()) { $0.insert("Hero", ["name": "Ada"]) }
        try store.close()
        let foreign = [
            "CREATE TABLE mine (a, b)", "CREATE INDEX myIndex ON ZHERO (ZNAME)",
            "CREATE VIEW names AS SELECT ZNAME FROM ZHERO",
            "CREATE INDEX myAges ON ZHERO (ZAGE)",
        ]
        try DatabaseQueue(path: store.url.path).write { db in
            for statement in foreign { try db.execute(sql: statement) }
            try db.execute(sql: "INSERT INTO mine VALUES (1, 'two')")
        }
        let model = try TestModel.heroes().next { model in
            try model.entity("Hero").properties.removeAll { $0.name == "age" }
        }
        try store.open(model)
        // The index of a column that is gone is gone, too.
        #expect(try Set(store.statements()).isSuperset(of: foreign.prefix(3)))
        #expect(try !store.statements().contains(foreign[3]))
        #expect(try store.sql { try String.fetchAll($0, sql: "SELECT ZNAME FROM names") } == ["Ada"])
        #expect(try store.sql { try String.fetchAll($0, sql: "SELECT b FROM mine") } == ["two"])
    }

    @Test func `triggers that others have made stay where they fit, and are left out where no row could be written`()
        throws
    {
        let store = try MigratingStore(TestModel.heroes()) { $0.insert("Hero", ["name": "Ada"]) }
        try store.close()
        let kept = [
            "CREATE TRIGGER named AFTER INSERT ON ZHERO BEGIN INSERT INTO log VALUES (new.ZNAME); END",
            "CREATE TRIGGER ZT_TEAMS AFTER DELETE ON ZTEAM BEGIN INSERT INTO log VALUES (old.Z_PK); END",
            "CREATE TRIGGER known AFTER UPDATE OF ZNAME ON ZTEAM BEGIN SELECT function_of_another(new.ZNAME); END",
            "CREATE INDEX ZMYINDEX ON ZHERO (ZNAME)",
        ]
        let lost = [
            "CREATE TRIGGER aged AFTER UPDATE ON ZHERO BEGIN INSERT INTO log VALUES (new.ZAGE); END",
            "CREATE TRIGGER counted AFTER INSERT ON ZPOWER BEGIN INSERT INTO log SELECT ZAGE FROM ZHERO; END",
        ]
        try DatabaseQueue(path: store.url.path).write { db in
            for statement in ["CREATE TABLE log (t)"] + kept + lost { try db.execute(sql: statement) }
        }
        let model = try TestModel.heroes().next { model in
            try model.entity("Hero").attribute("age").renamingIdentifier = "age"
            try model.entity("Hero").attribute("age").name = "years"
        }
        let context = try store.open(model)
        context.insert("Hero", ["name": "Bob", "years": 3])
        context.insert("Power", ["name": "flying"])
        try context.save()
        let statements = try Set(store.statements())
        #expect(statements.isSuperset(of: kept))
        #expect(statements.isDisjoint(with: lost))
        #expect(try store.sql { try String.fetchAll($0, sql: "SELECT t FROM log") } == ["Bob"])
    }

    @Test func `a history goes on under the new entity numbers`() throws {
        let store = try MigratingStore(TestModel.heroes()) { _ in }
        try store.close()
        try DatabaseQueue(path: store.url.path).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
                        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
                    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                        ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR);
                    INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0)
                    """)
        }
        let context = try store.open(TestModel.heroes())
        context.insert("Hero")
        context.insert("Team")
        context.insert("Power")
        try context.save()
        try store.close()
        // Hero was 1, Sidekick 2, Power 3, Team 4.
        let model = try TestModel.heroes().next { model in
            model.entities.append(TestModel.entity("Actor"))
            try model.entity("Hero").properties.removeAll { $0.name == "powers" }
            model.entities.removeAll { $0.name == "Power" }
        }
        try store.open(model)
        let changes = try store.sql { try Int.fetchAll($0, sql: "SELECT ZENTITY FROM ACHANGE ORDER BY ZENTITY") }
        #expect(changes == [2, 4])
        let names = try store.sql { try String.fetchAll($0, sql: "SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT") }
        #expect(names == ["Actor", "Hero", "Sidekick", "Team", "CHANGE", "TRANSACTION"])
    }

    @Test func `a history keeps what deleted objects left, composite attributes with their elements`() throws {
        func model(_ element: String, _ others: [String]) -> NSManagedObjectModel {
            let place = NSCompositeAttributeDescription(), city = TestModel.attribute(element, .stringAttributeType)
            place.name = "place"
            city.renamingIdentifier = "city"
            place.elements = [city, TestModel.attribute("zip", .stringAttributeType)]
            place.preservesValueInHistoryOnDeletion = true
            let other = TestModel.entity("Other", others.map { TestModel.attribute($0, .stringAttributeType) })
            return TestModel.model([TestModel.entity("Shop", [place]), other])
        }
        var options: [String: Any] = MigratingStore.automatic
        options[NSPersistentHistoryTrackingKey] = true
        let store = try MigratingStore()
        let context = try store.open(model("city", ["a"]), options)
        let shop = context.insert("Shop", ["place": ["city": "Rome", "zip": "1"]])
        try context.save()
        context.delete(shop)
        try context.save()
        try store.close()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .changesOnly
        let result = try store.open(model("town", ["a", "b"]), options).execute(request)
        let changes = try #require(result.result as? [NSPersistentHistoryChange])
        #expect(changes.last?.tombstone?["place"] as? [String: String] == ["town": "Rome", "zip": "1"])
    }

    // Divergence 71.
    @Test func `a store that objects were migrated into has the source's UUID, and expires tokens from before`() throws
    {
        let tracking: [String: Any] = [NSPersistentHistoryTrackingKey: true]
        let store = try MigratingStore(), result = try MigratingStore()
        let model = TestModel.heroes()
        let context = try store.open(model, tracking)
        let coordinator = try #require(context.persistentStoreCoordinator)
        let identifier = try #require(coordinator.persistentStores[0].identifier)
        var tokens: [NSPersistentHistoryToken] = []
        for name in ["Ada", "Bea"] {
            context.insert("Hero", ["name": name])
            try context.save()
            tokens.append(try #require(coordinator.currentPersistentHistoryToken(fromStores: nil)))
        }
        try store.close()
        func migrate() throws {
            let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
            manager.usesStoreSpecificMigrationManager = false
            try manager.migrateStore(
                from: store.url, sourceType: NSSQLiteStoreType,
                with: NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model),
                toDestinationURL: result.url, destinationType: NSSQLiteStoreType)
        }
        try migrate()
        let migrated = try result.open(model, tracking)
        func count(after token: NSPersistentHistoryToken) throws -> Int? {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            request.resultType = .count
            return try migrated.execute(request).result as? Int
        }
        #expect(migrated.persistentStoreCoordinator?.persistentStores[0].identifier == identifier)
        #expect(try count(after: tokens[1]) == 1)
        let error = #expect(throws: CocoaError.self) { try count(after: tokens[0]) }
        #expect(error?.code == .persistentHistoryTokenExpired)
        try result.close()

        // A store that objects are added to stays the one that it is.
        let other = try MigratingStore(model) { $0.insert("Hero", ["name": "Cid"]) }
        let own = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: other.url)
        try FileManager.default.removeItem(at: result.url)
        try FileManager.default.copyItem(at: other.url, to: result.url)
        try migrate()
        let appended = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: result.url)
        #expect(appended[NSStoreUUIDKey] as? String == own[NSStoreUUIDKey] as? String)
        #expect(try result.open(model, nil).values("Hero", "name") == ["Cid", "Ada", "Bea"])
    }

    @Test func `what CloudKit's mirroring knows of objects goes on under the new entity numbers`() throws {
        let store = try MigratingStore(TestModel.heroes()) { _ in }
        try store.close()
        // Of Hero (1), Sidekick (2), Power (3) and Team (4); that of a power has nobody to belong to any more.
        try DatabaseQueue(path: store.url.path).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZENTITYID INTEGER, ZENTITYPK INTEGER,
                        ZCKRECORDNAME VARCHAR, UNIQUE (ZENTITYID, ZENTITYPK));
                    INSERT INTO ANSCKRECORDMETADATA VALUES (1, 1, 7, 'hero'), (2, 2, 7, 'sidekick'), (3, 3, 7, 'power'),
                        (4, 4, 7, 'team');
                    CREATE TABLE ANSCKHISTORYANALYZERSTATE (Z_PK INTEGER PRIMARY KEY, ZENTITYID INTEGER);
                    INSERT INTO ANSCKHISTORYANALYZERSTATE VALUES (1, 2)
                    """)
        }
        let model = try TestModel.heroes().next { model in
            model.entities.append(TestModel.entity("Actor"))
            try model.entity("Hero").properties.removeAll { $0.name == "powers" }
            model.entities.removeAll { $0.name == "Power" }
        }
        try store.open(model)
        let records = try store.sql {
            try String.fetchAll(
                $0, sql: "SELECT ZCKRECORDNAME || ' ' || ZENTITYID FROM ANSCKRECORDMETADATA ORDER BY ZENTITYID")
        }
        #expect(records == ["hero 2", "sidekick 3", "team 4"])
        #expect(try store.sql { try Int.fetchAll($0, sql: "SELECT ZENTITYID FROM ANSCKHISTORYANALYZERSTATE") } == [3])
        let metadata = try SQLiteStoreFile.metadata(at: store.url)
        #expect(metadata["PFCloudKitMetadataNeedsZoneFetchAfterClientMigrationKey"] as? [String: String] == [:])
    }

    // MARK: Configurations

    /// A cache and notes, in the second version each in a configuration of its own.
    private func parts(_ version: Int) -> NSManagedObjectModel {
        let cache = TestModel.entity("Cache", [TestModel.attribute("name", .stringAttributeType)])
        let note = TestModel.entity("Note", [TestModel.attribute("name", .stringAttributeType)])
        if version == 2 { cache.properties.append(TestModel.attribute("size", .integer64AttributeType)) }
        let model = TestModel.model([cache, note])
        if version == 2 {
            model.setEntities([cache], forConfigurationName: "Local")
            model.setEntities([note], forConfigurationName: "User")
        }
        return model
    }

    @Test(arguments: [false, true])
    func `a store of all entities that is migrated by a configuration keeps the objects of the others`(
        inStages: Bool
    ) throws {
        let store = try MigratingStore(parts(1)) { context in
            context.insert("Cache", ["name": "page"])
            context.insert("Note", ["name": "mine"])
        }
        let stages = NSStagedMigrationManager([
            NSLightweightMigrationStage([parts(1), parts(2)].map(\.versionChecksum))
        ])
        let options: [String: Any] =
            inStages ? [NSPersistentStoreStagedMigrationManagerOptionKey: stages] : MigratingStore.automatic
        #expect(try store.open(parts(2), options, configuration: "Local").values("Cache", "name") == ["page"])
        try store.close()
        #expect(try store.open(parts(2), nil, configuration: "Local").values("Cache", "size") == ["nil"])
        try store.close()
        #expect(try store.open(parts(2), nil).values("Note", "name") == ["mine"])
    }

    @Test func `a store of one configuration stays one`() throws {
        let store = try MigratingStore()
        let before = parts(2)
        before.entitiesByName["Cache"]?.properties.removeAll { $0.name == "size" }
        let context = try store.open(before, configuration: "Local")
        context.insert("Cache", ["name": "page"])
        try context.save()
        try store.close()
        #expect(try store.open(parts(2), configuration: "Local").values("Cache", "name") == ["page"])
        #expect(try store.statements().allSatisfy { !$0.contains("ZNOTE") })
    }

    // MARK: Where the older version comes from

    @Test func `the older version is found beside the newer one where the store doesn't carry it`() throws {
        let folder = try TemporaryFolder()
        func source(_ extra: String) -> String {
            """
            <model type="com.apple.IDECoreDataModeler.DataModel"><entity name="Hero"><attribute name="name" optional="YES"
            attributeType="String"/>\(extra)</entity></model>
            """
        }
        let bundle = "Heroes.xcdatamodeld"
        let first = try folder.write(source(""), to: "\(bundle)/Heroes.xcdatamodel/contents")
        try folder.write(
            source("<attribute name=\"age\" optional=\"YES\" attributeType=\"Integer 16\"/>"),
            to: "\(bundle)/Heroes 2.xcdatamodel/contents")
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>_XCCurrentVersionName</key>
            <string>Heroes 2.xcdatamodel</string></dict></plist>
            """, to: "\(bundle)/.xccurrentversion")
        let store = try MigratingStore(
            NSManagedObjectModel(readingContentsOf: first.deletingLastPathComponent())
        ) { $0.insert("Hero", ["name": "Ada"]) }
        try store.close()
        try DatabaseQueue(path: store.url.path).write { try $0.execute(sql: "DELETE FROM Z_MODELCACHE") }
        let current = try NSManagedObjectModel(readingContentsOf: folder.url.appendingPathComponent(bundle))
        #expect(try store.open(current).values("Hero", "name") == ["Ada"])
    }
}
