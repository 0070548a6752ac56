// Stacks: containers, coordinators, descriptions and files.

import CoreData
import Foundation
import Testing

@Suite struct StackIdioms {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stacks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func container(_ description: NSPersistentStoreDescription) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private func write(_ body: String, _ container: NSPersistentContainer) throws {
        let entry = Entry(context: container.viewContext)
        entry.body = body
        try container.viewContext.save()
    }

    private func bodies(_ container: NSPersistentContainer) throws -> [String?] {
        try container.viewContext.fetch(NSFetchRequest<Entry>(entityName: "Entry")).map(\.body)
    }

    @Test func `a description says how its file is protected`() {
        let description = NSPersistentStoreDescription()
        description.setOption(FileProtectionType.complete as NSObject, forKey: NSPersistentStoreFileProtectionKey)
        #expect(
            description.options[NSPersistentStoreFileProtectionKey] as? NSString
                == FileProtectionType.complete.rawValue as NSString)
    }

    @Test func `a coordinator by hand, as before containers`() async throws {
        try await withFolder { folder in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Journal.model)
            let url = folder.appendingPathComponent("Old.sqlite")
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url,
                options: [NSMigratePersistentStoresAutomaticallyOption: true])
            #expect(store.url == url && coordinator.persistentStore(for: url) === store)
            let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            Entry(context: context).body = "x"
            try context.save()
            try coordinator.remove(store)
            #expect(coordinator.persistentStores.isEmpty && FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test func `what is saved is there in the next launch`() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("Journal.sqlite")
            try write("kept", container(NSPersistentStoreDescription(url: url)))
            #expect(try bodies(container(NSPersistentStoreDescription(url: url))) == ["kept"])
        }
    }

    @Test func `a read-only store refuses to be saved into`() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("Journal.sqlite")
            try write("kept", container(NSPersistentStoreDescription(url: url)))
            let description = NSPersistentStoreDescription(url: url)
            description.isReadOnly = true
            let readOnly = try container(description)
            #expect(throws: (any Error).self) { try write("refused", readOnly) }
            readOnly.viewContext.rollback()
            #expect(try bodies(readOnly) == ["kept"])
        }
    }

    @Test func `metadata are kept with the store`() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("Journal.sqlite")
            let first = try container(NSPersistentStoreDescription(url: url))
            let store = first.persistentStoreCoordinator.persistentStores[0]
            var metadata = first.persistentStoreCoordinator.metadata(for: store)
            metadata["lastSync"] = "yesterday"
            first.persistentStoreCoordinator.setMetadata(metadata, for: store)
            try write("x", first)
            let found = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: nil)
            #expect(found["lastSync"] as? String == "yesterday")
            #expect(found[NSStoreUUIDKey] as? String == store.identifier)
            #expect(Journal.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: found))
        }
    }

    @Test func `a store is copied, and destroyed`() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("Journal.sqlite")
            let copy = folder.appendingPathComponent("Copy.sqlite")
            let original = try container(NSPersistentStoreDescription(url: url))
            try write("kept", original)
            try original.persistentStoreCoordinator.replacePersistentStore(
                at: copy, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: nil,
                ofType: NSSQLiteStoreType)
            try original.persistentStoreCoordinator.destroyPersistentStore(
                at: url, ofType: NSSQLiteStoreType, options: nil)
            #expect(try bodies(container(NSPersistentStoreDescription(url: copy))) == ["kept"])
            #expect(try bodies(container(NSPersistentStoreDescription(url: url))) == [])
        }
    }

    @Test func `a store in memory is moved into a file`() async throws {
        try await withFolder { folder in
            let journal = Journal()
            _ = journal.entry("moved")
            try journal.context.save()
            let url = folder.appendingPathComponent("Moved.sqlite")
            let coordinator = journal.container.persistentStoreCoordinator
            _ = try coordinator.migratePersistentStore(
                coordinator.persistentStores[0], to: url, options: nil, withType: NSSQLiteStoreType)
            #expect(try bodies(container(NSPersistentStoreDescription(url: url))) == ["moved"])
        }
    }

    @Test func `a file that is no store is an error and stays`() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("Journal.sqlite")
            let text = Data("this is no store, however long it is, and never was one".utf8)
            try text.write(to: url)
            #expect(throws: (any Error).self) { try container(NSPersistentStoreDescription(url: url)) }
            #expect(try Data(contentsOf: url) == text)
        }
    }

    @Test func `history tells who changed what since a token`() async throws {
        try await withFolder { folder in
            let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Journal.sqlite"))
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
            let container = try container(description)
            try write("first", container)
            let token = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
            container.viewContext.transactionAuthor = "app"
            try write("second", container)
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try container.viewContext.execute(request) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            #expect(transactions.map(\.author) == ["app"])
            #expect(transactions.first?.changes?.map(\.changeType) == [.insert])
        }
    }

    @Test func `a model of a bundle`() throws {
        let container = NSPersistentContainer(name: "Tasks", bundle: .module)
        #expect(container.managedObjectModel.entitiesByName["Task"] != nil && container.name == "Tasks")
    }

    @Test func `a model says what it has`() throws {
        let garden = Garden()
        let entity = try #require(garden.container.managedObjectModel.entitiesByName["Task"])
        #expect(entity.attributesByName["title"]?.attributeType == .stringAttributeType)
        #expect(entity.relationshipsByName["project"]?.destinationEntity?.name == "Project")
        #expect(entity.relationshipsByName["project"]?.inverseRelationship?.deleteRule == .cascadeDeleteRule)
        let project = try #require(entity.relationshipsByName["project"]?.destinationEntity)
        #expect(entity.relationships(forDestination: project).map { $0.name } == ["project"])
        #expect(entity.uniquenessConstraints as? [[String]] == [["serverID"]])
    }

    @Test func `stores of two configurations keep their entities apart`() async throws {
        try await withFolder { folder in
            let model = try #require(Journal.model.copy() as? NSManagedObjectModel)
            let entities = model.entitiesByName
            let entry = try #require(entities["Entry"])
            let page = try #require(entities["Page"])
            // No relationship may lead from one store to another.
            for entity in [entry, page] {
                entity.properties = entity.properties.filter { $0 is NSAttributeDescription }
            }
            model.setEntities([entry], forConfigurationName: "Synced")
            model.setEntities([page], forConfigurationName: "Local")
            let container = NSPersistentContainer(name: "Two", managedObjectModel: model)
            container.persistentStoreDescriptions = ["Synced", "Local"].map { name in
                let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("\(name).sqlite"))
                description.configuration = name
                return description
            }
            container.loadPersistentStores { _, error in #expect(error == nil) }
            let context = container.viewContext
            let first = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
            first.setValue("synced", forKey: "body")
            let second = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
            try context.save()
            #expect(first.objectID.persistentStore?.configurationName == "Synced")
            #expect(second.objectID.persistentStore?.configurationName == "Local")
        }
    }
}
