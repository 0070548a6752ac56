// Code as apps and libraries have it, compiled and run: only these tests know that it isn't an app.

import CoreData
import Foundation
import Testing

@Suite(.serialized) struct ClientTests {
    private let feed = Data(
        """
        [{"server_id": 1, "title": "Water the plants", "done": false, "priority": 2},
         {"server_id": 2, "title": "Mow the lawn", "done": true},
         {"server_id": 3, "title": "Plant a tree", "done": false}]
        """.utf8)

    private func withFolder<T>(_ body: (URL) async throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("clients-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    @Test func `a feed is decoded into objects in the background, twice without duplicates`() async throws {
        let persistence = PersistenceController(inMemory: true)
        let importer = TaskImporter(persistence: persistence)
        try await importer.importObjects(from: feed)
        let viewContext = persistence.container.viewContext
        let first = try viewContext.fetch(TaskItem.sortedFetchRequest)
        #expect(first.map(\.title) == ["Mow the lawn", "Plant a tree", "Water the plants"])
        #expect(first.map(\.isDone) == [true, false, false] && first[2].priority == 2)
        #expect(first.allSatisfy { $0.createdAt != nil && $0.id != nil })

        let changed = String(decoding: feed, as: UTF8.self).replacingOccurrences(of: "tree", with: "hedge")
        try await importer.importObjects(from: Data(changed.utf8))
        viewContext.refreshAllObjects()
        #expect(
            try viewContext.fetch(TaskItem.sortedFetchRequest).map(\.title)
                == ["Mow the lawn", "Plant a hedge", "Water the plants"])
    }

    @Test func `objects are encoded and decoded again`() async throws {
        let persistence = PersistenceController(inMemory: true)
        let context = persistence.container.viewContext
        let decoder = JSONDecoder()
        #expect(throws: DecoderConfigurationError.self) { try decoder.decode([TaskItem].self, from: feed) }
        decoder.userInfo[.managedObjectContext] = context
        let tasks = try decoder.decode([TaskItem].self, from: feed)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(tasks[0]), as: UTF8.self)
        #expect(text == #"{"done":false,"priority":2,"server_id":1,"title":"Water the plants"}"#)
    }

    @Test func `a batch insertion is merged into the view context with the history's token`() async throws {
        try await withFolder { folder in
            let persistence = PersistenceController(url: folder.appendingPathComponent("Tasks.sqlite"))
            let tokenFile = folder.appendingPathComponent("token.data")
            let tracker = HistoryTracker(container: persistence.container, tokenFile: tokenFile)
            let viewContext = persistence.container.viewContext
            let mine = TaskItem(context: viewContext)
            mine.title = "Mine"
            try viewContext.save()
            let importer = TaskImporter(persistence: persistence)
            try await importer.importBatch(
                (1...100).map { TaskImporter.TaskProperties(id: $0, title: "Task \($0)", done: $0 % 2 == 0) })
            try await BackgroundContext(container: persistence.container, author: "sync").perform { context in
                let request = TaskItem.sortedFetchRequest
                request.predicate = NSPredicate(format: "title == %@", "Mine")
                try context.fetch(request).first?.priority = 5
            }
            #expect(mine.priority == 0)
            #expect(try tracker.fetchPersistentHistory() == ["unknown", "sync"])
            #expect(mine.priority == 5)
            #expect(try viewContext.count(for: TaskItem.sortedFetchRequest) == 101)

            // A second start goes on where the first stopped.
            let again = HistoryTracker(container: persistence.container, tokenFile: tokenFile)
            #expect(again.lastToken != nil && again.lastToken == tracker.lastToken)
            #expect(try again.fetchPersistentHistory().isEmpty)
            try again.deleteHistory()
        }
    }

    @Test func `a list follows the context with sections`() async throws {
        let persistence = PersistenceController(inMemory: true)
        let context = persistence.container.viewContext
        let garden = Project.findOrCreate(in: context, matching: NSPredicate(format: "name == %@", "Garden")) {
            $0.name = "Garden"
        }
        let house = Project.findOrCreate(in: context, matching: NSPredicate(format: "name == %@", "House")) {
            $0.name = "House"
        }
        func task(_ title: String, _ project: Project) -> TaskItem {
            let task = TaskItem(context: context)
            task.title = title
            task.project = project
            return task
        }
        let mow = task("Mow", garden), water = task("Water", garden)
        try context.save()
        let list = TaskListViewModel(context: context)
        #expect(list.numberOfSections == 1 && list.titleForHeader(inSection: 0) == "Garden")
        #expect(list.titles(inSection: 0) == ["Mow", "Water"])

        _ = task("Clean", house)
        try context.save()
        #expect(list.takeChanges() == [.insertSection(1), .insert(IndexPath(row: 0, section: 1))])
        water.title = "Aerate"
        context.processPendingChanges()
        #expect(list.takeChanges() == [.move(IndexPath(row: 1, section: 0), IndexPath(row: 0, section: 0))])
        mow.isDone = true
        context.processPendingChanges()
        #expect(list.takeChanges() == [.update(IndexPath(row: 1, section: 0))])
        #expect(garden.openTasks.map(\.title) == ["Aerate"])
        context.delete(house)
        try context.save()
        #expect(list.takeChanges() == [.delete(IndexPath(row: 0, section: 1)), .deleteSection(1)])
        #expect(list.numberOfSections == 1 && list.updates == 0)
    }

    @Test func `a repository creates, finds and deletes objects of a generic type`() async throws {
        let persistence = PersistenceController(inMemory: true)
        let context = persistence.container.viewContext
        let tasks = CoreDataRepository<TaskItem>(managedObjectContext: context)
        for title in ["b", "a"] { try tasks.create().get().title = title }
        let sort = [NSSortDescriptor(keyPath: \TaskItem.title, ascending: true)]
        let found = try tasks.get(sortDescriptors: sort).get()
        #expect(
            found.map { $0.toDomainModel() } == [
                TaskModel(title: "a", isDone: false), TaskModel(title: "b", isDone: false),
            ])
        _ = try tasks.delete(entity: found[0]).get()
        #expect(context.saveOrRollback())
        #expect(try tasks.get(predicate: NSPredicate(format: "title == 'a'")).get().isEmpty)
        #expect(try CoreDataRepository<Project>(managedObjectContext: context).get().get().isEmpty)
    }

    @Test func `a batch deletion is merged into the view context`() async throws {
        let persistence = PersistenceController(inMemory: true)
        let context = persistence.container.viewContext
        let tasks = (0..<10).map { number in
            let task = TaskItem(context: context)
            task.title = "Task \(number)"
            task.isDone = number < 4
            return task
        }
        let tag = Tag(context: context)
        tag.name = "garden"
        tasks[0].addToTags(tag)
        tasks[9].addToTags(tag)
        try context.save()
        #expect(tag.tasks?.count == 2)
        let background = persistence.newTaskContext()
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Task")
        request.predicate = NSPredicate(format: "isDone == %@", NSNumber(value: true))
        try background.executeAndMergeChanges(using: NSBatchDeleteRequest(fetchRequest: request), into: [context])
        #expect(try context.count(for: TaskItem.sortedFetchRequest) == 6)
        #expect(tasks[0].isDeleted && !tasks[9].isDeleted)
        context.refresh(tag, mergeChanges: false)
        #expect((tag.tasks as? Set<TaskItem>) == [tasks[9]])
    }

    @Test func `an older store is migrated when it is opened`() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("Notes.sqlite")
            // Xcode compiles it into Notes.momd with a .mom for each version.
            let folderURL = try #require(Bundle.module.url(forResource: "Notes", withExtension: "xcdatamodeld"))
            let old = try #require(
                NSManagedObjectModel(contentsOf: folderURL.appendingPathComponent("Notes.xcdatamodel")))
            let before = NSPersistentContainer(name: "Notes", managedObjectModel: old)
            before.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
            before.loadPersistentStores { _, error in #expect(error == nil) }
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: before.viewContext)
            note.setValue("Groceries", forKey: "heading")
            try before.viewContext.save()

            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: nil)
            let current = try #require(NSManagedObjectModel(contentsOf: folderURL))
            #expect(!current.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
            let after = NSPersistentContainer(name: "Notes", managedObjectModel: current)
            after.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
            after.loadPersistentStores { _, error in #expect(error == nil) }
            let notes = try after.viewContext.fetch(NSFetchRequest<Note>(entityName: "Note"))
            #expect(notes.map(\.title) == ["Groceries"] && !notes[0].isPinned)
        }
    }

    @Test func `Swift predicates and key paths work with generated accessors`() async throws {
        let persistence = PersistenceController(inMemory: true)
        try await TaskImporter(persistence: persistence).importObjects(from: feed)
        let request = TaskItem.sortedFetchRequest
        request.predicate = NSPredicate(#Predicate<TaskItem> { !$0.isDone && $0.title.contains("a") })
        #expect(
            try persistence.container.viewContext.fetch(request).map(\.title) == ["Plant a tree", "Water the plants"])
        #expect(NSExpression(forKeyPath: \TaskItem.project?.name).keyPath == "project.name")
    }
}
