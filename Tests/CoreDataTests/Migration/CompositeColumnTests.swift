// A column is named after an element of a composite attribute alone, and numbered where the name is taken. So an element that goes, or that
// changes places with one of its name, leaves the columns to other properties than before: whoever opened the store as it was read the
// values of one property as another's. No version hash says so.

import CoreData
import Foundation
import Testing

@Suite struct CompositeColumnTests {
    private func composite(_ name: String, _ elements: [NSAttributeDescription]) -> NSAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.isOptional = true
        composite.elements = elements
        return composite
    }

    private func text(_ name: String) -> NSAttributeDescription { TestModel.attribute(name, .stringAttributeType) }

    private func city(_ name: String) -> NSAttributeDescription { composite(name, [text("city")]) }

    private func shops(_ attributes: [NSAttributeDescription]) -> NSManagedObjectModel {
        TestModel.model([TestModel.entity("Shop", attributes)])
    }

    /// The texts of the one shop, each after its path, sorted.
    private func texts(_ context: NSManagedObjectContext) throws -> [String] {
        func texts(_ value: Any?, _ path: String) -> [String] {
            guard let parts = value as? [String: Any] else { return value.map { ["\(path)=\($0)"] } ?? [] }
            return parts.flatMap { texts($0.value, "\(path).\($0.key)") }
        }
        let shops = try context.all("Shop")
        try #require(shops.count == 1)
        return shops[0].entity.attributesByName.keys.flatMap { texts(shops[0].value(forKey: $0), $0) }.sorted()
    }

    /// The texts of a shop whose store isn't opened by the newer version before it is migrated.
    private func migrated(
        _ values: [String: Any], from older: NSManagedObjectModel, to newer: NSManagedObjectModel,
        entity: String = "Shop"
    ) throws -> [String] {
        let store = try MigratingStore(older) { $0.insert(entity, values) }
        let error = try store.refusal(newer, nil)
        #expect(error.code == .persistentStoreIncompatibleVersionHash)
        #expect(error.localizedDescription.contains("entity '\(entity)' differs"))
        let found = try texts(store.open(newer))
        try store.close()
        #expect(try texts(store.open(newer, nil)) == found)
        return found
    }

    @Test func `an element that goes doesn't leave its values to an attribute of its name`() throws {
        let older = shops([composite("address", [text("town"), text("zip")]), text("town")])
        let newer = shops([composite("address", [text("zip")]), text("town")])
        let values: [String: Any] = ["address": ["town": "inner", "zip": "1"], "town": "outer"]
        #expect(try migrated(values, from: older, to: newer) == ["address.zip=1", "town=outer"])
    }

    @Test func `an element that goes with the composite attribute around it doesn't leave its values to another one`()
        throws
    {
        let older = shops([composite("address", [city("home"), city("work")])])
        let newer = shops([composite("address", [city("work")])])
        let values = ["address": ["home": ["city": "Rome"], "work": ["city": "Bern"]]]
        #expect(try migrated(values, from: older, to: newer) == ["address.work.city=Bern"])
    }

    @Test func `elements of one name keep their values where they change places`() throws {
        let older = shops([composite("address", [city("home"), city("work")])])
        let newer = shops([composite("address", [city("work"), city("home")])])
        let values = ["address": ["home": ["city": "Rome"], "work": ["city": "Bern"]]]
        #expect(
            try migrated(values, from: older, to: newer) == ["address.home.city=Rome", "address.work.city=Bern"])
    }

    @Test func `an attribute of a sub-entity keeps its values where an element of its name goes`() throws {
        func model(_ elements: [String]) -> NSManagedObjectModel {
            let shop = TestModel.entity("Shop", [composite("address", elements.map(text))])
            let branch = TestModel.entity("Branch", [text("town")])
            shop.subentities = [branch]
            return TestModel.model([shop, branch])
        }
        let values: [String: Any] = ["address": ["town": "inner", "zip": "1"], "town": "outer"]
        #expect(
            try migrated(values, from: model(["town", "zip"]), to: model(["zip"]), entity: "Branch")
                == ["address.zip=1", "town=outer"])
    }

    @Test func `the order of elements with names of their own is no version of the model`() throws {
        let store = try MigratingStore(shops([composite("address", [text("town"), text("zip")])])) {
            $0.insert("Shop", ["address": ["town": "Rome", "zip": "1"]])
        }
        let newer = shops([composite("address", [text("zip"), text("town")])])
        #expect(try texts(store.open(newer, nil)) == ["address.town=Rome", "address.zip=1"])
    }
}
