// Real data: regions, subregions, countries with time zones, and cities, by a model that is a resource of the tests.

import CoreData
import Foundation
import Graft
import Testing

@Suite(.needsReferenceData) struct WorldImportTests {
    static let files = ["regions.json", "subregions.json", "countries.json", "cities-small.json"]
    static let entities = ["Region", "Subregion", "Country", "City"]

    static func model() throws -> NSManagedObjectModel {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Resources/World.xcdatamodeld")
        return try #require(NSManagedObjectModel(contentsOf: url))
    }

    static func sources(_ order: [Int]) -> [ImportSource] {
        order.map { .file(sharedData.appendingPathComponent("world/\(files[$0])"), entity: entities[$0]) }
    }

    struct Order: CustomTestStringConvertible, Sendable {
        let indices: [Int], isOneImport: Bool
        var testDescription: String { "\(indices.map(String.init).joined()) \(isOneImport ? "at once" : "one by one")" }
    }

    private static let orders = [
        Order(indices: [3, 2, 1, 0], isOneImport: false), Order(indices: [0, 1, 2, 3], isOneImport: true),
        Order(indices: [2, 3, 0, 1], isOneImport: true), Order(indices: [3, 0, 2, 1], isOneImport: false),
    ]

    @Test(arguments: Laws.cases(orders, oneOf: 2))
    func `the files arrive in any order`(_ order: Order) throws {
        let stack = try TestStack(try Self.model(), .sqlite)
        var options = ImportOptions()
        options.savesEachBatch = order.indices[0] == 3
        options.batchSize = 700
        if order.isOneImport {
            try stack.container.importJSON(from: Self.sources(order.indices), options: options)
        } else {
            for index in order.indices { try stack.container.importJSON(from: Self.sources([index]), options: options) }
        }
        #expect(try Self.entities.map { try stack.count($0) } == [6, 22, 250, 4604])
        #expect(try stack.count("Zone") == 432)
        try stack.perform(expectWorld)
    }

    private func expectWorld(_ context: NSManagedObjectContext) throws {
        let andorra = try #require(try context.one("Country", "iso2", "AD"))
        #expect(andorra.object("region")?.text("name") == "Europe")
        #expect(andorra.object("subregion")?.text("name") == "Southern Europe")
        #expect((andorra.value(forKey: "latitude") as? NSNumber)?.doubleValue == 42.5)
        let translations = try #require(andorra.value(forKey: "translations") as? [String: Any])
        #expect(translations["fr"] as? String == "Andorre")
        #expect(andorra.texts("timeZones", "name") == ["Europe/Andorra"])
        let russia = try #require(try context.one("Country", "iso2", "RU"))
        #expect(russia.texts("timeZones", "name").prefix(2) == ["Asia/Anadyr", "Asia/Barnaul"])

        let missing = NSFetchRequest<NSManagedObject>(entityName: "City")
        missing.predicate = NSPredicate(format: "country.name == nil")
        #expect(try context.count(for: missing) == 0)
        let regionless = NSFetchRequest<NSManagedObject>(entityName: "Country")
        regionless.predicate = NSPredicate(format: "region == nil")
        #expect(try context.count(for: regionless) == 2)
    }

    @Test func `importing everything again changes nothing`() throws {
        let stack = try TestStack(try Self.model(), .sqlite)
        try stack.container.importJSON(from: Self.sources([0, 1, 2, 3]))
        var options = ImportOptions()
        options.batchSize = 1000
        for savesEachBatch in [false, true] {
            options.savesEachBatch = savesEachBatch
            let report = try stack.container.importJSON(from: Self.sources([3, 1, 0, 2]), options: options)
            #expect(!report.hasChanges, "\(report)")
            #expect(report["Country"].unchanged == 250)
            #expect(report["Zone"].unchanged == 432)
            #expect(report["City"].unchanged == 4604)
        }
        try stack.perform { context throws in
            try context.importJSON(from: Self.sources([0, 1, 2, 3]))
            #expect(!context.hasChanges)
        }
    }

    @Test func `an archive makes an equal world in a new store`() throws {
        let first = try TestStack(try Self.model(), .sqlite)
        try first.container.importJSON(from: Self.sources([3, 2, 1, 0]))
        let archive = try first.perform { try $0.exportJSON() }
        let second = try TestStack(try Self.model(), .sqlite)
        let report = try second.container.importJSON(from: [.data(archive)])
        #expect(report.total.inserted == 6 + 22 + 250 + 4604 + 432)
        let again = try second.perform { try $0.exportJSON() }
        #expect(archive == again)
        try second.perform(expectWorld)
        #expect(try !second.container.importJSON(from: [.data(archive)]).hasChanges)
        #expect(try !first.container.importJSON(from: [.data(archive)]).hasChanges)
    }

    @Test func `objects without an identifier are found again by their contents`() throws {
        let text = """
            [{"name": "Playa", "state_id": 272, "country_id": 56, "latitude": "23.09416700", "population": 178601},
             {"name": "Marianao", "state_id": 272, "country_id": 56, "latitude": "23.08333300"},
             {"name": "Twin", "country_id": 56}, {"name": "Twin", "country_id": 56}, {"id": 5, "name": "Playa"}]
            """
        let stack = try TestStack(try Self.model(), .sqlite)
        var options = ImportOptions()
        options.batchSize = 1
        for savesEachBatch in [true, false] {
            options.savesEachBatch = savesEachBatch
            try stack.importJSON(text, "City", options: options)
            #expect(try stack.count("City") == 5)
        }
        let report = try stack.importJSON(text, "City")
        #expect(!report.hasChanges, "\(report)")
        let changed = text.replacingOccurrences(of: "23.08333300", with: "23.1")
        #expect(try stack.importJSON(changed, "City")["City"].inserted == 1)
        options.unidentifiedObjects = .insert
        #expect(try stack.importJSON(text, "City", options: options)["City"].inserted == 4)
    }
}
