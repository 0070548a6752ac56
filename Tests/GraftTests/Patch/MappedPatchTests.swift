// Patches between exports: lists of objects are matched by the identities that the model declares.

import CoreData
import Foundation
import Testing

@testable import Graft

@Suite struct MappedPatchTests {
    @Test func `nested lists are matched by the identities of their entities`() throws {
        let model = ComicModel.make()
        let options = try JSONPatch.Options.identified(byMappingOf: "Character", in: model)
        #expect(options.identity(JSONPatch.Pointer()) == [["id"]])
        #expect(options.identity(JSONPatch.Pointer(["3", "powers"])) == [["id"]])
        #expect(options.identity(JSONPatch.Pointer(["powers"])) == [["id"]])
        #expect(options.identity(JSONPatch.Pointer(["3", "publisher", "nothing"])) == nil)
        let old: JSONValue = [["id": 1, "powers": [["id": 4, "name": "a"], ["id": 9, "name": "b"]]], ["id": 2]]
        let new: JSONValue = [["id": 2], ["id": 1, "powers": [["id": 9, "name": "c"], ["id": 4, "name": "a"]]]]
        let patch = try JSONPatch(from: old, to: new, options: options)
        #expect(patch.operations.map(\.name) == ["move", "move", "replace"])
        #expect(try patch.applying(to: old) == new)
    }

    @Test func `the lists of a whole graph are matched by entity`() throws {
        let options = try JSONPatch.Options.identified(byMappingOf: nil, in: ComicModel.make())
        #expect(options.identity(JSONPatch.Pointer(["Power"])) == [["id"]])
        #expect(options.identity(JSONPatch.Pointer(["$graft"])) == nil)
        #expect(options.identity(JSONPatch.Pointer(["Character", "0", "powers"])) == [["id"]])
    }

    @Test func `keys of sub-entities and steps of key paths are followed`() throws {
        var sketch = ModelSketch()
        sketch.entity("Base", info: ["identityAttributes": "id"], [.attribute("id", .integer64AttributeType)])
        sketch.entity("Sub", parent: "Base", [.toMany("parts", "Part", inverse: "owner", json: "more.parts")])
        sketch.entity(
            "Part", info: ["identityAttributes": "a, b"],
            [.attribute("a", json: "x.a"), .attribute("b", json: "b"), .toOne("owner", "Sub", inverse: "parts")])
        let options = try JSONPatch.Options.identified(byMappingOf: "Base", in: sketch.model())
        #expect(options.identity(JSONPatch.Pointer(["0", "more", "parts"])) == [["x", "a"], ["b"]])
    }
}
