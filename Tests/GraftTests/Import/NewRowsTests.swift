// The law of imports into empty stores: as rows or as objects, the store is the same, the numbers of its rows included, and so are the
// report and the errors. Most of the data says each thing once; some of it doesn't, so that the import has to begin anew.

import CoreData
import Foundation
import Graft
import TestSupport
import Testing

@Suite struct NewRowsTests {
    private func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Team", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .attribute("founded", .dateAttributeType), .attribute("budget", .decimalAttributeType),
                .toMany("players", "Player", inverse: "team"), .toOne("badge", "Badge", inverse: "team"),
                .toMany("notes", "Note", inverse: "team", rule: .cascadeDeleteRule, isOrdered: true),
                .toMany("fans", "Player", inverse: "likes"),
            ])
        sketch.entity(
            "Player", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"),
                .attribute("tree", .transformableAttributeType),
                .toOne("team", "Team", inverse: "players"), .toMany("likes", "Team", inverse: "fans"),
                .toOne("idol", "Player", inverse: "followers"), .toMany("followers", "Player", inverse: "idol"),
            ])
        sketch.entity("Note", [.attribute("text"), .toOne("team", "Team", inverse: "notes")])
        sketch.entity(
            "Badge", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute("name"), .toOne("team", "Team", inverse: "badge")])
        return sketch.model()
    }

    /// Players with what they lead to, or teams; each once, as a rule.
    private struct Payload {
        var random: SeededGenerator
        /// How many of a hundred records are odd.
        let oddity: Int

        private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        /// The same text for a number, unless it is odd.
        private mutating func team(_ id: Int) -> String {
            if chance(30) { return "\(id)" }
            let name = chance(oddity) ? "other" : "team \(id)"
            let badge = id.isMultiple(of: 2) ? ", \"badge\": {\"id\": \(id), \"name\": \"b\"}" : ""
            return "{\"id\": \(id), \"name\": \"\(name)\", \"budget\": \(id).25\(badge)}"
        }

        private mutating func player(_ id: Int) -> String {
            var members = ["\"id\": \(id)", "\"name\": \"p\(id)\""]
            if chance(20) { members.append("\"tree\": {\"a\": [\(id), null]}") }
            if chance(60) { members.append("\"team\": \(chance(10) ? "null" : team(number(6)))") }
            if chance(40) {
                members.append("\"likes\": [\((0..<number(3)).map { _ in team(number(6)) }.joined(separator: ", "))]")
            }
            if chance(40) { members.append("\"idol\": \(number(30))") }
            if chance(oddity) { members.append("\"followers\": [\(number(30))]") }
            return "{\(members.joined(separator: ", "))}"
        }

        private mutating func club(_ id: Int) -> String {
            var members = ["\"id\": \(id)", "\"founded\": \"2001-02-03T04:05:06Z\""]
            let players = (0..<number(3)).map { "{\"id\": \(id * 10 + $0), \"name\": \"p\"}" }
            if chance(70) { members.append("\"players\": [\(players.joined(separator: ", "))]") }
            let notes = (0..<number(3)).map { "{\"text\": \"\($0 * (chance(50) ? 1 : 2))\"}" }
            if chance(70) { members.append("\"notes\": [\(notes.joined(separator: ", "))]") }
            if chance(20) { members.append("\"badge\": {\"id\": \(chance(oddity) ? 1 : id)}") }
            if chance(oddity) { members.append("\"fans\": [\(number(30))]") }
            return "{\(members.joined(separator: ", "))}"
        }

        mutating func text(of entity: String) -> String {
            var ids = Array(0..<(5 + number(25))).shuffled(using: &random)
            if chance(oddity) { ids.append(ids[0]) }
            let records = ids.map { entity == "Player" ? player($0) : club($0) }
            return "[\(records.joined(separator: ",\n"))]"
        }
    }

    /// What a store has, with the numbers of its rows.
    private func picture(_ context: NSManagedObjectContext) throws -> [String] {
        try context.everything().map { object in
            let attributes = object.entity.attributesByName.keys.sorted().map { "\(object.value(forKey: $0) ?? "-")" }
            let links = object.entity.relationshipsByName.sorted { $0.key < $1.key }.map { name, relationship in
                let ids = object.objectIDs(forRelationshipNamed: name).map { $0.uriRepresentation().lastPathComponent }
                return "\(name): \((relationship.isOrdered ? ids : ids.sorted()).joined(separator: ","))"
            }
            let name = object.objectID.uriRepresentation().pathComponents.suffix(2).joined(separator: "/")
            return "\(name) \(attributes.joined(separator: " ")) \(links.joined(separator: " "))"
        }
    }

    @Test(arguments: Laws.cases(1...200, oneOf: 40))
    func `an import into an empty store gives what one through objects gives`(_ seed: Int) throws {
        let model = model()
        var payload = Payload(random: SeededGenerator(seed: seed), oddity: seed.isMultiple(of: 4) ? 5 : 0)
        let entity = seed.isMultiple(of: 2) ? "Player" : "Team"
        let text = payload.text(of: entity)
        for size in [1, 7, 5000] {
            var options = ImportOptions()
            options.batchSize = size
            let (rows, objects) = (try TestStack(model, .sqlite), try TestStack(model, .sqlite))
            let report = try rows.importJSON(text, entity, options: options)
            let expected = try objects.perform { context in
                let report = try context.importJSON(Data(text.utf8), entity: entity, options: options)
                try context.save()
                return report
            }
            try #require(
                try rows.perform { try picture($0) } == objects.perform { try picture($0) },
                "seed \(seed), batches of \(size):\n\(text)")
            try #require("\(report)" == "\(expected)", "seed \(seed), batches of \(size):\n\(text)")
            let again = try rows.importJSON(text, entity, options: options)
            #expect(!again.hasChanges || seed.isMultiple(of: 4), "seed \(seed), batches of \(size): \(again)\n\(text)")
        }
    }

    @Test(arguments: [
        #"[{"id": 1, "name": "a"}, {"id": 2}]"#, #"[{"id": 1, "name": "a", "rank": 5}]"#,
        #"[{"id": 1, "name": "a", "code": "x"}, {"id": 2, "name": "b", "code": "x"}]"#,
        #"[{"id": 1, "name": "a", "boss": {"id": 2}}]"#,
    ])
    func `what a rule refuses is refused in the same words, and nothing is kept`(_ text: String) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [
                .attribute("id", .integer64AttributeType), .attribute("name"), .attribute("code"),
                .attribute("rank", .integer64AttributeType),
                .toOne("boss", "Person", inverse: "staff"), .toMany("staff", "Person", inverse: "boss"),
            ])
        let model = sketch.model()
        let person = try #require(model.entitiesByName["Person"])
        person.attributesByName["name"]?.isOptional = false
        person.uniquenessConstraints = [["code"]]
        person.attributesByName["rank"]?.setValidationPredicates(
            [NSPredicate(format: "SELF < 3")], withValidationWarnings: ["too high"])
        let (rows, objects) = (try TestStack(model, .sqlite), try TestStack(model, .sqlite))
        let error = graftError { try rows.importJSON(text, "Person") }
        let expected = graftError {
            var options = ImportOptions()
            options.savesEachBatch = true
            _ = try objects.importJSON(text, "Person", options: options)
        }
        #expect(error?.problem == expected?.problem && error != nil)
        #expect(error?.place.property == expected?.place.property)
        #expect(try rows.count("Person") == 0)
    }

    @Test func `an element that is mandatory once its composite attribute has a value is asked for`() throws {
        let (street, city) = (NSAttributeDescription(), NSAttributeDescription())
        (street.name, street.attributeType, street.isOptional) = ("street", .stringAttributeType, false)
        (city.name, city.attributeType, city.isOptional) = ("city", .stringAttributeType, true)
        let address = NSCompositeAttributeDescription()
        (address.name, address.isOptional, address.elements) = ("address", true, [street, city])
        var sketch = ModelSketch()
        sketch.entity(
            "Person", info: ["identityAttributes": "id"],
            [.attribute("id", .integer64AttributeType), .attribute(address)])
        let stack = try TestStack(sketch.model(), .sqlite)
        let error = graftError { try stack.importJSON(#"[{"id": 1, "address": {"city": "Rome"}}]"#, "Person") }
        guard case .validation? = error?.problem else { throw try #require(error) }
        #expect(try stack.importJSON(#"[{"id": 1}]"#, "Person")["Person"].inserted == 1)
    }

    @Test func `an import that can't begin leaves the turn at writing to others`() throws {
        let stack = try TestStack(model(), .sqlite)
        let container = stack.container
        let url = try #require(container.persistentStoreCoordinator.persistentStores.first?.url)
        try StoreSQL.run("DROP TABLE ZBADGE", at: url)
        #expect(graftError { try stack.importJSON(#"[{"id": 1}]"#, "Team") } != nil)
        let isWritten = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let context = container.newBackgroundContext()
            context.performAndWait {
                NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue("n", forKey: "text")
                #expect(throws: Never.self) { try context.save() }
            }
            isWritten.signal()
        }
        #expect(isWritten.wait(timeout: .now() + 30) == .success)
    }

    /// A progress that knows whether it went back.
    private final class Advance: Progress, @unchecked Sendable {
        private(set) var hasGoneBack = false

        override var completedUnitCount: Int64 {
            get { super.completedUnitCount }
            set {
                if newValue < super.completedUnitCount { hasGoneBack = true }
                super.completedUnitCount = newValue
            }
        }
    }

    @Test func `the progress of an import that begins anew doesn't go back`() throws {
        let records = (0..<100).map { "{\"id\": \($0)}" } + [#"{"id": 1, "idol": 2}"#, #"{"id": 1, "idol": 3}"#]
        var options = ImportOptions()
        options.batchSize = 1
        let (stack, progress) = (try TestStack(model(), .sqlite), Advance(parent: nil))
        let text = "[\(records.joined(separator: ","))]"
        try stack.container.importJSON(
            from: [.data(Data(text.utf8))], entity: "Player", options: options, progress: progress)
        #expect(!progress.hasGoneBack && progress.isFinished)
        #expect(try stack.count("Player") == 100)
    }

    /// A context that knows whether it was asked to save.
    private final class Saving: NSManagedObjectContext, @unchecked Sendable {
        private(set) var count = 0

        override func save() throws {
            count += 1
            try super.save()
        }
    }

    /// A container whose contexts are other ones.
    private final class Container: NSPersistentContainer, @unchecked Sendable {
        var makesContext: () -> NSManagedObjectContext? = { nil }

        override func newBackgroundContext() -> NSManagedObjectContext {
            makesContext() ?? super.newBackgroundContext()
        }
    }

    @Test func `a child context hands objects on unsaved, and a context of a class of its own saves`() throws {
        let stack = try TestStack(model(), .sqlite)
        let container = Container(name: "Test", managedObjectModel: stack.container.managedObjectModel)
        container.persistentStoreDescriptions = stack.container.persistentStoreDescriptions
        container.loadPersistentStores { _, error in #expect(error == nil) }
        defer {
            for store in container.persistentStoreCoordinator.persistentStores {
                try? container.persistentStoreCoordinator.remove(store)
            }
        }
        let text = Data(#"[{"id": 1, "name": "a"}]"#.utf8)
        let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        parent.persistentStoreCoordinator = container.persistentStoreCoordinator
        container.makesContext = {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            return child
        }
        try container.importJSON(from: [.data(text)], entity: "Badge")
        #expect(parent.performAndWait { parent.insertedObjects.map(\.objectID.isTemporaryID) } == [true])

        let saving = Saving(concurrencyType: .privateQueueConcurrencyType)
        saving.persistentStoreCoordinator = container.persistentStoreCoordinator
        container.makesContext = { saving }
        try container.importJSON(from: [.data(text)], entity: "Team")
        #expect(saving.count == 1)
    }

    @Test func `of equal trees in two batches the first one stays`() throws {
        let text = #"[{"id": 1, "tree": [0.0]}, {"id": 1, "tree": [-0.0]}]"#
        var options = ImportOptions()
        options.batchSize = 1
        let stack = try TestStack(model(), .sqlite)
        try stack.importJSON(text, "Player", options: options)
        try stack.perform { context in
            let tree = try #require(try context.all("Player").first?.value(forKey: "tree") as? [Double])
            #expect(tree.map(\.sign) == [.plus])
        }
    }
}
