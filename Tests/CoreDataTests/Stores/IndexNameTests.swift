// Names of entities and properties are identifiers, those of indexes any text: it stands in SQL as a name, whatever is in it.

import Foundation
import Testing

@testable import CoreData

@Suite struct IndexNameTests {
    private static let names = [
        "by-name", "a b", "it's \"both\"", "x on ZSHOP (ZX); create table evil (a); create index y",
    ]

    private func model(_ name: String, isSpatial: Bool, more: [String] = []) -> NSManagedObjectModel {
        let coordinates = ["x", "y"].map { TestModel.attribute($0, .doubleAttributeType) }
        let others = more.map { TestModel.attribute($0, .stringAttributeType) }
        let shop = TestModel.entity("Shop", coordinates + others)
        let elements = coordinates.map {
            NSFetchIndexElementDescription(property: $0, collationType: isSpatial ? .rTree : .binary)
        }
        shop.indexes = [NSFetchIndexDescription(name: name, elements: elements)]
        return TestModel.model([shop])
    }

    @Test(arguments: names, [false, true])
    func `an index is made under the name that the model gives it, and nothing else is`(
        _ name: String, _ isSpatial: Bool
    ) throws {
        let store = try TestStore(model(name, isSpatial: isSpatial))
        let id = try store.insert("Shop", ["x": .double(1), "y": .double(2)])
        try store.update(id, ["x": .double(3)])
        try store.delete(id, version: 2)
        let found = try store.rows("SELECT name FROM sqlite_master")
        #expect(found.contains("'Z_\(isSpatial ? "RT_" : "")Shop_\(name)'"))
        #expect(!found.contains("'evil'"))
    }

    @Test(arguments: names, [false, true])
    func `a migration makes it anew`(_ name: String, _ isSpatial: Bool) throws {
        let store = try MigratingStore(model(name, isSpatial: isSpatial)) { $0.insert("Shop", ["x": 1.5, "y": 2.5]) }
        let newer = model(name, isSpatial: isSpatial, more: ["name"])
        #expect(try store.open(newer).values("Shop", "y") == ["2.5"])
        #expect(try store.statements() == MigratingStore.statements(ofNew: newer))
    }
}
