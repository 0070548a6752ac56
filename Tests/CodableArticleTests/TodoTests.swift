// Decoding an array of items with their completions, saving, and encoding again: by hand as the article does it, and without
// any code.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct TodoTests {
    private let json = Data(
        """
        [
          { "id": 0, "label": "Item 0", "completions": [] },
          { "id": 1, "label": "Item 1", "completions": [ { "completionDate": 767645378 } ] }
        ]
        """.utf8)

    /// The JSON of some items, for comparison: keys sorted.
    private func text(_ items: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try String(decoding: encoder.encode(items), as: UTF8.self)
    }

    private let expected =
        #"[{"completions":[],"id":0,"label":"Item 0"},"#
        + #"{"completions":[{"completionDate":767645378}],"id":1,"label":"Item 1"}]"#

    @Test func `hand-written conformances work as on Apple's platforms`() throws {
        let container = try TodoModel.makeContainer(item: TodoItem.self, completion: TodoCompletion.self)
        let context = container.viewContext
        let decoder = JSONDecoder()
        decoder.userInfo[CodingUserInfoKey.managedObjectContext] = context
        let items = try decoder.decode([TodoItem].self, from: json)
        try context.save()

        #expect(items.map(\.id) == [0, 1])
        #expect(items.map(\.label) == ["Item 0", "Item 1"])
        let completion = try #require(items[1].completions?.anyObject() as? TodoCompletion)
        #expect(completion.completionDate == Date(timeIntervalSinceReferenceDate: 767_645_378))
        #expect(completion.value(forKey: "item") as? TodoItem === items[1])
        let request = NSFetchRequest<TodoItem>(entityName: "TodoItem")
        request.sortDescriptors = [NSSortDescriptor(key: "id", ascending: true)]
        #expect(try text(context.fetch(request)) == expected)
        #expect(throws: DecoderConfigurationError.missingManagedObjectContext) {
            _ = try JSONDecoder().decode([TodoItem].self, from: json)
        }
    }

    @Test func `ManagedCodable does the same without code`() throws {
        let container = try TodoModel.makeContainer(item: ManagedTodoItem.self, completion: ManagedTodoCompletion.self)
        let context = container.viewContext
        let decoder = JSONDecoder()
        decoder.managedObjectContext = context
        let items = try decoder.decode([ManagedTodoItem].self, from: json)
        try context.save()

        #expect(items.map { $0.value(forKey: "id") as? Int } == [0, 1])
        let completions = try #require(items[1].value(forKey: "completions") as? Set<ManagedTodoCompletion>)
        #expect(
            completions.first?.value(forKey: "completionDate") as? Date
                == Date(timeIntervalSinceReferenceDate: 767_645_378))
        #expect(try text(items) == expected)
    }
}
