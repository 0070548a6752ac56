// Classes that a model names without their module ("Firstling", or ".Firstling" as Xcode's "Current Product Module"), and that
// nothing has used yet: each call that knows the class is enough. Each runs in a process of its own, where no other test has
// made the class known.

import CoreData
import Foundation
import Graft
import Testing

final class Firstling: NSManagedObject, ManagedCodable {}

@Suite struct FirstUseTests {
    private static func with(_ className: String, _ body: (NSManagedObjectContext) throws -> Void) throws {
        var sketch = ModelSketch()
        sketch.entity("Firstling", [.attribute("name", json: "name")])
        let model = sketch.model()
        model.entitiesByName["Firstling"]?.managedObjectClassName = className
        try TestStack(model).perform(body)
    }

    fileprivate static func create(_ className: String) throws {
        try with(className) { context in
            let made = try Firstling.create(fromDictionary: ["name": "Ada"], in: context)
            #expect(made.text("name") == "Ada")
        }
    }

    fileprivate static func decode(_ className: String) throws {
        try with(className) { context in
            let decoder = JSONDecoder()
            decoder.managedObjectContext = context
            let made = try decoder.decode([Firstling].self, from: Data(#"[{"name": "Ada"}]"#.utf8))
            #expect(made.map { $0.text("name") } == ["Ada"])
        }
    }

    fileprivate static func fetch(_ className: String) throws {
        try with(className) { context in
            #expect(try context.fetch(Firstling.fetchRequest()).isEmpty)
            NSEntityDescription.insertNewObject(forEntityName: "Firstling", into: context)
                .setValue("Ada", forKey: "name")
            let found = try context.fetch(Firstling.fetchRequest()) as? [Firstling]
            #expect(found?.map { $0.text("name") } == ["Ada"])
        }
    }

    @Test func `an object can be created of a dictionary`() async {
        await #expect(processExitsWith: .success) { try FirstUseTests.create("Firstling") }
        await #expect(processExitsWith: .success) { try FirstUseTests.create(".Firstling") }
    }

    @Test func `objects can be decoded`() async {
        await #expect(processExitsWith: .success) { try FirstUseTests.decode("Firstling") }
        await #expect(processExitsWith: .success) { try FirstUseTests.decode(".Firstling") }
    }

    @Test func `objects can be fetched by the request of their class`() async {
        await #expect(processExitsWith: .success) { try FirstUseTests.fetch("Firstling") }
        await #expect(processExitsWith: .success) { try FirstUseTests.fetch(".Firstling") }
    }
}
