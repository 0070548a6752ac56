// What the annotations of a model come to.

import CoreData
import Foundation
@testable import Graft
import Testing

@Suite struct GraphMappingTests {
    @Test func `one key path in a hierarchy switches the names of its properties off`() throws {
        var sketch = ModelSketch()
        sketch.entity("Base", [.attribute("a"), .attribute("t", isTransient: true)])
        sketch.entity("Sub", parent: "Base", [.attribute("b", json: "x.y")])
        sketch.entity("Other", [.attribute("c"), .attribute("u", isTransient: true), .toOne("base", "Base")])
        let model = sketch.model()
        let description = try MappingDescription(model)
        #expect(description.keyPaths(of: "Base") == [:])
        #expect(description.keyPaths(of: "Sub") == ["b": "x.y"])
        #expect(description.keyPaths(of: "Other") == ["c": "c", "base": "base"])
        #expect(try GraphMapping(model).schema.rootEntityNames == ["Other"])
    }

    // Groot's own tests change annotations of a model that has objects, and rely on it.
    @Test(arguments: StoreKind.allCases)
    func `annotations that are changed in a model in use count in the next import`(_ kind: StoreKind) throws {
        let world = try ImportWorld(kind) {
            let id = ModelSketch.Property.attribute("id", .integer64AttributeType, json: "id")
            $0.entity("Hero", [id, .attribute("name", json: "name")])
        }
        let hero = try #require(world.stack.container.managedObjectModel.entitiesByName["Hero"])
        hero.userInfo?["identityAttributes"] = "id"
        try world.take(#"[{"id": 1, "name": "Ada", "full_name": "Ada L."}]"#, "Hero")
        #expect(try world.values("name", of: "Hero") == ["Ada"])

        hero.attributesByName["name"]?.userInfo = ["JSONKeyPath": "full_name"]
        try world.take(#"[{"id": 1, "name": "Bea", "full_name": "Ada L."}]"#, "Hero")
        #expect(try world.values("name", of: "Hero") == ["Ada L."])

        hero.userInfo = ["identityAttributes": "name"]
        try world.take(#"[{"id": 2, "full_name": "Ada L."}, {"id": 1, "full_name": "Bea"}]"#, "Hero")
        #expect(try world.values("name", of: "Hero") == ["Ada L.", "Bea"])
        #expect(try world.value("id", of: "Hero", "name", "Ada L.") == "2")
    }

    @Test func `in an archive every stored property has a place`() throws {
        var sketch = ModelSketch()
        sketch.entity("Base", [.attribute("a"), .attribute("t", isTransient: true)])
        sketch.entity("Sub", parent: "Base", [.attribute("b", json: "x.y")])
        let mapping = try GraphMapping(sketch.model(), isDocument: true)
        let sub = try #require(mapping.schema.number(ofEntity: "Sub"))
        #expect(mapping.entities[sub].properties.map { $0?.path } == [["$a"], nil, ["x", "y"]])
    }

    @Test func `properties are numbered as the objects' slots are`() throws {
        for seed in 0..<20 {
            let model = RandomGraph(seed: seed).model
            let schema = try GraphSchema(model)
            for entity in schema.entities {
                let layout = try #require(model.entitiesByName[entity.name]).layout
                #expect(entity.properties.map(\.name) == layout.slots.map(\.name))
            }
        }
    }

    @Test func `entities are numbered parents first, by name`() throws {
        var sketch = ModelSketch()
        sketch.entity("C", parent: "B", [])
        sketch.entity("B", info: ["identityAttributes": "id"], [.attribute("id"), .attribute("extra")])
        sketch.entity("D", parent: "B", info: ["identityAttributes": "extra"], [])
        sketch.entity("A", [])
        let schema = try GraphSchema(sketch.model())
        #expect(schema.entities.map(\.name) == ["A", "B", "C", "D"])
        #expect(schema.isEntity(2, kindOf: 1))
        #expect(!schema.isEntity(2, relatedTo: 3))
        #expect(schema.entities.map(\.identitySpace) == [0, 1, 1, 3])
        #expect(schema.entities[3].identity == [0, 1])
        let copy = try JSONDecoder().decode(GraphSchema.self, from: JSONEncoder().encode(schema))
        #expect(copy == schema)
    }

    struct Wrong: CustomTestStringConvertible, Sendable {
        let path: String?, transformer: String?, words: String
        var testDescription: String { words }
    }

    @Test(arguments: [
        Wrong(path: "a..b", transformer: nil, words: "empty key"),
        Wrong(path: "", transformer: nil, words: "empty key"),
        Wrong(path: "a", transformer: "NoSuchTransformer", words: "no such transformer is registered"),
    ])
    func `an annotation that can't be followed is an error that names the property`(_ wrong: Wrong) throws {
        var sketch = ModelSketch()
        sketch.entity("A", [.attribute("p", json: wrong.path, transformer: wrong.transformer)])
        let model = sketch.model()
        let error = try #require(graftError { _ = try GraphMapping(model) })
        #expect(error.description.contains(wrong.words))
        #expect(error.place.entity == "A")
        #expect(error.place.property == "p")
    }

    @Test func `dots in keys are written with a backslash`() {
        #expect(Annotation.keys(ofPath: #"a\.b.c"#) == ["a.b", "c"])
        #expect(Annotation.keys(ofPath: #"a\\.b"#) == [#"a\"#, "b"])
        #expect(Annotation.keys(ofPath: "a.b.") == ["a", "b", ""])
    }
}
