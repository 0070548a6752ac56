// Objects: making them, their identifiers, what changed, and what classes override.

import CoreData
import Foundation
import Testing

@Suite struct ObjectIdioms {
    @Test func `insertNewObject gives an object of the entity's class with the model's defaults`() throws {
        let garden = Garden()
        let made = NSEntityDescription.insertNewObject(forEntityName: "Task", into: garden.context)
        let task = try #require(made as? TaskItem)
        #expect(task.title == "" && task.priority == 0 && !task.isDone)
        #expect(garden.context.insertedObjects.contains(task) && task.isInserted)
    }

    @Test func `awakeFromInsert fills in what every new object has`() {
        let garden = Garden()
        let task = garden.task("dig")
        #expect(task.id != nil && task.createdAt != nil)
    }

    @Test func `an identifier is temporary until the object is saved`() throws {
        let garden = Garden()
        let task = garden.task("dig")
        let temporary = task.objectID
        #expect(temporary.isTemporaryID)
        try garden.context.save()
        #expect(!task.objectID.isTemporaryID && task.objectID != temporary)
        #expect(task.objectID.entity.name == "Task")
    }

    @Test func `a permanent identifier can be had before saving`() throws {
        let garden = Garden()
        let task = garden.task("dig")
        try garden.context.obtainPermanentIDs(for: [task])
        let identifier = task.objectID
        #expect(!identifier.isTemporaryID && task.isInserted)
        try garden.context.save()
        #expect(task.objectID == identifier)
    }

    @Test func `an identifier is kept as a URL and resolved again`() throws {
        let garden = Garden()
        try garden.plant()
        let url = try garden.find("dig").objectID.uriRepresentation()
        #expect(url.scheme == "x-coredata")
        let coordinator = garden.container.persistentStoreCoordinator
        let identifier = try #require(coordinator.managedObjectID(forURIRepresentation: url))
        let background = garden.container.newBackgroundContext()
        let title = try background.performAndWait {
            try (background.existingObject(with: identifier) as? TaskItem)?.title
        }
        #expect(title == "dig")
    }

    @Test func `existingObject throws for what was deleted`() throws {
        let garden = Garden()
        try garden.plant()
        let task = try garden.find("dig")
        let identifier = task.objectID
        garden.context.delete(task)
        try garden.context.save()
        #expect(throws: (any Error).self) { try garden.context.existingObject(with: identifier) }
    }

    @Test func `changedValues has the new values and committedValues the old ones`() throws {
        let garden = Garden()
        try garden.plant()
        let task = try garden.find("dig")
        task.title = "dig deeper"
        #expect(task.changedValues().keys.sorted() == ["title"])
        #expect(task.changedValues()["title"] as? String == "dig deeper")
        #expect(task.committedValues(forKeys: ["title"])["title"] as? String == "dig")
        #expect(task.isUpdated && task.hasPersistentChangedValues)
    }

    @Test func `setting an equal value is a change, but none of a persistent value`() throws {
        let garden = Garden()
        try garden.plant()
        let task = try garden.find("dig")
        task.title = "dig"
        #expect(task.hasChanges && !task.hasPersistentChangedValues)
    }

    @Test func `values are set and read by a dictionary`() throws {
        let garden = Garden()
        let task = garden.task("dig")
        task.setValuesForKeys(["title": "mow", "priority": 7, "isDone": true])
        let values = task.dictionaryWithValues(forKeys: ["title", "priority", "project"])
        #expect(values["title"] as? String == "mow" && values["priority"] as? Int == 7)
        #expect(values["project"] is NSNull)
        #expect(task.isDone)
    }

    @Test func `key paths lead through relationships and collections`() throws {
        let garden = Garden()
        try garden.plant()
        let task = try garden.find("dig")
        #expect(task.value(forKeyPath: "project.name") as? String == "Beds")
        let project = try #require(task.project)
        #expect(project.value(forKeyPath: "tasks.@count") as? Int == 2)
        #expect(project.value(forKeyPath: "tasks.@max.priority") as? Int == 3)
        #expect((project.value(forKeyPath: "tasks.title") as? Set<String>) == ["dig", "Sow"])
        task.setValue("Borders", forKeyPath: "project.name")
        #expect(project.name == "Borders")
    }

    @Test func `mutableSetValue changes both sides`() throws {
        let garden = Garden()
        let project = garden.project("Beds")
        let task = garden.task("dig")
        let tasks = project.mutableSetValue(forKey: "tasks")
        tasks.add(task)
        #expect(task.project === project && project.tasks == [task])
        tasks.remove(task)
        #expect(task.project == nil && project.tasks.isEmpty)
    }

    @Test func `a set is written as a literal`() throws {
        let garden = Garden()
        let dig = garden.task("dig"), mow = garden.task("mow")
        let tag = Tag(context: garden.context)
        dig.tags = [tag]
        #expect(tag.tasks == [dig] && dig.tags == [tag])
        mow.setValue([tag] as NSSet, forKey: "tags")
        #expect(tag.tasks?.count == 2)
        mow.tags = []
        #expect(tag.tasks == [dig])
        let lost: NSMutableSet = [dig]
        lost.add(mow)
        #expect(lost.count == 2 && lost == [mow, dig])
    }

    @Test func `an object that gets another owner leaves the first one`() {
        let garden = Garden()
        let beds = garden.project("Beds")
        let lawn = garden.project("Lawn")
        let task = garden.task("dig", in: beds)
        lawn.tasks = [task]
        #expect(task.project === lawn && beds.tasks.isEmpty)
    }

    @Test func `refresh without merging forgets changes and makes a fault`() throws {
        let garden = Garden()
        try garden.plant()
        let task = try garden.find("dig")
        task.title = "something else"
        garden.context.refresh(task, mergeChanges: false)
        #expect(task.isFault && !task.hasChanges)
        #expect(task.title == "dig" && !task.isFault)
    }

    @Test func `an object without a context is inserted later`() throws {
        let garden = Garden()
        let entity = try #require(garden.container.managedObjectModel.entitiesByName["Task"])
        let task = TaskItem(entity: entity, insertInto: nil)
        #expect(task.managedObjectContext == nil)
        task.title = "later"
        garden.context.insert(task)
        try garden.context.save()
        #expect(try garden.titles("title == 'later'") == ["later"])
    }

    // MARK: What classes override

    @Test func `willSave stamps an object once`() throws {
        let journal = Journal()
        let entry = journal.entry("Dear diary")
        try journal.context.save()
        #expect(entry.value(forKey: "modifiedAt") as? Date == Date(timeIntervalSinceReferenceDate: 2000))
        #expect(entry.value(forKey: "createdAt") as? Date == Date(timeIntervalSinceReferenceDate: 1000))
        #expect(entry.savedCount == 1 && !journal.context.hasChanges)
    }

    @Test func `an accessor over primitive values tracks its changes`() throws {
        let journal = Journal()
        let entry = journal.entry("Dear diary")
        try journal.context.save()
        entry.body = "Dear friend"
        #expect(entry.changedValues()["body"] as? String == "Dear friend")
        #expect(entry.value(forKey: "body") as? String == "Dear friend")
    }

    @Test func `a transient value is cached and not stored`() throws {
        let journal = Journal()
        let entry = journal.entry("Dear diary")
        #expect(entry.summary == "Dear ")
        try journal.context.save()
        journal.context.refresh(entry, mergeChanges: false)
        #expect(entry.primitiveValue(forKey: "summary") == nil)
        #expect(entry.summary == "Dear " && !entry.hasChanges)
    }

    @Test func `prepareForDeletion is called when an object is deleted`() throws {
        let journal = Journal()
        let entry = journal.entry("gone")
        try journal.context.save()
        journal.context.delete(entry)
        #expect(entry.deletions == 1 && entry.isDeleted)
        try journal.context.save()
        #expect(try journal.context.count(for: NSFetchRequest<Entry>(entityName: "Entry")) == 0)
    }

    @Test func `an ordered relationship keeps its order through moves`() throws {
        let journal = Journal()
        let entry = journal.entry("ordered")
        for number in 1...3 { _ = journal.page(number, of: entry) }
        let pages = entry.mutableOrderedSetValue(forKey: "pages")
        pages.moveObjects(at: IndexSet(integer: 2), to: 0)
        try journal.context.save()
        journal.context.refreshAllObjects()
        let numbers = (entry.value(forKey: "pages") as? NSOrderedSet)?.array.map {
            ($0 as? Page)?.value(forKey: "number") as? Int
        }
        #expect(numbers == [3, 1, 2])
    }
}
