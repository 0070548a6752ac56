import CoreData
import Foundation

/// Fills a store, opens it again and reads it.
@main
struct Main {
    static func main() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Todo.sqlite")
        try fill(url)
        try read(url)
        try refuse(url)
    }

    private static func fill(_ url: URL) throws {
        let context = try Persistence(storeAt: url).container.viewContext
        let list = TodoList(context: context)
        list.title = "Garden"
        for (label, priority) in [("Water the plants", 2), ("Mow the lawn", 1), ("Plant a tree", 3)] {
            let item = TodoItem(context: context)
            item.label = label
            item.priority = Int16(priority)
            list.addToItems(item)
        }
        guard let first = list.items?.firstObject as? TodoItem else { fatalError("The list is empty.") }
        first.priority += 3
        try first.complete(on: Date(timeIntervalSinceReferenceDate: 767_645_378))
        try context.save()
    }

    private static func read(_ url: URL) throws {
        let context = try Persistence(storeAt: url).container.viewContext
        for list in try context.fetch(TodoList.fetchRequest()) {
            print(list.title ?? "", "(\(list.items?.count ?? 0) items)")
            for case let item as TodoItem in list.items ?? [] {
                let days = item.completions.map(\.day).joined(separator: ", ")
                print(item.isDone ? "  [x]" : "  [ ]", item.label, "priority \(item.priority)", days)
            }
        }
        let open = try context.fetch(TodoItem.open(withPriorityFrom: 1))
        print("open:", open.map(\.label).joined(separator: ", "))
        let urgent = NSPredicate(format: "urgency == 'now'")
        print("now:", open.filter { urgent.evaluate(with: $0) }.map(\.label).joined(separator: ", "))
    }

    private static func refuse(_ url: URL) throws {
        let context = try Persistence(storeAt: url).container.viewContext
        TodoItem(context: context).label = " "
        do {
            try context.save()
        } catch {
            print("refused:", error.localizedDescription)
        }
    }
}
