// Real JSON of other people through an inferred model and back: files of the reference data, and those of Debian's package iso-codes
// where it is installed. The models that they get are in Resources/Inferred; GRAFT_WRITE_INFERRED=1 writes them anew.

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
        try data.expectModel(of: name)
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

@Suite struct IsoCodeInferenceTests {
    private static let folder = URL(filePath: "/usr/share/iso-codes/json")
    private static let isThere = FileManager.default.fileExists(atPath: folder.path)

    @Test(
        .enabled("Debian's package iso-codes isn't installed") { isThere },
        arguments: ["3166-1", "3166-3", "4217", "639-2", "639-5", "15924"])
    func `a list of codes comes out as it went in`(_ number: String) throws {
        let name = "iso_\(number).json"
        let text = try Data(contentsOf: Self.folder.appending(path: name))
        let data = try InferredData([(name, String(decoding: text, as: UTF8.self))])
        data.expectEqual { $0 }
        #expect(data.report.total.inserted > 20)
        // Another release of the package may have other keys.
        if text.count == Self.sizes[number] { try data.expectModel(of: name) }
    }

    private static let sizes = [
        "3166-1": 43284, "3166-3": 6193, "4217": 16584, "639-2": 36852, "639-5": 8486, "15924": 17097,
    ]
}

extension InferredData {
    /// Holds the model against the one that is kept for a file.
    fileprivate func expectModel(of name: String) throws {
        let base = name.replacing("/", with: "-").replacing(".json", with: ".txt")
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Resources/Inferred/\(base)")
        let text = inference.model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }.map(Self.text).joined()
        if ProcessInfo.processInfo.environment["GRAFT_WRITE_INFERRED"] != nil { try Data(text.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    private static func text(_ entity: NSEntityDescription) -> String {
        let properties = entity.properties.sorted { $0.name < $1.name }.map { property in
            let path = property.userInfo?["JSONKeyPath"].map { " from \($0)" } ?? ""
            let mark = property.isOptional ? "?" : ""
            switch property {
            case let attribute as NSAttributeDescription:
                return "    \(attribute.name): \(attribute.attributeValueClassName ?? "-")\(mark)\(path)\n"
            case let relationship as NSRelationshipDescription:
                let owns = relationship.deleteRule == .cascadeDeleteRule ? ", owned" : ""
                let inverse = relationship.inverseRelationship.map { ", back by \($0.name)" } ?? ""
                let many = relationship.isToMany ? relationship.isOrdered ? "ordered " : "many " : ""
                let target = relationship.destinationEntity?.name ?? "-"
                return "    \(relationship.name): \(many)\(target)\(mark)\(owns)\(inverse)\(path)\n"
            default: return "    \(property.name)\n"
            }
        }
        let identity = entity.userInfo?["identityAttributes"].map { " by \($0)" } ?? ""
        return "\(entity.name ?? "")\(identity)\n\(properties.joined())"
    }
}
