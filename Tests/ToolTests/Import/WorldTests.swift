// Real JSON from the shell: regions, subregions, countries and cities, each file a call of its own, in different orders.

import Foundation
import Testing

@Suite(.needsReferenceData) struct WorldTests {
    static let files = [
        "regions.json": "Region", "subregions.json": "Subregion", "countries.json": "Country",
        "cities-small.json": "City",
    ]

    // Every file comes before every other one in one of these orders at least.
    static let orders = [
        ["regions.json", "subregions.json", "countries.json", "cities-small.json"],
        ["cities-small.json", "countries.json", "subregions.json", "regions.json"],
        ["countries.json", "regions.json", "cities-small.json", "subregions.json"],
    ]

    private func importFile(_ name: String, into store: String) throws -> ToolRun {
        let file = Project.data.appending(path: "world/\(name)").path
        let entity = try #require(Self.files[name])
        return try graft("import", file, "--entity", entity, "--store", store, "--model", Project.worldModel)
            .succeeded()
    }

    @Test(arguments: Laws.cases(orders.reversed(), oneOf: 3))
    func `the files of the world arrive in any order`(_ order: [String]) throws {
        let folder = try TemporaryFolder()
        let store = StoreFile(path: folder.path("World.sqlite"))
        for name in order { _ = try importFile(name, into: store.path) }

        let tables = ["ZREGION", "ZSUBREGION", "ZCOUNTRY", "ZCITY", "ZZONE"]
        #expect(try tables.map { try store.count($0) } == [6, 22, 250, 4604, 432])
        // Nothing is left of the stubs that stood for what came later, and every reference leads somewhere. In the
        // data, two countries have no region and three no subregion.
        for table in tables { #expect(try store.count(table, where: "ZNAME IS NULL") == 0, "\(table)") }
        #expect(try store.count("ZCITY", where: "ZCOUNTRY IS NULL") == 0)
        #expect(try store.count("ZSUBREGION", where: "ZREGION IS NULL") == 0)
        #expect(try store.count("ZCOUNTRY", where: "ZREGION IS NULL") == 2)
        #expect(try store.count("ZCOUNTRY", where: "ZSUBREGION IS NULL") == 3)
        let kenya = try graft(
            "export", "--store", store.path, "--entity", "City", "--where", "country.iso2 == 'KE'", "--format", "ndjson"
        )
        #expect(kenya.succeeded().lines.count == 145)
    }

    @Test func `an exported world imports into an equal one`() throws {
        let folder = try TemporaryFolder()
        let (store, copy) = (folder.path("World.sqlite"), folder.path("Copy.sqlite"))
        for name in Self.orders[0] { _ = try importFile(name, into: store) }
        let archive = folder.path("world.json")
        try graft("export", "--store", store, "--output", archive).succeeded()
        try graft("import", archive, "--store", copy, "--model", Project.worldModel).succeeded()
        let again = try graft("export", "--store", copy).succeeded()
        #expect(again.output == (try Data(contentsOf: URL(fileURLWithPath: archive))))
    }

    @Test func `importing everything again changes nothing`() throws {
        let folder = try TemporaryFolder()
        let store = StoreFile(path: folder.path("World.sqlite"))
        for name in Self.orders[0] { _ = try importFile(name, into: store.path) }
        let content = try store.content
        for name in Self.orders[1] {
            let report = try importFile(name, into: store.path)
            for line in report.lines.dropFirst() {
                let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
                #expect(numbers.prefix(2) == [0, 0], "\(line)")
            }
        }
        #expect(try store.content == content)
    }
}
