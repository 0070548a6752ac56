// Files: creating, opening, refusing, reading without writing, destroying, replacing.

import Foundation
import GRDB
import Testing

@testable import CoreData

@Suite struct SQLiteStoreFileTests {
    private func contents(of folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    // MARK: Creating

    @Test func `a new file has Core Data's page size, vacuum mode, log and system tables`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let store = try TestStore(TestModel.heroes(), at: url)
        #expect(try store.rows("PRAGMA page_size") == ["4096"])
        #expect(try store.rows("PRAGMA auto_vacuum") == ["2"])
        #expect(try store.rows("PRAGMA journal_mode") == ["'wal'"])
        #expect(try store.rows("PRAGMA user_version") == ["0"])
        #expect(
            try store.rows("SELECT * FROM Z_PRIMARYKEY")
                == ["1|'Hero'|0|0", "2|'Sidekick'|1|0", "3|'Power'|0|0", "4|'Team'|0|0"])
        #expect(try store.rows("SELECT Z_VERSION, Z_UUID FROM Z_METADATA") == ["1|'\(store.backend.identifier)'"])
        // As many changes of the schema as there are statements: nothing was made and dropped again.
        let count = try store.rows("SELECT COUNT(*) FROM sqlite_master WHERE sql NOT NULL")
        #expect(try store.rows("PRAGMA schema_version") == count)
        try store.backend.close()
        // Divergence 63.
        #expect(try contents(of: folder) == ["Heroes.sqlite"])
    }

    // Divergence 17.
    @Test func `a new store names the version of Core Data whose layout it has`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        _ = try TestStore(TestModel.heroes(), at: url)
        let version = try SQLiteStoreFile.metadata(at: url)["NSPersistenceFrameworkVersion"]
        #expect((version as? NSNumber)?.intValue == 1344)
    }

    @Test func `a store carries its model`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let store = try TestStore(TestModel.heroes(), at: url)
        let cache = try #require(try SQLiteStoreFile.modelCache(at: url))
        let model = try NSManagedObjectModel(modelCache: cache)
        #expect(model.entityVersionHashesByName == store.model.entityVersionHashesByName)
        let found = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        #expect(found.entityVersionHashesByName == store.model.entityVersionHashesByName)
    }

    @Test(arguments: [
        "DELETE FROM Z_MODELCACHE", "DROP TABLE Z_MODELCACHE", "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'",
    ])
    func `a store without a model that can be read is an error with its path`(_ change: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let store = try TestStore(TestModel.heroes(), at: url)
        try store.backend.close()
        try DatabaseQueue(path: url.path).write { try $0.execute(sql: change) }
        let error = try #require(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        }
        #expect(error.code == .persistentStoreOpen)
        #expect(error.localizedDescription.contains(url.path))
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                at: folder.url.appendingPathComponent("No.sqlite"))
        }
    }

    @Test func `opening an existing store writes nothing to its schema, metadata or rows`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let first = try TestStore(TestModel.heroes(), at: url)
        try first.insert("Hero", ["name": .string("Bruce")])
        try first.backend.close()
        let before = try Data(contentsOf: url)
        let second = try TestStore(TestModel.heroes(), at: url)
        #expect(second.backend.identifier == first.backend.identifier)
        _ = try second.backend.rows(matching: StoreQuery(entity: try second.entity("Hero")))
        try second.backend.close()
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func `an empty file becomes a store`() throws {
        let folder = try TemporaryFolder()
        let url = try folder.write(Data(), to: "Heroes.sqlite")
        try TestStore(TestModel.heroes(), at: url).insert("Hero")
    }

    @Test func `pragmas are set, the journal mode among them`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let options = SQLiteStoreOptions([NSSQLitePragmasOption: ["journal_mode": "DELETE", "synchronous": "OFF"]])
        let store = try TestStore(TestModel.heroes(), at: url, options: options)
        try store.insert("Hero")
        #expect(try store.rows("PRAGMA journal_mode") == ["'delete'"])
        #expect(try store.rows("PRAGMA synchronous") == ["0"])
        #expect(try contents(of: folder) == ["Heroes.sqlite"])
    }

    @Test func `a pragma that is more than a word is refused`() throws {
        let options = SQLiteStoreOptions([NSSQLitePragmasOption: ["cache_size": "1; DROP TABLE ZHERO"]])
        let error = try #require(throws: CocoaError.self) { try TestStore(TestModel.heroes(), options: options) }
        #expect(error.localizedDescription.contains("cache_size"))
    }

    @Test func `a store at /dev/null is private and leaves no file`() throws {
        let first = try TestStore(TestModel.heroes()), second = try TestStore(TestModel.heroes())
        try first.insert("Hero")
        #expect(try second.backend.count(matching: StoreQuery(entity: try second.entity("Hero"))) == 0)
        #expect(try first.backend.count(matching: StoreQuery(entity: try first.entity("Hero"))) == 1)
    }

    @Test func `a configuration's store has the tables of its entities alone`() throws {
        let hero = TestModel.entity("Hero"), log = TestModel.entity("Log")
        let model = TestModel.model([hero, log])
        model.setEntities([log], forConfigurationName: "Local")
        let store = try TestStore(model, configuration: "Local")
        try store.insert("Log")
        #expect(try store.rows("SELECT Z_NAME FROM Z_PRIMARYKEY") == ["'Log'"])
        let hashes = store.backend.metadata["NSStoreModelVersionHashes"] as? [String: Data]
        #expect(hashes?.keys.sorted() == ["Log"])
        let error = try #require(throws: CocoaError.self) { try store.insert("Hero") }
        #expect(error.localizedDescription.contains("'Hero'"))
    }

    // MARK: Refusing

    @Test func `a store of another model is refused with the entities that differ, and stays as it is`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        try TestStore(TestModel.heroes(), at: url).backend.close()
        let before = try Data(contentsOf: url)
        let other = TestModel.heroes()
        other.entitiesByName["Team"]?.properties.append(TestModel.attribute("motto", .stringAttributeType))
        other.entities.append(TestModel.entity("Villain"))
        let error = try #require(throws: CocoaError.self) { try TestStore(other, at: url) }
        #expect(error.code == .persistentStoreIncompatibleVersionHash)
        let differences = ["entity 'Team' differs", "entity 'Villain' is in the model only"]
        #expect(error.info["differences"] as? [String] == differences)
        #expect(error.localizedDescription.contains(url.path))
        #expect(try Data(contentsOf: url) == before)
    }

    // Divergence 78.
    @Test func `without versioning the tables decide, and what is missing is listed`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        try TestStore(TestModel.heroes(), at: url).backend.close()
        let options = SQLiteStoreOptions([NSIgnorePersistentStoreVersioningOption: true])

        let laxer = TestModel.heroes()
        laxer.entitiesByName["Team"]?.properties.first { $0.name == "name" }?.isOptional = false
        try TestStore(laxer, at: url, options: options).insert("Team", ["name": .string("Justice League")])

        let larger = TestModel.heroes()
        larger.entitiesByName["Team"]?.properties.append(TestModel.attribute("motto", .stringAttributeType))
        let error = try #require(throws: CocoaError.self) { try TestStore(larger, at: url, options: options) }
        #expect(error.code == .persistentStoreIncompatibleSchema)
        #expect(error.localizedDescription.contains("column ZTEAM.ZMOTTO"))
    }

    @Test func `what is no database is refused and left alone`() throws {
        let folder = try TemporaryFolder()
        let url = try folder.write("{\"name\": \"Batman\"}", to: "Heroes.sqlite")
        for open in [
            { _ = try TestStore(TestModel.heroes(), at: url) }, { _ = try SQLiteStoreFile.metadata(at: url) },
            { try SQLiteStoreFile.destroy(at: url) },
        ] {
            let error = try #require(throws: CocoaError.self) { try open() }
            #expect(error.code == .fileReadCorruptFile)
            #expect((error.info[NSUnderlyingErrorKey] as? NSError)?.domain == NSSQLiteErrorDomain)
            #expect(error.info[NSFilePathErrorKey] as? String == url.path)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == "{\"name\": \"Batman\"}")
    }

    @Test func `a database that is no store is refused and left alone`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Other.sqlite")
        let queue = try DatabaseQueue(path: url.path)
        try queue.write { try $0.execute(sql: "CREATE TABLE player (name TEXT)") }
        try queue.close()
        let before = try Data(contentsOf: url)
        let error = try #require(throws: CocoaError.self) { try TestStore(TestModel.heroes(), at: url) }
        #expect(error.code == .persistentStoreTypeMismatch)
        #expect(error.localizedDescription.contains("player"))
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func `a damaged file is an error and stays as it is`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        try TestStore(TestModel.heroes(), at: url).backend.close()
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(100..<4096, with: Data(repeating: 0xAA, count: 3996))
        try bytes.write(to: url)
        let error = try #require(throws: CocoaError.self) { try TestStore(TestModel.heroes(), at: url) }
        #expect(error.code == .fileReadCorruptFile)
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func `a file in a folder that doesn't exist is an error with the path`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("nowhere/Heroes.sqlite")
        let error = try #require(throws: CocoaError.self) { try TestStore(TestModel.heroes(), at: url) }
        #expect(error.code == .persistentStoreOpen)
        #expect(error.localizedDescription.contains(url.path))
        let missing = try #require(throws: CocoaError.self) { try SQLiteStoreFile.metadata(at: url) }
        #expect(missing.code == .fileReadNoSuchFile)
    }

    @Test func `a model that has no tables leaves no file`() throws {
        let folder = try TemporaryFolder()
        let thing = TestModel.entity("Thing", [TestModel.attribute("what", .undefinedAttributeType)])
        let url = folder.url.appendingPathComponent("Things.sqlite")
        #expect(throws: CocoaError.self) { try TestStore(TestModel.model([thing]), at: url) }
        #expect(try contents(of: folder) == [])
    }

    // MARK: Read-only

    private var readOnly: SQLiteStoreOptions { SQLiteStoreOptions([NSReadOnlyPersistentStoreOption: true]) }

    @Test func `a read-only store changes no byte, works in a read-only folder and refuses saves`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("My Heroes? #1.sqlite")
        let writer = try TestStore(TestModel.heroes(), at: url)
        try writer.insert("Hero", ["name": .string("Bruce")])
        try writer.backend.close()
        let before = try Data(contentsOf: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path) }

        let store = try TestStore(TestModel.heroes(), at: url, options: readOnly)
        #expect(try store.backend.count(matching: StoreQuery(entity: try store.entity("Hero"))) == 1)
        let error = try #require(throws: CocoaError.self) { try store.insert("Hero") }
        #expect(error.code == .fileWriteNoPermission)
        try store.backend.close()
        #expect(try Data(contentsOf: url) == before)
        #expect(try contents(of: folder) == ["My Heroes? #1.sqlite"])
    }

    @Test func `a read-only store sees what is still in the log`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let writer = try TestStore(TestModel.heroes(), at: url)
        try writer.insert("Hero", ["name": .string("Bruce")])
        let store = try TestStore(TestModel.heroes(), at: url, options: readOnly)
        #expect(try store.backend.count(matching: StoreQuery(entity: try store.entity("Hero"))) == 1)
    }

    @Test func `a read-only store has to be there`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let error = try #require(throws: CocoaError.self) {
            try TestStore(TestModel.heroes(), at: url, options: readOnly)
        }
        #expect(error.code == .fileReadNoSuchFile)
        #expect(try contents(of: folder) == [])
    }

    // MARK: Destroying and replacing

    @Test func `destroying takes everything that belongs to a store, and nothing where there is none`() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        try SQLiteStoreFile.destroy(at: url)
        let large = TestModel.entity("Large", [TestModel.attribute("data", .binaryDataAttributeType, external: true)])
        let store = try TestStore(TestModel.model([large]), at: url)
        try store.insert("Large", ["data": .data(Data(repeating: 1, count: 200_000))])
        #expect(try contents(of: folder).contains(".Heroes_SUPPORT"))
        try store.backend.close()
        try SQLiteStoreFile.destroy(at: url)
        #expect(try contents(of: folder) == [])
    }

    @Test func `replacing copies rows, the log's among them, UUID and external values`() throws {
        let folder = try TemporaryFolder()
        let source = folder.url.appendingPathComponent("Source.sqlite")
        let destination = folder.url.appendingPathComponent("Destination.sqlite")
        func model() -> NSManagedObjectModel {
            TestModel.model([
                TestModel.entity("Large", [TestModel.attribute("data", .binaryDataAttributeType, external: true)])
            ])
        }
        let original = try TestStore(model(), at: source)
        let data = Data(repeating: 1, count: 200_000)
        try original.insert("Large", ["data": .data(data)])
        try TestStore(model(), at: destination).backend.close()

        // The original is open, and its rows are still in its log.
        try SQLiteStoreFile.replace(at: destination, withStoreAt: source)
        let copy = try TestStore(model(), at: destination)
        #expect(copy.backend.identifier == original.backend.identifier)
        let rows = try copy.backend.rows(matching: StoreQuery(entity: try copy.entity("Large")))
        #expect(rows.map { $0.values[0].shown } == [ManagedValue.data(data).shown])
        #expect(try copy.rows("PRAGMA auto_vacuum") == ["2"])
        #expect(try original.backend.count(matching: StoreQuery(entity: try original.entity("Large"))) == 1)
    }

    @Test func `a store that somebody has open is replaced as a whole, external values included`() throws {
        let folder = try TemporaryFolder()
        func makeStore(_ name: String, _ byte: UInt8) throws -> (TestStore, URL) {
            let url = folder.url.appendingPathComponent(name)
            let large = TestModel.entity(
                "Large", [TestModel.attribute("data", .binaryDataAttributeType, external: true)])
            let store = try TestStore(TestModel.model([large]), at: url)
            try store.insert("Large", ["data": .data(Data(repeating: byte, count: 200_000))])
            return (store, url)
        }
        let (_, source) = try makeStore("Source.sqlite", 1)
        let (reader, destination) = try makeStore("Destination.sqlite", 2)
        try SQLiteStoreFile.replace(at: destination, withStoreAt: source)
        let rows = try reader.backend.rows(matching: StoreQuery(entity: try reader.entity("Large")))
        #expect(rows.map { $0.values[0].shown } == [ManagedValue.data(Data(repeating: 1, count: 200_000)).shown])
        let external = folder.url.appendingPathComponent(".Destination_SUPPORT/_EXTERNAL_DATA").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: external).count == 1)
    }

    @Test func `a replacement that fails leaves the destination as it was`() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("no store", to: "Source.sqlite")
        let destination = folder.url.appendingPathComponent("Destination.sqlite")
        try TestStore(TestModel.heroes(), at: destination).backend.close()
        let before = try Data(contentsOf: destination)
        #expect(throws: CocoaError.self) { try SQLiteStoreFile.replace(at: destination, withStoreAt: source) }
        #expect(try Data(contentsOf: destination) == before)
        #expect(try contents(of: folder) == ["Destination.sqlite", "Source.sqlite"])
    }

    // DDRCoreDataKit's testSaveError; the number is that of Apple's SQLite (github.com/groue/GRDB.swift/issues/1693).
    @Test(arguments: ["WAL", "DELETE"]) func `a save fails where the file was removed under its store`(_ mode: String)
        throws
    {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Heroes.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: TestModel.heroes())
        let options = [NSSQLitePragmasOption: ["journal_mode": mode]]
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let hero = NSEntityDescription.insertNewObject(forEntityName: "Hero", into: context)
        try context.save()

        let elsewhere = folder.url.appendingPathComponent("Elsewhere.sqlite")
        try FileManager.default.moveItem(at: url, to: elsewhere)
        hero.setValue("Sheela", forKey: "name")
        let error = #expect(throws: CocoaError.self) { try context.save() }
        let code = unsafe error?.userInfo[NSSQLiteErrorDomain] as? Int
        #expect(code == 6922)
        #expect(hero.hasChanges)

        try FileManager.default.moveItem(at: elsewhere, to: url)
        try context.save()
        #expect(!hero.hasChanges)

        try FileManager.default.removeItem(at: url)
        hero.setValue("Ama", forKey: "name")
        #expect(throws: CocoaError.self) { try context.save() }
        try coordinator.remove(store)
    }

    @Test(arguments: [nil, "FULL", "OFF"]) func `the pragma for synchronizing is what was asked for`(_ level: String?)
        throws
    {
        let folder = try TemporaryFolder()
        var options = SQLiteStoreOptions()
        options.pragmas = level.map { [(name: "synchronous", value: $0)] } ?? []
        let store = try TestStore(
            TestModel.heroes(), at: folder.url.appendingPathComponent("Heroes.sqlite"), options: options)
        let expected = level.flatMap { ["FULL": "2", "OFF": "0"][$0] } ?? "1"
        #expect(try store.rows("PRAGMA synchronous") == [expected])
    }
}

extension SQLiteStoreBackend {
    /// The store's UUID.
    var identifier: String { metadata[NSStoreUUIDKey] as? String ?? "" }
}
