// `NSEntityDescription.properties` of models in use and of models from files names inherited properties, too. (The public exporter momdec
// skips them by `[self.superentity.properties containsObject:]`; frameworks walk over `entity.properties` and expect them.)

import CoreData
import Foundation
import Testing

@Suite struct InheritedPropertyTests {
    @Test func `properties has inherited ones once a coordinator uses the model`() throws {
        let model = LibraryModel.make()
        let novel = try #require(model.entitiesByName["Novel"]), book = try #require(model.entitiesByName["Book"])
        #expect(novel.properties.map(\.name) == ["genre"])
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(novel.properties.count == book.properties.count + 1)
        #expect(novel.properties.first === book.properties.first && novel.properties.last?.name == "genre")
        #expect(Set(novel.properties.map(\.name)) == Set(novel.propertiesByName.keys))
    }

    @Test func `a model from a source has them at once, and takes new ones by adding to them`() throws {
        let model = try sourceModel(
            """
            <entity name="Base"><attribute name="a" attributeType="String"/></entity>
            <entity name="Sub" parentEntity="Base"><attribute name="b" attributeType="String"/></entity>
            """)
        let sub = try #require(model.entitiesByName["Sub"]), base = try #require(model.entitiesByName["Base"])
        #expect(sub.properties.map(\.name) == ["a", "b"])
        let added = NSAttributeDescription()
        added.name = "c"
        added.attributeType = .stringAttributeType
        let before = sub.versionHash
        sub.properties += [added]
        #expect(sub.properties.map(\.name) == ["a", "b", "c"] && base.properties.map(\.name) == ["a"])
        #expect(sub.properties.first?.entity === base && added.entity === sub && sub.versionHash != before)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy.entitiesByName["Sub"]?.properties.map(\.name) == ["a", "b", "c"])
        #expect(copy == model)
    }
}
