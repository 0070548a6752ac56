// One inferred mapping model, run by rows and by objects (as it is where a store of the newer version is at the destination): a renamed
// element of a composite attribute comes along by rows. By objects the dictionary with the old names is given to the new attribute, and
// the migration fails with an error that says to correct an expression which nobody has written. An element that is added and has a
// default value is null by objects.

import CoreData
import Foundation
import Testing

@Suite struct CompositeObjectMigrationTests {
    private func model(_ element: String, added: String? = nil) -> NSManagedObjectModel {
        let city = TestModel.attribute(element, .stringAttributeType)
        city.renamingIdentifier = "city"
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.isOptional = true
        place.elements = [city]
        if let added {
            let attribute = TestModel.attribute(added, .stringAttributeType)
            attribute.isOptional = false
            attribute.defaultValue = "CH"
            place.elements.append(attribute)
        }
        return TestModel.model([TestModel.entity("Shop", [place])])
    }

    private func migrated(to newer: NSManagedObjectModel, movesRows: Bool) throws -> [String: Any]? {
        let older = model("city")
        let store = try MigratingStore(older) { $0.insert("Shop", ["place": ["city": "Rome"]]) }
        let result = try MigratingStore()
        let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
        manager.usesStoreSpecificMigrationManager = movesRows
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        try manager.migrateStore(
            from: store.url, sourceType: NSSQLiteStoreType, with: mapping, toDestinationURL: result.url,
            destinationType: NSSQLiteStoreType)
        return try result.open(newer, nil).all("Shop").first?.value(forKey: "place") as? [String: Any]
    }

    @Test(arguments: [true, false])
    func `a renamed element keeps its value, whichever way a mapping is run`(_ movesRows: Bool) throws {
        let place = try migrated(to: model("town"), movesRows: movesRows)
        #expect(place?["town"] as? String == "Rome")
    }

    @Test(arguments: [true, false])
    func `an element that is added gets its default value, whichever way a mapping is run`(_ movesRows: Bool) throws {
        let place = try migrated(to: model("city", added: "country"), movesRows: movesRows)
        #expect(place?["city"] as? String == "Rome")
        #expect(place?["country"] as? String == "CH")
    }
}
