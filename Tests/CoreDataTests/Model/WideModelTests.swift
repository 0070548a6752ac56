// Models with thousands of entities: reading one costs as much as it is long.

import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite struct WideModelTests {
    private func source(_ count: Int) -> Data {
        let entities = (0..<count).map { number in
            """
            <entity name="E\(number)" parentEntity="Root"><attribute name="a\(number)" optional="YES"
            attributeType="String"/></entity>
            """
        }
        let text =
            "<model type=\"com.apple.IDECoreDataModeler.DataModel\"><entity name=\"Root\"/>\(entities.joined())</model>"
        return Data(text.utf8)
    }

    private func read(_ count: Int) throws -> NSManagedObjectModel {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("Wide.mom")
        try source(count).write(to: file)
        return try NSManagedObjectModel(readingContentsOf: file)
    }

    @Test func `two thousand entities under one are read in seconds, and archived and read again`() throws {
        // When each sub-entity told all others of itself, this took hours.
        let clock = ContinuousClock()
        let time = try clock.measure {
            let model = try read(2000)
            #expect(model.entitiesByName["Root"]?.subentities.map(\.name) == (0..<2000).map { "E\($0)" })
            let again = try NSManagedObjectModel(archive: model.archived())
            #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
            #expect(again.entitiesByName["E7"]?.superentity?.name == "Root")
        }
        #expect(time < .seconds(60))
    }

    @Test func `eight times as many inheriting entities take about eight times as long`() throws {
        let ratio = try Growth.ratio(attempts: 2) { () throws in
            #expect(try read(250).entityVersionHashesByName.count == 251)
        } large: { () throws in
            #expect(try read(2000).entityVersionHashesByName.count == 2001)
        }
        // Quadratic would be 64.
        #expect(ratio < 24, "\(ratio)")
    }

    @Test func `eight times as many entities with user info are archived in about eight times the time`() throws {
        func model(_ count: Int) throws -> NSManagedObjectModel {
            let model = try read(count)
            for entity in model.entities { entity.userInfo = ["of": entity.name ?? "", "number": 7] }
            return model
        }
        let models = (small: try model(250), large: try model(2000))
        let ratio = try Growth.ratio(attempts: 2) { () throws in
            _ = try models.small.archived()
        } large: { () throws in
            _ = try models.large.archived()
        }
        #expect(ratio < 24, "\(ratio)")
    }

    @Test func `what is known of an entity's properties is forgotten when its family changes`() throws {
        let model = try read(2)
        let root = try #require(model.entitiesByName["Root"]), child = try #require(model.entitiesByName["E0"])
        #expect(child.propertiesByName.keys.sorted() == ["a0"])
        root.properties = [TestModel.attribute("id", .stringAttributeType)]
        #expect(child.propertiesByName.keys.sorted() == ["a0", "id"])
        root.subentities = []
        #expect(child.superentity == nil && child.propertiesByName.keys.sorted() == ["a0"])
        let other = TestModel.entity("Other", [TestModel.attribute("more", .stringAttributeType)])
        other.subentities = [child]
        #expect(child.propertiesByName.keys.sorted() == ["a0", "more"])
        other.subentities = []
        #expect(child.propertiesByName.keys.sorted() == ["a0"])
    }
}
