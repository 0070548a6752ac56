import CoreData
import Foundation

/// Written by hand, with @NSManaged: the plugin supplies the accessors where there is no Objective-C runtime.
public class TodoItem: NSManagedObject {
    @NSManaged var label: String
    @NSManaged var created: Date?
    @NSManaged var isDone: Bool
    @NSManaged var priority: Int16
    @NSManaged var list: TodoList?
    @NSManaged var completions: Set<TodoCompletion>

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
    @NSManaged func addToCompletions(_ value: TodoCompletion)
    @NSManaged func removeFromCompletions(_ value: TodoCompletion)
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

// What Core Data finds by name: a computed property, and a validation. The plugin tells it of both where there is no @objc.
extension TodoItem {
    #if canImport(ObjectiveC)
        @objc
    #endif
    var urgency: String { priority >= 3 ? "now" : "later" }

    #if canImport(ObjectiveC)
        @objc
    #endif
    func validateLabel(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        guard (value.pointee as? String ?? "").allSatisfy(\.isWhitespace) else { return }
        let info = [NSLocalizedDescriptionKey: "A label needs letters."]
        throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError, userInfo: info)
    }
}
