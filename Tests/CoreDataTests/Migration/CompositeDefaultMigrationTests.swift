// An element with a default value is added to a composite attribute. An object that has no value of the attribute at all gets one, made of
// that default alone; as a value that is there needs its mandatory elements (divergence 60), the object can't be saved any more.

import CoreData
import Foundation
import Testing

@Suite struct CompositeDefaultMigrationTests {
    private func model(hasCountry: Bool) -> NSManagedObjectModel {
        let city = TestModel.attribute("city", .stringAttributeType)
        city.isOptional = false
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.isOptional = true
        place.elements = [city]
        var others = [TestModel.attribute("a", .stringAttributeType)]
        if hasCountry {
            let country = TestModel.attribute("country", .stringAttributeType)
            country.defaultValue = "CH"
            place.elements.append(country)
            // The version hash of an entity with a composite attribute can't be computed; this one's can.
            others.append(TestModel.attribute("b", .stringAttributeType))
        }
        let shop = TestModel.entity("Shop", [TestModel.attribute("name", .stringAttributeType), place])
        return TestModel.model([shop, TestModel.entity("Other", others)])
    }

    private func shop(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.all("Shop").first { $0.value(forKey: "name") as? String == name })
    }

    @Test func `an element that is added makes no value where there is none`() throws {
        let store = try MigratingStore(model(hasCountry: false)) { context in
            context.insert("Shop", ["name": "with", "place": ["city": "Rome"]])
            context.insert("Shop", ["name": "without"])
        }
        let context = try store.open(model(hasCountry: true))
        let place = try #require(try shop("with", context).value(forKey: "place") as? [String: Any])
        #expect(place["city"] as? String == "Rome" && place["country"] as? String == "CH")
        let without = try shop("without", context)
        #expect(without.value(forKey: "place") == nil)
        without.setValue("renamed", forKey: "name")
        #expect(throws: Never.self) { try context.save() }
    }
}
