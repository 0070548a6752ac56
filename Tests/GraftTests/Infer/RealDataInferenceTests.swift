// Real JSON of other people through an inferred model and back.

import CoreData
import Foundation
import Graft
import Testing

@Suite(.needsReferenceData) struct RealDataInferenceTests {
    private func texts(_ names: [String]) throws -> [(name: String, text: String)] {
        try names.map { name in
            let file = sharedData.appendingPathComponent(name)
            return (file.lastPathComponent, String(decoding: try Data(contentsOf: file), as: UTF8.self))
        }
    }

    @Test(arguments: [
        "world/regions.json", "world/subregions.json", "world/countries.json", "json-patch-tests/tests.json",
        "json-patch-tests/spec_tests.json",
    ])
    func `a file comes out as it went in`(_ name: String) throws {
        let data = try InferredData(texts([name]))
        data.expectEqual(\.withoutNothing.withoutRepeatedKeys, "\(name)")
        // A key that is repeated in an object is named.
        let repeats = try texts([name])[0].text.contains("two 'op' members")
        #expect(repeats == data.inference.guesses.contains { $0.difference?.contains("repeated") == true })
    }

    @Test func `the files of the world refer to each other`() throws {
        let names = ["cities-small", "countries", "regions", "subregions"]
        let data = try InferredData(texts(names.map { "world/\($0).json" }))
        #expect(data.inference.entities == ["CitiesSmall", "Country", "Region", "Subregion"])
        #expect(try data.relationship("Subregion", "region").destinationEntity?.name == "Region")
        #expect(try data.relationship("CitiesSmall", "country").destinationEntity?.name == "Country")
        #expect(data.report.total.stubs == 0)
        data.expectEqual()
    }

    @Test func `every object of the JSON test suite is kept or refused`() throws {
        let folder = sharedData.appendingPathComponent("json-test-suite/test_parsing")
        var kept = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name.hasPrefix("y_")
        {
            let text = try Data(contentsOf: folder.appendingPathComponent(name))
            guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { continue }
            do {
                let data = try InferredData([("record.json", String(decoding: text, as: UTF8.self))])
                // Of a repeated key, the last value counts.
                if data.inference.guesses.allSatisfy({ $0.difference == nil }) { data.expectEqual({ $0 }, "\(name)") }
                kept += 1
            } catch let error as GraftError {
                #expect(
                    ["y_object_empty.json", "y_object_empty_key.json", "y_object_escaped_null_in_key.json"].contains(
                        name),
                    "\(name): \(error)")
            }
        }
        #expect(kept >= 8)
    }
}
