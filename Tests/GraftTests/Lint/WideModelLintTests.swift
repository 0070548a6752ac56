// Models with thousands of entities: the linter costs as much as they are long.

import CoreData
import Graft
import TestSupport
import Testing

@Suite struct WideModelLintTests {
    /// Entities under one, each with an attribute of its own.
    private func model(_ count: Int) -> NSManagedObjectModel {
        func entity(_ name: String, _ attribute: String, _ info: [String: String] = [:]) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            entity.userInfo = info
            let description = NSAttributeDescription()
            description.name = attribute
            description.attributeType = .stringAttributeType
            description.userInfo = ["JSONKeyPath": attribute]
            entity.properties = [description]
            return entity
        }
        let root = entity("Root", "id", ["identityAttributes": "id", "JSONEntityKey": "type"])
        root.subentities = (0..<count).map { entity("E\($0)", "a\($0)", ["JSONKeypath": "x"]) }
        let model = NSManagedObjectModel()
        model.entities = [root] + root.subentities
        return model
    }

    @Test func `eight times as many inheriting entities take about eight times as long`() throws {
        let (small, large) = (model(250), model(2000))
        let ratio = try Growth.ratio { () throws in
            #expect(try ModelLint(small).findings.count { $0.rule == .unknownKey } == 250)
        } large: { () throws in
            #expect(try ModelLint(large).findings.count { $0.rule == .unknownKey } == 2000)
        }
        // Quadratic would be 64.
        #expect(ratio < 24, "\(ratio)")
    }
}
