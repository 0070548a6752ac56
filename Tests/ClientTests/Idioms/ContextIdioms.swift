// Contexts: drafts in children, work in the background, undo, and conflicts.

import CoreData
import Foundation
import Testing

@Suite struct ContextIdioms {
    private func garden() throws -> Garden {
        let garden = Garden()
        try garden.plant()
        return garden
    }

    private func child(of context: NSManagedObjectContext) -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = context
        return child
    }

    @Test func `a draft in a child context is thrown away`() throws {
        let garden = try garden()
        let editing = child(of: garden.context)
        let draft = try #require(try editing.existingObject(with: garden.find("dig").objectID) as? TaskItem)
        draft.title = "never mind"
        editing.rollback()
        #expect(draft.title == "dig" && !garden.context.hasChanges)
    }

    @Test func `a child's save reaches its parent and not the store`() throws {
        let garden = try garden()
        let editing = child(of: garden.context)
        let draft = try #require(try editing.existingObject(with: garden.find("dig").objectID) as? TaskItem)
        draft.title = "dug"
        try editing.save()
        #expect(try garden.find("dug").isUpdated)
        let other = garden.container.newBackgroundContext()
        let stored = { try other.performAndWait { try other.fetch(TaskItem.sortedFetchRequest).map(\.title) } }
        #expect(try stored() == ["Sow", "dig", "mow"])
        try garden.context.save()
        other.performAndWait { other.refreshAllObjects() }
        #expect(try stored() == ["Sow", "dug", "mow"])
    }

    @Test func `an object of one context is linked to in another by its identifier`() throws {
        let garden = try garden()
        let identifier = try garden.find("mow").objectID
        let background = garden.container.newBackgroundContext()
        try background.performAndWait {
            let project = Project(context: background)
            project.name = "Meadow"
            (background.object(with: identifier) as? TaskItem)?.project = project
            try background.save()
        }
        garden.context.refreshAllObjects()
        #expect(try garden.find("mow").project?.name == "Meadow")
    }

    @Test func `work in the background arrives in a context that merges by itself`() async throws {
        let garden = try garden()
        garden.context.automaticallyMergesChangesFromParent = true
        let task = try garden.find("dig")
        #expect(task.priority == 3)
        let identifier = task.objectID
        try await garden.container.performBackgroundTask { context in
            (try context.existingObject(with: identifier) as? TaskItem)?.priority = 9
            try context.save()
        }
        for _ in 0..<500 {
            if task.priority == 9 { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(task.priority == 9)
    }

    @Test func `a save of another context is merged by its notification`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        task.title = "mine"
        let context = garden.context
        let background = garden.container.newBackgroundContext()
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: background, queue: nil
        ) { context.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(observer) }
        let identifier = task.objectID
        try background.performAndWait {
            (try background.existingObject(with: identifier) as? TaskItem)?.priority = 9
            try background.save()
        }
        #expect(task.priority == 9 && task.title == "mine")
    }

    @Test func `perform returns a value and throws`() async throws {
        let garden = try garden()
        let background = garden.container.newBackgroundContext()
        let count = try await background.perform { try background.count(for: TaskItem.sortedFetchRequest) }
        #expect(count == 3)
        await #expect(throws: CocoaError.self) { try await background.perform { throw CocoaError(.coreData) } }
        #expect(background.performAndWait { 5 } == 5)
    }

    @Test func `rollback brings back what was changed, deleted and inserted`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        task.title = "x"
        garden.context.delete(try garden.find("mow"))
        let new = garden.task("new")
        garden.context.rollback()
        #expect(task.title == "dig" && !garden.context.hasChanges && new.managedObjectContext == nil)
        #expect(try garden.titles("TRUEPREDICATE") == ["Sow", "dig", "mow"])
    }

    @Test func `reset lets go of all objects`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        garden.context.reset()
        #expect(garden.context.registeredObjects.isEmpty && task.managedObjectContext == nil)
        #expect(try garden.find("dig") !== task)
    }

    @Test func `undo and redo`() throws {
        let garden = try garden()
        let manager = UndoManager()
        manager.groupsByEvent = false
        garden.context.undoManager = manager
        let task = try garden.find("dig")
        manager.beginUndoGrouping()
        task.title = "dug"
        garden.context.processPendingChanges()
        manager.endUndoGrouping()
        #expect(manager.canUndo)
        garden.context.undo()
        #expect(task.title == "dig")
        garden.context.redo()
        #expect(task.title == "dug")
    }

    // MARK: Conflicts

    /// A task that the store has with priority 8 and the context, unsaved, with the title `mine`.
    private func conflict(_ policy: NSMergePolicy) throws -> (Garden, TaskItem) {
        let garden = try garden()
        garden.context.mergePolicy = policy
        let task = try garden.find("dig")
        let identifier = task.objectID
        let background = garden.container.newBackgroundContext()
        try background.performAndWait {
            let other = try #require(try background.existingObject(with: identifier) as? TaskItem)
            other.title = "theirs"
            other.priority = 8
            try background.save()
        }
        task.title = "mine"
        return (garden, task)
    }

    @Test func `a conflict is an error by default`() throws {
        let (garden, task) = try conflict(.error)
        let error = #expect(throws: CocoaError.self) { try garden.context.save() }
        #expect(error?.code.rawValue == NSManagedObjectMergeError)
        let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
        #expect(conflicts?.first?.sourceObject === task && task.title == "mine")
    }

    @Test func `the object's values win, property by property`() throws {
        let (garden, task) = try conflict(.mergeByPropertyObjectTrump)
        try garden.context.save()
        garden.context.refresh(task, mergeChanges: false)
        #expect(task.title == "mine" && task.priority == 8)
    }

    @Test func `the store's values win, property by property`() throws {
        let (garden, task) = try conflict(.mergeByPropertyStoreTrump)
        try garden.context.save()
        #expect(task.title == "theirs" && task.priority == 8)
    }

    @Test func `the object wins as a whole`() throws {
        let (garden, task) = try conflict(.overwrite)
        try garden.context.save()
        garden.context.refresh(task, mergeChanges: false)
        #expect(task.title == "mine" && task.priority == 3)
    }

    @Test func `the store wins as a whole`() throws {
        let (garden, task) = try conflict(.rollback)
        try garden.context.save()
        #expect(task.title == "theirs" && task.priority == 8 && !garden.context.hasChanges)
    }

    @Test func `an object that another context deleted becomes inaccessible and empty`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        garden.context.refresh(task, mergeChanges: false)
        let identifier = task.objectID
        let background = garden.container.newBackgroundContext()
        try background.performAndWait {
            background.delete(try background.existingObject(with: identifier))
            try background.save()
        }
        #expect(task.value(forKey: "serverID") == nil && task.isDeleted)
    }
}
