// What the idioms work on: the tasks of an app, in a store that is gone with its container.

import CoreData
import Foundation

struct Garden {
    let persistence = PersistenceController(inMemory: true)
    var container: NSPersistentContainer { persistence.container }
    var context: NSManagedObjectContext { container.viewContext }

    @discardableResult
    func task(_ title: String, priority: Int = 0, done: Bool = false, in project: Project? = nil) -> TaskItem {
        let task = TaskItem(context: context)
        task.title = title
        task.priority = Int16(priority)
        task.isDone = done
        task.project = project
        return task
    }

    func project(_ name: String) -> Project {
        let project = Project(context: context)
        project.name = name
        return project
    }

    /// Two projects with three tasks: `dig` (3) and `Sow` (1) in `Beds`, `mow` (2, done) in `Lawn`.
    func plant() throws {
        let beds = project("Beds")
        let lawn = project("Lawn")
        task("dig", priority: 3, in: beds)
        task("Sow", priority: 1, in: beds)
        task("mow", priority: 2, done: true, in: lawn)
        try context.save()
    }

    func titles(_ format: String, _ arguments: Any...) throws -> [String] {
        let request = TaskItem.sortedFetchRequest
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.fetch(request).map(\.title)
    }

    func find(_ title: String) throws -> TaskItem {
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        request.predicate = NSPredicate(format: "title == %@", title)
        request.fetchLimit = 1
        guard let task = try context.fetch(request).first else { throw CocoaError(.fileNoSuchFile) }
        return task
    }
}
