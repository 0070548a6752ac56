// One-to-one links that only one of the two rows holds, as other programs leave them: an archive has them, and restored rows are what
// they were.

import CoreData
import Foundation
import Graft
import Testing

@Suite struct OneSidedLinkTests {
    private static func model() -> NSManagedObjectModel {
        var sketch = ModelSketch()
        sketch.entity(
            "Owner", info: ["identityAttributes": "id"],
            [.attribute("id", .integer32AttributeType), .toOne("pet", "Pet", inverse: "owner")])
        sketch.entity(
            "Pet",
            [.attribute("name"), .toOne("owner", "Owner", inverse: "pet"), .toOne("mate", "Pet", inverse: "mate")])
        sketch.entity("Cat", parent: "Pet", [])
        return sketch.model()
    }

    /// Pets 1 and 2 are mates in the store, 2 and 3 in the archive.
    @Test(arguments: [1, 1000], [false, true])
    func `who loses a mate to the archive has none`(_ size: Int, _ savesBatches: Bool) throws {
        var sketch = ModelSketch()
        sketch.entity(
            "Pet", info: ["identityAttributes": "id"],
            [.attribute("id", .integer32AttributeType), .toOne("mate", "Pet", inverse: "mate")])
        let model = sketch.model()
        func store(_ ids: [Int], _ mates: (Int, Int)) throws -> TestStack {
            let stack = try TestStack(model, .sqlite)
            try stack.fill { context in
                for id in ids { context.add("Pet", ["id": id]) }
                let pet = try context.one("Pet", "id", mates.0)
                pet?.setValue(try context.one("Pet", "id", mates.1), forKey: "mate")
            }
            return stack
        }
        let stack = try store([1, 2, 3], (1, 2))
        try stack.restore(store([2, 3], (2, 3)).archive()) { ($0.batchSize, $0.savesEachBatch) = (size, savesBatches) }
        try stack.perform { context in
            let mates = try [1, 2, 3].map {
                try context.one("Pet", "id", $0)?.object("mate")?.value(forKey: "id") as? Int
            }
            #expect(mates == [nil, 3, 2])
        }
        #expect(try stack.findings() == [])
    }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("graft-\(UUID().uuidString)")

    private func container(_ name: String) throws -> NSPersistentContainer {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try .opened(folder.appendingPathComponent(name), Self.model())
    }

    private func close(_ container: NSPersistentContainer) throws {
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    /// What each row holds of its links, by the objects' names.
    private func rows(_ container: NSPersistentContainer) throws -> [String] {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            func name(_ object: Any?) -> String {
                guard let object = object as? NSManagedObject else { return "-" }
                let key = object.entity.name == "Owner" ? "id" : "name"
                return "\(object.value(forKey: key) ?? "")"
            }
            let pets = try context.all("Pet").map {
                "\(name($0)) owner \(name($0.value(forKey: "owner"))) mate \(name($0.value(forKey: "mate")))"
            }
            return try (pets + context.all("Owner").map { "\(name($0)) pet \(name($0.value(forKey: "pet")))" }).sorted()
        }
    }

    /// A store with three owners and four pets, whose ends are set one by one: `1.pet=p1`, `p1.owner=1`.
    private func makeStore(_ ends: [String]) throws -> NSPersistentContainer {
        let container = try container("Old.sqlite")
        let context = container.newBackgroundContext()
        try context.performAndWait {
            var objects: [String: NSManagedObject] = [:]
            for number in 1...3 { objects["\(number)"] = context.add("Owner", ["id": number]) }
            for number in 1...4 {
                objects["p\(number)"] = context.add(number % 2 == 0 ? "Cat" : "Pet", ["name": "p\(number)"])
            }
            for end in ends {
                let parts = end.split { $0 == "." || $0 == "=" }.map(String.init)
                objects[parts[0]]?.setPrimitiveValue(objects[parts[2]], forKey: parts[1])
            }
            try context.save()
        }
        return container
    }

    private static let both = ["1.pet=p1", "p1.owner=1", "2.pet=p2", "p2.owner=2", "p1.mate=p2", "p2.mate=p1"]

    private static let cases: [(ends: [String], isOneSided: Bool)] = [
        (both, false),
        (both + ["3.pet=p3"], true),
        (both + ["p4.owner=3"], true),
        (both + ["p3.mate=p4"], false),
        (["1.pet=p1", "p2.owner=1", "p3.owner=1", "2.pet=p3", "p4.mate=p1", "p1.mate=p2"], true),
    ]

    @Test(.needsOurCoreData, arguments: cases.indices, GraphArchive.Encoding.allCases)
    func `a link at one end alone comes back as it was`(
        _ index: Int, _ encoding: GraphArchive.Encoding
    ) throws {
        let (ends, isOneSided) = Self.cases[index]
        defer { try? FileManager.default.removeItem(at: folder) }
        let old = try makeStore(ends)
        let before = try rows(old)
        let file = folder.appendingPathComponent("pets.archive")
        try old.writeArchive(to: .file(file), options: .init(encoding))
        let archive = GraphArchive(contentsOf: file)
        for savesEachBatch in [true, false] {
            let name = "New-\(savesEachBatch).sqlite"
            let new = try container(name)
            var options = GraphArchive.RestoringOptions()
            options.savesEachBatch = savesEachBatch
            options.batchSize = 2
            try new.restore(archive, options: options)
            #expect(try rows(new) == before)
            #expect(try !new.restore(archive).hasChanges)
            #expect(try rows(new) == before)
            try close(new)
        }
        // The other ends are only there where they are needed.
        let header = try archive.verify()
        let properties = header.entities.flatMap { entity in entity.properties.map { "\(entity.name).\($0.name)" } }
        #expect(properties.contains("Owner.pet") && properties.contains("Pet.owner") == isOneSided)
    }

    @Test(arguments: cases.indices.dropLast(), [true, false])
    func `an import of a store or an archive keeps a link that is at one end alone`(_ index: Int, _ isStore: Bool)
        throws
    {
        let (ends, _) = Self.cases[index]
        defer { try? FileManager.default.removeItem(at: folder) }
        let old = try makeStore(ends)
        let file = folder.appendingPathComponent("pets.archive")
        try old.writeArchive(to: .file(file), options: .init(.binary))
        try close(old)
        let source = ImportSource.file(isStore ? folder.appendingPathComponent("Old.sqlite") : file)
        let new = try container("New.sqlite")
        var expected: Set<String> = []
        for end in ends {
            let parts = end.split { $0 == "." || $0 == "=" }.map(String.init)
            expected.insert(end)
            expected.insert(
                "\(parts[2]).\(["pet": "owner", "owner": "pet", "mate": "mate"][parts[1]] ?? "")=\(parts[0])")
        }
        for _ in 0..<2 {
            try new.importJSON(from: [source])
            let found = try rows(new).flatMap { row -> [String] in
                let words = row.split(separator: " ").map(String.init)
                return stride(from: 1, to: words.count, by: 2).filter { words[$0 + 1] != "-" }.map {
                    "\(words[0]).\(words[$0])=\(words[$0 + 1])"
                }
            }
            #expect(Set(found) == expected, "\(ends)")
        }
        try close(new)
    }
}
