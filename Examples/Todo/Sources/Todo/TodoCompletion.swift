import CoreData

/// Its properties are made from the model ("Category/Extension").
public class TodoCompletion: NSManagedObject {
    var day: String {
        guard let completionDate else { return "some day" }
        return String(completionDate.description.prefix(10))
    }
}
