import CoreData
import Foundation

/// Written by hand, with @NSManaged: the plugin supplies the accessors where there is no Objective-C runtime.
public class TodoItem: NSManagedObject {
    @NSManaged public var label: String
    @NSManaged public var created: Date?
    @NSManaged public var isDone: Bool
    @NSManaged public var priority: Int16
    @NSManaged public var list: TodoList?
    @NSManaged public var completions: Set<TodoCompletion>

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        primitiveCreated = Date(timeIntervalSinceReferenceDate: 767_645_378)
    }

    func complete(on date: Date) throws {
        guard let context = managedObjectContext else { return }
        let completion = TodoCompletion(context: context)
        completion.completionDate = date
        addToCompletions(completion)
        isDone = true
    }
}

extension TodoItem {
    @NSManaged var primitiveCreated: Date?
    @NSManaged public func addToCompletions(_ value: TodoCompletion)
    @NSManaged public func removeFromCompletions(_ value: TodoCompletion)
}

extension TodoItem {
    static func open(withPriorityFrom priority: Int16) -> NSFetchRequest<TodoItem> {
        let request = NSFetchRequest<TodoItem>(entityName: "TodoItem")
        request.predicate = NSPredicate(format: "isDone == NO AND priority >= %d", Int(priority))
        request.sortDescriptors = [
            NSSortDescriptor(key: "priority", ascending: false), NSSortDescriptor(key: "label", ascending: true),
        ]
        return request
    }
}
