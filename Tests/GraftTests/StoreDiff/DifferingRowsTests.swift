// Which rows of two stores may differ, SQLite says. What comes of it is what reading all of both stores gives.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct DifferingRowsTests {
    @Test(arguments: [false, true])
    func `the objects that may differ give the same diff as all objects`(_ isRenumbered: Bool) throws {
        var (compared, asked) = (0, 0)
        for seed in Laws.cases(1...40) {
            let (old, new) = try ChangedStores.pair(seed, .sqlite, isRenumbered: isRenumbered)
            var options = DiffOptions()
            for entity in old.container.managedObjectModel.entities where entity.superentity == nil {
                options.keys[entity.name ?? ""] = ["key"]
            }
            for (one, other) in [(old, new), (new, old)] {
                let all = Result { try diff(one, other, options, readingAll: true) }
                let some = Result { try diff(one, other, options, readingAll: false) }
                guard case .success(let expected) = all else {
                    #expect("\(some)" == "\(all)", "seed \(seed)")
                    continue
                }
                #expect(try some.get() == expected, "seed \(seed)")
                compared += 1
                if try counts(one, other, options) != nil { asked += 1 }
            }
        }
        #expect(compared > Laws.count(60, otherwise: 14))
        #expect(asked == compared)
    }

    @Test func `an object with another number is another one only by its values`() throws {
        let (old, new) = (try heroes(0..<100), try heroes((0..<100).reversed()))
        #expect(try diff(old, new, readingAll: false).isEmpty)
        #expect(try counts(old, new) == .init(old: 0, new: 0, same: 108))
        try new.perform { context in
            let hero = try #require(try context.one("Character", "identifier", 7))
            hero.setValue(try context.one("Publisher", "identifier", 1), forKey: "publisher")
            try context.save()
        }
        #expect(try counts(old, new) == .init(old: 1, new: 1, same: 107))
        #expect(try diff(old, new, readingAll: false) == diff(old, new, readingAll: true))
        #expect(try diff(old, new, readingAll: false).changed.count == 3)
    }

    @Test func `two objects of one identity are found, in whichever place`() throws {
        for (places, isOld) in [([0, 1], true), ([0, 99], false), ([98, 99], false)] {
            let (old, new) = (try heroes(0..<100), try heroes(0..<100))
            for stack in isOld ? [old, new] : [new] {
                try stack.perform { context in
                    for place in places.dropFirst() {
                        try context.one("Character", "identifier", place)?.setValue(places[0], forKey: "identifier")
                    }
                    try context.save()
                }
            }
            let error = graftError { _ = try diff(old, new, readingAll: false) }
            #expect(error?.problem == .duplicateIdentity("Character \(places[0])"))
        }
    }

    @Test func `values in files are read, whatever the files are called`() throws {
        var sketch = ModelSketch()
        let data = NSAttributeDescription()
        data.name = "data"
        data.attributeType = .binaryDataAttributeType
        data.allowsExternalBinaryDataStorage = true
        sketch.entity(
            "Page", info: ["id": "number"], [.attribute("number", .integer64AttributeType), .attribute(data)])
        let model = sketch.model()
        let stacks = try [0, 0, 1].map { last in
            let stack = try TestStack(model, .sqlite)
            try stack.perform { context in
                for number in 0..<3 {
                    let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
                    page.setValue(number, forKey: "number")
                    let size = number == 0 ? 10 : 200_000
                    page.setValue(Data(repeating: 7, count: size) + [UInt8(number == 2 ? last : 0)], forKey: "data")
                }
                try context.save()
            }
            return stack
        }
        #expect(try diff(stacks[0], stacks[1], readingAll: false).isEmpty)
        #expect(try counts(stacks[0], stacks[1]) == .init(old: 2, new: 2, same: 1))
        #expect(try diff(stacks[0], stacks[2], readingAll: false).changed.map(\.key.description) == ["Page 2"])
    }

    @Test func `what is written meanwhile is in neither or both of the answers`() throws {
        let (old, new) = (try heroes(0..<10), try heroes(0..<10))
        let contexts = (old.container.newBackgroundContext(), new.container.newBackgroundContext())
        let found = try contexts.0.performAndWait {
            try contexts.1.performAndWait {
                let pair = try #require(try StorePair(contexts.0, contexts.1))
                try new.perform { context in
                    try context.one("Character", "identifier", 3)?.setValue("Other", forKey: "name")
                    try context.save()
                }
                let entity = ComparedEntity("Character", identity: [0], lastRow: .max, slots: [0])
                let name = try contexts.1.one("Character", "identifier", 3)?.text("name")
                return (try pair.differingRows([entity]) {}, name)
            }
        }
        #expect(found.0 != nil)
        #expect(found.1 == "Hero 3")
    }

    @Test func `stores that are only read stay as they are, with nothing beside them`() throws {
        let (old, new) = (try heroes(0..<10), try heroes(1..<11))
        let expected = try diff(old, new, readingAll: true)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-tests-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func copy(_ path: String, _ name: String) throws {
            try FileManager.default.copyItem(atPath: path, toPath: folder.appendingPathComponent(name).path)
        }
        let paths = try [old, new].map {
            try #require($0.container.persistentStoreCoordinator.persistentStores[0].url).path
        }
        // One with its log, and all in the form that they have when they are closed.
        try copy(paths[1], "new-b")
        try copy(paths[1] + "-wal", "new-b-wal")
        for stack in [old, new] {
            let coordinator = stack.container.persistentStoreCoordinator
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
        for name in ["old-a", "old-b"] { try copy(paths[0], name) }
        try copy(paths[1], "new-a")
        for name in ["a", "b"] {
            let before = try contents(folder)
            let stores = try ["old-\(name)", "new-\(name)"].map { file in
                try readOnly(folder.appendingPathComponent(file), old.container.managedObjectModel)
            }
            for (one, other, diff) in [(0, 1, expected), (1, 0, expected.inverted)] {
                #expect(try GraphDiff(from: stores[one], to: stores[other]) == diff)
            }
            #expect(try contents(folder) == before)
        }
    }

    // MARK: Stores

    /// Heroes in the order of their making, five publishers and three powers.
    private func heroes(_ numbers: some Sequence<Int>) throws -> TestStack {
        let stack = try TestStack(ComicModel.make(), .sqlite)
        let objects = numbers.map { number in
            """
            {"id": \(number), "name": "Hero \(number)", "publisher": {"id": \(number % 5), "name": "P"},
             "powers": [{"id": \(number % 3), "name": "Flight"}]}
            """
        }
        try stack.importJSON("[\(objects.joined(separator: ","))]", "Character")
        return stack
    }

    private func readOnly(_ url: URL, _ model: NSManagedObjectModel) throws -> NSPersistentContainer {
        try .opened(url, model) { $0.isReadOnly = true }
    }

    private func contents(_ folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appendingPathComponent($0))) })
    }

    // MARK: Asking

    private func diff(
        _ old: TestStack, _ new: TestStack, _ options: DiffOptions = DiffOptions(), readingAll: Bool
    ) throws -> GraphDiff {
        try GraphDiff(from: old.container, to: new.container, options: options, readingAll: readingAll)
    }

    private struct Counts: Equatable {
        var old = 0
        var new = 0
        var same = 0
    }

    /// How many objects may differ, and how many don't; nil where SQLite can't say it.
    private func counts(
        _ old: TestStack, _ new: TestStack, _ options: DiffOptions = DiffOptions()
    ) throws -> Counts? {
        let contexts = (old.container.newBackgroundContext(), new.container.newBackgroundContext())
        return try contexts.0.performAndWait {
            try contexts.1.performAndWait {
                let differences = try #require(try StoreDifferences(contexts.0, contexts.1))
                let schema = try GraphSchema(old.container.managedObjectModel)
                let sides = [try StoreEvidence(contexts.0, schema), try StoreEvidence(contexts.1, schema)]
                let identification = try IdentityDecision(schema, options, sides).identification
                let scope = try DiffScope(schema.identified(by: identification))
                let entities = schema.entities.indices.filter {
                    !schema.entities[$0].isAbstract && !scope.schema.entities[$0].identity.isEmpty
                }
                let reading = RelationshipReading(
                    scope, entities: Set(entities), counts: try schema.entities.indices.map(sides[0].count))
                let objects = try differences.objects(scope, reading, entities, identification) {}
                let found = objects.compactMap(\.self)
                if found.isEmpty { return nil }
                return try found.reduce(into: Counts()) { counts, objects in
                    counts.old += try objects.old(0, .max).count
                    counts.new += try objects.new(0, .max).count
                    counts.same += objects.sameCount
                }
            }
        }
    }
}
