// Batch requests, and what contexts learn of them.

import CoreData
import Foundation
import Testing

@Suite struct BatchIdioms {
    private func garden() throws -> Garden {
        let garden = Garden()
        try garden.plant()
        return garden
    }

    @Test func `an update of all rows, and of which`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        let request = NSBatchUpdateRequest(entityName: "Task")
        request.predicate = NSPredicate(format: "isDone == NO")
        request.propertiesToUpdate = ["isDone": true, "priority": NSExpression(format: "priority + 10")]
        request.resultType = .updatedObjectIDsResultType
        let result = try garden.context.execute(request) as? NSBatchUpdateResult
        let identifiers = try #require(result?.result as? [NSManagedObjectID])
        #expect(identifiers.count == 2 && !task.isDone)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectsKey: identifiers], into: [garden.context])
        #expect(task.isDone && task.priority == 13)
    }

    @Test func `a status is a number`() throws {
        let garden = try garden()
        let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Task"))
        let result = try garden.context.execute(request) as? NSBatchDeleteResult
        #expect(result?.result as? Bool == true && result?.result as? Int == 1)
    }

    @Test func `a count of updated rows`() throws {
        let garden = try garden()
        let request = NSBatchUpdateRequest(entityName: "Task")
        request.propertiesToUpdate = ["priority": 0]
        request.resultType = .updatedObjectsCountResultType
        let result = try garden.context.execute(request) as? NSBatchUpdateResult
        #expect(result?.result as? Int == 3)
    }

    @Test func `a deletion by identifiers`() throws {
        let garden = try garden()
        let request = NSBatchDeleteRequest(objectIDs: [try garden.find("dig").objectID])
        request.resultType = .resultTypeCount
        let result = try garden.context.execute(request) as? NSBatchDeleteResult
        #expect(result?.result as? Int == 1)
        garden.context.reset()
        #expect(try garden.titles("TRUEPREDICATE") == ["Sow", "mow"])
    }

    @Test func `an insertion of dictionaries with their identifiers`() throws {
        let garden = Garden()
        let request = NSBatchInsertRequest(
            entityName: "Task", objects: [["title": "a", "serverID": 1], ["title": "b", "serverID": 2]])
        request.resultType = .objectIDs
        let result = try garden.context.execute(request) as? NSBatchInsertResult
        #expect((result?.result as? [NSManagedObjectID])?.count == 2)
        #expect(try garden.titles("serverID == 2") == ["b"])
    }

    @Test func `an insertion updates what a constraint finds`() throws {
        let garden = Garden()
        garden.task("old", priority: 4).serverID = 1
        try garden.context.save()
        let background = garden.container.newBackgroundContext()
        background.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try background.performAndWait {
            _ = try background.execute(
                NSBatchInsertRequest(entityName: "Task", objects: [["title": "new", "serverID": 1]]))
        }
        garden.context.refreshAllObjects()
        #expect(try garden.titles("serverID == 1") == ["new"])
        #expect(try garden.find("new").priority == 4)
    }

    @Test func `objects are filled in one by one`() throws {
        let garden = Garden()
        var count = 0
        let request = NSBatchInsertRequest(
            entity: TaskItem.entity(),
            managedObjectHandler: { object in
                guard count < 5, let task = object as? TaskItem else { return true }
                task.title = "Task \(count)"
                count += 1
                return false
            })
        request.resultType = .count
        let result = try garden.context.execute(request) as? NSBatchInsertResult
        #expect(result?.result as? Int == 5)
        #expect(try garden.titles("title ENDSWITH '4'") == ["Task 4"])
    }
}
