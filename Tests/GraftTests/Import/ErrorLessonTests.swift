// What broke in other libraries when something went wrong, or on another thread, under the numbers of the lessons. Lesson 48,
// that every error has path, row and value, is in FailureImportTests; lesson 6, declared or inferred, in ModelLintTests.

import CoreData
import Foundation
import Graft
import Synchronization
import Testing

@Suite struct ErrorLessonTests {
    // Lesson 45: libraries that looked up a context for the current thread crashed at random.
    @Test func `lesson 45: an import touches the context that it is given, and no other`() throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        let bystander = stack.container.viewContext
        let own = stack.container.newBackgroundContext()
        try own.performAndWait {
            try own.importJSON(Data(ComicModel.batman.utf8), entity: "Character")
            #expect(own.insertedObjects.count == 4)
        }
        bystander.performAndWait {
            #expect(!bystander.hasChanges)
            #expect(bystander.registeredObjects.isEmpty)
        }
    }

    // Lesson 3, beside it: two imports at once doubled everything, even depending on the log level. Where the model has a
    // uniqueness constraint, the store keeps one of each.
    @Test func `lesson 3: imports at once double nothing where the identity is a constraint`() throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Item", info: ["identityAttributes": "id"], unique: [["id"]],
            [.attribute("id", .integer32AttributeType, json: "id"), .attribute("name", json: "name")])
        let stack = try TestStack(sketch.model(), .sqlite)
        let text = "[\((0..<200).map { #"{"id": \#($0), "name": "n"}"# }.joined(separator: ","))]"
        let container = stack.container
        let conflicts = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do {
                try container.importJSON(from: [.data(Data(text.utf8))], entity: "Item")
            } catch {
                conflicts.withLock { $0 += 1 }
            }
        }
        #expect(try stack.count("Item") == 200)
        #expect(conflicts.withLock { $0 } < 4)
    }

    // Lesson 46: Mantle, and Groot, deleted the existing object when its update failed to validate.
    @Test(arguments: StoreKind.allCases, [true, false])
    func `lesson 46: an error rolls back and never deletes`(_ kind: StoreKind, _ isSaved: Bool) throws {
        let stack = try TestStack(ComicModel.make(nameIsOptional: false), kind)
        try stack.perform { context throws in
            let first = try context.objects(
                fromJSON: Data(#"[{"id": 1, "name": "One", "powers": [4]}, {"id": 2, "name": "Two"}]"#.utf8),
                entity: "Character")
            if isSaved { try context.save() }
            let error = graftError {
                try context.importJSON(
                    Data(
                        """
                        [{"id": 2, "name": "Changed"}, {"id": 1, "name": null, "powers": [{"id": 5, "name": "New"}]}]
                        """.utf8), entity: "Character")
            }
            #expect(error?.place.path == [.index(1)])
            #expect(first.allSatisfy { !$0.isDeleted && $0.managedObjectContext === context })
            #expect(first.map { $0.text("name") } == ["One", "Two"])
            let powers = try context.all("Power")
            #expect(powers.map { $0.number("identifier") } == [4])
            #expect(context.hasChanges == !isSaved)
            context.checkInvariants()
        }
    }

    // Lesson 47: an import that saved by itself saved in the middle of the caller's save.
    @Test(arguments: [ImportOptions.FailurePolicy.fail, .collect, .skip])
    func `lesson 47: an import into a context never saves`(_ policy: ImportOptions.FailurePolicy) throws {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        try stack.perform { context throws in
            let saves = Mutex(0)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { _ in saves.withLock { $0 += 1 } }
            defer { NotificationCenter.default.removeObserver(token) }
            var options = ImportOptions()
            options.failurePolicy = policy
            options.savesEachBatch = true
            options.batchSize = 1
            try context.importJSON(Data(ComicModel.batman.utf8), entity: "Character", options: options)
            #expect(saves.withLock { $0 } == 0)
            #expect(context.insertedObjects.count == 4)
        }
        #expect(try stack.count("Character") == 0)
    }
}
