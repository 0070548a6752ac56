// Predicates as apps write them, over a SQLite store.

import CoreData
import Foundation
import Testing

@Suite struct PredicateIdioms {
    private func garden() throws -> Garden {
        let garden = Garden()
        try garden.plant()
        return garden
    }

    @Test func `a key path of a class that no model knows has its property's name`() {
        final class Dummy {
            let number = 20
        }
        #expect(NSExpression(forKeyPath: \Dummy.number).keyPath == "number")
    }

    @Test func `a key and a value as arguments`() throws {
        #expect(try garden().titles("%K == %@", "title", "dig") == ["dig"])
        #expect(try garden().titles("%K.%K == %@", "project", "name", "Lawn") == ["mow"])
    }

    @Test func `a search field's text without regard to case and accents`() throws {
        let garden = try garden()
        garden.task("Éclair")
        #expect(try garden.titles("title CONTAINS[cd] %@", "ecl") == ["Éclair"])
        #expect(try garden.titles("title BEGINSWITH[c] %@", "s") == ["Sow"])
        #expect(try garden.titles("title CONTAINS %@", "s") == [])
    }

    @Test func `one of a list`() throws {
        #expect(try garden().titles("title IN %@", ["dig", "mow", "x"]) == ["dig", "mow"])
        #expect(try garden().titles("title IN %@", [String]()) == [])
        #expect(try garden().titles("NOT (title IN %@)", ["dig"]) == ["Sow", "mow"])
    }

    @Test func `wildcards and expressions`() throws {
        #expect(try garden().titles("title LIKE[c] 's?w'") == ["Sow"])
        #expect(try garden().titles("title MATCHES '[a-z]+'") == ["dig", "mow"])
    }

    @Test func `ranges`() throws {
        #expect(try garden().titles("priority BETWEEN %@", [2, 3]) == ["dig", "mow"])
        #expect(try garden().titles("priority > 1 AND priority <= 2") == ["mow"])
    }

    @Test func `compound predicates from a list of conditions`() throws {
        let garden = try garden()
        let conditions = [NSPredicate(format: "isDone == NO"), NSPredicate(format: "priority > 1")]
        let request = TaskItem.sortedFetchRequest
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
        #expect(try garden.context.fetch(request).map(\.title) == ["dig"])
        request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: conditions)
        #expect(try garden.context.fetch(request).map(\.title) == ["Sow", "dig", "mow"])
        request.predicate = NSCompoundPredicate(notPredicateWithSubpredicate: conditions[0])
        #expect(try garden.context.fetch(request).map(\.title) == ["mow"])
    }

    @Test func `a predicate made of expressions`() throws {
        let garden = try garden()
        let request = TaskItem.sortedFetchRequest
        request.predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: \TaskItem.title),
            rightExpression: NSExpression(forConstantValue: "DIG"), modifier: .direct, type: .equalTo,
            options: .caseInsensitive)
        #expect(try garden.context.fetch(request).map(\.title) == ["dig"])
    }

    @Test func `objects and identifiers as values`() throws {
        let garden = try garden()
        let task = try garden.find("dig")
        let project = try #require(task.project)
        #expect(try garden.titles("project == %@", project) == ["Sow", "dig"])
        #expect(try garden.titles("project == %@", project.objectID) == ["Sow", "dig"])
        #expect(try garden.titles("SELF == %@", task) == ["dig"])
        #expect(try garden.titles("SELF IN %@", [task.objectID]) == ["dig"])
        #expect(try garden.titles("project IN %@", Set([project])) == ["Sow", "dig"])
    }

    @Test func `what has none`() throws {
        let garden = try garden()
        garden.task("weed")
        #expect(try garden.titles("project == nil") == ["weed"])
        #expect(try garden.titles("project != nil AND serverID == %@", NSNull()) == ["Sow", "dig", "mow"])
    }

    @Test func `any, all and none of a collection`() throws {
        let garden = try garden()
        let request = NSFetchRequest<Project>(entityName: "Project")
        func names(_ format: String) throws -> Set<String> {
            request.predicate = NSPredicate(format: format)
            return Set(try garden.context.fetch(request).map(\.name))
        }
        #expect(try names("ANY tasks.priority == 1") == ["Beds"])
        #expect(try names("ALL tasks.isDone == YES") == ["Lawn"])
        #expect(try names("NONE tasks.title == 'mow'") == ["Beds"])
    }

    @Test func `counts and subqueries`() throws {
        let garden = try garden()
        let request = NSFetchRequest<Project>(entityName: "Project")
        request.predicate = NSPredicate(format: "tasks.@count > 1")
        #expect(try garden.context.fetch(request).map(\.name) == ["Beds"])
        request.predicate = NSPredicate(format: "SUBQUERY(tasks, $t, $t.priority > 1 AND $t.isDone == NO).@count == 1")
        #expect(try garden.context.fetch(request).map(\.name) == ["Beds"])
        request.predicate = NSPredicate(format: "tasks.@sum.priority == 2")
        #expect(try garden.context.fetch(request).map(\.name) == ["Lawn"])
    }

    @Test func `dates of a day`() throws {
        let garden = try garden()
        let noon = Date(timeIntervalSinceReferenceDate: 43_200)
        try garden.find("dig").createdAt = noon
        let start = Date(timeIntervalSinceReferenceDate: 0)
        #expect(
            try garden.titles("createdAt >= %@ AND createdAt < %@", start, start.addingTimeInterval(86_400)) == ["dig"])
    }

    @Test func `all, nothing, and variables`() throws {
        let garden = try garden()
        let request = TaskItem.sortedFetchRequest
        request.predicate = NSPredicate(value: false)
        #expect(try garden.context.fetch(request).isEmpty)
        request.predicate = NSPredicate(value: true)
        #expect(try garden.context.fetch(request).count == 3)
        request.predicate = NSPredicate(format: "priority >= $LEAST").withSubstitutionVariables(["LEAST": 2])
        #expect(try garden.context.fetch(request).map(\.title) == ["dig", "mow"])
    }

    @Test func `the same predicate filters objects in memory`() throws {
        let garden = try garden()
        let predicate = NSPredicate(format: "title BEGINSWITH[c] 's' OR project.name == 'Lawn'")
        let all = try garden.context.fetch(TaskItem.sortedFetchRequest)
        #expect(all.filter { predicate.evaluate(with: $0) }.map(\.title) == ["Sow", "mow"])
        #expect((all as NSArray).filtered(using: predicate).count == 2)
    }

    @Test func `functions and arithmetic`() throws {
        #expect(try garden().titles("priority * 2 == 6") == ["dig"])
        #expect(try garden().titles("uppercase(title) == 'MOW'") == ["mow"])
    }
}
