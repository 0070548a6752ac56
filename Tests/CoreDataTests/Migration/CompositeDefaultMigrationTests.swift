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

    // MARK: Within each other

    private func composite(
        _ name: String, _ elements: [NSAttributeDescription], isOptional: Bool = true
    ) -> NSCompositeAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.isOptional = isOptional
        composite.elements = elements
        return composite
    }

    private func element(
        _ name: String, isOptional: Bool = true, default value: String? = nil
    ) -> NSAttributeDescription {
        let element = TestModel.attribute(name, .stringAttributeType)
        element.isOptional = isOptional
        element.defaultValue = value
        return element
    }

    /// Shops with a place. The entity beside them has a version hash that can be computed, and is another one in each version.
    private func shops(_ version: Int, _ place: [NSAttributeDescription]) -> NSManagedObjectModel {
        let shop = TestModel.entity(
            "Shop", [TestModel.attribute("name", .stringAttributeType), composite("place", place)])
        let other = TestModel.entity("Other", [TestModel.attribute("a\(version)", .stringAttributeType)])
        return TestModel.model([shop, other])
    }

    /// The elements of each shop's place that have a value, by the shop's name.
    private func places(
        from older: NSManagedObjectModel, to newer: NSManagedObjectModel, movesRows: Bool,
        _ fill: (NSManagedObjectContext) -> Void
    ) throws -> [String: [String]] {
        let store = try MigratingStore(older, fill: fill)
        let result = try store.migrated(from: older, to: newer, movesRows: movesRows)
        let context = try result.open(newer, nil)
        let shops = try context.all("Shop")
        var places: [String: [String]] = [:]
        for shop in shops {
            let name = shop.value(forKey: "name") as? String ?? ""
            if let place = shop.value(forKey: "place") as? [String: Any] { places[name] = texts(place) }
            shop.setValue("\(name)!", forKey: "name")
        }
        #expect(throws: Never.self) { try context.save() }
        try result.close()
        return places
    }

    private func texts(_ value: [String: Any]) -> [String] {
        value.flatMap { name, part in
            (part as? [String: Any]).map { texts($0).map { "\(name).\($0)" } } ?? ["\(name)=\(part)"]
        }.sorted()
    }

    @Test(arguments: [true, false])
    func `an element that is added to a composite attribute within another one makes no value of it`(
        movesRows: Bool
    ) throws {
        let older = shops(1, [element("city"), composite("geo", [element("latitude", isOptional: false)])])
        let newer = shops(
            2,
            [
                element("city"),
                composite("geo", [element("latitude", isOptional: false), element("zone", default: "CET")]),
            ])
        let places = try places(from: older, to: newer, movesRows: movesRows) { context in
            let place: [String: Any] = ["city": "Rome", "geo": ["latitude": "1"]]
            context.insert("Shop", ["name": "full", "place": place])
            context.insert("Shop", ["name": "nowhere", "place": ["city": "Bern"]])
            context.insert("Shop", ["name": "none"])
        }
        #expect(places == ["full": ["city=Rome", "geo.latitude=1", "geo.zone=CET"], "nowhere": ["city=Bern"]])
    }

    @Test(arguments: [true, false])
    func `an element makes no value where there was none, although no older element is left`(movesRows: Bool) throws {
        let older = shops(1, [element("city")]), newer = shops(2, [element("country", default: "CH")])
        let places = try places(from: older, to: newer, movesRows: movesRows) { context in
            context.insert("Shop", ["name": "with", "place": ["city": "Rome"]])
            context.insert("Shop", ["name": "none"])
        }
        #expect(places == ["with": ["country=CH"]])
    }

    @Test(arguments: [true, false])
    func `a composite attribute that is added within another one is made of its default values where that has one`(
        movesRows: Bool
    ) throws {
        let older = shops(1, [element("city")])
        let newer = shops(2, [element("city"), composite("geo", [element("zone", default: "CET")])])
        let places = try places(from: older, to: newer, movesRows: movesRows) { context in
            context.insert("Shop", ["name": "with", "place": ["city": "Rome"]])
            context.insert("Shop", ["name": "none"])
        }
        #expect(places == ["with": ["city=Rome", "geo.zone=CET"]])
    }

    @Test(arguments: [true, false])
    func `an element that becomes mandatory has its default value where it had none`(movesRows: Bool) throws {
        let older = shops(1, [element("city"), element("country")])
        let newer = shops(2, [element("city"), element("country", isOptional: false, default: "IT")])
        let places = try places(from: older, to: newer, movesRows: movesRows) { context in
            context.insert("Shop", ["name": "half", "place": ["city": "Rome"]])
            context.insert("Shop", ["name": "full", "place": ["city": "Bern", "country": "CH"]])
            context.insert("Shop", ["name": "none"])
        }
        #expect(places == ["half": ["city=Rome", "country=IT"], "full": ["city=Bern", "country=CH"]])
    }

    @Test func `a mandatory element that values would lack is in the way of a migration`() throws {
        func mandatory() -> NSAttributeDescription { element("code", isOptional: false) }
        func geo(_ more: [NSAttributeDescription] = []) -> NSAttributeDescription {
            composite("geo", [element("latitude")] + more)
        }
        let older = shops(1, [element("city"), geo()])
        func obstacles(_ place: [NSAttributeDescription]) throws -> [String] {
            do {
                _ = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: shops(2, place))
                return []
            } catch let error as CocoaError {
                return (error as NSError).userInfo["obstacles"] as? [String] ?? []
            }
        }
        #expect(try obstacles([element("city"), geo(), mandatory()]).count == 1)
        #expect(try obstacles([element("city"), geo([mandatory()])]).count == 1)
        // A value of it would have the zone, and nothing else.
        let half = composite("more", [mandatory(), element("zone", default: "CET")])
        #expect(try !obstacles([element("city"), geo(), half]).isEmpty)
        // Nobody has a value of it.
        #expect(try obstacles([element("city"), geo(), composite("more", [mandatory()])]).isEmpty)
    }
}
