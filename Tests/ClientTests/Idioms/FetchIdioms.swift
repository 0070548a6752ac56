// Fetch requests: what they return, in which order, and how much of it.

import CoreData
import Foundation
import Testing

@Suite struct FetchIdioms {
    private func garden() throws -> Garden {
        let garden = Garden()
        try garden.plant()
        return garden
    }

    private func dictionaries(
        _ garden: Garden, _ configure: (NSFetchRequest<NSDictionary>) -> Void
    ) throws -> [[String: Any]] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Task")
        request.resultType = .dictionaryResultType
        configure(request)
        return try garden.context.fetch(request).map { $0 as? [String: Any] ?? [:] }
    }

    @Test func `a count of a request whose type the result doesn't tell`() throws {
        func raw<R>() -> NSFetchRequest<R> { NSFetchRequest(entityName: "Task") }
        let garden = Garden()
        try garden.plant()
        #expect(try garden.context.count(for: raw()) == 3)
        #expect(try garden.context.count(for: NSFetchRequest(entityName: "Project")) == 2)
        let counting = Counting(concurrencyType: .mainQueueConcurrencyType)
        counting.persistentStoreCoordinator = garden.container.persistentStoreCoordinator
        #expect(try counting.count(for: TaskItem.sortedFetchRequest) == 103)
    }

    @Test func `a page of a sorted list`() throws {
        let garden = try garden()
        let request = NSFetchRequest<TaskItem>(entityName: "Task")
        request.sortDescriptors = [NSSortDescriptor(key: "priority", ascending: false)]
        request.fetchOffset = 1
        request.fetchLimit = 1
        #expect(try garden.context.fetch(request).map(\.title) == ["mow"])
    }

    @Test func `sorted by several keys, one of another object`() throws {
        let garden = try garden()
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(key: "project.name", ascending: false),
            NSSortDescriptor(keyPath: \TaskItem.priority, ascending: true),
        ]
        #expect(try garden.context.fetch(request).map(\.title) == ["mow", "Sow", "dig"])
    }

    @Test func `sorted without regard to case`() throws {
        let garden = try garden()
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(
                key: "title", ascending: true, selector: NSSelectorFromString("caseInsensitiveCompare:"))
        ]
        #expect(try garden.context.fetch(request).map(\.title) == ["dig", "mow", "Sow"])
    }

    @Test func `a count needs no objects`() throws {
        let garden = try garden()
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        request.predicate = NSPredicate(format: "isDone == NO")
        #expect(try garden.context.count(for: request) == 2)
        request.resultType = .countResultType
        let result = try garden.context.fetch(NSFetchRequest<NSNumber>(entityName: "Task").counting)
        #expect(result.first?.intValue == 3)
    }

    @Test func `identifiers alone`() throws {
        let garden = try garden()
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Task")
        request.resultType = .managedObjectIDResultType
        let identifiers = try garden.context.fetch(request)
        let dig = try garden.find("dig").objectID
        #expect(identifiers.count == 3 && identifiers.contains(dig))
    }

    @Test func `dictionaries of some properties`() throws {
        let rows = try dictionaries(garden()) { request in
            request.propertiesToFetch = ["title", "project.name"]
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        }
        #expect(rows.map { $0["title"] as? String } == ["Sow", "dig", "mow"])
        #expect(rows.map { $0["project.name"] as? String } == ["Beds", "Beds", "Lawn"])
        #expect(rows.allSatisfy { $0.count == 2 })
    }

    @Test func `distinct values`() throws {
        let rows = try dictionaries(garden()) { request in
            request.propertiesToFetch = ["isDone"]
            request.returnsDistinctResults = true
        }
        #expect(Set(rows.map { $0["isDone"] as? Bool }) == [true, false] && rows.count == 2)
    }

    @Test func `a sum over all`() throws {
        let sum = NSExpressionDescription()
        sum.name = "total"
        sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "priority")])
        sum.expressionResultType = .integer64AttributeType
        let rows = try dictionaries(garden()) { $0.propertiesToFetch = [sum] }
        #expect(rows.count == 1 && rows[0]["total"] as? Int == 6)
    }

    @Test func `a count for each group, and only of large groups`() throws {
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(format: "count:(title)")
        count.expressionResultType = .integer32AttributeType
        let rows = try dictionaries(garden()) { request in
            request.propertiesToFetch = ["project.name", count]
            request.propertiesToGroupBy = ["project.name"]
            request.havingPredicate = NSPredicate(format: "count:(title) > 1")
        }
        #expect(rows.count == 1)
        #expect(rows.first?["project.name"] as? String == "Beds" && rows.first?["count"] as? Int == 2)
    }

    @Test func `the largest value through a sorted fetch of one`() throws {
        let garden = try garden()
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "priority", ascending: false)]
        request.fetchLimit = 1
        #expect(try garden.context.fetch(request).first?.priority == 3)
    }

    @Test func `unsaved objects are found, unless the request says otherwise`() throws {
        let garden = try garden()
        garden.task("weed")
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        #expect(try garden.context.fetch(request).count == 4)
        request.includesPendingChanges = false
        #expect(try garden.context.fetch(request).count == 3)
    }

    @Test func `batches are an array like any other`() throws {
        let garden = Garden()
        for number in 0..<50 { garden.task("Task \(number)", priority: number) }
        try garden.context.save()
        garden.context.reset()
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(keyPath: \TaskItem.priority, ascending: true)]
        request.fetchBatchSize = 7
        let tasks = try garden.context.fetch(request)
        #expect(tasks.count == 50 && tasks[49].title == "Task 49" && tasks.map(\.priority) == Array(0..<50))
    }

    @Test func `prefetched relationships are read with the objects`() throws {
        let garden = try garden()
        garden.context.reset()
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        request.relationshipKeyPathsForPrefetching = ["project"]
        request.returnsObjectsAsFaults = false
        let tasks = try garden.context.fetch(request)
        #expect(tasks.allSatisfy { !$0.isFault && !$0.hasFault(forRelationshipNamed: "project") })
    }

    @Test func `a template of the model with its variables`() throws {
        let journal = Journal()
        for body in ["apple", "avocado", "bean"] { _ = journal.entry(body) }
        let model = journal.container.managedObjectModel
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "entriesStartingWith", substitutionVariables: ["START": "a"]))
        #expect(try journal.context.fetch(request).count == 2)
    }

    @Test func `an asynchronous fetch calls back with the objects`() async throws {
        let garden = try garden()
        let context = garden.container.newBackgroundContext()
        let titles: [String] = try await withCheckedThrowingContinuation { continuation in
            context.perform {
                let request = NSAsynchronousFetchRequest(fetchRequest: TaskItem.sortedFetchRequest) { result in
                    continuation.resume(returning: result.finalResult?.map(\.title) ?? [])
                }
                do { _ = try context.execute(request) } catch { continuation.resume(throwing: error) }
            }
        }
        #expect(titles == ["Sow", "dig", "mow"])
    }

    @Test func `a request is executed in the context of its queue`() throws {
        let garden = try garden()
        let context = garden.container.newBackgroundContext()
        let count = try context.performAndWait {
            let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
            return try request.execute().count
        }
        #expect(count == 3)
    }
}

extension NSFetchRequest where ResultType == NSNumber {
    fileprivate var counting: NSFetchRequest<NSNumber> {
        resultType = .countResultType
        return self
    }
}

private final class Counting: NSManagedObjectContext, @unchecked Sendable {
    override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try super.count(for: request) + 100
    }
}
