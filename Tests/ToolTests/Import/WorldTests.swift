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

    private func count(_ entity: String, in store: String) throws -> Int {
        try graft("export", "--store", store, "--entity", entity, "--format", "ndjson").succeeded().lines.count
    }

    @Test(arguments: orders)
    func `the files of the world arrive in any order`(_ order: [String]) throws {
        let folder = try TemporaryFolder()
        let store = folder.path("World.sqlite")
        for name in order { _ = try importFile(name, into: store) }

        #expect(try count("Region", in: store) == 6)
        #expect(try count("Subregion", in: store) == 22)
        #expect(try count("Country", in: store) == 250)
        #expect(try count("City", in: store) == 4604)
        let german = try graft(
            "export", "--store", store, "--entity", "City", "--where", "country.name == 'Liechtenstein'", "--format",
            "ndjson"
        ).succeeded()
        #expect(german.lines.count == 0 || german.lines.count > 5)
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
