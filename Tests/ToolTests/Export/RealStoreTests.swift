// Stores that Apple's Core Data has written, read in place: with the model that they carry or the one beside them.

import Foundation
import GRDB
import Testing

@Suite(.needsReferenceData) struct RealStoreTests {
    struct Store: CustomTestStringConvertible {
        var path: String
        /// The model beside it, for a store that has no model in it.
        var model: String?
        /// Entities that have another name now than in the store's table of entities, which migration leaves as it was.
        var renamed: [String: String] = [:]
        var testDescription: String { path }
        var url: URL { Project.data.appending(path: "stores/\(path)") }
        var options: [String] {
            ["--store", url.path]
                + (model.map { ["--model", Project.data.appending(path: "stores/\($0)").path] } ?? [])
        }
    }

    static let stores = [
        Store(path: "BNR-CoreDataStack/TestModel.sqlite"),
        Store(path: "CareKit/SampleStore2.0.sqlite"),
        Store(path: "CareKit/SampleStore2.1.sqlite"),
        Store(path: "CoreDataPlus-SampleModel/Fixtures/SampleModel_V1.sqlite"),
        Store(
            path: "CoreDataPlus-SampleModel/Fixtures/SampleModel_V2.sqlite", renamed: ["ExpensiveSportCar": "LuxuryCar"]
        ),
        Store(path: "CoreDataPlus-SampleModel3/Fixtures/SampleModel3_V1.sqlite"),
        Store(path: "CoreDataPlus-SampleModel3/history-SampleModel3V1.sqlite"),
        Store(path: "XCServerCoreData/XCServerCoreData_1.2.0.sqlite"),
        Store(path: "XCServerCoreData/XCServerCoreData_2.0.1.sqlite"),
    ]

    @Test func `every store of the reference data is in the list`() throws {
        let root = Project.data.appending(path: "stores")
        let files = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        #expect(files.filter { $0.hasSuffix(".sqlite") }.sorted() == Self.stores.map(\.path).sorted())
    }

    /// The names and numbers of the entities that have rows, from the store's own tables.
    private func objectCounts(_ store: Store) throws -> [String: Int] {
        let folder = try TemporaryFolder()
        return try StoreFile(path: folder.copy(of: store.url)).read { database in
            let entities = try Row.fetchAll(
                database, sql: "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000")
            var counts: [String: Int] = [:]
            for entity in entities {
                var root = entity
                while let parent = entities.first(where: { $0["Z_ENT"] == root["Z_SUPER"] as Int? }) { root = parent }
                let table = "Z" + (root["Z_NAME"] as String).uppercased()
                let number: Int = entity["Z_ENT"]
                let name: String = entity["Z_NAME"]
                counts[store.renamed[name] ?? name] = try Int.fetchOne(
                    database, sql: "SELECT COUNT(*) FROM \(table) WHERE Z_ENT = \(number)")
            }
            return counts
        }
    }

    @Test(arguments: stores)
    func `a real store is exported whole, and not a byte of it changes`(_ store: Store) throws {
        let folder = try TemporaryFolder()
        let file = StoreFile(path: store.url.path)
        let neighbours = try FileManager.default.contentsOfDirectory(atPath: store.url.deletingLastPathComponent().path)
        let bytes = try file.bytes

        let run = try graft(["export"] + store.options, in: folder).succeeded()

        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: run.output) }
        #expect(try file.bytes == bytes)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.url.deletingLastPathComponent().path)
                == neighbours)
    }

    @Test(arguments: stores)
    func `each entity is exported with all its objects`(_ store: Store) throws {
        let counts = try objectCounts(store).filter { $0.value > 0 }.sorted { $0.key < $1.key }
        for (entity, count) in Laws.cases(counts, oneOf: 3) {
            let run = try graft(["export", "--entity", entity, "--format", "ndjson"] + store.options)
            // Sub-entities come with their super-entity.
            #expect(run.status == 0, "\(entity): \(run.diagnostics)")
            #expect(run.lines.count >= count, "\(entity)")
        }
    }

    @Test(arguments: stores)
    func `a real store is inspected`(_ store: Store) throws {
        let counts = try objectCounts(store)
        let run = try graft("inspect", store.url.path, "--json").succeeded()
        let summary = try #require(try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
        let model = try #require(summary["model"] as? [String: Any])
        let entities = try #require(model["entities"] as? [[String: Any]])
        for entity in entities {
            let name = try #require(entity["name"] as? String)
            #expect(entity["objectCount"] as? Int == counts[name] ?? 0, "\(name)")
        }
        #expect(entities.count == counts.count)
    }
}
